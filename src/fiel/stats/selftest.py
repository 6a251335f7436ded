"""The instrument weighed against known weights: what its intervals really cover, by adding up every possible table.

No simulation: at n = 20 all outcomes are few enough to be summed exactly, so the numbers are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from fiel.stats.intervals import two_sided_z, wilson
from fiel.stats.multiplicity import holm
from fiel.stats.paired import Pairs, mcnemar_exact, mcnemar_midp, newcombe, tango, tango_z
from fiel.stats.power import exact_power
from fiel.stats.repeats import fisher_worse

PairedInterval = Callable[[Pairs, float], tuple[float, float]]
_N: Final = 20
_RATES: Final = (0.5, 0.7, 0.8, 0.9, 0.95)
_FLIPS: Final = ((0.05, 0.0), (0.08, 0.03), (0.1, 0.05), (0.15, 0.1), (0.25, 0.05), (0.3, 0.25))
"""(share that breaks, share that gets fixed): a true drop of 5 points at rising noise, and one of 20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How one interval behaves at one truth, as exact chances.

    ``covers`` is how often it holds the truth; ``too_good`` how often all of it lies above the truth, so that a
    worse candidate looks better than it is. ``level`` is what it claims. ``truth`` is a rate, or a difference of
    rates with ``discordance`` (None for a rate) of the cases flipping.
    """

    method: str
    n: int
    level: float
    truth: float
    discordance: float | None
    covers: float
    too_good: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One promise of the instrument, the number measured now, and the bound it was held against."""

    name: str
    measured: float
    bound: str
    passed: bool


def wald(pairs: Pairs, level: float = 0.95) -> tuple[float, float]:
    """The textbook interval of a paired difference, kept here only to show how it fails: no flip, no width."""
    n = pairs.n
    delta = (pairs.fixed - pairs.broken) / n
    reach = two_sided_z(level) * math.sqrt(((pairs.fixed + pairs.broken) / n - delta * delta) / n)
    return delta - reach, delta + reach


def coverage_table() -> tuple[Coverage, ...]:
    """Wilson's interval of a rate, then Tango's (95 %, and the gate's 90 %) and Wald's of a paired difference.

    All at n = 20, exact and deterministic; a few hundredths of a second.
    """
    rates = [_rate_coverage(rate) for rate in _RATES]
    designs: tuple[tuple[str, PairedInterval, float], ...] = (
        ("tango", tango, 0.95),
        ("tango", tango, 0.90),
        ("wald", wald, 0.95),
    )
    pairs = [_paired_coverage(name, method, level, *flips) for name, method, level in designs for flips in _FLIPS]
    return (*rates, *pairs)


def check() -> tuple[Check, ...]:
    """Every promise with what was measured: coverage and false assurance at n = 20, then known values."""
    table = coverage_table()

    def of(method: str, level: float = 0.95) -> list[Coverage]:
        return [row for row in table if row.method == method and row.level == level]

    nothing_flipped = Pairs(both=_N, broken=0, fixed=0, neither=0)
    return (
        _at_least("wilson 95 %: holds the true rate", min(row.covers for row in of("wilson")), 0.92),
        _at_most("wilson 95 %: lies above the true rate", max(row.too_good for row in of("wilson")), 0.03),
        _at_least("tango 95 %: holds the true difference", min(row.covers for row in of("tango")), 0.92),
        _at_most("tango 95 %: calls a drop smaller than it is", max(row.too_good for row in of("tango")), 0.03),
        _at_most("tango 90 %: passes a drop of the margin", max(row.too_good for row in of("tango", 0.90)), 0.06),
        _at_least(
            "wald 95 %, not used: calls a drop smaller than it is", max(row.too_good for row in of("wald")), 0.15
        ),
        _at_least("tango 95 %: width where nothing flipped", _width(tango(nothing_flipped, 0.95)), 0.3),
        _at_most("wald 95 %, not used: width where nothing flipped", _width(wald(nothing_flipped)), 0.0),
        *_known(),
    )


