"""What strata too small for statistics can still say: how many cases they would need, and one case tried many times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fiel.core.decision import Kind, Reason
from fiel.gate.evidence import StratumPair
from fiel.gate.weigh import Weighed, at_most, margin_of
from fiel.gate.wording import counted, listed, p_value, short, trimmed
from fiel.stats.power import pairs_without_flip
from fiel.stats.repeats import fisher_worse

SENTINELS_SHOWN: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentinel:
    """A stratum of one case, tested as itself: passes of trials on both sides, and the one-sided Fisher p."""

    name: str
    before: tuple[int, int]
    after: tuple[int, int]
    p: float

    @property
    def flipped(self) -> bool:
        """Whether one trial on each side came out differently, which shows nothing by itself."""
        return self.before[1] == self.after[1] == 1 and self.before[0] != self.after[0]


def too_small(weighed: Weighed) -> Iterator[Reason]:
    """One note for each n that cannot show non-inferiority even if no case flips, with the n that could."""
    margin = margin_of(weighed.policy)
    if not weighed.strata or not 0 < margin <= 1:
        return
    needed = pairs_without_flip(float(margin), float(weighed.policy.alpha))
    by_size: dict[int, list[str]] = {}
    for name, found in weighed.strata.items():
        if found.n < needed:
            by_size.setdefault(found.n, []).append(name)
    for n, names in sorted(by_size.items()):
        text = f"n={n}: cannot show non-inferiority at ε={trimmed(margin)}; needs ≥{needed} ({listed(names)})"
        facts = {"n": n, "needs": needed, "margin": float(margin), "strata": names}
        yield Reason(kind=Kind.NOTE, rule="stratum_small", text=text, facts=facts)


def sentinels(weighed: Weighed) -> Iterator[Reason]:
    """What repeated trials say of strata of one case: advice, which binds only where non-inferiority is asked for."""
    binding = weighed.policy.evidence == "non-inferior"
    quiet: list[str] = []
    shown = 0
    for stratum in weighed.evidence.strata:
        found = sentinel(stratum)
        if found is None or not (found.flipped or found.after[0] * found.before[1] < found.before[0] * found.after[1]):
            continue
        failing = at_most(found.p, weighed.policy.alpha)
        if not failing and shown >= SENTINELS_SHOWN:
            quiet.append(found.name)
            continue
        shown += 1
        yield _say(found, failing=failing, binding=binding)
    if quiet:
        text = f"{counted(len(quiet), 'more sentinel')} flipped or lower, none failing: {listed(quiet)}"
        yield Reason(kind=Kind.NOTE, rule="sentinel", text=text, facts={"strata": quiet})


def sentinel(stratum: StratumPair) -> Sentinel | None:
    """The stratum as a sentinel, or None where it has more than one case or a side has no graded trial."""
    paired, sides = stratum.paired, (stratum.baseline, stratum.candidate)
    if paired is None or any(side is None or side.cases != 1 for side in sides):
        return None
    first, of_first, second, of_second = paired.passes
    if not of_first or not of_second:
        return None
    p = fisher_worse(first, of_first, second, of_second)
    return Sentinel(name=stratum.name, before=(first, of_first), after=(second, of_second), p=p)


def _say(found: Sentinel, *, failing: bool, binding: bool) -> Reason:
    was, now = f"{found.before[0]} of {found.before[1]}", f"{found.after[0]} of {found.after[1]}"
    name, fisher = short(found.name, 200), f"Fisher one-sided p{p_value(found.p)}"
    if failing:
        text = f"sentinel {name} fails: passed {was} trials and now {now} ({fisher})"
    elif found.flipped:
        text = f"sentinel {name} FLIPPED: passed {was}, now {now}; one trial of one case shows neither pass nor fail"
    else:
        text = f"sentinel {name} passed {was} trials and now {now}, not significant ({fisher})"
    return Reason(
        kind=Kind.INCONCLUSIVE if failing and binding else Kind.NOTE,
        rule="sentinel",
        text=text,
        stratum=found.name,
        facts={"baseline": list(found.before), "candidate": list(found.after), "p": found.p, "failing": failing},
    )
