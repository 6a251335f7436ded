"""Counts that come several from one case say less than as many cases: how much less, and the wider interval.

A cluster is what was drawn independently, usually a case; its counts are its trials, its fields, or both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from fiel.stats.intervals import normal_quantile, student_t_quantile, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSums:
    """The six sums over clusters (x hits of n each) that a clustered rate needs; values add, in any order.

    Clusters with n = 0 are not counted. All fields are whole numbers, so that sums are exact at any size.
    """

    clusters: int = 0
    hits: int = 0
    of: int = 0
    hits_squared: int = 0
    hits_times_of: int = 0
    of_squared: int = 0

    @classmethod
    def counted(cls, counts: Iterable[tuple[int, int]]) -> Self:
        """The sums over clusters given as (hits, of), in one pass and constant memory."""
        clusters = hits = of = hits_squared = hits_times_of = of_squared = 0
        for x, n in counts:
            if not 0 <= x <= n:
                raise ValueError(f"a cluster with {x!r} hits of {n!r} (needs 0 <= hits <= of)")
            clusters += n > 0
            hits += x
            of += n
            hits_squared += x * x
            hits_times_of += x * n
            of_squared += n * n
        return cls(
            clusters=clusters,
            hits=hits,
            of=of,
            hits_squared=hits_squared,
            hits_times_of=hits_times_of,
            of_squared=of_squared,
        )

    def plus(self, hits: int, of: int) -> ClusterSums:
        """These sums with one more cluster."""
        return self + ClusterSums.counted([(hits, of)])

    def __add__(self, other: ClusterSums) -> ClusterSums:
        return ClusterSums(
            clusters=self.clusters + other.clusters,
            hits=self.hits + other.hits,
            of=self.of + other.of,
            hits_squared=self.hits_squared + other.hits_squared,
            hits_times_of=self.hits_times_of + other.hits_times_of,
            of_squared=self.of_squared + other.of_squared,
        )

    @property
    def each_counts_once(self) -> bool:
        """Whether no cluster holds more than one count, so that there is nothing to correct."""
        return self.of_squared == self.of


def design_effect(sums: ClusterSums) -> float | None:
    """How many times larger the variance of hits / of is than under independence; at least 1.

    The linearised variance of a ratio, C / (C - 1) * sum((x - p n)^2) / N^2, over p (1 - p) / N. Where the rate is 0
    or 1 nothing varies and the data cannot tell: then every repeat is taken to say nothing new, which is the mean
    cluster size that a count sees (K, where each cluster has K). None where undefined: no counts, or repeated counts
    from a single cluster.
    """
    return ratio_design_effect(
        clusters=sums.clusters,
        total=sums.hits,
        of=sums.of,
        squared=sums.hits_squared,
        times_of=sums.hits_times_of,
        of_squared=sums.of_squared,
        spread=sums.hits * (sums.of - sums.hits),
    )


def clustered_wilson(sums: ClusterSums, level: float = 0.95) -> tuple[tuple[float, float] | None, float | None]:
    """The Wilson interval of hits / of on counts divided by the design effect, and that design effect.

    The counts are also divided by (t / z)^2 with C - 1 degrees of freedom, for the variance itself is estimated from
    C clusters; the design effect returned is without that factor. Where each cluster counts once it is the plain
    Wilson interval, and None as design effect. (None, None) where undefined: no counts, or a single cluster.
    With fewer than about 20 clusters the interval is a rough one (it covers about 92 % in place of 95 %).
    """
    deff = design_effect(sums)
    if deff is None:
        return None, None
    if sums.each_counts_once:
        return wilson(sums.hits, sums.of, level), None
    upper = 0.5 + 0.5 * level
    widening = deff * (student_t_quantile(upper, sums.clusters - 1) / normal_quantile(upper)) ** 2
    return wilson(sums.hits / widening, sums.of / widening, level), deff


def ratio_design_effect(
    *, clusters: int, total: int, of: int, squared: int, times_of: int, of_squared: int, spread: int
) -> float | None:
    """The design effect of total / of over clusters, from whole sums; ``spread`` is of^2 times the unit variance.

    Serves rates (spread = hits * misses) and paired differences (spread = discordant * n - net^2) alike.
    """
    if of == 0:
        return None
    if of_squared == of:
        return 1.0
    if clusters < 2:
        return None
    if spread == 0:
        return of_squared / of
    residual = of * of * squared - 2 * total * of * times_of + total * total * of_squared
    return max(1.0, clusters * residual / ((clusters - 1) * of * spread))
