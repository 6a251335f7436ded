from __future__ import annotations

import re
from dataclasses import replace

from fiel.core.decision import Decision, Kind, Reason
from fiel.core.report import Failure, Report
from fiel.reports import render, render_decision
from fiel.reports.github import summary
from fiel.reports.report_outline import outline_of

COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)")


def commands(text: str) -> list[tuple[str, str, str]]:
    found = [COMMAND.fullmatch(line) for line in text.splitlines()]
    return [match.group(1, 2, 3) for match in found if match is not None]  # type: ignore[misc]


def test_failed_cases_are_errors_and_ungraded_ones_warnings(report: Report) -> None:
    found = commands(render(report, "annotations"))
    assert [level for level, _, _ in found] == ["error"] * 4 + ["warning"]
    assert found[0][2].startswith("hd-0008 (tenant-crux|contract-notice|adversarial, critical): success: ")


def test_reasons_of_a_decision_keep_their_weight(decision: Decision) -> None:
    found = commands(render_decision(decision, "annotations"))
    assert [(level, title) for level, title, _ in found] == [
        ("error", "fiel gate%3A critical_stratum_fell"),
        ("warning", "fiel gate%3A ungraded"),
        ("notice", "fiel gate%3A judge"),
    ]


def test_ten_of_a_type_are_shown_and_the_rest_is_counted(decision: Decision) -> None:
    reasons = tuple(Reason(kind=kind, rule="r", text=f"{i}") for kind in Kind for i in range(13))
    text = render_decision(replace(decision, reasons=reasons), "annotations")
    assert len(commands(text)) == 30
    assert text.splitlines()[-1] == (
        "fiel: 3 more errors, 3 more warnings, 3 more notices left out here (GitHub shows 10 of a type)."
    )


def test_every_line_of_hostile_annotations_is_one_whole_command(bad_report: Report, bad_decision: Decision) -> None:
    for text in (render(bad_report, "annotations"), render_decision(bad_decision, "annotations")):
        lines = text.splitlines()
        assert len(commands(text)) == len(lines)
        for _, title, message in commands(text):
            assert not re.search(r"%(?!25|3A|2C)", title + message)


def test_a_summary_is_never_too_large_to_be_shown(report: Report) -> None:
    page = outline_of(report)
    for limit in (700, 2_000, 4_000, 5_000, 10_000):
        text = summary(page, limit)
        assert len(text.encode()) <= limit
        if len(summary(page).encode()) > limit:
            assert "Cut here: " in text.splitlines()[-1]
        assert text.count("<details>") == text.count("</details>")


def test_a_huge_hostile_report_still_fits() -> None:
    text = "漢`|<>&" * 200_000
    failures = tuple(
        Failure(case=f"{i}{text}", trial=0, stratum=text, grader=text, label=text, reason=text, expected=text, got=text)
        for i in range(60)
    )
    report = Report(split=text, manifest={f"{i}{text[:400]}": text for i in range(500)}, overall={}, failures=failures)
    assert len(render(report, "github").encode()) <= 1024 * 1024
