"""Strata that went missing or thin leave the matter open when critical; falls of the others are listed, never block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fiel.core.decision import Kind, Reason
from fiel.gate.evidence import StratumPair
from fiel.gate.rules.critical import fall_facts, noise_beside
from fiel.gate.weigh import Weighed, at_most
from fiel.gate.wording import compared, counted, listed, p_value, rate_value

DROPS_SHOWN: Final = 50
"""How many falls of strata that are not critical get a sentence each, largest first."""


def missing_or_thinner(weighed: Weighed) -> Iterator[Reason]:
    """Open for each critical stratum that the candidate lacks or measured on fewer cases; a note for the others."""
    baseline = weighed.evidence.baseline
    if baseline is None:
        return
    lost: list[str] = []
    for stratum in weighed.evidence.strata:
        if stratum.baseline is None:
            continue
        if stratum.candidate is None:
            if stratum.critical:
                had = counted(stratum.baseline.cases, "case")
                text = f"critical stratum {stratum.label} is missing in the candidate ({had} in the baseline)"
                yield _open("stratum_missing", stratum, text, stratum.baseline.cases, 0)
            else:
                lost.append(stratum.name)
        elif stratum.critical:
            yield from _thinner(weighed, stratum)
    if lost:
        text = f"{counted(len(lost), 'stratum', 'strata')} of the baseline missing in the candidate: {listed(lost)}"
        yield Reason(kind=Kind.NOTE, rule="strata_missing", text=text, facts={"strata": lost})


def new_strata(weighed: Weighed) -> Iterator[Reason]:
    """A note of the strata that only the candidate has: there is nothing to compare them with."""
    if weighed.evidence.baseline is None:
        return
    new = [stratum.name for stratum in weighed.evidence.strata if stratum.baseline is None]
    if new:
        text = f"{counted(len(new), 'stratum', 'strata')} not in the baseline, so not compared: {listed(new)}"
        yield Reason(kind=Kind.NOTE, rule="strata_new", text=text, facts={"strata": new})


def listed_drops(weighed: Weighed) -> Iterator[Reason]:
    """A note for each stratum that is not critical and is shown worse, or lower by more than epsilon.

    Only a fall that stays significant after Holm's correction over the strata is called a change.
    """
    if weighed.evidence.baseline is None:
        return
    found = [(drop, stratum) for stratum in weighed.evidence.strata if (drop := _drop(weighed, stratum)) is not None]
    found.sort(key=lambda pair: -pair[0])
    for _, stratum in found[:DROPS_SHOWN]:
        yield _listed(weighed, stratum)
    rest = [stratum.name for _, stratum in found[DROPS_SHOWN:]]
    if rest:
        text = f"{counted(len(rest), 'more stratum', 'more strata')} lower by more than epsilon: {listed(rest)}"
        yield Reason(kind=Kind.NOTE, rule="stratum_lower", text=text, facts={"strata": rest})


def _drop(weighed: Weighed, stratum: StratumPair) -> float | None:
    """The drop if it is worth a sentence, else None."""
    before, after = (None if rate is None else rate.fraction for rate in stratum.rates(weighed.evidence.metric))
    if stratum.critical or before is None or after is None:
        return None
    corrected = weighed.holm.get(stratum.name)
    worth = corrected is not None and at_most(corrected, weighed.policy.alpha)
    return float(before - after) if worth or before - after > weighed.policy.epsilon else None


def _listed(weighed: Weighed, stratum: StratumPair) -> Reason:
    before, after = stratum.rates(weighed.evidence.metric)
    if before is None or after is None or before.fraction is None or after.fraction is None:
        raise AssertionError("only measured strata are listed")
    corrected = weighed.holm.get(stratum.name)
    significant = corrected is not None and at_most(corrected, weighed.policy.alpha)
    if significant and corrected is not None:
        words = f"a significant change for the worse (Holm over {len(weighed.holm)} strata, p{p_value(corrected)})"
    elif corrected is not None:
        words = f"not significant (Holm over {len(weighed.holm)} strata, p{p_value(corrected)})"
    else:
        words = "not tested" if stratum.name not in weighed.strata else "too few pairs to be significant"
    drop = before.fraction - after.fraction
    sign = ">" if drop > weighed.policy.epsilon else "<="
    text = (
        f"{stratum.label} (not critical) went from {rate_value(before)} to {rate_value(after)} "
        f"(drop {compared(drop, sign, weighed.policy.epsilon)}), {words}, {noise_beside(weighed, stratum)}"
    )
    facts = fall_facts(weighed, stratum, before, after) | {"p_holm": corrected, "significant": significant}
    rule = "stratum_worse" if significant else "stratum_lower"
    return Reason(kind=Kind.NOTE, rule=rule, text=text, stratum=stratum.name, facts=facts)


def _thinner(weighed: Weighed, stratum: StratumPair) -> Iterator[Reason]:
    if stratum.baseline is None or stratum.candidate is None:
        return
    cases = stratum.baseline.cases, stratum.candidate.cases
    for what, (before, after) in (("measured", _measured(weighed, stratum)), ("cases", cases)):
        if before is not None and after is not None and after < before:
            told = f"{before} {what} in the baseline and {after} in the candidate"
            text = f"critical stratum {stratum.label} is thinner: {told}"
            yield _open("stratum_thinner", stratum, text, before, after)
            return


def _measured(weighed: Weighed, stratum: StratumPair) -> tuple[int | None, int | None]:
    """What each side measured in a stratum: graded trials where both tried alike, else the cases behind the rate."""
    evidence = weighed.evidence
    alike = evidence.baseline is not None and evidence.baseline.trials == evidence.candidate.trials
    if alike and None not in stratum.graded:
        return stratum.graded
    before, after = (None if rate is None else rate.cases for rate in stratum.rates(evidence.metric))
    return before, after


def _open(rule: str, stratum: StratumPair, text: str, before: int, after: int) -> Reason:
    facts = {"baseline": before, "candidate": after}
    return Reason(kind=Kind.INCONCLUSIVE, rule=rule, text=text, stratum=stratum.name, facts=facts)
