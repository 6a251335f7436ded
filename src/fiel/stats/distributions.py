"""Normal, Student t and binomial probabilities from the standard library's floats, for every n that a gate may meet.

All functions are pure and deterministic. Wrong arguments are programming errors and raise ``ValueError``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

_SQRT_2: Final = math.sqrt(2.0)
_LOG_SQRT_2PI: Final = 0.5 * math.log(2.0 * math.pi)
_EXACT_UP_TO: Final = 200
"""Binomial tails of up to this many fair coins are summed in whole numbers, so small tables print exact values."""
_MOST_TERMS: Final = 1_000_000
_SMALLEST_T_TAIL: Final = 1e-100
_EXPANDED_FROM: Final = 100_000
_MOST_STEPS: Final = 1000


def normal_tail(z: float) -> float:
    """P(Z >= z) of a standard normal Z."""
    return 0.5 * math.erfc(z / _SQRT_2)


@lru_cache(maxsize=256)
def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p, for 0 < p < 1; relative error below 1e-14.

    A rational start (Abramowitz & Stegun 1964, 26.2.23) refined by Halley steps on the complementary error function.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"a probability of {p!r} has no normal quantile (needs 0 < p < 1)")
    if p == 0.5:
        return 0.0
    tail = min(p, 1.0 - p)
    t = math.sqrt(-2.0 * math.log(tail))
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in range(3):
        step = (normal_tail(z) - tail) / math.exp(-0.5 * z * z - _LOG_SQRT_2PI)
        z += step / (1.0 - 0.5 * z * step)
    return z if p > 0.5 else -z


@lru_cache(maxsize=1024)
def student_t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p of Student's t with ``df`` >= 1 degrees of freedom; tails below 1e-100 are refused.

    Relative error below 1e-11. Newton's method on the logarithm of the tail against the logarithm of t, where the
    curve is concave, so that it cannot diverge; the tail is half the regularised incomplete beta function at
    df / (df + t^2) (DLMF 8.17). Above 100,000 degrees of freedom, Fisher's expansion about the normal quantile
    (Abramowitz & Stegun 1964, 26.7.5).
    """
    tail = min(p, 1.0 - p)
    if not tail >= _SMALLEST_T_TAIL or not df >= 1.0:
        raise ValueError(f"no Student t quantile for p={p!r}, df={df!r} (needs 0 < p < 1 and df >= 1)")
    if tail == 0.5:
        return 0.0
    if df > _EXPANDED_FROM:
        return _t_near_normal(normal_quantile(p), df)
    log_t = below = math.log(-normal_quantile(tail))  # t is never closer to 0 than z
    last = math.inf
    for _ in range(_MOST_STEPS):
        t = math.exp(log_t)
        x, y = df / (df + t * t), t * t / (df + t * t)
        reached = 0.5 * regularised_beta(0.5 * df, 0.5, x, y)
        if reached == 0.0:  # a step so far out that the tail underflowed
            log_t = 0.5 * (below + log_t)
            continue
        below = log_t if reached > tail else below
        step = math.log(reached / tail) * reached / math.exp(_log_beta_kernel(0.5 * df, 0.5, x, y))
        if abs(step) < 1e-8 and abs(step) >= last:  # rounding is all that is left
            break
        log_t, last = log_t + max(-2.0, min(2.0, step)), abs(step)
    return math.exp(log_t) if p > 0.5 else -math.exp(log_t)


def _t_near_normal(z: float, df: float) -> float:
    first = z * (1 + z**2) / 4
    second = z * (3 + z**2 * (16 + 5 * z**2)) / 96
    third = z * (-15 + z**2 * (17 + z**2 * (19 + 3 * z**2))) / 384
    return z + (first + (second + third / df) / df) / df


