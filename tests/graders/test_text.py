"""Normal forms of text: declared, in one order, and the same when done twice."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from fiel.graders.text import FORMS, normalise


@given(st.text(), st.lists(st.sampled_from(FORMS), unique=True))
def test_normalising_twice_is_normalising_once(text: str, forms: list[str]) -> None:
    once = normalise(text, forms)
    assert normalise(once, forms) == once


@given(st.text("oO \u00a8\u0308\u0301\u1e9b\u0345.-", max_size=8), st.lists(st.sampled_from(FORMS), unique=True))
@example("O\u00a8", ["nfc", "nfkc", "quotes", "casefold", "squeeze"])
def test_what_one_form_brings_together_another_composes_at_once(text: str, forms: list[str]) -> None:
    once = normalise(text, forms)
    assert normalise(once, forms) == once


@given(st.text(), st.permutations(["nfkc", "casefold", "whitespace", "quotes"]))
def test_the_order_of_declaring_says_nothing(text: str, forms: list[str]) -> None:
    assert normalise(text, forms) == normalise(text, sorted(forms))


def test_nothing_declared_changes_nothing() -> None:
    assert normalise("  Ａ“b”\u0301 ", ()) == "  Ａ“b”\u0301 "


def test_punctuation_becomes_a_space_and_squeezing_drops_it() -> None:
    assert normalise("27,JALAN", ["punctuation"]) == "27 JALAN"
    assert normalise("27, JALAN. ", ["squeeze"]) == "27JALAN"
    assert normalise("$5 + ก่า", ["squeeze"]) == "$5+ก่า"
