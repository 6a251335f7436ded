"""Every format says the same things, and none lets a text from outside act.

Golden files are in ``tests/golden/reports``; ``FIEL_UPDATE_GOLDEN=1`` writes them anew, to be read in the diff.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fiel.core.decision import Decision
from fiel.core.errors import ConfigError
from fiel.core.report import Balance, Failure, Rate, Report
from fiel.gate.diff import diff as compare
from fiel.gate.diff import diff_document
from fiel.reports import FORMATS, render, render_decision, render_diff

GOLDEN = Path(__file__).parents[1] / "golden" / "reports"
UPDATE = os.environ.get("FIEL_UPDATE_GOLDEN") == "1"
TEXT = ("terminal", "md", "github", "html")
ALL = tuple(FORMATS)
OF_DECISION = tuple(name for name in FORMATS if name != "json")
OF_DIFF = (*TEXT, "json")


def golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if UPDATE:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; FIEL_UPDATE_GOLDEN=1 writes it anew"


@pytest.mark.parametrize("name", ALL)
def test_a_report_reads_as_its_golden_file(report: Report, name: str) -> None:
    golden(f"report.{name}", render(report, name))


@pytest.mark.parametrize("name", OF_DECISION)
def test_a_decision_reads_as_its_golden_file(decision: Decision, name: str) -> None:
    golden(f"decision.{name}", render_decision(decision, name))


@pytest.mark.parametrize("name", OF_DIFF)
def test_a_diff_reads_as_its_golden_file(diff: Mapping[str, object], name: str) -> None:
    golden(f"diff.{name}", render_diff(diff, name))


@pytest.mark.parametrize("name", TEXT)
def test_the_diff_that_the_gate_writes_shows_flipped_cases_then_strata_then_means(
    two_reports: tuple[Report, Report], name: str
) -> None:
    text = render_diff(diff_document(compare(*two_reports)), name, width=200)
    places = [text.index(said) for said in ("hd-0002", "hd-0001", "tenant-crux", "Means over all cases")]
    assert places == sorted(places)
    assert "1 fixed, 1 broken" in text


@pytest.mark.parametrize("name", TEXT)
def test_every_format_shows_what_a_reader_must_know(report: Report, name: str) -> None:
    text = render(report, name, width=400)
    for said in (
        "Numbers of a stub: no claim about a model.",
        "use number 4",
        "66.7 %",
        "16 of 24",
        "undefined (0 of 0)",
        "1 case = 100 points",
        "no_expected: 24",
        "unknown for 3 of 27",
        "p95 210 ms",
        "pass^3",
        "disabled",
        "design effect 1.93",
        "3 of 4 strata are thin",
    ):
        assert said in text, said


@pytest.mark.parametrize("name", TEXT)
def test_a_decision_beside_a_report_comes_first(report: Report, decision: Decision, name: str) -> None:
    text = render(report, name, decision=decision, width=400)
    assert text.index("BLOCK") < text.index("16 of 24")


@pytest.mark.parametrize("name", ["terminal", "md", "github"])
def test_text_formats_show_fifty_failures_and_count_the_rest(report: Report, name: str) -> None:
    failure = report.failures[0]
    many = tuple(Failure(case=f"c{i}", trial=0, stratum="s", grader="g", label="fail", reason="r") for i in range(73))
    plain = Report(split="dev", manifest={}, overall={}, failures=many)
    text = render(plain, name, width=200)
    assert "23 more failures are in report.json." in text
    assert "c49" in text
    assert "c50" not in text
    assert failure.case not in text


def test_trials_that_failed_alike_share_a_row_and_are_all_counted() -> None:
    many = tuple(
        Failure(case=f"c{i}", trial=trial, stratum="s", grader="g", label="fail", reason="r")
        for i in range(60)
        for trial in range(2)
    )
    plain = Report(split="dev", manifest={}, overall={}, trials=2, failures=many)
    text = render(plain, "terminal")
    assert "trials 0, 1 of c49" in text
    assert "20 more failures are in report.json." in text


def test_failures_of_critical_strata_come_first(report: Report) -> None:
    text = render(report, "terminal")
    assert text.index("hd-0008") < text.index("hd-0003")


def test_no_number_is_nan_or_infinite(report: Report) -> None:
    empty = Report(split="dev", manifest={}, overall={"x": Rate(numerator=0, denominator=0, value=None, interval=None)})
    for name in TEXT:
        for text in (render(report, name), render(empty, name)):
            assert "nan" not in text.lower().replace("tenant", "")


def test_an_unknown_format_is_refused_with_the_nearest(report: Report) -> None:
    with pytest.raises(ConfigError, match='did you mean "html"'):
        render(report, "htm")


def test_a_decision_has_one_json_form(decision: Decision) -> None:
    with pytest.raises(ConfigError, match="fiel gate --json"):
        render_decision(decision, "json")


@pytest.mark.parametrize("name", ["junit", "annotations"])
def test_a_diff_is_refused_where_it_has_no_meaning(diff: Mapping[str, object], name: str) -> None:
    with pytest.raises(ConfigError, match="diff"):
        render_diff(diff, name)


@pytest.mark.parametrize("name", ALL)
def test_hostile_text_is_bounded_and_commands_nothing(
    bad_report: Report, bad_decision: Decision, bad_diff: Mapping[str, object], name: str
) -> None:
    pages = [render(bad_report, name, decision=bad_decision)]
    if name in OF_DECISION:
        pages.append(render_decision(bad_decision, name))
    if name in OF_DIFF:
        pages.append(render_diff(bad_diff, name))
    for page in pages:
        page.encode("utf-8")
        if name != "json":
            assert len(page) < 400_000
        for line in page.split("\n"):
            ours = name == "annotations" and line.startswith(("::error title=", "::warning title=", "::notice title="))
            assert ours or not line.lstrip().startswith("::"), line[:80]
            assert "##[" not in line
            assert "##vso[" not in line
        for hidden in "\x00\x07\x1b\x9b\r\u202e\u2066\u200b\ufeff\ud800":
            assert hidden not in page


def test_a_headline_never_hides_what_was_not_graded(report: Report) -> None:
    half = replace(report, balance={"success": Balance(attempted=18, graded=9, ungraded={"target_crash": 9})})
    assert "for success, 9 more ungraded" in render(half, "terminal")
    assert "more ungraded" not in render(replace(report, balance={}), "terminal")


def test_a_failure_without_values_shows_none(report: Report) -> None:
    parts = Failure(case="c1", trial=0, stratum="s", grader="success", label="failure", reason="part_failed")
    page = render(replace(report, failures=(parts,)), "md")
    row = next(line for line in page.split("\n") if "part_failed" in line)
    assert "null" not in row


def test_a_decision_shows_options_corpus_lines_and_short_figures(decision: Decision) -> None:
    shown = replace(
        decision,
        candidate={"target": "runner", "options": {"fast": True}},
        policy={"metric": "success", "corpus": {"fields": {"at_least": 0.8, "at_most": None}}},
        statistics={"interval": [-0.18271556287508756, 0.5], "p_worse": 0.0000123},
    )
    page = render_decision(shown, "md")
    assert 'options={"fast": true}' in page
    assert 'corpus={"fields": {"at_least": 0.8}}' in page
    assert "[-0.1827, 0.5]" in page
    assert "1e-05" in page