def regularised_beta(a: float, b: float, x: float, y: float | None = None) -> float:
    """I_x(a, b), the regularised incomplete beta function, for a, b > 0 and 0 <= x <= 1.

    ``y`` is 1 - x where the caller knows it to more digits than the subtraction would keep. Continued fraction of
    DLMF 8.17.22; absolute error below 1e-11, also at a and b of many millions.
    """
    y = 1.0 - x if y is None else y
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0):
        raise ValueError(f"I_x(a, b) needs a, b > 0 and 0 <= x <= 1, not a={a!r}, b={b!r}, x={x!r}")
    if x == 0.0 or y == 0.0:
        return 0.0 if x == 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - math.exp(_log_beta_kernel(b, a, y, x)) * _beta_fraction(b, a, y) / b
    return math.exp(_log_beta_kernel(a, b, x, y)) * _beta_fraction(a, b, x) / a


def binomial_mass(k: int, n: int, p: float) -> float:
    """P(X = k) for X ~ Binomial(n, p), 0 <= k <= n, 0 <= p <= 1."""
    if p == 0.0 or p == 1.0:
        return float(k == (0 if p == 0.0 else n))
    return math.exp(_log_beta_kernel(k + 1.0, n - k + 1.0, p, 1.0 - p)) / ((n + 1.0) * p * (1.0 - p))


def binomial_tail(k: int, n: int, p: float) -> float:
    """P(X >= k) for X ~ Binomial(n, p)."""
    if k <= 0 or k > n:
        return 1.0 if k <= 0 else 0.0
    return regularised_beta(float(k), n - k + 1.0, p)


def fair_tail(k: float, n: float) -> float:
    """P(X >= k) for X ~ Binomial(n, 1/2): exact for whole numbers up to 200, by the beta function above.

    Counts divided by a design effect are not whole; for those the beta function interpolates the same tail.
    """
    if k <= 0 or k > n:
        return 1.0 if k <= 0 else 0.0
    if n <= _EXACT_UP_TO and k == int(k) and n == int(n):
        whole = int(n)
        return sum(math.comb(whole, i) for i in range(int(k), whole + 1)) / (1 << whole)
    return regularised_beta(float(k), n - k + 1.0, 0.5)


def _log_beta_kernel(a: float, b: float, x: float, y: float) -> float:
    """ln(x^a y^b / B(a, b)), written around its maximum so that no large terms cancel (Loader 2000).

    Each logarithm is of a / (a + b) over x (or of its complement over y), by its small excess over 1.
    """
    both = a + b
    pull = (a * y - b * x) / both
    return (
        -a * math.log1p(pull / x)
        - b * math.log1p(-pull / y)
        + 0.5 * math.log(a * (b / both))
        - _LOG_SQRT_2PI
        + _stirling_rest(both)
        - _stirling_rest(a)
        - _stirling_rest(b)
    )


def _stirling_rest(x: float) -> float:
    """ln Gamma(x) less Stirling's (x - 1/2) ln x - x + ln sqrt(2 pi) (DLMF 5.11.1)."""
    if x < 16.0:
        return math.lgamma(x) - ((x - 0.5) * math.log(x) - x + _LOG_SQRT_2PI)
    v = 1.0 / (x * x)
    return (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v * (1 / 1680 - v * (1 / 1188 - v * 691 / 360360))))) / x


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of DLMF 8.17.22 by the modified Lentz method; about sqrt(max(a, b)) terms."""
    tiny = 1e-300
    c, d = 1.0, 1.0 / ((1.0 - (a + b) * x / (a + 1.0)) or tiny)
    value = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / ((1.0 + even * d) or tiny)
        c = (1.0 + even / c) or tiny
        value *= c * d
        d = 1.0 / ((1.0 + odd * d) or tiny)
        c = (1.0 + odd / c) or tiny
        value *= c * d
        if abs(c * d - 1.0) < 3e-16:
            return value
    raise ArithmeticError(f"the incomplete beta function did not settle at a={a!r}, b={b!r}, x={x!r}")
