from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.decision import Decision
from fiel.core.report import Report
from fiel.reports import render, render_decision
from fiel.reports.terminal import columns, fitted, wrap


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_asked(report: Report, decision: Decision, width: int) -> None:
    for page in (render(report, "terminal", width=width), render_decision(decision, "terminal", width=width)):
        assert max(map(columns, page.split("\n"))) <= width


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_of_a_hostile_report_is_wider_than_asked(bad_report: Report, width: int) -> None:
    page = render(bad_report, "terminal", width=width)
    assert max(map(columns, page.split("\n"))) <= width


def test_without_colour_there_is_no_escape(report: Report) -> None:
    assert "\x1b" not in render(report, "terminal", colour=False)


def test_colour_changes_no_word(report: Report, decision: Decision) -> None:
    for width in (60, 120):
        bare = render(report, "terminal", decision=decision, width=width)
        coloured = render(report, "terminal", decision=decision, width=width, colour=True)
        assert "\x1b[" in coloured
        stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert [line.rstrip() for line in stripped.split("\n")] == bare.split("\n")


def test_colour_codes_in_a_hostile_report_are_only_ours(bad_report: Report) -> None:
    page = render(bad_report, "terminal", colour=True)
    assert "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", page)


def test_wide_characters_count_twice_and_marks_not_at_all() -> None:
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1


def test_a_table_that_cannot_fit_becomes_a_list(report: Report) -> None:
    assert "* Case: " in render(report, "terminal", width=40)
    assert "* Case: " not in render(report, "terminal", width=120)


def test_the_widest_column_gives_way_first() -> None:
    assert fitted([10, 50, 20], 60) == [10, 30, 20]
    assert fitted([10, 50], 5) is None
    assert fitted([10, 20], 40) == [10, 20]


@given(st.text(alphabet="ab 漢|-\u0301"), st.integers(2, 20))
def test_wrapping_loses_nothing_but_spaces(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns(line) <= width for line in lines)


def test_what_is_folded_is_named_and_shown_in_full_on_demand(report: Report) -> None:
    brief, full = render(report, "terminal"), render(report, "terminal", full=True)
    assert "Not shown: " in brief
    assert "Manifest (--full shows all)" in brief
    assert "tool_schema_version" not in brief
    assert "tool_schema_version" in full
    assert "Not shown: " not in full


@pytest.mark.parametrize(("status", "why"), [("spent", "it was spent"), ("unmeasured", "unknown is not zero")])
def test_a_run_that_its_budget_ended_says_so_at_the_top(report: Report, status: str, why: str) -> None:
    ended = render(replace(report, budget={"status": status, "skipped": 3}), "terminal", width=160)
    assert why in ended.partition("Target")[0]
    assert "budget ended" not in render(replace(report, budget={"status": "within"}), "terminal")
