"""The published JSON Schemas of ``report.json`` and ``decision.json``, as plain Python values.

They describe what fiel writes. A report written by hand needs only ``split``, ``manifest`` and ``overall``, and
unknown keys are allowed everywhere: a later fiel may say more.
"""

from __future__ import annotations

from typing import Any, Final

from fiel.core.decision import Kind, Outcome
from fiel.core.manifest import REQUIRED
from fiel.core.report import REPORT_FORMAT

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_SHARE: Final[Schema] = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_AMOUNT: Final[Schema] = {"type": "number", "minimum": 0}
_DURATION: Final[Schema] = {"type": ["number", "null"], "minimum": 0, "description": "seconds"}
_FACTS: Final[Schema] = {"type": "object"}
_RATE: Final[Schema] = {"$ref": "#/$defs/rate"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _said(schema: Schema, description: str) -> Schema:
    return schema | {"description": description}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


RATE: Final[Schema] = {
    "description": "A sum over a sum. value and interval are fractions of 1, null where denominator is 0.",
    "type": "object",
    "required": ["numerator", "denominator", "value", "interval"],
    "properties": {
        "numerator": _COUNT,
        "denominator": _COUNT,
        "value": _SHARE,
        "interval": {
            "description": "95 %, lower then upper bound",
            "type": ["array", "null"],
            "items": {"type": "number", "minimum": 0, "maximum": 1},
            "minItems": 2,
            "maxItems": 2,
        },
        "clusters": _said({"type": "integer", "minimum": 0}, "cases behind the counts, where several share a case"),
        "deff": _said({"type": ["number", "null"], "minimum": 0}, "the design effect that widened the interval"),
    },
    "if": {"properties": {"denominator": {"const": 0}}},
    "then": {"properties": {"value": {"type": "null"}}},
    "else": {"properties": {"value": {"type": "number"}}},
}

_STRATUM: Final[Schema] = {
    "description": "The stratum's own four names; every other key is a metric.",
    "type": "object",
    "required": ["name", "tags", "critical", "cases"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "tags": _map(_TEXT),
        "critical": {"type": "boolean"},
        "cases": _COUNT,
    },
    "additionalProperties": _RATE,
}

_BALANCE: Final[Schema] = {
    "description": "attempted = graded + the sum of ungraded, in trials",
    "type": "object",
    "required": ["attempted", "graded", "ungraded"],
    "properties": {"attempted": _COUNT, "graded": _COUNT, "ungraded": _map(_COUNT)},
}

_FAILURE: Final[Schema] = {
    "description": "One trial that failed a grader or was not graded; personal data is masked in both values.",
    "type": "object",
    "required": ["case", "trial", "stratum", "grader", "label", "reason"],
    "properties": {
        "case": _TEXT,
        "trial": _said(_COUNT, "from 0"),
        "stratum": _TEXT,
        "grader": _TEXT,
        "label": _TEXT,
        "reason": _TEXT,
        "detail": _TEXT,
        "expected": True,
        "got": True,
    },
}

_OUTCOMES: Final[Schema] = {
    "description": "Per case its id, its stratum's index, and per grader one character a trial: "
    "1 passed, 0 failed, - ungraded, . only described",
    "type": "object",
    "required": ["graders", "cases"],
    "properties": {
        "graders": _list(_TEXT),
        "cases": _list(
            {
                "type": "array",
                "prefixItems": [_TEXT, _COUNT, _list({"type": "string", "pattern": "^[01.-]*$"})],
                "items": False,
                "minItems": 3,
            }
        ),
    },
}

_REPEATS: Final[Schema] = {
    "type": "object",
    "required": ["metric", "trials", "cases", "every", "any", "flaky", "pass_hat", "discordance"],
    "properties": {
        "metric": _TEXT,
        "trials": _COUNT,
        "cases": _COUNT,
        "every": _RATE,
        "any": _RATE,
        "flaky": _RATE,
        "pass_hat": _said(_map(_SHARE), "k -> the chance that k independent trials of a case all pass"),
        "discordance": _SHARE,
    },
}

_COST: Final[Schema] = {
    "description": "known_usd sums the known trials only; unknown is not zero",
    "type": "object",
    "required": ["known_usd", "known", "unknown"],
    "properties": {
        "known_usd": _AMOUNT,
        "known": _COUNT,
        "unknown": _COUNT,
        "input_tokens": _COUNT,
        "output_tokens": _COUNT,
        "tokens_unknown": _COUNT,
        "note": _TEXT,
    },
}

_LATENCY: Final[Schema] = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": _COUNT} | dict.fromkeys(("p50_s", "p90_s", "p95_s", "p99_s", "max_s"), _DURATION),
}

