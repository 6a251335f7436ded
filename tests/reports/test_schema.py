"""The published schemas; ``FIEL_UPDATE_GOLDEN=1`` writes their copies in ``docs/reference`` anew."""

from __future__ import annotations

import copy
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fiel.core.decision import Decision
from fiel.core.policy import GatePolicy
from fiel.core.report import Report
from fiel.core.report_document import decode, encode
from fiel.gate.decide import decide
from fiel.gate.document import decision_document
from fiel.reports.schema import DECISION_SCHEMA, REPORT_SCHEMA

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
REPORTS = Draft202012Validator(REPORT_SCHEMA)
DECISIONS = Draft202012Validator(DECISION_SCHEMA)


def as_json(document: Any) -> Any:
    return json.loads(json.dumps(document, allow_nan=False))


@pytest.mark.parametrize(
    ("name", "schema"), [("report.schema.json", REPORT_SCHEMA), ("decision.schema.json", DECISION_SCHEMA)]
)
def test_the_copy_in_the_docs_is_the_schema(name: str, schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema, indent=2) + "\n"
    path = REFERENCE / name
    if os.environ.get("FIEL_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.read_text(encoding="utf-8") == text, f"{name} differs; FIEL_UPDATE_GOLDEN=1 writes it anew"


def test_an_encoded_report_is_valid_and_comes_back_the_same(report: Report) -> None:
    document = as_json(encode(report))
    REPORTS.validate(document)
    assert as_json(encode(decode(document))) == document


def test_a_hostile_report_is_still_a_report(bad_report: Report) -> None:
    REPORTS.validate(as_json(encode(bad_report)))


def test_a_report_written_by_hand_needs_three_keys() -> None:
    rate = {"numerator": 17, "denominator": 30, "value": 17 / 30, "interval": None}
    REPORTS.validate({"split": "holdout", "manifest": {}, "overall": {"success": rate}})


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("format",), 2),
        (("overall", "success", "value"), 1.2),
        (("overall", "success", "value"), None),
        (("overall", "citations", "value"), 0),
        (("overall", "success", "interval"), [0.1]),
        (("strata", 0, "critical"), "yes"),
        (("strata", 0, "success", "numerator"), -1),
        (("balance", "success", "ungraded"), 3),
        (("outcomes", "cases", 0), ["hd-0001", 0]),
        (("outcomes", "cases", 0, 2, 0), "x"),
        (("repeats", "pass_hat", "1"), 2),
        (("manifest", "prompt_version"), ""),
    ],
)
def test_a_wrong_value_is_found(report: Report, path: tuple[Any, ...], wrong: Any) -> None:
    document = copy.deepcopy(as_json(encode(report)))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    assert not REPORTS.is_valid(document)


def test_a_decision_is_valid(decision: Decision, bad_decision: Decision) -> None:
    DECISIONS.validate(as_json(decision_document(decision)))
    DECISIONS.validate(as_json(decision_document(bad_decision)))


def test_what_the_gate_decides_is_valid(report: Report) -> None:
    for baseline in (report, None):
        ruled = decide(candidate=report, baseline=baseline, policy=GatePolicy(epsilon=Fraction(1, 20)))
        DECISIONS.validate(as_json(decision_document(ruled)))


def test_an_outcome_that_no_gate_gives_is_found(decision: Decision) -> None:
    assert not DECISIONS.is_valid(as_json(decision_document(decision)) | {"outcome": "refused"})
