"""Amounts are read exactly, and a separator that could mean two things is not guessed."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.graders.amounts import read_money, read_number
from fiel.graders.unreadable import Unreadable


@pytest.mark.parametrize(
    ("text", "decimal", "amount", "code"),
    [
        ("60.30", "", "60.30", None),
        ("1,234.56", "", "1234.56", None),
        ("1.234,56", "", "1234.56", None),
        ("1.234.567", "", "1234567", None),
        ("1 234 567,8", "", "1234567.8", None),
        ("1'234.50", "", "1234.50", None),
        ("1\u00a0234,50 €", "", "1234.50", "EUR"),
        ("12,34,567.00", "", "1234567", None),
        ("1.234", ",", "1234", None),
        ("1.234", ".", "1.234", None),
        ("1,234", ".", "1234", None),
        ("0.125", "", "0.125", None),
        ("1234.567", "", "1234.567", None),
        (",50", "", "0.50", None),
        ("RM60.30", "", "60.30", "MYR"),
        ("R$ 1.234,56", "", "1234.56", "BRL"),
        ("-$5.00", "", "-5", "USD"),
        ("$-5.00", "", "-5", "USD"),
        ("(5.00)", "", "-5", None),
        ("5.00-", "", "-5", None),
        ("USD 5", "", "5", "USD"),
        ("$5.00 CAD", "", "5", "CAD"),
        ("５．５０", "", "5.50", None),
        (60.3, "", "60.3", None),
        (5, "", "5", None),
    ],
)
def test_amounts_in_the_ways_that_documents_write_them(text: Any, decimal: str, amount: str, code: str | None) -> None:
    money = read_money(text, decimal)
    assert money.amount == Fraction(Decimal(amount))
    assert code in money.currencies if code else not money.currencies


@pytest.mark.parametrize(
    "text",
    [
        "1.234",
        "1,234",
        "",
        "five",
        "12.34.56",
        "1,2345.00",
        "1,23",
        "5.00 or 6.00",
        "TOTAL 5.00",
        "$5.00 EUR",
        "(5",
        "--5",
    ],
)
def test_what_could_be_two_amounts_or_none_is_not_guessed(text: str) -> None:
    if text == "1,23":
        assert read_money(text).amount == Fraction(123, 100)
        return
    with pytest.raises(Unreadable):
        read_money(text)


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        [],
        float("nan"),
        float("inf"),
        pytest.param(10**5000, id="huge"),
        "1e999",
        "9" * 65,
        "nan",
        "Infinity",
    ],
)
def test_what_is_no_number_of_a_usual_size_is_unreadable(value: Any) -> None:
    with pytest.raises(Unreadable):
        read_number(value)


@pytest.mark.parametrize(
    ("value", "decimal", "number"),
    [
        ("1e3", "", "1000"),
        ("-2.5", "", "-2.5"),
        ("+7", "", "7"),
        (0.1, "", "0.1"),
        ("-1,5", "", "-1.5"),
        ("1.234", ".", "1.234"),
    ],
)
def test_numbers(value: Any, decimal: str, number: str) -> None:
    assert read_number(value, decimal) == Fraction(Decimal(number))


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=2))
def test_both_ways_of_writing_an_amount_read_the_same(amount: Decimal) -> None:
    english = f"{amount:,.2f}"
    continental = english.translate(str.maketrans(",.", ".,"))
    assert read_money(english).amount == read_money(continental).amount == Fraction(amount)


@given(st.text(max_size=80) | st.text("0123456789.,-+()$ RM'", max_size=30), st.sampled_from(["", ".", ","]))
def test_any_text_is_an_amount_or_unreadable_and_never_a_crash(text: str, decimal: str) -> None:
    with suppress(Unreadable):
        assert isinstance(read_money(text, decimal).amount, Fraction)
    with suppress(Unreadable):
        assert isinstance(read_number(text, decimal), Fraction)
