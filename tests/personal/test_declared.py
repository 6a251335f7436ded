"""Declared places: a name, a pointer, everything; and what of them can be looked for elsewhere."""

from __future__ import annotations

from fiel.personal import declared_values, number_text, steps_of, texts_at


def test_a_name_is_one_step_a_pointer_several_and_nothing_is_the_whole() -> None:
    assert steps_of("cpf") == ("cpf",)
    assert steps_of("a/b") == ("a/b",)
    assert steps_of("/customer/cp~1f/~01") == ("customer", "cp/f", "~1")
    assert steps_of("") == ()


def test_the_values_of_declared_places_come_back_as_text_each_once() -> None:
    expected = {
        "name": "Ana Souza",
        "customer": {"cpf": "390.533.447-05", "phones": ["11912345678", 2125550123], "age": 42, "vip": True},
        "initial": "A",
        "code": "1234",
        "other": "Ana Souza",
        "none": None,
    }
    pii = ("name", "/customer", "/customer/cpf", "initial", "code", "none", "missing", "/customer/phones/7")
    assert declared_values(expected, pii) == ("Ana Souza", "390.533.447-05", "11912345678", "2125550123")
    assert declared_values("Ana", ("",)) == ("Ana",)
    assert declared_values(None, ("name",)) == ()


def test_numbers_are_written_as_a_person_would() -> None:
    assert number_text(39053344705.0) == "39053344705"
    assert number_text(0.5) == "0.5"
    assert number_text(float("inf")) == "inf"
    assert number_text(1234567890, "cpf") == "01234567890"
    assert number_text(1234567890, "order") == "1234567890"
    assert number_text(6727230000197, "cnpj") == "06727230000197"
    assert number_text(10**2000) == ""


def test_what_is_to_be_masked_comes_back_with_its_short_values_and_lost_zeros() -> None:
    document = {"initial": "A", "cpf": 1234567890, "age": 42.0, "vip": True, "lines": [{"name": "Ana"}]}
    pii = ("initial", "cpf", "age", "vip", "/lines/0", "missing")
    assert list(texts_at(document, pii)) == ["A", "1234567890", "01234567890", "00001234567890", "42", "Ana"]
    assert list(texts_at(document, ())) == []
