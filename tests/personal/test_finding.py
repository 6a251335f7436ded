"""What is personal data and what only looks like it; every number here is a published test number or made up."""

from __future__ import annotations

import random
import time
import timeit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum.br import cnpj as br_cnpj
from stdnum.br import cpf as br_cpf
from stdnum.luhn import calc_check_digit

from fiel.core.errors import ConfigError
from fiel.personal import KINDS, find


def found(text: str, kinds: tuple[str, ...] | None = None, name: str = "") -> list[tuple[str, str]]:
    return [(match.kind, text[match.start : match.end]) for match in find(text, kinds, name=name)]


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("CPF 390.533.447-05.", "cpf", "390.533.447-05"),
        ("390533447-05", "cpf", "390533447-05"),
        ("cpf: 39053344705", "cpf", "39053344705"),
        ("CPF39053344705", "cpf", "39053344705"),
        ("contribuinte 390 533 447 05", "cpf", "390 533 447 05"),
        ("CPF 390. 533. 447 - 05", "cpf", "390. 533. 447 - 05"),
        ("CPF 390.533.447-05\u00b2", "cpf", "390.533.447-05"),
        ("empresa 16.727.230/0001-97", "cnpj", "16.727.230/0001-97"),
        ("16727230/0001-97", "cnpj", "16727230/0001-97"),
        ("CNPJ 16727230000197", "cnpj", "16727230000197"),
        ("12.ABC.345/01DE-35", "cnpj", "12.ABC.345/01DE-35"),
        ("12.abc.345/01de-35", "cnpj", "12.abc.345/01de-35"),
        ("CNPJ 12ABC34501DE35", "cnpj", "12ABC34501DE35"),
        ("vive en Chile, 12.531.909-2", "rut", "12.531.909-2"),
        ("RUT 12531909-2", "rut", "12531909-2"),
        ("RUT: 10000013-K", "rut", "10000013-K"),
        ("rut 1.000.005-k", "rut", "1.000.005-k"),
        ("customerRut=125319092", "rut", "125319092"),
        ("SSN 536-90-4399", "ssn", "536-90-4399"),
        ("social security number 536904399", "ssn", "536904399"),
        ("seguro social: 536 90 4399", "ssn", "536 90 4399"),
        ("4111 1111 1111 1111", "card", "4111 1111 1111 1111"),
        ("4111-1111-1111-1111 123", "card", "4111-1111-1111-1111"),
        ("2026 4111 1111 1111 1111 12/28", "card", "4111 1111 1111 1111"),
        ("paid with 5555555555554444", "card", "5555555555554444"),
        ("7,4111111111111111,12/28", "card", "4111111111111111"),
        ("3782 822463 10005", "card", "3782 822463 10005"),
        ("cartão 4222222222222", "card", "4222222222222"),
        ("GB82 WEST 1234 5698 7654 32 thanks for it", "iban", "GB82 WEST 1234 5698 7654 32"),
        ("de89370400440532013000", "iban", "de89370400440532013000"),
        ("+55 11 91234-5678", "phone", "+55 11 91234-5678"),
        ("+44 (0)20 7946 0958", "phone", "+44 (0)20 7946 0958"),
        ("+55 11 91234-5678 2026", "phone", "+55 11 91234-5678"),
        ("ligue (11) 91234-5678", "phone", "(11) 91234-5678"),
        ("11 91234-5678", "phone", "11 91234-5678"),
        ("212-555-0123", "phone", "212-555-0123"),
        ("(212) 555-0123", "phone", "(212) 555-0123"),
        ("telefone: 11912345678", "phone", "11912345678"),
        ("11912345678 (celular)", "phone", "11912345678"),
        ("móvil 612345678", "phone", "612345678"),
        ("https://wa.me/5511912345678", "phone", "5511912345678"),
        ("customer_phone=2125550123&x", "phone", "2125550123"),
        ("tel 2: 11912345678", "phone", "11912345678"),
        ("ana.silva+x@mail.example.com,", "email", "ana.silva+x@mail.example.com"),
        ("?q=ana%40example.com&", "email", "ana%40example.com"),
        ("'josé@exemplo.com.br'", "email", "josé@exemplo.com.br"),
    ],
)
def test_a_number_written_as_one_or_called_one_is_found_where_it_stands(text: str, kind: str, part: str) -> None:
    assert found(text) == [(kind, part)]


