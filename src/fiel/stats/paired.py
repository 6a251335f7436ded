"""Two runs over the same cases: how large the difference is, how sure it is, and whether it is within a margin.

Every difference here is candidate minus baseline, as a fraction of 1: below zero is worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from fiel.stats.distributions import fair_tail
from fiel.stats.intervals import two_sided_z, wilson

Standing = Literal["pass", "fail", "indistinguishable"]
_MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Cases by outcome in both runs, each case once, all counts whole and at least 0.

    ``broken`` passed in the baseline and fail in the candidate; ``fixed`` are the reverse.
    """

    both: int
    broken: int
    fixed: int
    neither: int

    def __post_init__(self) -> None:
        if min(self.both, self.broken, self.fixed, self.neither) < 0:
            raise ValueError(f"{self!r} counts fewer than no cases")

    @property
    def n(self) -> int:
        """All pairs."""
        return self.both + self.broken + self.fixed + self.neither

    @property
    def discordance(self) -> Fraction | None:
        """The share of cases on which the two runs disagree; None without pairs."""
        return Fraction(self.broken + self.fixed, self.n) if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority:
    """Where the paired difference stands against a margin.

    ``outcome`` is ``pass`` when ``lower`` is above -margin, ``fail`` when ``upper`` is below it, and otherwise
    ``indistinguishable``. ``worse`` says that the candidate is shown worse at all (upper < 0), though perhaps by less
    than the margin; ``different`` says that the exact two-sided McNemar test rejects at ``alpha``.
    """

    outcome: Standing
    lower: float
    upper: float
    margin: float
    alpha: float
    worse: bool
    different: bool


def difference(pairs: Pairs) -> Fraction | None:
    """(fixed - broken) / n, exactly; None without pairs."""
    return Fraction(pairs.fixed - pairs.broken, pairs.n) if pairs.n else None


def tango(pairs: Pairs, level: float = 0.90) -> tuple[float, float]:
    """Tango's score interval of the paired difference; (-1.0, 1.0) without pairs.

    The default is the 90 % two-sided interval, whose ends are the one-sided 95 % bounds. Contains the observed
    difference; with no flip at all it is +-z^2 / (n + z^2), never of zero width. (Tango 1998, Stat Med 17:891.)
    """
    return _tango(float(pairs.broken), float(pairs.fixed), float(pairs.n), two_sided_z(level))


def tango_effective(pairs: Pairs, deff: float, level: float = 0.90) -> tuple[float, float]:
    """Tango's interval on counts divided by a design effect ``deff`` >= 1, for cases with several trials each."""
    _check_deff(deff)
    return _tango(pairs.broken / deff, pairs.fixed / deff, pairs.n / deff, two_sided_z(level))


def tango_z(pairs: Pairs, at: float) -> float:
    """Tango's score statistic for "the difference is ``at``" (-1 < at < 1): positive where more was observed.

    Approximately standard normal. At 0 its square is McNemar's chi-square; at -margin it is the non-inferiority test.
    0.0 where the table says nothing of ``at`` (no pairs, or nothing flipped and ``at`` is 0).
    """
    if not -1.0 < at < 1.0:
        raise ValueError(f"a difference of {at!r} cannot be tested (needs -1 < at < 1)")
    return score(float(pairs.broken), float(pairs.fixed), float(pairs.n), at)


def newcombe(pairs: Pairs, level: float = 0.90) -> tuple[float, float]:
    """Newcombe's square-and-add interval of the paired difference, the cross-check of Tango's; (-1, 1) without pairs.

    Wilson intervals of both rates joined through the table's phi, with his continuity correction of it.
    (Newcombe 1998, Stat Med 17:2635, method 10.)
    """
    n = pairs.n
    if n == 0:
        return -1.0, 1.0
    before, after = pairs.both + pairs.broken, pairs.both + pairs.fixed
    low_before, high_before = wilson(before, n, level)
    low_after, high_after = wilson(after, n, level)
    margins = before * (n - before) * after * (n - after)
    cross = pairs.both * pairs.neither - pairs.broken * pairs.fixed
    numerator = max(cross - n / 2, 0.0) if cross > 0 else float(cross)
    phi = numerator / math.sqrt(margins) if margins else 0.0
    rate_before, rate_after = before / n, after / n
    down = _joined(rate_after - low_after, high_before - rate_before, phi)
    up = _joined(high_after - rate_after, rate_before - low_before, phi)
    delta = rate_after - rate_before
    return max(-1.0, delta - down), min(1.0, delta + up)


def mcnemar_exact(pairs: Pairs) -> float:
    """Two-sided p of the exact McNemar test: twice the smaller binomial tail, at most 1; 1.0 where nothing flipped."""
    return _two_sided(pairs.broken, pairs.fixed)


def mcnemar_worse(pairs: Pairs) -> float:
    """One-sided exact p for "the candidate is worse": P(at least ``broken`` of the flips are breaks | fair coin)."""
    return fair_tail(pairs.broken, pairs.broken + pairs.fixed)


