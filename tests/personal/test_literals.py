"""Declared values are found however they are written, and only as whole tokens."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.personal import Literals, contains
from fiel.personal.literals import spans_of, squeezed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("signed by JOSÉ  da\nSILVA.", "José da Silva"),
        ("jose da silva", "José da Silva"),
        ("Jo\u200bsé da Silva", "José da Silva"),
        ("ＣＲＸ－１", "CRX-1"),
        ("id=crx-1;", "CRX-1"),
        ("CRX-10", "CRX-"),
        ("39053344705", "390.533.447-05"),
        ("cpf390.533.447-05", "39053344705"),
        ("Straße 5", "STRASSE 5"),
        ("田中さんへ", "田中"),
        ("김철수는", "김철수"),
        ("(*)", "(*)"),
    ],
)
def test_a_value_is_found_however_it_is_written(text: str, value: str) -> None:
    assert contains(text, [value])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CRX-10", "CRX-1"),
        ("ACRX-1", "CRX-1"),
        ("banana", "ana"),
        ("1390.533.447-05", "390.533.447-05"),
        ("anything", ""),
        ("anything", " \u200b"),
        ("", "x"),
    ],
)
def test_a_piece_of_a_longer_token_is_not_the_value(text: str, value: str) -> None:
    assert not contains(text, [value])


def test_every_place_comes_back_with_its_value_in_offsets_of_the_text_as_given() -> None:
    text = "\u200bJosé, ﬁ, JOSE\u0301!"
    assert [(text[start:end], value) for start, end, value in Literals(["jose", ""]).spans(text)] == [
        ("José", "jose"),
        ("JOSE\u0301", "jose"),
    ]
    assert spans_of("ab ab", ["ab"]) == [(0, 2), (3, 5)]
    assert Literals(["b", "", "b"]).values == ("b",)


def test_squeezing_leaves_letters_and_digits_alone() -> None:
    assert squeezed(" C-a\u200b_ⓝ.\nÁ²") == "cana2"


@given(st.text(min_size=1), st.text(), st.text())
def test_a_value_between_spaces_is_found_in_every_normal_form(value: str, before: str, after: str) -> None:
    if not Literals([value]).values:
        return
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert contains(f"{before} {unicodedata.normalize(form, value)} {after}", [value])
