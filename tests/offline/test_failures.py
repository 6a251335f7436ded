"""What a report shows of a failed trial: both values, in which nothing that was declared personal can be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fiel.core.case import Case
from fiel.core.grader import Result
from fiel.core.report import Failure
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.offline.failures import MOST_BYTES, failures_of

FAILED = Verdict(passed=False, label="different", reason="different")


def told(case: Case, output: Any, result: Result = FAILED) -> Failure:
    (failure,) = failures_of(case, 0, "all", None, output, {"exact": result})
    return failure


@pytest.mark.parametrize(
    ("pii", "expected", "output"),
    [
        ("name", {"name": "Ana Souza"}, {"name": "Ana Sousa", "note": "for ana souza"}),
        ("/customer/name", {"customer": {"name": "Ana Souza"}}, {"note": "Ana Souza"}),
        ("/customer", {"customer": {"names": ["Ana", "Souza"]}}, "Ana and Souza"),
        ("salary", {"salary": 1234567.0}, {"salary": 7654321.0}),
        ("cpf", {"cpf": 1234567890}, {"cpf": 1234567891}),
        ("a/b", {"a/b": "Ana Souza"}, {"a/b": None, "c": "Ana Souza"}),
        ("", "Ana Souza", "Ana Sousa"),
        ("initial", {"initial": "Q"}, {"initial": "X", "note": "signed Q"}),
    ],
)
def test_a_declared_value_is_masked_on_both_sides_wherever_it_stands(pii: str, expected: Any, output: Any) -> None:
    failure = told(Case(id="c", input="", expected=expected, pii=(pii,)), output)
    shown = json.dumps([failure.expected, failure.got]).casefold()
    for secret in ("ana ", "souza", "sousa", "1234567", "7654321", '"q"', "signed q"):
        assert secret not in shown
    assert "[personal]" in shown


@pytest.mark.parametrize("pii", ["/lines/\u00b2", "/lines/-1", "/lines/9", "missing", "/lines/0/deeper"])
def test_a_declared_place_that_is_not_there_masks_nothing_and_breaks_nothing(pii: str) -> None:
    failure = told(Case(id="c", input="", expected={"lines": ["a"]}, pii=(pii,)), {"lines": ["b"]})
    assert (failure.expected, failure.got) == ({"lines": ["a"]}, {"lines": ["b"]})


def test_what_is_recognised_is_masked_though_nobody_declared_it() -> None:
    failure = told(Case(id="c", input="", expected="ana@example.com"), "+1 212-555-0123")
    assert (failure.expected, failure.got) == ("[email]", "[phone]")


def test_the_findings_of_a_grader_are_shown_in_place_of_the_whole() -> None:
    findings = (
        Finding(path="total", outcome="mismatch", expected=1, got=2),
        Finding(path="date", outcome="match", expected="x", got="x"),
        Finding(path="vendor", outcome="missed", expected="Acme", got=None),
    )
    result = Verdict(passed=False, label="field_mismatch", findings=findings)
    failure = told(Case(id="c", input="", expected={}), {}, result)
    assert (failure.expected, failure.got) == ({"total": 1, "vendor": "Acme"}, {"total": 2, "vendor": None})


def test_a_value_of_any_size_is_shown_within_its_bound() -> None:
    failure = told(Case(id="c", input="", expected="x y " * 1000), "x" * 1_000_000)
    assert isinstance(failure.expected, str)
    assert len(failure.expected) < MOST_BYTES + 50
    assert failure.got == "(1,000,002 bytes of JSON, not shown)"


def test_without_an_output_the_target_is_the_one_failure_and_its_words_are_masked() -> None:
    case = Case(id="c", input="", expected={"name": "Ana Souza"}, pii=("name",))
    why = Ungraded(reason="target_crash", detail="ValueError: no Ana Souza here")
    (failure,) = failures_of(case, 2, "all", why, None, {"exact": why, "schema": why})
    assert (failure.grader, failure.label, failure.reason, failure.trial) == ("target", "ungraded", "target_crash", 2)
    assert failure.detail == "ValueError: no [personal] here"


def test_what_passed_is_no_failure() -> None:
    passed: dict[str, Result] = {
        "exact": Verdict(passed=True, label="equal"),
        "note": Verdict(passed=None, label="seen"),
    }
    assert list(failures_of(Case(id="c", input="", expected=1), 0, "all", None, 1, passed)) == []
