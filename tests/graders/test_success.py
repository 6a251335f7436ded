"""``success`` is every part passing; a part that could not say leaves the whole unsaid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from fiel.core.case import ABSENT, Case
from fiel.core.errors import ConfigError
from fiel.core.grader import Result, fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.fields import Fields
from fiel.graders.schema import Schema
from fiel.graders.success import Success
from fiel.harness.drive import grade_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """A grader that always says the same."""

    name: str
    result: Result
    version: str = "1"

    def grade(self, item: Item) -> Result:
        if isinstance(self.result, Ungraded) and self.result.reason == "crash":
            raise ValueError("broken")
        return self.result


PASS = Verdict(passed=True, label="clean")
LEAK = Verdict(passed=False, label="leak", reason="other_tenant")


def grade(*parts: Any, expected: Any = ABSENT, output: Any = None, schema: Any = None) -> Result:
    grader = Success(parts=parts)
    item = Item(case=Case(id="c", input="", expected=expected, schema=schema), output=output)
    return grade_rules([*parts, grader], item)["success"]


SCHEMA = {"type": "object", "required": ["date"]}


def test_success_is_every_part_passing() -> None:
    result = grade(
        Schema(),
        Fields(),
        Says(name="policy", result=PASS),
        expected={"date": None},
        output={"date": None},
        schema=SCHEMA,
    )
    assert result == Verdict(passed=True, label="success")


def test_the_reason_of_a_wrong_field_stands_as_it_is() -> None:
    result = grade(Schema(), Fields(), expected={"date": None}, output={"date": "2099-01-01"}, schema=SCHEMA)
    assert isinstance(result, Verdict)
    assert (result.passed, result.reason) == (False, "field_mismatch:date")


def test_the_reason_of_another_part_names_the_part() -> None:
    assert isinstance(result := grade(Says(name="policy", result=LEAK)), Verdict)
    assert result.reason == "policy:other_tenant"
    named = Verdict(passed=False, label="leak", reason="policy:other_tenant")
    assert isinstance(result := grade(Says(name="policy", result=named)), Verdict)
    assert result.reason == "policy:other_tenant"
    assert isinstance(result := grade(Schema(), Fields(), expected={"date": 1}, output={}, schema=SCHEMA), Verdict)
    assert result.reason == "schema:invalid:required"
    assert [finding.path for finding in result.findings] == ["schema", "fields"]


def test_a_case_that_declares_no_schema_has_nothing_to_be_invalid_against() -> None:
    result = grade(Schema(), Fields(), expected={"a": 1}, output={"a": 1})
    assert result == Verdict(passed=True, label="success")


@pytest.mark.parametrize("other", [PASS, LEAK])
def test_a_part_that_could_not_say_leaves_the_whole_unsaid(other: Verdict) -> None:
    result = grade(Fields(), Says(name="policy", result=other), output={})
    assert isinstance(result, Ungraded)
    assert result.reason == "no_expected"
    named = grade(Schema(), schema="absent", output={})
    assert isinstance(named, Ungraded)
    assert named.reason == "schema_not_found"


def test_a_part_that_crashes_is_neither_a_success_nor_a_failure() -> None:
    result = grade(Says(name="policy", result=Ungraded(reason="crash")))
    assert isinstance(result, Ungraded)
    assert result.reason == "grader_crash"
    assert "policy" in result.detail


def test_a_part_that_only_describes_cannot_be_a_part() -> None:
    result = grade(Says(name="policy", result=Verdict(passed=None, label="described")))
    assert isinstance(result, Ungraded)
    assert result.reason == "part_only_describes"


def test_its_parts_are_in_its_identity_and_are_checked() -> None:
    assert fingerprint(Success(parts=(Fields(),))) != fingerprint(Success(parts=(Fields(empty_is_null=True),)))
    for parts in ((), (Fields(), Fields()), (Fields(name="success"),)):
        with pytest.raises(ConfigError, match="parts are"):
            Success(parts=parts)
