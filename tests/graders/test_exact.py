"""``exact`` is equality of JSON values and nothing softer, unless what may differ was declared."""

from __future__ import annotations

import math
import unicodedata
from time import process_time_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.case import ABSENT, Case
from fiel.core.errors import ConfigError
from fiel.core.grader import fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.exact import Exact

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def passed(expected: Any, output: Any, **settings: Any) -> bool | None:
    result = Exact(**settings).grade(Item(case=Case(id="c", input="", expected=expected), output=output))
    assert isinstance(result, Verdict)
    return result.passed


@pytest.mark.parametrize(
    "text",
    [
        "สวัสดีชาวโลก",
        "مرحبا بالعالم",
        "こんにちは世界",
        "Ação José",
        "１２３",
        "“quoted”",
        "👩‍👩‍👧 ok",
        "\u202eright to left",
    ],
)
def test_equal_texts_of_every_script_are_equal(text: str) -> None:
    assert passed(text, text) is True
    assert passed({"a": [text]}, {"a": [text]}) is True


@pytest.mark.parametrize(
    ("left", "right", "form"),
    [
        ("Ação", unicodedata.normalize("NFD", "Ação"), "nfc"),
        ("123", "１２３", "nfkc"),
        ('say "yes"', "say “yes”", "quotes"),
        ("it's", "it’s", "quotes"),
        ("Straße", "STRASSE", "casefold"),
        ("two  words\n", "two words", "whitespace"),
        ("27, JALAN DEDAP 13,", "27 JALAN DEDAP 13 ", "squeeze"),
    ],
)
def test_a_difference_counts_until_it_is_declared_harmless(left: str, right: str, form: str) -> None:
    assert passed(left, right) is False
    assert passed(left, right, normalise=[form]) is True
    assert passed([left], [right], normalise=[form]) is True


def test_normalising_drops_nothing_that_was_not_declared() -> None:
    assert passed("ก่า", "กา", normalise=["nfc", "casefold", "whitespace", "quotes"]) is False
    assert passed("café", "cafe", normalise=["nfkc", "casefold"]) is False


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        (1, 1.0, True),
        (10**20, 1e20, True),
        (1, True, False),
        (0, False, False),
        ([1, {"a": True}], [1, {"a": 1}], False),
        ([1, {"a": 2}], [1.0, {"a": 2}], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (None, None, True),
        (None, "", False),
        ("1", 1, False),
        ([], {}, False),
        (math.nan, math.nan, False),
        ([math.nan], [math.nan], False),
        ("a" * 300_000, "a" * 300_000, True),
        ("\ud800", "\ud800", True),
    ],
)
def test_json_equality(expected: Any, output: Any, same: bool) -> None:
    assert passed(expected, output) is same


@given(JSON)
def test_every_value_equals_itself(value: Any) -> None:
    assert passed(value, value) is True


@given(JSON, JSON)
def test_equality_is_symmetric(left: Any, right: Any) -> None:
    assert passed(left, right) is passed(right, left)


def test_the_expectation_may_lie_at_a_pointer_or_in_the_settings() -> None:
    item = Item(case=Case(id="c", input="", expected={"answer": "yes"}), output={"text": "yes", "n": [0, 5]})
    assert Exact(expected_at="/answer", output_at="/text").grade(item) == Verdict(passed=True, label="equal")
    assert Exact(value=5, output_at="/n/1").grade(item) == Verdict(passed=True, label="equal")
    absent = Exact(value=None, output_at="/nothing").grade(item)
    assert isinstance(absent, Verdict)
    assert absent.passed is False


def test_without_an_expected_value_nothing_is_said() -> None:
    for grader in (Exact(), Exact(expected_at="/answer")):
        result = grader.grade(Item(case=Case(id="c", input="", expected=ABSENT), output="x"))
        assert isinstance(result, Ungraded)
        assert result.reason == "no_expected"


def test_expecting_null_is_an_expectation() -> None:
    assert passed(None, None) is True


def test_a_failure_shows_both_values_and_its_reason_neither() -> None:
    verdict = Exact().grade(Item(case=Case(id="c", input="", expected="left"), output="x" * 9_000))
    assert isinstance(verdict, Verdict)
    assert (verdict.label, verdict.reason) == ("different", "different")
    assert verdict.findings[0].expected == "left"
    assert len(verdict.findings[0].got) == 501


def test_settings_are_part_of_the_identity_and_are_checked() -> None:
    assert fingerprint(Exact()) != fingerprint(Exact(normalise=("nfc",)))
    with pytest.raises(ConfigError, match='did you mean "casefold"'):
        Exact(normalise=("casefld",))
    with pytest.raises(ConfigError, match="JSON pointer"):
        Exact(output_at="answer")


def test_grading_a_text_costs_no_more_than_a_few_plain_comparisons() -> None:
    item = Item(case=Case(id="c", input="", expected="forty-two"), output="forty-two")
    grade, plain = Exact().grade, Item.__init__

    def cost(function: Any) -> float:
        best = math.inf
        for _ in range(7):
            start = process_time_ns()
            for _ in range(20_000):
                function()
            best = min(best, process_time_ns() - start)
        return best

    # Making one Item is the yardstick: a ratio of the same run holds on a slow machine too.
    made = cost(lambda: plain(item.__class__.__new__(item.__class__), case=item.case, output="x"))
    assert cost(lambda: grade(item)) <= made * 1.5
