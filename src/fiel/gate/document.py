"""A decision as the JSON object that ``decision.json`` holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from fiel.core.decision import Comparison, Decision, Reason

DECISION_FORMAT: Final = 1


def decision_document(decision: Decision) -> dict[str, Any]:
    """The whole decision in the order in which it is read: what, why, which cases, which strata, on what grounds.

    Every value is JSON: text, numbers, booleans, null, lists and string maps; rates are fractions of 1.
    """
    return {
        "format": DECISION_FORMAT,
        "outcome": decision.outcome.value,
        "reasons": [reason_document(reason) for reason in decision.reasons],
        "broken": list(decision.broken),
        "fixed": list(decision.fixed),
        "comparisons": [comparison_document(comparison) for comparison in decision.comparisons],
        "statistics": dict(decision.statistics),
        "policy": dict(decision.policy),
        "policy_sha256": decision.policy_sha256,
        "overrides": list(decision.overrides),
        "baseline": None if decision.baseline is None else dict(decision.baseline),
        "candidate": dict(decision.candidate),
        "fiel_version": decision.fiel_version,
    }


def reason_document(reason: Reason) -> dict[str, Any]:
    """One reason; ``stratum`` is null where it is about the whole report."""
    return {
        "kind": reason.kind.value,
        "rule": reason.rule,
        "text": reason.text,
        "stratum": reason.stratum,
        "facts": dict(reason.facts),
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """One stratum or ``overall``; a side that does not have it is null."""
    return asdict(comparison)
