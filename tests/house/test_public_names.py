"""The public face is a list, and this is the list."""

from __future__ import annotations

import fiel

PUBLIC = {
    "ABSENT",
    "Broken",
    "Case",
    "Decision",
    "FielError",
    "Finding",
    "Grader",
    "Grading",
    "Item",
    "Measure",
    "Outcome",
    "Output",
    "Rate",
    "Refused",
    "Report",
    "TargetFailure",
    "ToolCall",
    "Ungraded",
    "Usage",
    "Verdict",
    "__version__",
    "ask",
    "ask_all",
    "load_report",
}


def test_the_public_names_are_these_and_no_others() -> None:
    assert set(fiel.__all__) == PUBLIC


def test_every_public_name_is_there() -> None:
    for name in fiel.__all__:
        assert getattr(fiel, name) is not None, name


def test_no_name_is_listed_twice() -> None:
    assert len(fiel.__all__) == len(set(fiel.__all__))
