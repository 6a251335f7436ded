"""A decision is what a gate ruled on a report, with every reason it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class Outcome(StrEnum):
    """What a gate can rule. A refusal is not an outcome: it is an error, and nothing was compared."""

    PASS = "pass"
    BLOCK = "block"
    INCONCLUSIVE = "inconclusive"


EXIT_CODES: Final[Mapping[Outcome, int]] = {Outcome.PASS: 0, Outcome.BLOCK: 1, Outcome.INCONCLUSIVE: 3}
"""What a process that ruled ends with, a contract; 2 and 4 are for what was refused and what broke."""


class Kind(StrEnum):
    """How a reason counts: it blocks, it leaves the matter open, or it is only said."""

    BLOCK = "block"
    INCONCLUSIVE = "inconclusive"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One sentence with the facts behind it.

    ``rule`` is a stable word (``critical_stratum_fell``, ``per_case``, ``corpus``, ``ungraded``,
    ``attempted_differs``, ``stratum_missing``, ``stratum_thinner``, ``non_inferiority``, ``budget``...).
    ``facts`` holds the numbers as JSON values: both rates, the drop, n, p values, intervals.
    """

    kind: Kind
    rule: str
    text: str
    stratum: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One stratum (or ``overall``) of the candidate beside the baseline; missing numbers are None."""

    name: str
    critical: bool
    baseline: Mapping[str, Any] | None
    candidate: Mapping[str, Any] | None
    drop: float | None
    pairs: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The whole ruling: what, why, by which policy, on which reports, and which cases changed."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    comparisons: tuple[Comparison, ...] = ()
    broken: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    policy: Mapping[str, Any] = field(default_factory=dict)
    policy_sha256: str = ""
    baseline: Mapping[str, Any] | None = None
    candidate: Mapping[str, Any] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)
    fiel_version: str = ""
