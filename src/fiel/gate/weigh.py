"""Weighing puts numbers on evidence: for all pairs and for each stratum, how large a difference is and how noisy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from fiel.core.policy import GatePolicy
from fiel.gate.evidence import FAIL, PASS, UNGRADED, Evidence, Paired
from fiel.stats.multiplicity import holm
from fiel.stats.paired import (
    Pairs,
    mcnemar_exact,
    mcnemar_midp,
    mcnemar_worse,
    tango,
    tango_effective,
)
from fiel.stats.power import minimum_detectable_drop
from fiel.stats.repeats import paired_design_effect

TRIALS_COUNT_FROM: Final = 50
"""Below this many cases repeated trials are voted into one outcome a case (majority of an odd number)."""

POWER: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The numbers of one set of pairs; n is at least 1.

    ``difference`` is candidate minus baseline, in fractions of 1; ``interval`` is its two-sided interval at
    ``level``, so that each bound is one-sided at alpha. With ``deff`` not None both come from single trials,
    widened for the cases they belong to; the p values always come from one outcome a case. ``p_worse`` is exact
    McNemar one-sided, ``p_different`` two-sided, ``p_mid`` its mid-p. ``discordance`` is the share of pairs
    that flipped. ``worst`` and ``best`` bound the difference when ungraded pairs are counted against and for
    the candidate; both None where nothing was left ungraded.
    """

    pairs: Pairs
    n: int
    difference: Fraction
    interval: tuple[float, float]
    level: float
    p_worse: float
    p_different: float
    p_mid: float
    discordance: Fraction
    ties: int = 0
    ungraded: tuple[int, int] = (0, 0)
    deff: float | None = None
    worst: Fraction | None = None
    best: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Evidence with its numbers and the policy it is judged by: what every rule is given.

    ``strata`` has figures by stratum name where there is at least one pair. ``holm`` has, for each stratum that is
    large enough to ever be significant, the one-sided p for "worse" after Holm's correction, and ``worse`` names
    those in which it is at most alpha, in the report's order. ``detectable`` is the smallest drop that this many
    pairs would show with 80 % power, None where no drop could be shown; ``noise`` is the discordance it was
    computed at, and ``noise_source`` says where that came from.
    """

    evidence: Evidence
    policy: GatePolicy
    overall: Figures | None = None
    strata: Mapping[str, Figures] = field(default_factory=dict)
    holm: Mapping[str, float] = field(default_factory=dict)
    worse: tuple[str, ...] = ()
    detectable: float | None = None
    noise: float | None = None
    noise_source: str = ""


def weigh(evidence: Evidence, policy: GatePolicy) -> Weighed:
    """Put numbers on ``evidence`` by the levels of ``policy``."""
    if evidence.paired is None:
        return Weighed(evidence=evidence, policy=policy)
    overall = figures(evidence.paired, policy.alpha)
    strata = {}
    for stratum in evidence.strata:
        found = None if stratum.paired is None else figures(stratum.paired, policy.alpha)
        if found is not None:
            strata[stratum.name] = found
    noise, source = _noise(evidence, overall)
    detectable = None if overall is None or noise is None else smallest_drop(overall.n, noise, policy.alpha)
    corrected = _corrected(strata, policy.alpha)
    return Weighed(
        evidence=evidence,
        policy=policy,
        overall=overall,
        strata=strata,
        holm=corrected,
        worse=tuple(name for name, p in corrected.items() if at_most(p, policy.alpha)),
        detectable=detectable,
        noise=noise,
        noise_source=source,
    )


def figures(paired: Paired, alpha: Fraction) -> Figures | None:
    """The numbers of ``paired`` with one-sided level ``alpha``, or None where no case could be paired."""
    if not paired.n:
        return None
    pairs, level = paired.pairs, float(1 - 2 * alpha)
    delta, bounds, p_worse, p_different, p_mid = _measured(pairs, level)
    deff = None
    if len(paired.tables) >= TRIALS_COUNT_FROM:
        delta, bounds, deff = _over_trials(paired.tables, level)
    worst, best = _bounds(paired)
    return Figures(
        pairs=pairs,
        n=paired.n,
        difference=delta,
        interval=bounds,
        level=level,
        p_worse=p_worse,
        p_different=p_different,
        p_mid=p_mid,
        discordance=Fraction(pairs.broken + pairs.fixed, paired.n),
        ties=paired.ties,
        ungraded=(paired.ungraded(0), paired.ungraded(1)),
        deff=deff,
        worst=worst,
        best=best,
    )


def standing(found: Figures, policy: GatePolicy) -> str:
    """Where the difference stands against the margin by its interval: ``pass``, ``fail`` or ``indistinguishable``."""
    line = -float(margin_of(policy))
    if found.interval[0] > line:
        return "pass"
    return "fail" if found.interval[1] < line else "indistinguishable"


def margin_of(policy: GatePolicy) -> Fraction:
    """The non-inferiority margin: the policy's own, else its epsilon."""
    return policy.epsilon if policy.margin is None else policy.margin


