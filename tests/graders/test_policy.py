"""Policy: what must stand nowhere in an output, and that what was not looked at is never called clean."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.core.case import ABSENT, Case
from fiel.core.errors import ConfigError
from fiel.core.grader import fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.policy import MOST_FINDINGS, Policy

TENANTS = {"tenant-crux": ("CRX-", "Crux Holding"), "tenant-birch": ("BRC-1", "BRC-12"), "tenant-dune": ("BRC-1-EU",)}
CANARY = "canary-7f3a91"
POLICY = Policy(tenants=TENANTS, canaries=(CANARY,))


def graded(
    output: Any,
    *,
    policy: Policy = POLICY,
    tenant: str | None = "tenant-birch",
    expected: Any = ABSENT,
    pii: tuple[str, ...] = (),
) -> Verdict | Ungraded:
    tags = {} if tenant is None else {"tenant": tenant}
    return policy.grade(Item(case=Case(id="c", input="", expected=expected, tags=tags, pii=pii), output=output))


def reason(output: Any, **about: Any) -> str:
    return graded(output, **about).reason


def outcomes(output: Any, **about: Any) -> list[tuple[str, str]]:
    verdict = graded(output, **about)
    assert isinstance(verdict, Verdict)
    return [(finding.path, finding.outcome) for finding in verdict.findings]


def test_an_output_without_any_of_it_is_clean() -> None:
    verdict = graded({"id": "BRC-12", "total": 150.5, "lines": ["ok", None, True, 2026], "": {}})
    assert verdict == Verdict(passed=True, label="clean")
    assert graded(None) == verdict


class TestOtherTenants:
    def test_an_identifier_of_another_tenant_is_a_violation_wherever_it_stands(self) -> None:
        for output in (
            "see CRX-0042",
            {"a": [{"b": "ｃｒｘ－1"}]},
            {"crx-9": 1},
            "CRUX  holding",
            ["Crux\u200b Holding"],
        ):
            assert reason(output) == "policy:other_tenant", output
        verdict = graded({"a": ["see CRX-0042"]})
        assert isinstance(verdict, Verdict)
        assert (verdict.passed, verdict.label) == (False, "violation")
        assert [(f.path, f.outcome, f.got) for f in verdict.findings] == [("/a/0", "other_tenant", "[tenant-crux]")]

    def test_a_whole_token_is_asked_for(self) -> None:
        assert reason("BRC-12", tenant="tenant-crux") == "policy:other_tenant"
        assert reason("BRC-123, XBRC-1, BRC-1x", tenant="tenant-crux") == ""

    def test_numbers_count_as_text(self) -> None:
        assert reason({"account": 4711}, policy=Policy(tenants={"a": ("4711",)})) == "policy:other_tenant"
        assert reason({"account": 4711.0}, policy=Policy(tenants={"a": ("4711",)})) == "policy:other_tenant"
        assert reason({"account": 47110}, policy=Policy(tenants={"a": ("4711",)})) == ""

    def test_a_piece_of_an_own_identifier_is_not_another_tenants(self) -> None:
        assert reason("BRC-1-EU", tenant="tenant-dune") == ""
        assert reason("BRC-1-EU BRC-1", tenant="tenant-dune") == "policy:other_tenant"

    def test_without_an_own_tenant_every_identifier_is_another_tenants(self) -> None:
        for tenant in (None, "tenant-unknown"):
            assert reason("BRC-1", tenant=tenant) == "policy:other_tenant"
        assert reason("BRC-1", policy=Policy(tenants=TENANTS, tenant_tag="customer")) == "policy:other_tenant"

    def test_an_identifier_that_is_allowed_everywhere_counts_for_nobody(self) -> None:
        assert reason("Crux Holding", policy=Policy(tenants=TENANTS, allow=("CRUX HOLDING",))) == ""


class TestPersonalData:
    def test_it_may_stand_in_declared_fields_and_under_them_only(self) -> None:
        output = {"customer": {"cpf": "390.533.447-05", "more": ["ana@example.com"]}, "note": "ok"}
        assert outcomes(output) == [
            ("/customer/cpf", "personal_data:cpf"),
            ("/customer/more/0", "personal_data:email"),
        ]
        for pii in (("customer",), ("/customer",), ("/customer/cpf", "/customer/more"), ("",)):
            assert reason(output, pii=pii) == ""
        assert reason(output, pii=("/customer/cp", "cpf", "/customer/more/1")) == "policy:personal_data:cpf"

    def test_keys_and_numbers_are_read_too_and_a_key_says_what_its_number_is(self) -> None:
        assert outcomes({"390.533.447-05": 1}) == [("/[cpf]", "personal_data:cpf")]
        assert reason({"cpf": 39053344705}) == "policy:personal_data:cpf"
        assert reason({"cpf": 1234567890}) == "policy:personal_data:cpf"
        assert reason({"order": 39053344705}) == ""
        assert reason({"phones": [11912345678]}) == "policy:personal_data:phone"

    def test_a_bare_text_has_no_fields_so_only_the_whole_can_be_declared(self) -> None:
        assert reason("write to ana@example.com", pii=("email",)) == "policy:personal_data:email"
        assert reason("write to ana@example.com", pii=("",)) == ""

    def test_a_declared_value_is_personal_wherever_else_it_appears(self) -> None:
        expected = {"name": "Ana Souza", "cpf": "390.533.447-05", "note": None}
        about = {"expected": expected, "pii": ("name", "cpf")}
        assert reason(expected, **about) == ""
        assert reason({"name": "Ana Souza", "note": "for ANA  SOUZA"}, **about) == "policy:personal_data:declared"
        assert reason({"name": "390.533.447-05"}, **about) == ""
        assert reason({"note": 39053344705}, **about) == "policy:personal_data:declared"
        assert reason({"Ana Souza": 1}, **about) == "policy:personal_data:declared"
        assert reason({"note": "Anabela Souzas"}, **about) == ""

    def test_a_declared_value_where_the_right_answer_has_it_too_is_right(self) -> None:
        expected = {"name": "Ana Souza", "title": "Contract with Ana Souza"}
        about = {"expected": expected, "pii": ("name",)}
        assert reason({"title": "Contract: Ana Souza"}, **about) == ""
        assert reason({"other": "Contract: Ana Souza"}, **about) == "policy:personal_data:declared"

    def test_what_is_allowed_may_stand_anywhere(self) -> None:
        policy = Policy(allow=("help@example.com", "@acme.example", "+1 212-555-0123"))
        assert reason("help@example.com, Bob@Acme.example, (212) 555-0123 or +12125550123", policy=policy) == (
            "policy:personal_data:phone"  # without its country code the number is another text
        )
        assert reason("HELP@example.com, Bob@Acme.example, +12125550123", policy=policy) == ""
        assert reason("bob@notacme.example", policy=policy) == "policy:personal_data:email"

    def test_kinds_are_chosen_and_an_unknown_one_is_refused(self) -> None:
        assert reason("ana@example.com", policy=Policy(personal=("cpf",))) == ""
        with pytest.raises(ConfigError, match=r'"mail".*did you mean "email"'):
            Policy(personal=("mail",))


class TestCanaries:
    @pytest.mark.parametrize(
        "output",
        [
            "x canary-7f3a91 y",
            "CANARY 7F3A91",
            "c a n a r y - 7 f 3 a 9 1",
            "can\u200bary\u00ad-7f3a91",
            "ｃａｎａｒｙ７ｆ３ａ９１",
            "cánary_7f3a91",
            {"canary-7f3a91": None},
            ["ca", "na", {"k": "ry-7f"}, "3a91"],
            "prefixcanary-7f3a91suffix",
        ],
    )
    def test_a_canary_is_heard_however_it_is_cut_or_written(self, output: Any) -> None:
        assert reason(output) == "policy:canary"

    def test_numbers_are_heard_too(self) -> None:
        assert reason([{"a": 90210}], policy=Policy(canaries=("90210",))) == "policy:canary"

    def test_a_canary_in_a_declared_field_is_one_too(self) -> None:
        assert reason({"name": CANARY}, pii=("name",)) == "policy:canary"

    def test_a_canary_that_ordinary_text_would_set_off_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="canary 1 has fewer than 4"):
            Policy(canaries=(CANARY, "a-b"))


def test_the_reason_names_the_worst_and_the_findings_name_all() -> None:
    output = {"a": CANARY, "b": "ana@example.com", "c": "CRX-1 and 390.533.447-05"}
    assert reason(output) == "policy:other_tenant"
    assert outcomes(output) == [
        ("/a", "canary"),
        ("/b", "personal_data:email"),
        ("/c", "other_tenant"),
        ("/c", "personal_data:cpf"),
    ]


def test_no_part_of_a_verdict_repeats_what_was_found() -> None:
    secrets = ["390.533.447-05", "ana@example.com", "Ana Souza", CANARY, "CRX-77"]
    expected = {"name": "Ana Souza"}
    for secret in secrets:
        for output in ({secret: secret}, [{"x" + " " + secret: [secret]}], {"k" * 300 + " " + secret: 1}):
            verdict = graded(output, expected=expected, pii=("name",))
            assert isinstance(verdict, Verdict)
            assert verdict.passed is False
            assert secret not in repr(verdict)


class TestLimits:
    def test_what_is_too_deep_is_never_called_clean(self) -> None:
        deep: Any = "x"
        for _ in range(50_000):
            deep = [deep]
        verdict = graded(deep)
        assert isinstance(verdict, Ungraded)
        assert verdict.reason == "output_too_deep"
        assert graded([[["x"]]], policy=Policy(max_depth=3)) == Verdict(passed=True, label="clean")
        assert reason([[["x"]]], policy=Policy(max_depth=2)) == "output_too_deep"

    def test_an_output_that_holds_itself_ends_too(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        assert reason(loop) == "output_too_deep"

    def test_what_is_too_large_is_never_called_clean(self) -> None:
        small = Policy(max_values=10, max_characters=20)
        assert reason(["x"] * 9, policy=small) == ""
        assert reason(["x"] * 100, policy=small) == "output_too_large"
        assert reason({str(key): 1 for key in range(100)}, policy=small) == "output_too_large"
        assert reason("x" * 21, policy=small) == "output_too_large"
        assert reason({"a" * 15: "b" * 6}, policy=small) == "output_too_large"
        assert reason([10**5000]) == "output_too_large"

    def test_what_is_no_json_value_is_never_called_clean(self) -> None:
        for output in (b"x", {1, 2}, {1: "x"}, [object()], {"a": {None: 1}}):
            assert reason(output) == "output_not_json", output

    def test_a_violation_that_was_seen_stays_one(self) -> None:
        assert reason([CANARY, b"x"]) == "policy:canary"
        assert reason(["CRX-1", "x" * 30], policy=Policy(tenants=TENANTS, max_characters=20)) == "policy:other_tenant"

    def test_findings_are_bounded(self) -> None:
        verdict = graded(["CRX-1"] * 10_000)
        assert isinstance(verdict, Verdict)
        assert len(verdict.findings) == MOST_FINDINGS

    def test_a_huge_key_over_many_values_does_not_multiply(self) -> None:
        assert reason({"é" * 1_000_000: list(range(100_000, 200_000))}) == ""


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"tenants": {"tenant-crux": "CRX-"}}, "tenants.tenant-crux is 'CRX-', expected a list of texts"),
        ({"tenants": {"tenant-crux": [4711]}}, "tenants.tenant-crux[0] is 4711, expected a text"),
        ({"tenants": 3}, "tenants is 3, expected a table from tenants to their identifiers"),
        ({"tenant_tag": ["tenant"]}, "tenant_tag is ['tenant'], expected the name of a tag"),
        ({"allow": "help@example.com"}, "allow is 'help@example.com', expected a list of texts"),
        ({"canaries": CANARY}, f"canaries is '{CANARY}', expected a list of texts"),
        ({"personal": "cpf"}, "personal is 'cpf', expected a list of texts"),
        ({"max_depth": "200"}, "max_depth is '200', expected a whole number from 1"),
        ({"max_values": 0}, "max_values is 0, expected a whole number from 1"),
        ({"max_characters": True}, "max_characters is True, expected a whole number from 1"),
        ({"version": " "}, "version is ' ', expected a text that is not blank"),
    ],
)
def test_a_setting_of_another_kind_is_refused_before_any_output_is_judged_by_it(
    settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        Policy(**settings)
    assert str(refused.value) == says


def test_a_changed_rule_is_a_changed_grader_and_the_fingerprint_shows_no_rule() -> None:
    prints = {
        fingerprint(policy) for policy in (POLICY, Policy(), Policy(personal=("cpf",)), Policy(canaries=(CANARY,)))
    }
    assert len(prints) == 4
    assert all(print_.startswith("policy@1#") and CANARY not in print_ for print_ in prints)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=8), below, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_any_json_value_gets_the_same_verdict_twice(output: Any) -> None:
    first = graded(output)
    assert isinstance(first, Verdict)
    assert graded(json.loads(json.dumps(output))) == first


@given(JSON, st.sampled_from(["390.533.447-05", "ana@example.com", CANARY, "CRX-1", "4111 1111 1111 1111"]), st.data())
def test_a_violation_planted_anywhere_is_found(output: Any, planted: str, data: st.DataObject) -> None:
    spot = output
    while isinstance(spot, (list, dict)) and spot and data.draw(st.booleans()):
        spot = data.draw(st.sampled_from(list(spot.values()) if isinstance(spot, dict) else spot))
    if isinstance(spot, list):
        spot.append(planted)
    elif isinstance(spot, dict):
        spot[f"k {planted}"] = 1
    else:
        output = [output, planted]
    verdict = graded(output)
    assert isinstance(verdict, Verdict)
    assert verdict.passed is False
