"""``fields`` tells five outcomes apart: inventing where null was right is an error, abstaining there is not a hit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.case import ABSENT, Case
from fiel.core.errors import ConfigError
from fiel.core.grader import fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.fields import Fields


def grade(expected: Any, output: Any, **settings: Any) -> Verdict:
    result = Fields(**settings).grade(Item(case=Case(id="c", input="", expected=expected), output=output))
    assert isinstance(result, Verdict), result
    return result


def counts(verdict: Verdict) -> dict[str, tuple[int, int]]:
    return {measure.name: (measure.hits, measure.of) for measure in verdict.measures}


def test_all_five_outcomes_and_their_sums_worked_by_hand() -> None:
    expected = {"a": 1, "b": 2, "c": 3, "d": None, "e": None}
    verdict = grade(expected, {"a": 1, "b": 9, "d": "2099-01-01", "e": None})
    assert [(f.path, f.outcome) for f in verdict.findings] == [("b", "mismatch"), ("c", "missed"), ("d", "invented")]
    assert counts(verdict) == {
        "": (1, 4),
        "coverage": (3, 5),
        "selective_accuracy": (1, 3),
        "invention_rate": (1, 2),
        "abstained": (1, 5),
        "field:a": (1, 1),
        "field:b": (0, 1),
        "field:c": (0, 1),
        "field:d": (0, 1),
    }
    assert (verdict.passed, verdict.label, verdict.reason) == (False, "field_mismatch", "field_mismatch:b")


@pytest.mark.parametrize(
    ("expected", "got", "outcome"),
    [(5, 6, "mismatch"), (5, None, "missed"), (None, "2099-01-01", "invented"), (None, "", "invented")],
)
def test_mismatch_missed_and_invented_read_alike(expected: Any, got: Any, outcome: str) -> None:
    verdict = grade({"ok": 1, "effective_date": expected}, {"ok": 1, "effective_date": got})
    assert verdict.reason == "field_mismatch:effective_date"
    (finding,) = verdict.findings
    assert (finding.outcome, finding.expected, finding.got) == (outcome, expected, got)


def test_abstaining_where_null_was_right_passes_without_being_a_hit() -> None:
    verdict = grade({"date": None}, {"date": None})
    assert verdict.passed is True
    assert counts(verdict)[""] == (0, 0)
    assert counts(verdict)["abstained"] == (1, 1)


def test_a_missing_key_counts_as_null_and_an_extra_key_is_not_looked_at() -> None:
    assert grade({"a": None}, {"b": 1}).passed is True
    assert grade({"a": 1}, {"a": 1, "b": 1}).passed is True


def test_the_first_failing_field_is_in_expected_order_not_in_that_of_the_output() -> None:
    assert grade({"z": 1, "a": 2}, {"a": 0, "z": 0}).reason == "field_mismatch:z"


@pytest.mark.parametrize("output", ["text", ["a"], 7, True])
def test_an_output_that_is_no_object_has_no_fields(output: Any) -> None:
    verdict = grade({"a": 1, "b": None}, output)
    assert (verdict.passed, verdict.label, verdict.reason) == (False, "output_not_object", "output_not_object")
    assert counts(verdict)[""] == (0, 1)
    assert grade({"b": None}, output).passed is False


def test_null_alone_abstains_from_everything() -> None:
    assert grade({"a": None}, None).passed is True
    assert grade({"a": 1}, None).reason == "field_mismatch:a"


@pytest.mark.parametrize(
    ("expected", "reason"),
    [
        (ABSENT, "no_expected"),
        ("text", "expected_not_object"),
        (None, "expected_not_object"),
        ({}, "no_expected_fields"),
    ],
)
def test_a_case_that_cannot_be_graded_says_why(expected: Any, reason: str) -> None:
    result = Fields().grade(Item(case=Case(id="c", input="", expected=expected), output={}))
    assert isinstance(result, Ungraded)
    assert result.reason == reason


COMPARE = {
    "total": "money",
    "date": {"as": "date", "formats": ["%d/%m/%Y"]},
    "rate": {"as": "number", "tolerance": 0.1},
    "tags": "set",
    "lines": {"as": "list", "of": "casefold"},
    "address": {"as": "text", "normalise": ["casefold", "squeeze"]},
    "name": "nfc",
    "city": "casefold",
}


@pytest.mark.parametrize(
    ("field", "expected", "got", "matches"),
    [
        ("total", "60.30", "RM 60.3", True),
        ("total", "$1,234.56", "1.234,56", True),
        ("total", "USD 5.00", "EUR 5.00", False),
        ("total", "5.00", 5, True),
        ("date", "2018-10-19", "19/10/2018", True),
        ("date", "2018-10-12", "10/12/2018", False),
        ("rate", 1, 1.1, True),
        ("rate", 1, 1.1000001, False),
        ("tags", ["a", "b"], ["b", "a", "a"], True),
        ("tags", ["a", "b"], ["a"], False),
        ("lines", ["A", "B"], ["a", "b"], True),
        ("lines", ["A", "B"], ["b", "a"], False),
        ("address", "27, JALAN DEDAP 13, JOHOR.", "27,Jalan Dedap 13\nJohor", True),
        ("address", "27 JALAN", "28 JALAN", False),
        ("name", "Ação", "Ac\u0327a\u0303o", True),
        ("name", "Ação", "AÇÃO", False),
        ("city", "Ação", "AC\u0327A\u0303O", True),
        ("other", "x", "X", False),
    ],
)
def test_each_field_is_compared_as_it_was_declared(field: str, expected: Any, got: Any, matches: bool) -> None:
    assert grade({field: expected}, {field: got}, compare=COMPARE).passed is matches


@pytest.mark.parametrize(("field", "expected", "got"), [("total", "5.00", "five"), ("date", "2018-10-19", "soon")])
def test_a_value_that_cannot_be_read_is_a_mismatch_with_a_flag(field: str, expected: str, got: str) -> None:
    verdict = grade({field: expected}, {field: got}, compare=COMPARE)
    assert verdict.findings[0].outcome == "mismatch"
    assert verdict.flags == (f"unreadable:{field}",)
    assert got not in verdict.reason


def test_an_expected_value_that_cannot_be_read_is_not_held_against_the_target() -> None:
    item = Item(case=Case(id="c", input="", expected={"date": "to be agreed"}), output={"date": "2026-01-01"})
    result = Fields(compare=COMPARE).grade(item)
    assert isinstance(result, Ungraded)
    assert result.reason == "expected_unreadable"
    assert "date" in result.detail
    assert "agreed" not in result.detail
    assert grade({"date": "to be agreed"}, {"date": "to be agreed"}, compare=COMPARE).passed is True


def test_an_object_is_opened_where_a_comparison_points_into_it() -> None:
    expected = {"customer": {"name": "Ana", "since": "2018-10-19"}, "n": 1}
    output = {"customer": {"name": "Bia", "since": "19/10/2018"}, "n": 1}
    whole = grade(expected, output)
    assert [f.path for f in whole.findings] == ["customer"]
    opened = grade(expected, output, compare={"/customer/since": COMPARE["date"]})
    assert [f.path for f in opened.findings] == ["/customer/name"]
    assert counts(opened)["field:/customer/since"] == (1, 1)


def test_the_looked_at_fields_can_be_chosen_by_key_or_pointer() -> None:
    expected, output = {"a": 1, "b": {"c": [5, 6]}}, {"a": 0, "b": {"c": [0, 6]}}
    assert grade(expected, output, fields=["/b/c/1"]).passed is True
    assert grade(expected, output, fields=["/b/c/0", "absent"]).reason == "field_mismatch:/b/c/0"
    assert grade(expected, output, fields=["/a"]).reason == "field_mismatch:a"


def test_empty_text_is_a_value_unless_declared_null() -> None:
    assert grade({"a": None}, {"a": ""}).findings[0].outcome == "invented"
    assert grade({"a": None}, {"a": ""}, empty_is_null=True).passed is True
    assert grade({"a": ""}, {"a": None}, empty_is_null=True).passed is True
    assert grade({"a": "x"}, {"a": ""}, empty_is_null=True).findings[0].outcome == "missed"


def test_true_is_not_one_and_nothing_matches_nan() -> None:
    assert grade({"a": 1}, {"a": True}).passed is False
    assert grade({"a": 1}, {"a": float("nan")}, compare={"a": "number"}).passed is False


def test_the_number_of_measures_is_bounded() -> None:
    verdict = grade({str(n): n for n in range(500)}, {})
    assert len(verdict.measures) <= 40
    assert counts(verdict)[""] == (0, 500)
    assert not [name for name in counts(grade({"a": 1}, {"a": 1}, per_field=False)) if name.startswith("field:")]


VALUES = st.none() | st.integers(0, 3) | st.sampled_from(["x", "y"])


@given(
    st.dictionaries(st.sampled_from("abcdef"), VALUES, min_size=1), st.dictionaries(st.sampled_from("abcdefg"), VALUES)
)
def test_the_outcomes_always_add_up(expected: dict[str, Any], output: dict[str, Any]) -> None:
    verdict = grade(expected, output)
    told = counts(verdict)
    abstained = told["abstained"][0]
    assert told[""][1] + abstained == len(expected) == told["coverage"][1]
    assert verdict.passed is (told[""][0] + abstained == len(expected))
    assert verdict.passed is not bool(verdict.findings)


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        ({"t": "mony"}, "compare.t.as is 'mony': did you mean \"money\""),
        ({"t": {"as": "date", "format": ["%d"]}}, 'did you mean "formats"'),
        ({"t": {"as": "date", "formats": ["%d/%m"]}}, "a day, a month and a year"),
        ({"t": {"as": "number", "tolerance": -1}}, "a number from 0"),
        ({"t": {"formats": []}}, "expected a kind"),
        ({"t": {"as": "date", "order": "myd"}}, "compare.t.order"),
        ({"t": {"as": "list", "of": "lst"}}, "compare.t.of.as"),
    ],
)
def test_a_wrong_comparison_is_refused_when_the_grader_is_made(compare: Any, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Fields(compare=compare)
    assert message in str(refused.value)


def test_a_changed_comparison_is_a_changed_grader() -> None:
    assert fingerprint(Fields(compare={"a": "nfc"})) != fingerprint(Fields(compare={"a": "casefold"}))