def mcnemar_midp(pairs: Pairs) -> float:
    """Two-sided mid-p: the exact p less half the chance of flips exactly as uneven; 1.0 where nothing flipped.

    Less timid than the exact test and hardly ever above its level (Fagerland, Lydersen & Laake 2013).
    """
    flips = pairs.broken + pairs.fixed
    if flips == 0:
        return 1.0
    fewer = min(pairs.broken, pairs.fixed)
    as_uneven = fair_tail(fewer, flips) - fair_tail(fewer + 1, flips)
    return 1.0 - 0.5 * as_uneven if pairs.broken == pairs.fixed else _two_sided(pairs.broken, pairs.fixed) - as_uneven


def non_inferiority(pairs: Pairs, margin: float, alpha: float = 0.05, deff: float = 1.0) -> NonInferiority:
    """Whether the candidate is shown to be at most ``margin`` worse (0 <= margin <= 1), shown worse, or neither.

    Bounds are Tango's, each one-sided at ``alpha`` (0 < alpha < 0.5). ``deff`` > 1 divides the counts first, also
    those of the McNemar test. Without pairs the answer is ``indistinguishable``.
    """
    if not 0.0 <= margin <= 1.0 or not 0.0 < alpha < 0.5:
        raise ValueError(f"margin {margin!r}, alpha {alpha!r} (needs 0 <= margin <= 1 and 0 < alpha < 0.5)")
    lower, upper = tango_effective(pairs, deff, 1.0 - 2.0 * alpha)
    outcome: Standing = "pass" if lower > -margin else "fail" if upper < -margin else "indistinguishable"
    return NonInferiority(
        outcome=outcome,
        lower=lower,
        upper=upper,
        margin=margin,
        alpha=alpha,
        worse=upper < 0.0,
        different=_two_sided(pairs.broken / deff, pairs.fixed / deff) <= alpha,
    )


def score(broken: float, fixed: float, n: float, at: float) -> float:
    """:func:`tango_z` on plain, possibly effective, counts; 0.0 where it is 0 / 0."""
    variance = restricted_variance(broken, fixed, n, at) if n else 0.0
    return ((fixed - broken) / n - at) / math.sqrt(variance / n) if variance > 0.0 else 0.0


def restricted_variance(broken: float, fixed: float, n: float, at: float) -> float:
    """n times the variance of the observed difference, both cells at their likeliest under difference = ``at``.

    Closed form of Tango 1998: for at >= 0 the chance q of a break is the positive root of
    2n q^2 + B q = broken * at * (1 - at), with B = (2n - fixed + broken) at - broken - fixed; the mirror serves
    at < 0. Both terms under the square root are then positive, and neither form of q subtracts near-equal numbers.
    """
    if at < 0.0:
        broken, fixed, at = fixed, broken, -at
    other = 1.0 - at
    linear = 2.0 * (n * at - fixed) + (fixed - broken) * other
    root = math.sqrt(linear * linear + 8.0 * n * broken * at * other)
    cell = (root - linear) / (4.0 * n) if linear <= 0.0 else 2.0 * broken * at * other / (root + linear)
    return 2.0 * cell + at * other


def _tango(broken: float, fixed: float, n: float, z: float) -> tuple[float, float]:
    if n == 0.0:
        return -1.0, 1.0
    return -_upper(fixed, broken, n, z), _upper(broken, fixed, n, z)


def _upper(broken: float, fixed: float, n: float, z: float) -> float:
    """The largest difference that the score test does not reject; the lower bound is the mirror's, negated."""
    step = z * z / n
    if broken == 0.0 and fixed == 0.0:
        return step / (1.0 + step)
    if fixed >= n:
        return 1.0
    if broken >= n:
        return (step - 1.0) / (step + 1.0)
    delta = (fixed - broken) / n

    def excess(at: float) -> float:
        return at - delta - math.sqrt(step * restricted_variance(broken, fixed, n, at))

    # The variance never exceeds 1, so the bound is at most z / sqrt(n) away.
    return _root(excess, delta, min(1.0, delta + math.sqrt(step)))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where ``rising`` crosses 0 in [low, high], given rising(low) < 0 <= rising(high); Anderson & Bjorck 1973."""
    below, above = rising(low), rising(high)
    guess = high
    for _ in range(_MOST_STEPS):
        guess = high - above * (high - low) / (above - below)
        if not low < guess < high:
            break
        value = rising(guess)
        if abs(value) <= 1e-17:
            break
        if value > 0.0:
            shrink = 1.0 - value / above
            high, above = guess, value
            below *= shrink if shrink > 0.0 else 0.5
        else:
            shrink = 1.0 - value / below
            low, below = guess, value
            above *= shrink if shrink > 0.0 else 0.5
    return min(high, max(low, guess))


def _joined(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2.0 * phi * one * other + other * other))


def _two_sided(broken: float, fixed: float) -> float:
    return min(1.0, 2.0 * fair_tail(max(broken, fixed), broken + fixed))


def _check_deff(deff: float) -> None:
    if not 1.0 <= deff < math.inf:
        raise ValueError(f"a design effect of {deff!r} (needs a finite number of at least 1)")
