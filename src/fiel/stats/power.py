"""How many cases would settle it, and how small a drop this many cases could have shown.

Powers are exact sums over all outcomes, not simulations. ``discordance`` is the share of cases on which the two runs
disagree, ``drop`` and ``margin`` are in points of the rate, as fractions of 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

from fiel.stats.distributions import binomial_mass, binomial_tail, fair_tail, normal_quantile
from fiel.stats.paired import restricted_variance, score

_MOST_PAIRS: Final = 10**9
_SUMMED_UP_TO: Final = 2000


def pairs_to_detect(
    drop: float, discordance: float, alpha: float = 0.05, power: float = 0.8, two_sided: bool = False
) -> int:
    """The pairs that the exact McNemar test needs to find a true ``drop`` with the chance ``power``.

    Needs 0 < drop <= discordance <= 1. Found by bisection on :func:`exact_power`, whose faint saw (the test is
    discrete) may let a slightly smaller n do too.
    """
    start = formula_pairs(drop, discordance, alpha, power, two_sided)
    broken, fixed = (discordance + drop) / 2, (discordance - drop) / 2
    return _smallest(lambda n: exact_power(n, broken, fixed, alpha, two_sided) >= power, start)


def formula_pairs(
    drop: float, discordance: float, alpha: float = 0.05, power: float = 0.8, two_sided: bool = False
) -> int:
    """The same by the large-sample formula, usually 5 to 13 % too few for the exact test.

    n = (z_alpha sqrt(psi) + z_beta sqrt(psi - drop^2))^2 / drop^2 (Miettinen 1968; Connor 1987).
    """
    _check_design(drop, discordance, alpha, power)
    z_alpha = normal_quantile(1.0 - (alpha / 2 if two_sided else alpha))
    spread = max(0.0, discordance - drop * drop)
    reach = z_alpha * math.sqrt(discordance) + normal_quantile(power) * math.sqrt(spread)
    return max(1, math.ceil((reach / drop) ** 2))


def exact_power(n: int, p_broken: float, p_fixed: float, alpha: float = 0.05, two_sided: bool = False) -> float:
    """The chance that the exact McNemar test on ``n`` pairs calls the candidate worse.

    ``p_broken`` and ``p_fixed`` are the true shares of cases that break and that get fixed. ``two_sided`` uses
    alpha / 2 in this direction; rejections in the other one are not counted as finding the drop.
    """
    discordance = p_broken + p_fixed
    if n < 0 or min(p_broken, p_fixed) < 0.0 or discordance > 1.0 + 1e-12 or not 0.0 < alpha < 1.0:
        raise ValueError(f"no power for n={n!r}, shares {p_broken!r} and {p_fixed!r}, alpha={alpha!r}")
    if discordance == 0.0:
        return 0.0
    share = p_broken / discordance
    tail_alpha = alpha / 2 if two_sided else alpha
    flips = _likely_flips(n, min(1.0, discordance))
    rejections = _rejections(min(flips), tail_alpha, share)
    return math.fsum(weight * chance for weight, chance in zip(flips.values(), rejections, strict=False))


def minimum_detectable_drop(
    n: int, discordance: float, alpha: float = 0.05, power: float = 0.8, two_sided: bool = False
) -> float | None:
    """The smallest true drop that ``n`` pairs would find with the chance ``power``, at this discordance.

    In points of the rate, to six decimals. ``discordance`` is the share that flips when nothing changed; a drop above
    it brings the flips that it needs, so that the answer never contradicts a larger drop that was found. None where
    even a drop of everything would be missed: too few pairs to find anything.
    """

    def found(drop: float) -> float:
        flips = max(discordance, drop)
        return exact_power(n, (flips + drop) / 2, (flips - drop) / 2, alpha, two_sided)

    if found(1.0) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= power else (middle, high)
    return high


def pairs_for_non_inferiority(margin: float, discordance: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """The pairs with which Tango's one-sided bound clears -``margin`` with the chance ``power`` if nothing changed.

    Breaks and fixes are then equally likely. Needs 0 < margin < 1 and 0 <= discordance <= 1. The answer is the n from
    which every larger n does too, by exact sums; above 2,000 it is the large-sample formula, at most 1 % more. With
    no discordance at all it is :func:`pairs_without_flip`.
    """
    _check_design(margin, max(discordance, margin), alpha, power)
    if discordance <= 0.0:
        return pairs_without_flip(margin, alpha)
    z = normal_quantile(1.0 - alpha)
    reach = z * math.sqrt(restricted_variance(discordance / 2, discordance / 2, 1.0, -margin))
    enough = math.ceil(((reach + normal_quantile(power) * math.sqrt(discordance)) / margin) ** 2)
    if enough > _SUMMED_UP_TO:
        return enough

    def passes(n: int) -> bool:
        chances = (
            weight * binomial_tail(m - most, m, 0.5)
            for m, weight in _likely_flips(n, discordance).items()
            if (most := _most_broken(m, n, margin, z)) >= 0
        )
        return math.fsum(chances) >= power

    n = enough + math.ceil(1.0 / margin)
    while not passes(n):
        n *= 2
    while n > 1 and passes(n - 1):
        n -= 1
    return n


def pairs_without_flip(margin: float, alpha: float = 0.05) -> int:
    """The fewest pairs on which no flip at all shows non-inferiority: z^2 / (n + z^2) < margin.

    25 at 0.10, 52 at 0.05, 88 at 0.03, 133 at 0.02, 268 at 0.01, all at alpha 0.05.
    """
    if not 0.0 < margin <= 1.0 or not 0.0 < alpha < 0.5:
        raise ValueError(f"margin {margin!r}, alpha {alpha!r} (needs 0 < margin <= 1 and 0 < alpha < 0.5)")
    return math.floor(normal_quantile(1.0 - alpha) ** 2 * (1.0 - margin) / margin) + 1


def items_for_mean_difference(
    difference: float, variance: float, alpha: float = 0.05, power: float = 0.8, two_sided: bool = True
) -> int:
    """The items needed to see a mean paired ``difference`` of graded scores whose differences have ``variance``.

    n = (z_alpha + z_beta)^2 variance / difference^2, rounded up (Miller 2024, arXiv 2411.00640).
    """
    if difference == 0.0 or variance < 0.0:
        raise ValueError(f"no sample size for a difference of {difference!r} with variance {variance!r}")
    reach = normal_quantile(1.0 - (alpha / 2 if two_sided else alpha)) + normal_quantile(power)
    return max(1, math.ceil(reach * reach * variance / (difference * difference)))


def _likely_flips(n: int, discordance: float) -> dict[int, float]:
    """P(m of n pairs are discordant) for all m that matter; those left out have a chance below 1e-9 together."""
    mean = n * discordance
    reach = 10.0 + 6.5 * math.sqrt(mean * (1.0 - discordance))
    first, last = max(0, math.floor(mean - reach)), min(n, math.ceil(mean + reach))
    return {m: binomial_mass(m, n, discordance) for m in range(first, last + 1)}


def _rejections(first: int, alpha: float, share: float) -> Iterator[float]:
    """For m = first, first + 1, ... flips: the chance that the one-sided exact test rejects, each a break by ``share``.

    The largest count j that is not rejected grows by at most one a step, so both tails are carried along:
    P(X > j | m + 1) = P(X > j | m) + p P(X = j | m).
    """
    j = _not_rejected(first, alpha)
    null, null_at = binomial_tail(j + 1, first, 0.5), binomial_mass(j, first, 0.5)
    true, true_at = binomial_tail(j + 1, first, share), binomial_mass(j, first, share)
    odds = share / (1.0 - share) if share < 1.0 else 0.0
    for m in count(first + 1):
        yield true if share < 1.0 else float(j < m - 1)
        null, true = null + 0.5 * null_at, true + share * true_at
        grown = m / (m - j)
        null_at, true_at = 0.5 * grown * null_at, (1.0 - share) * grown * true_at
        if null > alpha * (1.0 + 1e-12):
            j += 1
            null_at, true_at = null_at * (m - j + 1) / j, true_at * odds * (m - j + 1) / j
            null, true = null - null_at, true - true_at


def _not_rejected(m: int, alpha: float) -> int:
    """The largest count of breaks among m flips that the one-sided exact test does not reject."""
    low, high = 0, m
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fair_tail(middle + 1, m) <= alpha else (middle + 1, high)
    return low


def _most_broken(m: int, n: int, margin: float, z: float) -> int:
    """The most breaks among m flips of n pairs with which Tango's lower bound still clears -margin; -1 if none."""
    low, high = -1, m
    while low < high:
        middle = (low + high + 1) // 2
        clears = score(float(middle), float(m - middle), float(n), -margin) > z
        low, high = (middle, high) if clears else (low, middle - 1)
    return low


def _smallest(enough: Callable[[int], bool], guess: int) -> int:
    """The smallest n that is enough, by doubling a guess that is seldom enough and then halving the gap."""
    low, high = 0, guess
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST_PAIRS:
            raise ValueError(f"no number of pairs up to {_MOST_PAIRS} is enough")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_design(drop: float, discordance: float, alpha: float, power: float) -> None:
    if not 0.0 < drop <= discordance <= 1.0:
        raise ValueError(f"drop {drop!r} at discordance {discordance!r} (needs 0 < drop <= discordance <= 1)")
    if not 0.0 < alpha < 0.5 or not alpha < power < 1.0:
        raise ValueError(f"alpha {alpha!r}, power {power!r} (needs 0 < alpha < 0.5 and alpha < power < 1)")
