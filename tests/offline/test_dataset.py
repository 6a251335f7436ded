"""What a dataset must be, and what is refused with its line number."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.core.case import ABSENT, stratum_name
from fiel.core.errors import DatasetError
from fiel.graders.schema import compile_schema
from fiel.offline.dataset import check, parse, refuse_leaks, statistics
from fiel.offline.fingerprints import Fingerprints, Prints, normalised


def refused(workshop, lines, **info):
    with pytest.raises(DatasetError) as caught:
        workshop.checked(lines, **info)
    return str(caught.value)


def test_an_expected_null_is_not_a_missing_one(workshop, case):
    checked = workshop.checked([case("a", expected=None), {"id": "b", "input": 1}])
    first, second = list(checked)
    assert first.has_expected
    assert first.expected is None
    assert not second.has_expected
    assert second.expected is ABSENT


def test_one_id_with_two_contents_is_refused_with_both_lines(workshop, case):
    said = refused(workshop, [case("a"), case("b"), {"id": "a", "input": "another", "expected": 1}])
    assert "dev.jsonl:3" in said
    assert "line 1, with different content" in said


def test_one_case_twice_is_refused_too_since_pairing_needs_one_of_each(workshop, case):
    assert "line 1, with the same content" in refused(workshop, [case("a"), case("a")])


def test_the_same_input_under_two_ids_is_allowed_and_said(workshop):
    checked = workshop.checked(
        [{"id": "a", "input": "café  au lait"}, {"id": "x", "input": "x"}, {"id": "b", "input": "cafe\u0301 au\tlait"}]
    )
    assert checked.repeats == ((1, 3),)


def test_broken_json_names_its_line_among_many(workshop, case):
    lines = [case(str(number)) for number in range(1, 2001)]
    lines[6] = '{"id": "7", "input": '
    said = refused(workshop, lines)
    assert said.startswith("dev.jsonl:7: broken JSON")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_named(workshop, constant):
    assert "NaN or Infinity is not JSON" in refused(workshop, [f'{{"id": "a", "input": {constant}}}'])


def test_invalid_utf8_names_the_byte(workshop):
    assert "dev.jsonl:1: invalid UTF-8 at byte 25" in refused(workshop, [b'{"id": "a", "input": "ab\xff"}'])


def test_a_lone_surrogate_is_refused(workshop):
    assert "needs its pair" in refused(workshop, [r'{"id": "a", "input": "\ud800"}'])


def test_an_unknown_key_suggests_the_nearest_one(workshop):
    assert "unknown key 'expcted' (did you mean \"expected\"?)" in refused(
        workshop, ['{"id": "a", "input": 1, "expcted": 2}']
    )


def test_a_case_without_an_input_or_with_a_blank_id_is_refused(workshop):
    said = refused(workshop, ['{"id": "a"}', '{"id": " ", "input": 1}'])
    assert "dev.jsonl:1: no 'input'" in said
    assert "dev.jsonl:2: the id is blank" in said


def test_deep_nesting_is_an_error_and_no_crash(workshop):
    deep = '{"id": "a", "input": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert "dev.jsonl:1" in refused(workshop, [deep])


def test_a_text_under_more_levels_than_can_be_normalised_is_an_error_and_no_crash(workshop):
    line = '{"id": "a", "input": ' + "[" * 990 + '"caf\u00e9"' + "]" * 990 + "}"
    assert "nested too deeply" in refused(workshop, [line])


@pytest.mark.parametrize("schema", [5, ["a"], 1.5])
def test_a_schema_that_is_neither_a_schema_nor_a_name_is_refused(workshop, case, schema):
    assert "does not compile" in refused(workshop, [case("a", schema=schema)])


def test_a_broken_file_is_read_no_further_than_twenty_problems(workshop):
    said = refused(workshop, ["{"] * 500)
    assert said.count("broken JSON") == 20
    assert "stopped after 20 problems" in said


def test_a_line_beyond_the_limit_is_refused_and_not_kept(tmp_path: Path):
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b'{"id": "a", "input": 1}\n{"id": "b", "input": "')
        for _ in range(50):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n')
    path.with_suffix(".toml").write_text('name = "big"\nversion = "1"\nsplit = "dev"\n')
    with pytest.raises(DatasetError, match=r"big\.jsonl:2: the line is longer than 16,777,216 bytes"):
        check(JsonlDataset(path), compile_schema=compile_schema, require_pin=False)


def test_a_byte_order_mark_and_windows_line_ends_lose_nothing(workshop):
    text = "\ufeff" + '{"id": "a", "input": "שלום 👩‍🚀"}\r\n\r\n{"id": "b", "input": 2}'
    checked = check(workshop.raw(text.encode()), compile_schema=compile_schema)
    assert [case.id for case in checked] == ["a", "b"]
    assert next(iter(checked)).input == "שלום 👩‍🚀"


def test_a_file_that_changed_since_its_pin_is_refused(workshop, case):
    source = workshop.source([case("a")])
    source.path.write_text(json.dumps(case("b")) + "\n")
    with pytest.raises(DatasetError, match="it changed since it was pinned"):
        check(source, compile_schema=compile_schema)


def test_an_unpinned_file_is_refused_until_it_is_pinned(workshop, case):
    with pytest.raises(DatasetError, match="run `fiel dataset pin`"):
        workshop.checked([case("a")], sha256="")


def test_an_unknown_split_is_refused(workshop, case):
    assert 'unknown split "test" (one of dev, holdout)' in refused(workshop, [case("a")], split="test")


def test_a_schema_that_does_not_compile_is_refused_with_its_line(workshop, case):
    said = refused(workshop, [case("a"), case("b", schema={"type": "wrong"})])
    assert "dev.jsonl:2: schema: does not compile" in said


def test_a_named_schema_that_does_not_exist_is_kept_for_the_denominator(workshop, case):
    assert workshop.checked([case("a", schema="nowhere")]).cases == 1


def test_a_broken_schema_file_is_refused(workshop, case):
    folder = workshop.folder / "schemas"
    folder.mkdir()
    (folder / "good.json").write_text('{"type": "object"}')
    (folder / "bad.json").write_text('{"type": 3}')
    assert "schema 'bad': does not compile" in refused(workshop, [case("a")])


def test_an_id_or_an_input_in_both_splits_names_both_lines(workshop, case):
    dev = workshop.checked([case("a"), case("b"), {"id": "c", "input": {"text": "São  Paulo"}}])
    other = [case("x"), {"id": "b", "input": "else"}, {"id": "d", "input": {"text": "Sa\u0303o Paulo "}}]
    holdout = workshop.checked(other, name="holdout", split="holdout")
    with pytest.raises(DatasetError) as caught:
        refuse_leaks(dev, holdout)
    said = str(caught.value)
    assert "dev.jsonl:2: the id 'b' is also in holdout.jsonl:2" in said
    assert "dev.jsonl:3: the input (after NFC and whitespace folding) is also in holdout.jsonl:3" in said


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "1.0"), ("100", "1e2"), ("0", "-0.0"), ('{"n": [3]}', '{"n": [3.0]}'), ("10000000000000000", "1e16")],
)
def test_a_number_is_one_number_however_it_is_written(workshop, one, other):
    dev = workshop.checked([f'{{"id": "a", "input": {one}}}'])
    holdout = workshop.checked([f'{{"id": "b", "input": {other}}}'], split="holdout")
    with pytest.raises(DatasetError, match="the input"):
        refuse_leaks(dev, holdout)


@pytest.mark.parametrize(("one", "other"), [("1", "1.5"), ("1", "true"), ("1", '"1"'), ('"1.0"', '"1"'), ("0", "null")])
def test_values_that_differ_are_no_leak(workshop, one, other):
    dev = workshop.checked([f'{{"id": "a", "input": {one}}}'])
    refuse_leaks(dev, workshop.checked([f'{{"id": "b", "input": {other}}}'], split="holdout"))


@pytest.mark.parametrize(("one", "other"), [("case 1", "case  1 "), ("caf\u00e9", "cafe\u0301"), ("a", "a\t")])
def test_an_id_is_one_id_after_nfc_and_whitespace_folding(workshop, one, other):
    dev = workshop.checked([{"id": one, "input": 1}])
    holdout = workshop.checked([{"id": other, "input": 2}], split="holdout")
    with pytest.raises(DatasetError, match=r"the id .* is also in"):
        refuse_leaks(dev, holdout)


def test_two_datasets_of_one_split_may_share_cases(workshop, case):
    refuse_leaks(workshop.checked([case("a")]), workshop.checked([case("a")], name="more"))


def test_statistics_count_strata_and_what_cannot_be_graded(workshop, case):
    checked = workshop.checked(
        [case("a", tags={"t": "x"}, critical=True), case("b", tags={"t": "x"}), {"id": "c", "input": 1, "pii": ["n"]}],
        strata=["t"],
    )
    found = statistics(checked)
    assert found["cases"] == 3
    assert found["without_expected"] == 1
    assert found["with_personal_data"] == 1
    assert found["strata"]["x"] == {"cases": 2, "critical": True, "tags": {"t": "x"}}
    assert found["strata"]["-"]["cases"] == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab é", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_normalising_twice_is_once(value):
    once = normalised(value)
    assert normalised(json.loads(once)) == once


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_decomposed_and_spaced_out_texts_are_one_input(text):
    spaced = "  ".join(["", *unicodedata.normalize("NFD", text).split(), ""])
    assert Fingerprints.of_input(spaced) == Fingerprints.of_input(unicodedata.normalize("NFC", " ".join(text.split())))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=60))
def test_repeated_prints_are_those_counted_twice(prints):
    bag = Prints()
    for print_ in prints:
        bag.add(print_)
    assert bag.repeated() == {print_ for print_ in prints if prints.count(print_) > 1}


@given(st.lists(st.tuples(st.text("a|\\", max_size=3), st.text("a|\\", max_size=3)), max_size=12, unique=True))
def test_different_tags_with_bars_in_them_never_share_a_stratum(pairs):
    with_bars = [pair for pair in pairs if "\\" not in "".join(pair)]
    names = {stratum_name({"x": x, "y": y}, ("x", "y")) for x, y in with_bars}
    assert len(names) == len(with_bars)


def test_a_case_line_is_parsed_on_its_own():
    assert parse(b'{"id": "a", "input": 1, "pii": ["name"]}', where="here").pii == ("name",)