@lru_cache(maxsize=4096)
def smallest_drop(n: int, discordance: float, alpha: Fraction) -> float | None:
    """The smallest true drop that ``n`` pairs would show with 80 % power; None where no drop could be shown."""
    return minimum_detectable_drop(n, discordance, alpha=float(alpha), power=POWER)


def at_most(p: float, alpha: Fraction) -> bool:
    """Whether a p value is at or under the level; a p of exactly 1/20 is, whatever its last binary digit."""
    return p <= float(alpha) + 1e-12


def as_facts(found: Figures) -> dict[str, Any]:
    """The figures as JSON values."""
    facts: dict[str, Any] = {
        "n": found.n,
        "both": found.pairs.both,
        "broken": found.pairs.broken,
        "fixed": found.pairs.fixed,
        "neither": found.pairs.neither,
        "ties": found.ties,
        "ungraded": {"baseline": found.ungraded[0], "candidate": found.ungraded[1]},
        "difference": float(found.difference),
        "interval": list(found.interval),
        "level": found.level,
        "method": "tango" if found.deff is None else "tango over trials",
        "p_worse": found.p_worse,
        "p_different": found.p_different,
        "p_mid": found.p_mid,
        "discordance": float(found.discordance),
    }
    if found.deff is not None:
        facts["deff"] = found.deff
    if found.worst is not None and found.best is not None:
        facts["bounds_if_ungraded_counted"] = [float(found.worst), float(found.best)]
    return facts


@lru_cache(maxsize=4096)
def _measured(pairs: Pairs, level: float) -> tuple[Fraction, tuple[float, float], float, float, float]:
    return (
        _difference(pairs),
        tango(pairs, level),
        mcnemar_worse(pairs),
        mcnemar_exact(pairs),
        mcnemar_midp(pairs),
    )


def _over_trials(tables: tuple[Pairs, ...], level: float) -> tuple[Fraction, tuple[float, float], float]:
    pairs = Pairs(
        both=sum(table.both for table in tables),
        broken=sum(table.broken for table in tables),
        fixed=sum(table.fixed for table in tables),
        neither=sum(table.neither for table in tables),
    )
    deff = paired_design_effect(tables)
    assert deff is not None, "defined for two clusters and more"
    return _difference(pairs), tango_effective(pairs, deff, level), deff


def _difference(pairs: Pairs) -> Fraction:
    return Fraction(pairs.fixed - pairs.broken, pairs.n)


def _bounds(paired: Paired) -> tuple[Fraction | None, Fraction | None]:
    """The difference with every ungraded side counted against the candidate, and for it."""
    total, worst, best = paired.n, paired.pairs.fixed - paired.pairs.broken, paired.pairs.fixed - paired.pairs.broken
    if not any(UNGRADED in classes for classes in paired.excluded):
        return None, None
    for (before, after), count in paired.excluded.items():
        if not {before, after} <= {PASS, FAIL, UNGRADED}:
            continue
        total += count
        worst += count * ((after == PASS) - (before != FAIL))
        best += count * ((after != FAIL) - (before == PASS))
    return Fraction(worst, total), Fraction(best, total)


def _corrected(strata: Mapping[str, Figures], alpha: Fraction) -> dict[str, float]:
    """Holm over the strata in which at least a fall of every case would be significant; the rest cannot speak.

    Which strata those are depends on their size alone, never on what was seen, so the correction stays valid.
    """
    able = [name for name, found in strata.items() if Fraction(1, 2 ** min(found.n, 64)) <= alpha]
    return dict(zip(able, holm([strata[name].p_worse for name in able]), strict=True))


def _noise(evidence: Evidence, overall: Figures | None) -> tuple[float | None, str]:
    repeats = None if evidence.baseline is None else evidence.baseline.repeats
    if repeats is not None and repeats.metric == evidence.metric and repeats.discordance is not None:
        return repeats.discordance, "two trials of the baseline"
    if overall is None:
        return None, ""
    return float(overall.discordance), "these pairs"
