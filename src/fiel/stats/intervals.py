"""How far a rate may be from what was counted: Wilson's interval, which stays honest at small n and at 0 and n."""

from __future__ import annotations

import math

from fiel.stats.distributions import normal_quantile, student_t_quantile

__all__ = ["normal_quantile", "student_t_quantile", "two_sided_z", "wilson"]


def two_sided_z(level: float) -> float:
    """The z that leaves (1 - level) / 2 in each tail: 1.9600 at 0.95, 1.6449 at 0.90. Needs 0 < level < 1."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level of {level!r} makes no interval (needs 0 < level < 1)")
    return normal_quantile(0.5 + 0.5 * level)


def wilson(hits: float, of: float, level: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a rate, ``hits`` of ``of``, as fractions of 1; (0.0, 1.0) for 0 of 0.

    Both may be effective (fractional) counts, with 0 <= hits <= of. The lower bound is exactly 0 at 0 hits, the
    upper exactly 1 at all hits, and both contain hits / of. (Wilson 1927; Newcombe 1998, Stat Med 17:857, method 3.)
    """
    if not 0.0 <= hits <= of or math.isinf(of):
        raise ValueError(f"{hits!r} hits of {of!r} is not a rate (needs 0 <= hits <= of)")
    if of == 0:
        return 0.0, 1.0
    z = two_sided_z(level)
    squared = z * z
    root = z * math.sqrt(squared + 4.0 * hits * ((of - hits) / of))
    # Each bound as a product of positive terms: subtracting would lose the digits of a bound close to 0 or 1.
    low = 0.0 if hits == 0 else 2.0 * (hits / of) * hits / (2.0 * hits + squared + root)
    misses = of - hits
    high = 1.0 if misses == 0 else 1.0 - 2.0 * (misses / of) * misses / (2.0 * misses + squared + root)
    return low, high
