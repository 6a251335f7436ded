"""What was masked shows no personal data, and masking again changes nothing."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fiel.personal import KINDS, contains, find, mask, mask_value


def test_each_find_shows_its_kind_and_each_declared_value_that_it_was_declared() -> None:
    text = "Ana Souza (ana@example.com, CPF 390.533.447-05) called from +55 11 91234-5678."
    assert mask(text, values=["ana souza"]) == "[personal] ([email], CPF [cpf]) called from [phone]."
    assert mask(text, kinds=["cpf"]) == text.replace("390.533.447-05", "[cpf]")
    assert mask(text, kinds=[]) == text


def test_overlapping_finds_become_one_placeholder() -> None:
    assert mask("to ana@example.com now", values=["example.com now"]) == "to [email]"
    assert mask("a b c", values=["a b", "b c"]) == "[personal]"


def test_a_declared_value_that_is_a_word_of_a_placeholder_leaves_placeholders_alone() -> None:
    once = mask("email me: ana@example.com", values=["email", "personal"])
    assert once == "[personal] me: [email]"
    assert mask(once, values=["email", "personal"]) == once


def test_a_number_that_a_shorter_text_brings_near_its_word_is_masked_too() -> None:
    text = "telefone de a.very.long.address.of.somebody@mail.example.com: 11912345678"
    assert mask(text) == "telefone de [email]: [phone]"


PIECES = st.sampled_from(
    [
        "CPF ",
        "telefone ",
        "pedido ",
        "39053344705",
        "390.533.447-05",
        "11912345678",
        "(11) 91234-5678",
        " ",
        "\n",
        "é",
        "ana@example.com",
        "a.very.long.address.of.somebody@example.com",
        "4111 1111 1111 1111",
        "[cpf]",
        "[",
        "]",
        "x",
        "personal",
        "Ana",
        "email",
        "\u200b",
        "１",
        "-",
        "12.531.909-2",
        "536904399",
        "ssn ",
    ]
)
VALUES = st.lists(
    st.sampled_from(["Ana", "x", "personal", "[cpf]", "email", "]x", "[", "pedido", "é", "cpf] x"]), max_size=4
)


@given(st.lists(PIECES, max_size=25).map("".join), VALUES)
def test_masking_twice_is_masking_once_and_leaves_nothing_to_find(text: str, values: list[str]) -> None:
    once = mask(text, values=values)
    assert mask(once, values=values) == once
    assert find(once) == ()


@given(st.text(), st.lists(st.text(max_size=5), max_size=3))
def test_masking_any_text_twice_is_masking_it_once(text: str, values: list[str]) -> None:
    once = mask(text, values=values)
    assert mask(once, values=values) == once


def test_a_json_value_is_masked_in_its_texts_keys_and_numbers() -> None:
    value: Any = {
        "cpf": 39053344705,
        "telefone": ["11912345678", {"note": "Ana wrote"}],
        "390.533.447-05": 1,
        "390533447-05": 2,
        "total": 150.5,
        "paid": True,
        "due": None,
    }
    before = copy.deepcopy(value)
    assert mask_value(value, values=["Ana"]) == {
        "cpf": "[cpf]",
        "telefone": ["[phone]", {"note": "[personal] wrote"}],
        "[cpf]": 1,
        "[cpf] 2": 2,
        "total": 150.5,
        "paid": True,
        "due": None,
    }
    assert value == before


def test_a_number_that_lost_its_zeros_or_became_a_float_is_still_a_cpf_under_that_name() -> None:
    assert mask_value({"cpf": 1234567890}) == {"cpf": "[cpf]"}  # 012.345.678-90
    assert mask_value({"cpf": 39053344705.0}) == {"cpf": "[cpf]"}
    assert mask_value({"order": 1234567890}) == {"order": 1234567890}


def test_what_lies_too_deep_or_is_no_json_value_is_never_shown() -> None:
    deep: Any = "ana@example.com"
    for _ in range(5_000):
        deep = [deep]
    assert "example" not in str(mask_value(deep))
    assert mask_value({"a": b"ana@example.com"}) == {"a": "[bytes]"}
    assert mask_value(10**2000) == 10**2000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PIECES | st.text(max_size=8),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(PIECES | st.text(max_size=4), below, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_masking_a_json_value_keeps_its_shape_and_is_done_once(value: Any) -> None:
    once = mask_value(value, values=["Ana"])
    assert mask_value(once, values=["Ana"]) == once
    assert isinstance(once, (type(value), str))
    if isinstance(value, (dict, list)):
        assert len(once) == len(value)
    assert not contains(str(once), ["Ana"])


def test_every_kind_has_a_placeholder_of_its_own() -> None:
    for kind in KINDS:
        assert mask(f"[{kind}]", values=[kind]) == f"[{kind}]"