REPORT_SCHEMA: Final[Schema] = {
    "$schema": DRAFT,
    "$id": f"urn:fiel:report:{REPORT_FORMAT}",
    "title": "fiel report",
    "description": "The results of one run: rates by stratum with their n, and the balance behind them.",
    "type": "object",
    "required": ["split", "manifest", "overall"],
    "properties": {
        "format": {"type": "integer", "minimum": 1, "maximum": REPORT_FORMAT},
        "fiel_version": _TEXT,
        "run_id": _TEXT,
        "target": _FACTS,
        "split": _TEXT,
        "dataset": _FACTS,
        "manifest": {
            "description": f"The versions that produced the report; {', '.join(REQUIRED)} must be there to gate.",
            "type": "object",
            "properties": {name: {"type": "string", "minLength": 1} for name in REQUIRED},
        },
        "graders": _list(_TEXT),
        "trials": {"type": "integer", "minimum": 1},
        "attempted": _said(_or_null(_COUNT), "trials: cases times trials a case"),
        "overall": _said(_map(_RATE), "metric -> rate, over all cases"),
        "strata": _list(_STRATUM),
        "balance": _map(_BALANCE),
        "failures": _list(_FAILURE),
        "outcomes": _OUTCOMES,
        "repeats": _or_null(_REPEATS),
        "cost": _COST,
        "latency": _LATENCY,
        "budget": _FACTS,
        "judge": _TEXT,
        "flagged": _map(_COUNT),
        "thin_below": _said(_COUNT, "the number of cases under which a stratum is said to be thin"),
        "timing": _FACTS,
    },
    "$defs": {"rate": RATE},
}
"""``report.json``."""

_REASON: Final[Schema] = {
    "type": "object",
    "required": ["kind", "rule", "text"],
    "properties": {
        "kind": {"enum": [kind.value for kind in Kind]},
        "rule": _said(_TEXT, "a stable word"),
        "text": _TEXT,
        "stratum": _or_null(_TEXT),
        "facts": _FACTS,
    },
}

_COMPARISON: Final[Schema] = {
    "type": "object",
    "required": ["name", "critical", "baseline", "candidate", "drop", "pairs"],
    "properties": {
        "name": _TEXT,
        "critical": {"type": "boolean"},
        "baseline": _or_null(_FACTS),
        "candidate": _or_null(_FACTS),
        "drop": {"type": ["number", "null"], "minimum": -1, "maximum": 1},
        "pairs": _or_null(_FACTS),
    },
}

DECISION_SCHEMA: Final[Schema] = {
    "$schema": DRAFT,
    "$id": "urn:fiel:decision:1",
    "title": "fiel decision",
    "description": "What a gate ruled on a report, with every reason, by which policy, and which cases flipped.",
    "type": "object",
    "required": ["outcome", "reasons", "policy", "policy_sha256", "candidate"],
    "properties": {
        "format": {"const": 1},
        "outcome": {"enum": [outcome.value for outcome in Outcome]},
        "reasons": _list(_REASON),
        "comparisons": _list(_COMPARISON),
        "broken": _said(_list(_TEXT), "ids of cases that passed in the baseline and fail in the candidate"),
        "fixed": _said(_list(_TEXT), "the reverse"),
        "policy": _FACTS,
        "policy_sha256": _TEXT,
        "baseline": _or_null(_FACTS),
        "candidate": _FACTS,
        "overrides": _said(_list(_TEXT), "fields that were allowed to differ"),
        "statistics": _FACTS,
        "fiel_version": _TEXT,
    },
}
"""``decision.json``."""
