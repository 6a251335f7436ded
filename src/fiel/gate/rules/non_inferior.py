"""With ``evidence = "non-inferior"`` a pass must be shown, and what is missing to show it is priced in pairs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from fiel.core.decision import Kind, Reason
from fiel.core.policy import GatePolicy
from fiel.gate.weigh import POWER, Figures, Weighed, as_facts, margin_of, standing
from fiel.gate.wording import interval, p_value, short, trimmed
from fiel.stats.paired import Pairs, tango
from fiel.stats.power import pairs_for_non_inferiority, pairs_without_flip

AFFORDABLE: Final = 100_000
"""Above this many pairs no team gathers them for one release, and it is said so."""


def non_inferior(weighed: Weighed) -> Iterator[Reason]:
    """Open unless the pooled lower bound is above the margin and no stratum is shown worse (Holm over the strata)."""
    policy = weighed.policy
    if policy.evidence != "non-inferior":
        return
    if weighed.evidence.baseline is None:
        text = "non-inferiority is not applied: without a baseline the absolute rules alone decide"
        yield Reason(kind=Kind.NOTE, rule="non_inferiority", text=text)
        return
    if weighed.overall is None:
        why = weighed.evidence.unavailable or "no case was graded on both sides"
        yield _open(f"non-inferiority cannot be shown, statistics unavailable: {why}")
    else:
        yield _pooled(weighed.overall, policy)
    for name in weighed.worse:
        p = weighed.holm[name]
        text = f"{short(name, 200)} is shown worse (exact McNemar, Holm over {len(weighed.holm)} strata, p{p_value(p)})"
        facts = as_facts(weighed.strata[name]) | {"p_holm": p}
        yield Reason(kind=Kind.INCONCLUSIVE, rule="stratum_worse", text=text, stratum=name, facts=facts)


def _pooled(found: Figures, policy: GatePolicy) -> Reason:
    margin = margin_of(policy)
    bounds = f"difference {trimmed(found.difference)}, interval {interval(found.interval)}, n={found.n}"
    facts = as_facts(found) | {"margin": float(margin)}
    stands = standing(found, policy)
    if stands == "pass":
        text = f"shown non-inferior within {trimmed(margin)}: {bounds}"
        return Reason(kind=Kind.NOTE, rule="non_inferiority", text=text, facts=facts)
    if stands == "fail":
        return _open(f"the candidate is shown worse by more than {trimmed(margin)}: {bounds}", facts)
    needed = pairs_to_settle(found, margin, policy.alpha)
    price = "no affordable number of pairs will settle it"
    if needed is not None:
        price = f"about {needed} pairs would settle it if the rates stay as they are"
        if found.discordance:
            planned = pairs_for_non_inferiority(float(margin), float(found.discordance), float(policy.alpha), POWER)
            price += f" ({planned} for {trimmed(100 * POWER)}% power if nothing truly differs)"
    facts["pairs_to_settle"] = needed
    return _open(f"the candidate is not shown to be within {trimmed(margin)}: {bounds}; {price}", facts)


def pairs_to_settle(found: Figures, margin: Fraction, alpha: Fraction) -> int | None:
    """The fewest pairs at which the observed rates would put a bound on either side of ``-margin``.

    None where no affordable number would: the observed difference is at the margin or close to it, or the margin is 0.
    """
    if not margin:
        return None
    if not found.discordance:
        return pairs_without_flip(float(margin), float(alpha))
    if found.n >= AFFORDABLE or not _settled(found.pairs, AFFORDABLE, margin, alpha):
        return None
    low, high = found.n + 1, AFFORDABLE
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _settled(found.pairs, middle, margin, alpha) else (middle + 1, high)
    return low


def _settled(pairs: Pairs, n: int, margin: Fraction, alpha: Fraction) -> bool:
    broken, fixed = round(Fraction(pairs.broken * n, pairs.n)), round(Fraction(pairs.fixed * n, pairs.n))
    scaled = Pairs(both=max(0, n - broken - fixed), broken=broken, fixed=fixed, neither=0)
    lower, upper = tango(scaled, float(1 - 2 * alpha))
    return lower > -float(margin) or upper < -float(margin)


def _open(text: str, facts: dict[str, object] | None = None) -> Reason:
    return Reason(kind=Kind.INCONCLUSIVE, rule="non_inferiority", text=text, facts=facts or {})
