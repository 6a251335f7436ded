"""Clustered rates: hand-worked sums, statsmodels' cluster-robust variance, and what may never happen."""

from __future__ import annotations

import random

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from fiel.stats.clusters import ClusterSums, clustered_wilson, design_effect
from fiel.stats.intervals import normal_quantile, student_t_quantile, wilson

clusters = st.lists(st.integers(0, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=30)


def test_four_cases_of_two_trials_by_hand() -> None:
    # p = 4/8; residual sums 1, 1, -1, -1 give variance 4/3 * 4/64 = 1/12 beside 1/32 for independent trials.
    deff = design_effect(ClusterSums.counted([(2, 2), (2, 2), (0, 2), (0, 2)]))
    assert deff == pytest.approx((1 / 12) / (1 / 32))


def test_cases_that_all_split_evenly_are_not_rewarded() -> None:
    assert design_effect(ClusterSums.counted([(1, 2)] * 10)) == 1.0


def test_a_case_that_counts_once_needs_no_correction() -> None:
    sums = ClusterSums.counted([(1, 1)] * 7 + [(0, 1)] * 3)
    assert clustered_wilson(sums) == (wilson(7, 10), None)


def test_where_nothing_failed_repeats_say_nothing_new() -> None:
    sums = ClusterSums.counted([(4, 4)] * 30)
    interval, deff = clustered_wilson(sums)
    assert deff == 4.0
    assert interval is not None
    assert interval[0] < wilson(30, 30)[0]
    assert interval[1] == 1.0


def test_one_case_with_many_trials_has_no_interval() -> None:
    assert clustered_wilson(ClusterSums.counted([(3, 4)])) == (None, None)


def test_nothing_counted_has_no_interval() -> None:
    assert clustered_wilson(ClusterSums()) == (None, None)
    assert clustered_wilson(ClusterSums.counted([(0, 0)] * 3)) == (None, None)


def test_clusters_without_counts_are_not_clusters() -> None:
    assert ClusterSums.counted([(1, 2), (0, 0), (2, 2)]) == ClusterSums.counted([(1, 2), (2, 2)])


def test_the_interval_is_wilsons_on_effective_counts() -> None:
    sums = ClusterSums.counted([(4, 4), (4, 4), (0, 4), (3, 4), (1, 4)])
    deff = design_effect(sums)
    assert deff is not None
    widening = deff * (student_t_quantile(0.975, 4) / normal_quantile(0.975)) ** 2
    assert clustered_wilson(sums) == (wilson(12 / widening, 20 / widening), deff)


def test_it_is_the_cluster_robust_variance_of_statsmodels() -> None:
    dice = random.Random(20261)
    sizes = [dice.randint(1, 9) for _ in range(60)]
    rates = [dice.betavariate(1.5, 1.0) for _ in sizes]
    outcomes = [[int(dice.random() < rate) for _ in range(size)] for size, rate in zip(sizes, rates, strict=True)]
    flat = np.array([x for case in outcomes for x in case], dtype=float)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    fit = sm.OLS(flat, np.ones_like(flat)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    independent = flat.mean() * (1 - flat.mean()) / len(flat)
    deff = design_effect(ClusterSums.counted((sum(case), len(case)) for case in outcomes))
    assert deff == pytest.approx(float(fit.cov_params()[0, 0]) / independent, rel=1e-9)
    assert deff is not None
    assert deff > 1.2


@given(clusters, clusters)
def test_sums_add_up_in_any_order(some: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    together = ClusterSums.counted(some + others)
    assert ClusterSums.counted(some) + ClusterSums.counted(others) == together
    one_by_one = ClusterSums()
    for hits, of in others + some:
        one_by_one = one_by_one.plus(hits, of)
    assert one_by_one == together


@given(clusters)
def test_a_clustered_interval_is_never_narrower_than_the_naive_one(counts: list[tuple[int, int]]) -> None:
    sums = ClusterSums.counted(counts)
    interval, deff = clustered_wilson(sums)
    if interval is not None:
        low, high = wilson(sums.hits, sums.of)
        assert interval[0] <= low + 1e-12
        assert interval[1] >= high - 1e-12
        assert deff is None or deff >= 1.0


@given(clusters, st.integers(2, 5))
def test_copying_every_count_multiplies_the_design_effect(counts: list[tuple[int, int]], times: int) -> None:
    one = design_effect(ClusterSums.counted(counts))
    many = design_effect(ClusterSums.counted([(x * times, n * times) for x, n in counts]))
    if one is not None and one > 1.0 and many is not None:
        assert many == pytest.approx(one * times)


def test_a_million_clusters_stay_exact() -> None:
    one = ClusterSums.counted([(2, 3), (0, 3), (3, 3)])
    many = ClusterSums(**{name: getattr(one, name) * 10**6 for name in ClusterSums.__slots__})
    assert design_effect(many) == pytest.approx(design_effect(one) * (2 / 3) * 3e6 / (3e6 - 1), rel=1e-12)  # type: ignore[operator]


@pytest.mark.parametrize("bad", [(3, 2), (-1, 2)])
def test_more_hits_than_counts_are_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="hits of"):
        ClusterSums.counted([bad])
