"""The means side by side with their noise: a difference is called a change only where it is significant."""

from __future__ import annotations

from collections.abc import Iterator

from fiel.core.decision import Kind, Reason
from fiel.gate.rules.critical import statistics_text
from fiel.gate.weigh import POWER, Figures, Weighed, as_facts, at_most
from fiel.gate.wording import counted, rate_value, trimmed


def overall(weighed: Weighed) -> Iterator[Reason]:
    """A note with both means, the paired difference, and whether it is more than noise."""
    evidence = weighed.evidence
    if evidence.baseline is None:
        return
    means = f"overall {evidence.metric} {rate_value(evidence.rates[0])} -> {rate_value(evidence.rates[1])}"
    found = weighed.overall
    if found is None:
        why = evidence.unavailable or "no case was graded on both sides"
        yield _note("overall", f"{means}; statistics unavailable: {why}")
        return
    flips = f"{found.pairs.broken} broken and {found.pairs.fixed} fixed of {counted(found.n, 'case')}"
    text = f"{means}: {called(found, weighed)}, {flips}, {statistics_text(found)}"
    yield Reason(kind=Kind.NOTE, rule="overall", text=text, facts=as_facts(found))


def called(found: Figures, weighed: Weighed) -> str:
    """What the overall difference may be called: by the exact two-sided McNemar test at the policy's alpha."""
    if not at_most(found.p_different, weighed.policy.alpha):
        return "no significant difference"
    return "a significant change for the " + ("better" if found.pairs.fixed > found.pairs.broken else "worse")


def detectable(weighed: Weighed) -> Iterator[Reason]:
    """A note of the smallest drop that this many pairs would have shown, and whether epsilon is below it."""
    if weighed.overall is None or weighed.noise is None:
        return
    n, epsilon = weighed.overall.n, weighed.policy.epsilon
    at = f"{counted(n, 'pair')} at a discordance of {trimmed(weighed.noise)} (from {weighed.noise_source})"
    facts = {"n": n, "discordance": weighed.noise, "detectable": weighed.detectable, "power": POWER}
    if weighed.detectable is None:
        text = f"{at} could not show any drop with {trimmed(100 * POWER)}% power"
    else:
        text = f"{at} show a drop of {trimmed(weighed.detectable)} or more with {trimmed(100 * POWER)}% power"
        if weighed.detectable > epsilon:
            text += f": a true drop of epsilon {trimmed(epsilon)} could pass unseen in the mean"
    yield Reason(kind=Kind.NOTE, rule="detectable", text=text, facts=facts)


def exclusions(weighed: Weighed) -> Iterator[Reason]:
    """A note where the sides left a different number of cases ungraded: the lopsidedness is itself a finding."""
    found = weighed.overall
    if found is None or found.ungraded[0] == found.ungraded[1] or found.worst is None or found.best is None:
        return
    text = (
        f"ungraded cases differ: {found.ungraded[0]} in the baseline and {found.ungraded[1]} in the candidate; "
        f"with all of them counted against the candidate the difference is {trimmed(found.worst)}, "
        f"for it {trimmed(found.best)}"
    )
    facts = {"ungraded": list(found.ungraded), "worst": float(found.worst), "best": float(found.best)}
    yield Reason(kind=Kind.NOTE, rule="exclusions_differ", text=text, facts=facts)


def ties(weighed: Weighed) -> Iterator[Reason]:
    """A note of the cases left out because an even number of trials was split: a class of its own, not a coin."""
    paired = weighed.evidence.paired
    if paired is not None and paired.ties:
        yield _note("ties", f"{counted(paired.ties, 'case')} left out: an even vote of its trials was a tie on a side")


def _note(rule: str, text: str) -> Reason:
    return Reason(kind=Kind.NOTE, rule=rule, text=text)