@pytest.mark.parametrize(
    "text",
    [
        "pedido 39053344705",  # valid check digits, but nobody calls it a CPF
        "39053344705",
        "390 533 447 05",
        "390.533.447-06",
        "111.111.111-11",
        "CPF 00000000000",
        "16.727.230/0001-98",
        "CNPJ 00000000000000",
        "20260928-1 e 12531909-2",
        "12.531.909-3",
        "000-12-3456 666-12-3456 900-12-3456",
        "536904399",
        "4111 1111 1111 1112",
        "9111 1111 1111 1111",
        "0.4111111111111111",
        "4222222222222",
        "GB82 WEST 1234 5698 7654 33",
        "2125550123",
        "telefone ok, pedido 11912345678",
        "hotel 2125550123",
        "123-4567890-1234567",
        "há 12 2025-2026",
        "2026-09-28T10:00:00Z total 1.234.567,89",
        "icon@2x.png, root@localhost, @mention, a@b",
        "192.168.100.254:8080",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_the_nearest_word_decides_and_a_field_name_is_a_word() -> None:
    assert found("telefone 11912345678 pedido 11912345678") == [("phone", "11912345678")]
    assert found("11912345678", name="customer_phone") == [("phone", "11912345678")]
    assert found("39053344705", name="taxId") == [("cpf", "39053344705")]
    assert found("pedido 39053344705", name="cpf") == []


def test_digits_spaces_dashes_and_invisible_characters_of_any_script_are_read_and_offsets_stay() -> None:
    for text, part in [
        ("x ３９０．５３３．４４７－０５ y", "３９０．５３３．４４７－０５"),
        ("CPF 390\u00a0533\u2009447\u00a005", "390\u00a0533\u2009447\u00a005"),
        ("CPF 390\u2011533.447\u221205", "390\u2011533.447\u221205"),
        ("cpf 390\u200b533\u200b447\u200b05", "390\u200b533\u200b447\u200b05"),
        ("ﬁ é 390.533.447-05\u0301!", "390.533.447-05\u0301"),
        ("٣٩٠.٥٣٣.٤٤٧-٠٥", "٣٩٠.٥٣٣.٤٤٧-٠٥"),
    ]:
        assert found(text) == [("cpf", part)], text
    assert found("ana\uff20example\uff0ecom") == [("email", "ana\uff20example\uff0ecom")]


def test_kinds_narrow_the_search_and_an_unknown_one_is_refused() -> None:
    text = "390.533.447-05 and ana@example.com"
    assert found(text, ("email",)) == [("email", "ana@example.com")]
    assert found(text, ()) == []
    assert [match.kind for match in find(text, limit=1)] == ["cpf"]
    with pytest.raises(ConfigError, match=r'"cpff".*did you mean "cpf"'):
        find(text, ["cpff"])


AROUND = st.text(alphabet=st.sampled_from("abc .,;:\n\u00a0é中😀()[]\"'"), max_size=20)
BASE = st.text(alphabet="0123456789", min_size=9, max_size=9).filter(lambda digits: len(set(digits)) > 1)


@given(AROUND, BASE, AROUND, st.integers(0, 10), st.integers(1, 9))
def test_a_valid_cpf_is_found_in_any_text_and_with_one_digit_changed_it_is_not(
    before: str, base: str, after: str, place: int, step: int
) -> None:
    digits = base + br_cpf._calc_check_digits(base)
    written = f"{before}{br_cpf.format(digits)}{after}"
    assert ("cpf", br_cpf.format(digits)) in found(written, ("cpf",))
    changed = digits[:place] + str((int(digits[place]) + step) % 10) + digits[place + 1 :]
    if not br_cpf.is_valid(changed):  # one weight in eleven maps 10 and 0 to one check digit
        assert found(f"{before}{br_cpf.format(changed)}{after}", ("cpf",)) == []


@given(AROUND, st.text(alphabet="0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12, max_size=12), AROUND)
def test_a_valid_cnpj_of_letters_and_digits_is_found_in_any_text(before: str, base: str, after: str) -> None:
    number = base + br_cnpj.calc_check_digits(base)
    if br_cnpj.is_valid(number) and len(set(number)) > 1:
        written = br_cnpj.format(number)
        assert found(f"{before} {written} {after}", ("cnpj",)) == [("cnpj", written)]
        wrong = f"{written[:-1]}{(int(written[-1]) + 1) % 10}"
        assert found(f"{before} {wrong} {after}", ("cnpj",)) == []


@given(AROUND, st.sampled_from(["4", "51", "2221", "6011", "3530", "6304"]), st.data(), AROUND, st.sampled_from(" -"))
def test_a_valid_card_is_found_in_any_text_and_with_one_digit_changed_it_is_not(
    before: str, prefix: str, data: st.DataObject, after: str, sign: str
) -> None:
    length = 15 - len(prefix)
    body = prefix + data.draw(st.text(alphabet="0123456789", min_size=length, max_size=length))
    place, step = data.draw(st.integers(6, 15)), data.draw(st.integers(1, 9))
    digits = body + calc_check_digit(body)
    wrong = digits[:place] + str((int(digits[place]) + step) % 10) + digits[place + 1 :]
    for number, expected in ((digits, True), (wrong, False)):
        written = sign.join(number[at : at + 4] for at in range(0, 16, 4))
        assert (found(f"{before}{written}{after}", ("card",)) == [("card", written)]) is expected


@given(st.text())
def test_matches_are_apart_in_order_and_inside_any_text(text: str) -> None:
    reached = 0
    for match in find(text):
        assert reached <= match.start < match.end <= len(text)
        assert match.kind in KINDS
        reached = match.end


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from([*"0149+()-./@ Kk", "CPF ", "tel ", "4111 ", "11 9", "\u200b", "é", "GB82"]), max_size=60)
)
def test_texts_made_of_pieces_of_numbers_break_nothing(pieces: list[str]) -> None:
    text = "".join(pieces)
    for match in find(text):
        assert text[match.start : match.end].strip()


def false_positives(texts: list[str]) -> float:
    return sum(bool(find(text)) for text in texts) / len(texts)


def test_order_numbers_are_not_taken_for_personal_data() -> None:
    draw = random.Random(20260928)
    runs = ["".join(draw.choices("0123456789", k=10)) for _ in range(2_000)]
    assert false_positives(runs) == 0.0
    assert false_positives([f"Pedido #{run}" for run in runs]) == 0.0
    assert false_positives([f"Your order ORD-{run} was shipped, track it by phone." for run in runs]) == 0.0
    assert false_positives([f"{run[:8]}-{run[8]}" for run in runs]) == 0.0
    assert false_positives([f"0.{run}{run[:6]}" for run in runs]) == 0.0
    # Sixteen digits are a card's own length: prefix and Luhn let a few through (one in forty).
    long = ["".join(draw.choices("0123456789", k=16)) for _ in range(2_000)]
    assert false_positives(long) < 0.04


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1 ",
        "1.",
        "@",
        "a@",
        "a.",
        "a@a.",
        "4111 1111 ",
        "tel 1191234567",
        "+1 1 1 ",
        "(11) 9",
        "390.533.447-0",
        "AB12CDEF ",
        "é",
        "e\u0301",
        "1\u200b",
        "１",
        "cpf ",
        "/AAAA-1",
        "((((",
        "[cpf] ",
    ],
)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    def seconds(characters: int) -> float:
        text = unit * (characters // len(unit))
        began = time.process_time()
        find(text)
        return time.process_time() - began

    seconds(1_000)
    # Eight times the text in at most 24 times the time: a square would take 64.
    assert seconds(160_000) <= 24 * max(seconds(20_000), 0.002)


def test_a_short_clean_text_costs_next_to_nothing() -> None:
    for text in ("a short clean answer, no digits at all here", "uma resposta curta, não tem número"):
        best = min(timeit.repeat(lambda text=text: find(text), number=1_000, repeat=9)) / 1_000
        assert best < 4e-6  # seconds; half a microsecond on an idle machine


def test_a_megabyte_of_ordinary_text_is_read_in_seconds() -> None:
    line = "Ana paid 150.00 on 2026-09-28 for order 12345; call (11) 91234-5678 or write to ana@example.com.\n"
    began = time.process_time()
    assert len(find(line * (1_000_000 // len(line)))) == 2 * (1_000_000 // len(line))
    assert time.process_time() - began < 20
