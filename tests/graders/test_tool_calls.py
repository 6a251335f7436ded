"""``tool_calls``: an omitted expectation says nothing, an empty one checks that nothing was called."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.case import Case
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.trial import ToolCall
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.tool_calls import ToolCalls


def grade(expected: Any, made: list[tuple[str, Any]] | None, **settings: Any) -> Verdict | Ungraded:
    calls = None if made is None else tuple(ToolCall(name=name, arguments=arguments) for name, arguments in made)
    case = Case(id="c", input="", expected=expected)
    return ToolCalls(**settings).grade(Item(case=case, output="x", tool_calls=calls))


def told(expected: Any, made: list[tuple[str, Any]], **settings: Any) -> str:
    result = grade({"tool_calls": expected}, made, **settings)
    assert isinstance(result, Verdict), result
    assert result.passed is (result.label == "as_expected")
    return result.reason


FIND, BOOK = ("find", {"to": "GRU"}), ("book", {"seat": "3A", "paid": True})


@pytest.mark.parametrize("expected", [{}, {"tool_calls": None}, "text"])
def test_an_omitted_expectation_is_not_a_check(expected: Any) -> None:
    result = grade(expected, [FIND])
    assert isinstance(result, Ungraded)
    assert result.reason == "no_expected"


def test_an_explicit_empty_list_checks_that_nothing_was_called() -> None:
    assert told([], []) == ""
    assert told([], [FIND]) == "unexpected_call"


def test_unknown_calls_are_not_none() -> None:
    result = grade({"tool_calls": []}, None)
    assert isinstance(result, Ungraded)
    assert result.reason == "tool_calls_unknown"


@pytest.mark.parametrize(
    ("expected", "made", "settings", "reason"),
    [
        (["find", "book"], [FIND, BOOK], {}, ""),
        (["book", "find"], [FIND, BOOK], {}, ""),
        (["book", "find"], [FIND, BOOK], {"order": "strict"}, "wrong_order"),
        (["find", "book"], [FIND, BOOK], {"order": "strict"}, ""),
        (["find"], [FIND, BOOK], {}, "unexpected_call"),
        (["find"], [FIND, BOOK], {"extra_allowed": True}, ""),
        (["find", "find"], [FIND], {}, "missing_call:find"),
        (["cancel"], [FIND], {}, "missing_call:cancel"),
        ([{"name": "find", "arguments": {"to": "GRU"}}], [FIND], {}, ""),
        ([{"name": "find", "arguments": {"to": "GIG"}}], [FIND], {}, "wrong_arguments:find"),
        ([{"name": "book", "arguments": {"paid": 1}}], [BOOK], {"arguments": "subset"}, "wrong_arguments:book"),
        ([{"name": "book", "arguments": {"seat": "3A"}}], [BOOK], {"arguments": "subset"}, ""),
        ([{"name": "book", "arguments": {"seat": "3A"}}], [BOOK], {}, "wrong_arguments:book"),
        (["find", {"name": "find", "arguments": {"to": "GRU"}}], [FIND, ("find", {})], {}, ""),
        ([{"name": "find", "arguments": {"to": "GRU"}}, "find"], [("find", {}), FIND], {}, ""),
    ],
)
def test_expected_calls_against_the_calls_made(expected: Any, made: Any, settings: Any, reason: str) -> None:
    assert told(expected, made, **settings) == reason


def test_the_name_of_a_call_that_the_output_made_up_stays_out_of_the_reason() -> None:
    result = grade({"tool_calls": []}, [("wire 500 to Ana Souza", {})])
    assert isinstance(result, Verdict)
    assert "Ana" not in result.reason
    assert result.findings[0].got["name"] == "wire 500 to Ana Souza"


@pytest.mark.parametrize("value", ["find", [1], [{"arguments": {}}], [{"name": "f", "args": {}}], {"name": "f"}])
def test_an_expectation_that_is_no_list_of_calls_is_the_datasets_fault(value: Any) -> None:
    result = grade({"tool_calls": value}, [])
    assert isinstance(result, Ungraded)
    assert result.reason == "expected_unreadable"
    with pytest.raises(ConfigError):
        ToolCalls(value=value)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), max_size=6), st.randoms(use_true_random=False))
def test_in_free_order_any_shuffle_of_the_expected_calls_passes(calls: list[tuple[str, int]], random: Any) -> None:
    expected = [{"name": name, "arguments": n} if n else name for name, n in calls]
    made = list(calls)
    random.shuffle(made)
    assert told(expected, made) == ""
    if made:
        assert told(expected, made[1:]) != ""
