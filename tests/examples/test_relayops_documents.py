"""The 25 documents: their shape is the agreed one, nothing leaks between splits, and nobody in them is real."""

import hashlib
import json
import re
import tomllib
import unicodedata
from collections import Counter
from pathlib import Path

import jsonschema
import msgspec
import pytest

from fiel.core.case import Case, stratum_of

HOLDOUT = [
    ("hd-0001", "tenant-alder", "invoice", "simple"),
    ("hd-0002", "tenant-alder", "invoice", "multi_page"),
    ("hd-0003", "tenant-birch", "receipt", "simple"),
    ("hd-0004", "tenant-birch", "receipt", "adversarial"),
    ("hd-0005", "tenant-crux", "contract-notice", "adversarial"),
    ("hd-0006", "tenant-crux", "contract-notice", "simple"),
    ("hd-0007", "tenant-dune", "intake-id", "simple"),
    ("hd-0008", "tenant-dune", "intake-id", "adversarial"),
    ("hd-0009", "tenant-crux", "invoice", "multi_page"),
]
PUBLISHED_TEST_NUMBERS = {
    # CPF, CNPJ and RUT numbers that manuals use as examples; 987-65-4320 to -4329 were set aside for advertisements.
    "111.444.777-35",
    "123.456.789-09",
    "11.222.333/0001-81",
    "12.345.678/0001-95",
    "12.345.678-5",
    "11.111.111-1",
    "987-65-4320",
    "987-65-4329",
}


def test_the_holdout_has_the_nine_agreed_documents(cases: dict[str, Case]) -> None:
    found = [(c.id, *c.tags.values()) for c in cases.values() if c.id.startswith("hd-")]
    assert [row[:4] for row in found] == HOLDOUT


def test_dev_has_every_tenant_with_every_type_once(cases: dict[str, Case]) -> None:
    dev = [case for case in cases.values() if case.id.startswith("dev-")]
    assert [case.id for case in dev] == [f"dev-{i:04}" for i in range(1, 17)]
    pairs = Counter((case.tags["tenant"], case.tags["doc_type"]) for case in dev)
    assert len(pairs) == 16
    assert len({tenant for tenant, _ in pairs}) == 4
    complexities = Counter(case.tags["complexity"] for case in dev)
    assert complexities == {"simple": 6, "multi_page": 5, "adversarial": 5}


def test_the_critical_cases_are_those_of_one_tenant(cases: dict[str, Case]) -> None:
    assert {case.tags["tenant"] for case in cases.values() if case.critical} == {"tenant-crux"}
    assert all(case.critical == (case.tags["tenant"] == "tenant-crux") for case in cases.values())


def test_the_wire_transfer_notice_leaves_its_date_open(cases: dict[str, Case]) -> None:
    case = cases["dev-0009"]
    assert (case.tags["tenant"], case.tags["doc_type"]) == ("tenant-crux", "contract-notice")
    assert "Effective date: to be determined" in case.input["text"]
    assert "wire transfer" in case.input["text"]
    assert case.expected["effective_date"] is None


def test_personal_fields_are_declared_wherever_they_are_expected(cases: dict[str, Case]) -> None:
    assert cases["dev-0011"].pii
    for case in cases.values():
        personal = {"full_name", "tax_id", "birth_date"} & set(case.expected)
        assert set(case.pii) == personal


@pytest.mark.parametrize("split", ["dev", "holdout"])
def test_the_pin_is_the_hash_of_the_file(workspace: Path, split: str) -> None:
    info = tomllib.loads((workspace / f"datasets/{split}.toml").read_text(encoding="utf-8"))
    assert info["sha256"] == hashlib.sha256((workspace / f"datasets/{split}.jsonl").read_bytes()).hexdigest()
    assert info["split"] == split
    assert info["strata"] == ["tenant", "doc_type", "complexity"]