def _known() -> Iterator[Check]:
    """Figures printed in papers and in the tests of other packages, to their printed digits, and two worked by hand."""
    cavo = Pairs(both=59, broken=16, fixed=6, neither=80)
    yield _equal("Newcombe 1998, 81 of 263: lower", wilson(81, 263)[0], 0.2553, 4)
    yield _equal("Newcombe 1998, 81 of 263: upper", wilson(81, 263)[1], 0.3662, 4)
    yield _equal("Cavo 2012, Tango: lower", tango(cavo, 0.95)[0], -0.1240, 4)
    yield _equal("Cavo 2012, Tango: upper", tango(cavo, 0.95)[1], -0.0054, 4)
    yield _equal("Cavo 2012, Newcombe: lower", newcombe(cavo, 0.95)[0], -0.1186, 4)
    yield _equal("Cavo 2012, exact McNemar", mcnemar_exact(cavo), 0.052479, 6)
    yield _equal("Cavo 2012, mid-p McNemar", mcnemar_midp(cavo), 0.034690, 6)
    yield _equal("Tango 1998, table V: z", tango_z(Pairs(both=43, broken=1, fixed=0, neither=0), -0.1), 1.709, 3)
    yield _equal("Fisher, 3 of 3 against 0 of 3", fisher_worse(3, 3, 0, 3), 0.05, 12)
    yield _equal("Holm by hand, largest of 0.01 0.03 0.04", max(holm([0.01, 0.03, 0.04])), 0.06, 12)
    yield _equal("exact McNemar power, 268 pairs", exact_power(268, 0.075, 0.025), 0.8012, 4)


def _at_least(name: str, measured: float, bound: float) -> Check:
    return Check(name=name, measured=measured, bound=f"at least {bound:g}", passed=measured >= bound)


def _at_most(name: str, measured: float, bound: float) -> Check:
    return Check(name=name, measured=measured, bound=f"at most {bound:g}", passed=measured <= bound)


def _equal(name: str, measured: float, printed: float, digits: int) -> Check:
    close = abs(measured - printed) <= 0.5000001 * 10.0**-digits
    return Check(name=name, measured=measured, bound=f"{printed:g} to {digits} decimals", passed=close)


def _width(interval: tuple[float, float]) -> float:
    return interval[1] - interval[0]


def _rate_coverage(rate: float) -> Coverage:
    covers = too_good = 0.0
    for hits in range(_N + 1):
        chance = math.comb(_N, hits) * rate**hits * (1.0 - rate) ** (_N - hits)
        low, high = wilson(hits, _N)
        covers += chance * (low <= rate <= high)
        too_good += chance * (low > rate)
    return Coverage(method="wilson", n=_N, level=0.95, truth=rate, discordance=None, covers=covers, too_good=too_good)


def _paired_coverage(name: str, method: PairedInterval, level: float, p_broken: float, p_fixed: float) -> Coverage:
    truth = p_fixed - p_broken
    covers = too_good = 0.0
    for pairs, chance in _tables(p_broken, p_fixed):
        low, high = method(pairs, level)
        covers += chance * (low <= truth <= high)
        too_good += chance * (low > truth)
    return Coverage(
        method=name, n=_N, level=level, truth=truth, discordance=p_broken + p_fixed, covers=covers, too_good=too_good
    )


def _tables(p_broken: float, p_fixed: float) -> Iterator[tuple[Pairs, float]]:
    """Every table of n pairs by its flips, with its chance; where the others passed does not matter here."""
    for broken in range(_N + 1):
        for fixed in range(_N + 1 - broken):
            same = _N - broken - fixed
            ways = math.comb(_N, broken) * math.comb(_N - broken, fixed)
            chance = ways * p_broken**broken * p_fixed**fixed * (1.0 - p_broken - p_fixed) ** same
            yield Pairs(both=same, broken=broken, fixed=fixed, neither=0), chance
