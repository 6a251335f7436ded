"""A critical stratum that falls by more than epsilon blocks, whatever the mean does and however few its cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiel.core.decision import Kind, Reason
from fiel.core.report import Rate
from fiel.gate.evidence import StratumPair
from fiel.gate.weigh import Figures, Weighed, as_facts
from fiel.gate.wording import compared, interval, p_value, rate_value, size, trimmed


def critical_stratum_fell(weighed: Weighed) -> Iterator[Reason]:
    """One blocking reason a fallen critical stratum; a fall within epsilon is said, and so is what was not measured."""
    if weighed.evidence.baseline is None:
        return
    for stratum in weighed.evidence.strata:
        if stratum.critical and stratum.baseline is not None and stratum.candidate is not None:
            yield from _judge(weighed, stratum)


def _judge(weighed: Weighed, stratum: StratumPair) -> Iterator[Reason]:
    metric, epsilon = weighed.evidence.metric, weighed.policy.epsilon
    before, after = stratum.rates(metric)
    was, now = (None if rate is None else rate.fraction for rate in (before, after))
    if before is None or after is None or was is None or now is None:
        sides = [name for name, value in (("baseline", was), ("candidate", now)) if value is None]
        yield Reason(
            kind=Kind.INCONCLUSIVE,
            rule="stratum_unmeasured",
            text=f"critical stratum {stratum.label}: {metric} was not measured in the {' and the '.join(sides)}",
            stratum=stratum.name,
            facts={"unmeasured": sides, "metric": metric},
        )
        return
    drop = was - now
    if drop <= 0:
        return
    blocks = drop > epsilon
    verb, sign = ("dropped", ">") if blocks else ("is lower,", "<=")
    text = (
        f"{stratum.label} {verb} from {rate_value(before)} to {rate_value(after)} "
        f"(drop {compared(drop, sign, epsilon)}), {noise_beside(weighed, stratum)}"
    )
    yield Reason(
        kind=Kind.BLOCK if blocks else Kind.NOTE,
        rule="critical_stratum_fell" if blocks else "critical_stratum_within_epsilon",
        text=text,
        stratum=stratum.name,
        facts=fall_facts(weighed, stratum, before, after) | {"epsilon": float(epsilon)},
    )


def noise_beside(weighed: Weighed, stratum: StratumPair) -> str:
    """``n=..., exact McNemar p=..., difference interval [...], overall A -> B``."""
    parts = [stratum_size(weighed, stratum)]
    found = weighed.strata.get(stratum.name)
    parts += [statistics_text(found)] if found is not None else [f"statistics unavailable: {_why(weighed)}"]
    overall = weighed.evidence.rates
    parts.append(f"overall {rate_value(overall[0])} -> {rate_value(overall[1])}")
    return ", ".join(parts)


def statistics_text(found: Figures) -> str:
    """``exact McNemar p=0.5 for worse (...), difference interval [-1, 0.1] at 90%``, and what was left out."""
    text = (
        f"exact McNemar p{p_value(found.p_worse)} for worse "
        f"(two-sided p{p_value(found.p_different)}, mid-p{p_value(found.p_mid)}), "
        f"difference interval {interval(found.interval)} at {trimmed(100 * found.level)}%"
    )
    if found.deff is not None:
        text += f" over trials (design effect {trimmed(found.deff)})"
    if found.ties:
        text += f", {found.ties} tied and left out"
    if found.worst is not None and found.best is not None:
        text += (
            f", ungraded {found.ungraded[0]} in the baseline and {found.ungraded[1]} in the candidate: "
            f"counted against or for the candidate the difference is {trimmed(found.worst)} or {trimmed(found.best)}"
        )
    return text


def stratum_size(weighed: Weighed, stratum: StratumPair) -> str:
    """The n of both sides where they differ, with the weight of one case where n is small."""
    before, after = stratum.rates(weighed.evidence.metric)
    thin = weighed.policy.min_stratum
    now = _size(after, thin)
    if before is None or after is None or before.cases == after.cases:
        return now
    return f"n={before.cases} in the baseline and {now} in the candidate"


def fall_facts(weighed: Weighed, stratum: StratumPair, before: Rate, after: Rate) -> dict[str, Any]:
    """Both rates, the drop and the paired figures, as JSON values."""
    was, now = before.fraction, after.fraction
    overall = weighed.evidence.rates
    found = weighed.strata.get(stratum.name)
    return {
        "metric": weighed.evidence.metric,
        "baseline": before.value,
        "candidate": after.value,
        "drop": None if was is None or now is None else float(was - now),
        "n": after.cases,
        "overall": [None if rate is None else rate.value for rate in overall],
        "statistics": None if found is None else as_facts(found),
        "broken": [] if stratum.paired is None else list(stratum.paired.broken),
    }


def _size(rate: Rate | None, thin_below: int) -> str:
    return "n=0" if rate is None else size(rate.cases, rate.denominator, thin_below)


def _why(weighed: Weighed) -> str:
    return weighed.evidence.unavailable or "no case of it was graded on both sides"