def test_no_id_and_no_folded_text_is_in_both_splits(cases: dict[str, Case]) -> None:
    def folded(case: Case) -> str:
        return " ".join(unicodedata.normalize("NFC", case.input["text"]).split()).casefold()

    assert len({folded(case) for case in cases.values()}) == 25
    assert len(cases) == 25


def test_every_expected_answer_is_valid_under_its_schema(workspace: Path, cases: dict[str, Case]) -> None:
    for case in cases.values():
        schema = json.loads((workspace / f"datasets/schemas/{case.schema}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(case.expected, schema)


def test_what_is_expected_can_be_opened_in_the_document(cases: dict[str, Case]) -> None:
    for case in cases.values():
        for name in ("invoice_number", "vendor", "merchant", "counterparty", "full_name", "tax_id"):
            if case.expected.get(name) is not None:
                assert case.expected[name] in case.input["text"], (case.id, name)


def test_each_tenants_documents_carry_its_identifier(workspace: Path, cases: dict[str, Case]) -> None:
    policy = tomllib.loads((workspace / "fiel.toml").read_text(encoding="utf-8"))["graders"]["policy"]
    for case in cases.values():
        own = policy["tenants"][case.tags["tenant"]]
        assert any(mark in case.input["text"] for mark in own), case.id


def test_every_personal_number_is_a_published_test_number(cases: dict[str, Case]) -> None:
    shapes = re.compile(
        r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\d{1,2}\.\d{3}\.\d{3}-[\dkK]|\d{3}-\d{2}-\d{4}"
    )
    found = {number for case in cases.values() for number in shapes.findall(case.input["text"])}
    assert found == PUBLISHED_TEST_NUMBERS


def test_every_mail_address_is_of_a_reserved_domain(cases: dict[str, Case]) -> None:
    addresses = [a for case in cases.values() for a in re.findall(r"\S+@(\S+)", case.input["text"])]
    assert addresses
    assert all(domain.endswith(".example") for domain in addresses)


def test_every_adversarial_document_carries_a_line_that_is_not_its_own(cases: dict[str, Case], targets: object) -> None:
    for case in cases.values():
        lines = targets.lines_of(case.input["text"])  # type: ignore[attr-defined]
        planted = [line for line in lines if targets.INJECTED.search(line)]  # type: ignore[attr-defined]
        assert len(planted) == (case.tags["complexity"] == "adversarial"), case.id


def test_stratum_names_are_the_ones_that_decisions_print(cases: dict[str, Case]) -> None:
    name, _ = stratum_of(cases["hd-0005"].tags, ["tenant", "doc_type", "complexity"])
    assert name == "tenant-crux|contract-notice|adversarial"


def test_the_incidents_trace_names_the_case_and_the_cause_and_holds_no_text(
    workspace: Path, cases: dict[str, Case]
) -> None:
    raw = (workspace / "incident/trace-9c4e02.json").read_text(encoding="utf-8")
    span = json.loads(raw)
    case = cases[span["attributes"]["fiel.case_id"]]
    encoded = msgspec.json.encode(case.input)
    assert case.id == "hd-0005"
    assert span["traceId"].startswith("9c4e02")
    assert re.fullmatch(r"[0-9a-f]{32}", span["traceId"])
    assert span["attributes"]["fiel.run_id"] == "run-2026-09-28-regressed-candidate"
    assert span["attributes"]["fiel.failures"]["fields"] == "field_mismatch:effective_date"
    assert span["attributes"]["fiel.input.sha256"] == hashlib.sha256(encoded).hexdigest()
    assert span["attributes"]["fiel.input.bytes"] == len(encoded)
    words = set(re.findall(r"[a-z]{5,}", case.input["text"].casefold()))
    told = set(re.findall(r"[a-z]{5,}", raw.casefold()))
    # Both words are of the failure's reason; nothing else of the document may be here.
    assert words & told <= {"effective", "field"}
    assert "2099" not in raw
