"""``contains``, ``regex`` and ``numeric``: what cannot be read is not evaluated, and negation makes no pass of it."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from fiel.core.case import ABSENT, Case
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.contains import Contains
from fiel.graders.numeric import Numeric
from fiel.graders.regex import Regex


def grade(grader: Any, output: Any, expected: Any = ABSENT) -> Verdict | Ungraded:
    result = grader.grade(Item(case=Case(id="c", input="", expected=expected), output=output))
    assert isinstance(result, (Verdict, Ungraded))
    return result


def passed(grader: Any, output: Any, expected: Any = ABSENT) -> bool | None:
    result = grade(grader, output, expected)
    assert isinstance(result, Verdict), result
    return result.passed


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("made_by", "settings", "outputs", "reason"),
    [
        (Contains, {"value": "yes"}, [None, 7, ["yes"], {"yes": "yes"}], "not_text"),
        (Regex, {"pattern": "yes"}, [None, 7, ["yes"], {"yes": "yes"}], "not_text"),
        (
            Numeric,
            {"value": 42},
            [None, "forty-two", "", "42 apples", True, [42], float("nan"), "1.234"],
            "not_a_number",
        ),
    ],
)
def test_what_cannot_be_read_is_not_evaluated_under_either_sign(
    made_by: Any, settings: dict[str, Any], outputs: list[Any], reason: str, negate: bool
) -> None:
    for output in outputs:
        result = grade(made_by(**settings, negate=negate), output)
        assert isinstance(result, Ungraded)
        assert result.reason == reason


@pytest.mark.parametrize("grader", [Contains(), Regex(), Numeric(), Contains(expected_at="/a"), Contains(negate=True)])
def test_without_an_expectation_nothing_is_said(grader: Any) -> None:
    result = grade(grader, "x")
    assert isinstance(result, Ungraded)
    assert result.reason == "no_expected"


def test_contains_asks_for_all_phrases_or_for_any() -> None:
    assert passed(Contains(value=["a", "b"]), "b and a") is True
    assert passed(Contains(value=["a", "z"]), "b and a") is False
    assert passed(Contains(value=["a", "z"], match="any"), "b and a") is True
    assert passed(Contains(), "the answer", "answer") is True


def test_contains_negated_refuses_every_phrase() -> None:
    assert passed(Contains(value=["secret", "password"], negate=True), "my password") is False
    assert passed(Contains(value=["secret", "password"], negate=True), "nothing here") is True


def test_contains_folds_only_what_was_declared() -> None:
    assert passed(Contains(value="AÇÃO"), "uma ac\u0327a\u0303o") is False
    assert passed(Contains(value="AÇÃO", normalise=["nfc", "casefold"]), "uma ac\u0327a\u0303o") is True


def test_contains_names_the_missing_phrase_in_its_findings_only() -> None:
    verdict = grade(Contains(value=["a", "zebra"]), "a")
    assert isinstance(verdict, Verdict)
    assert [finding.expected for finding in verdict.findings] == ["zebra"]
    assert verdict.reason == "does_not_contain"


@pytest.mark.parametrize("expected", ["", ["a", ""], [], 7, None])
def test_a_phrase_that_is_in_everything_or_no_text_is_no_expectation(expected: Any) -> None:
    result = grade(Contains(), "x", expected)
    assert isinstance(result, Ungraded)
    assert result.reason == "expected_not_text"
    with pytest.raises(ConfigError):
        Contains(value=expected)


def test_a_pattern_occurs_or_fills_the_whole_text() -> None:
    assert passed(Regex(pattern=r"INV-\d+"), "see INV-12.") is True
    assert passed(Regex(pattern=r"INV-\d+", full=True), "see INV-12.") is False
    assert passed(Regex(pattern="a|b", full=True), "ab") is False
    assert passed(Regex(pattern="ação", ignore_case=True), "AÇÃO") is True
    assert passed(Regex(), "x1", r"^\p{L}\d$") is True
    assert passed(Regex(pattern="yes", negate=True), "no") is True


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)b", "a)|(b", "(a{1000}){1000}", "a" * 20_000])
def test_a_pattern_that_cannot_be_run_in_bounds_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="pattern"):
        Regex(pattern=pattern)
    result = grade(Regex(full=True), "x", pattern)
    assert isinstance(result, Ungraded)
    assert result.reason == "pattern_malformed"


def test_a_pattern_that_backtracks_elsewhere_is_quick_here() -> None:
    start = process_time()
    assert passed(Regex(pattern="^(a+)+$"), "a" * 200_000 + "b") is False
    assert process_time() - start < 2


def test_a_text_beyond_the_bound_is_not_evaluated_under_either_sign() -> None:
    for negate in (False, True):
        result = grade(Regex(pattern="b", max_chars=10, negate=negate), "a" * 11)
        assert isinstance(result, Ungraded)
        assert result.reason == "text_too_long"


@pytest.mark.parametrize(
    ("settings", "output", "near"),
    [
        ({"value": 42}, 42.0, True),
        ({"value": 42}, "42", True),
        ({"value": 42}, "４２", True),
        ({"value": 0.3}, 0.1 + 0.2, False),
        ({"value": 0.3, "tolerance": 0.1}, 0.4, True),
        ({"value": 0.3, "tolerance": 0.1}, 0.4000001, False),
        ({"value": 200, "relative": "0.01"}, 202, True),
        ({"value": 200, "relative": "0.01"}, 202.1, False),
        ({"value": 1234, "decimal": ","}, "1.234", True),
        ({"value": 1, "negate": True}, 2, True),
        ({"value": 1, "negate": True}, 1, False),
    ],
)
def test_numbers_are_compared_exactly(settings: dict[str, Any], output: Any, near: bool) -> None:
    assert passed(Numeric(**settings), output) is near


def test_an_expected_value_that_is_no_number_is_not_the_targets_fault() -> None:
    result = grade(Numeric(), 5, "five")
    assert isinstance(result, Ungraded)
    assert result.reason == "expected_unreadable"
    with pytest.raises(ConfigError, match="expected a number"):
        Numeric(value="five")
