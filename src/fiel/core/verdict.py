"""A verdict is what a grader said of one item; an Ungraded says why a grader could not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Counts that one verdict adds to a metric: ``hits`` of ``of``, both whole numbers with 0 <= hits <= of.

    The metric is named after the grader, or ``<grader>.<name>`` where ``name`` is not empty. A measure with
    ``of`` 0 adds nothing: it is not a zero.
    """

    name: str = ""
    hits: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One piece of evidence: at ``path`` (a field or JSON pointer) ``outcome`` was found, with both values."""

    path: str
    outcome: str
    expected: Any = None
    got: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a grader said of one item.

    ``passed`` is None where the grader only describes. ``label`` is from the grader's closed set. ``reason`` is
    ``""`` or a short machine-readable word such as ``field_mismatch:effective_date``: it may reach logs and
    traces and so never carries text of the case. ``findings`` may. Without ``measures`` a verdict counts as 1
    of 1 (passed) or 0 of 1 under the grader's own name. ``flags`` mark what a person should look at.
    """

    passed: bool | None
    label: str
    reason: str = ""
    measures: tuple[Measure, ...] = ()
    findings: tuple[Finding, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungraded:
    """A grader (or the target before it) could not say: never a number, never in a denominator, always counted.

    ``reason`` is a short stable word that is counted (``no_expected``, ``target_timeout``, ``budget``);
    ``detail`` is for a person: a type, a place, what the target's own exception said. That may quote the case, so a
    report masks it as it masks values, and it never reaches a trace.
    """

    reason: str
    detail: str = ""
