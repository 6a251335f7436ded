"""A JSON pointer leads to one place, or nowhere; it never guesses one and never raises over a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.case import ABSENT
from fiel.core.pointer import at, below, pointer_of, pointer_steps


def test_pointers_lead_through_objects_and_lists_alone() -> None:
    document = {"a": [{"b": None}], "": 1, "text": "abc"}
    assert at(document, ()) is document
    assert at(document, ("a", "0", "b")) is None
    assert at(document, ("",)) == 1
    for path in (("b",), ("a", "1"), ("a", "00"), ("a", "-1"), ("a", "x"), ("text", "0"), ("a", "9" * 5000)):
        assert at(document, path) is ABSENT


@pytest.mark.parametrize("step", ["-1", "2", "01", "\u00b2", "\u0661", "99999999999", "1.0", ""])
def test_a_step_that_is_no_index_leads_nowhere_in_a_list(step: str) -> None:
    assert below([1, 2], step) is ABSENT
    assert below((1, 2), "1") == 2


def test_a_slash_and_a_tilde_in_a_key_are_escaped() -> None:
    assert pointer_steps("/customer/cp~1f/~01") == ("customer", "cp/f", "~1")
    assert pointer_of(["a/~b", 0, ""]) == "/a~1~0b/0/"
    assert pointer_steps("") == ()


def test_what_does_not_begin_with_a_slash_is_no_pointer() -> None:
    with pytest.raises(ValueError, match="begins with"):
        pointer_steps("customer")


@given(st.lists(st.text()))
def test_steps_come_back_as_they_went(steps: list[str]) -> None:
    assert list(pointer_steps(pointer_of(steps))) == steps
