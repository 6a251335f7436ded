"""Dates are read by what was declared: the order of day and month is never guessed."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.graders.dates import check_format, read_date
from fiel.graders.unreadable import Unreadable

CHRISTMAS = date(2018, 12, 25)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("2018-12-25", ""),
        ("2018-12-25T20:49:59Z", ""),
        ("2018-12-25 20:49", ""),
        ("25/12/2018", "dmy"),
        ("25/12/2018 20:49:59", "dmy"),
        ("25-12-18", "dmy"),
        ("25.12.2018", "dmy"),
        ("12/25/2018", "mdy"),
        ("12/25/18 08:09 PM", "mdy"),
        ("2018/12/25", "ymd"),
        ("2018/12/25", "dmy"),
        ("25 December 2018", ""),
        ("25 Dec 2018", ""),
        ("25-DEC-2018", ""),
        ("25DEC2018", ""),
        ("25 de dezembro de 2018", ""),
        ("25 diciembre 2018", ""),
        ("December 25, 2018", ""),
        ("Dec 25th, 2018", ""),
        ("25-DEC-18", "dmy"),
        ("２５/１２/２０１８", "dmy"),
    ],
)
def test_dates_as_documents_write_them(text: str, order: str) -> None:
    assert read_date(text, (), order) == CHRISTMAS


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("10/12/2018", ""),
        ("2018/12/25", ""),
        ("25/12/2018", "mdy"),
        ("31/02/2018", "dmy"),
        ("25-DEC-18", ""),
        ("2018", "dmy"),
        ("25/12", "dmy"),
        ("25 Foo 2018", ""),
        ("2018-13-01", ""),
        ("", ""),
        ("x" * 100, "dmy"),
    ],
)
def test_what_was_not_declared_is_not_guessed(text: str, order: str) -> None:
    with pytest.raises(Unreadable):
        read_date(text, (), order)


def test_declared_formats_decide_and_two_that_disagree_do_not() -> None:
    assert read_date("10/12/2018", ("%d/%m/%Y",)) == date(2018, 12, 10)
    assert read_date("10/12/2018", ("%m/%d/%Y",)) == date(2018, 10, 12)
    assert read_date("10/12/2018 20:49:59", ("%d/%m/%Y",)) == date(2018, 12, 10)
    with pytest.raises(Unreadable):
        read_date("10/12/2018", ("%d/%m/%Y", "%m/%d/%Y"))
    assert read_date("25/12/2018", ("%d/%m/%Y", "%m/%d/%Y")) == CHRISTMAS
    assert read_date("25122018", ("%d%m%Y", "%Y%m%d")) == read_date("20181225", ("%d%m%Y", "%Y%m%d")) == CHRISTMAS


@pytest.mark.parametrize("form", ["%d/%m", "nonsense", "%Y", "%Y %d"])
def test_a_format_that_settles_no_date_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match=r"day, a month and a year|does not match"):
        check_format(form)


@given(st.dates(min_value=date(1000, 1, 1)))
def test_a_written_date_reads_back(day: date) -> None:
    assert read_date(day.isoformat()) == day
    assert read_date(f"{day.day}/{day.month}/{day.year}", (), "dmy") == day
    assert read_date(day.strftime("%d %B %Y")) == day


@given(st.text(max_size=70), st.sampled_from(["", "dmy", "mdy", "ymd"]))
def test_any_text_is_a_date_or_unreadable_and_never_a_crash(text: str, order: str) -> None:
    with suppress(Unreadable):
        assert isinstance(read_date(text, ("%d/%m/%Y",), order), date)
