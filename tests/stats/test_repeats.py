"""Repeated trials: estimators by enumeration, Fisher beside scipy, the paired design effect beside statsmodels."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from fiel.stats.paired import Pairs
from fiel.stats.repeats import discordance, fisher_worse, paired_design_effect, pass_at, pass_hat

counts = st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def pairs(broken: int, fixed: int, n: int) -> Pairs:
    return Pairs(both=n - broken - fixed, broken=broken, fixed=fixed, neither=0)


def test_pass_hat_and_pass_at_by_hand() -> None:
    assert pass_hat(3, 4, 1) == pass_at(3, 4, 1) == 0.75
    assert pass_hat(3, 4, 2) == 0.5
    assert pass_at(1, 4, 2) == 0.5
    assert pass_hat(4, 4, 4) == 1.0
    assert pass_at(0, 4, 4) == 0.0


@given(counts, st.integers(1, 9))
def test_both_are_the_share_of_ways_to_choose_k_trials(count: tuple[int, int], k: int) -> None:
    passes, trials = count
    chosen = list(combinations([True] * passes + [False] * (trials - passes), k))
    if not chosen:
        assert pass_hat(passes, trials, k) is None
        assert pass_at(passes, trials, k) is None
    else:
        assert pass_hat(passes, trials, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))
        assert pass_at(passes, trials, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))


@pytest.mark.parametrize(("trials", "p"), [(3, 1 / 20), (4, 1 / 70), (5, 1 / 252)])
def test_a_sentinel_that_always_passed_and_now_never_does(trials: int, p: float) -> None:
    assert fisher_worse(trials, trials, 0, trials) == p


def test_five_of_five_against_one_of_five_is_still_evidence() -> None:
    assert fisher_worse(5, 5, 1, 5) == pytest.approx(6 / 252)


@given(counts, counts)
def test_fisher_agrees_with_scipy(before: tuple[int, int], after: tuple[int, int]) -> None:
    table = [[before[0], before[1] - before[0]], [after[0], after[1] - after[0]]]
    expected = float(scipy_stats.fisher_exact(table, alternative="greater").pvalue)
    assert fisher_worse(*before, *after) == pytest.approx(expected, rel=1e-9)


@given(counts, counts)
def test_one_more_pass_of_the_candidate_never_strengthens_the_case_against_it(
    before: tuple[int, int], after: tuple[int, int]
) -> None:
    if after[0] < after[1]:
        assert fisher_worse(*before, after[0] + 1, after[1]) >= fisher_worse(*before, *after)


def test_without_trials_there_is_no_evidence() -> None:
    assert fisher_worse(0, 0, 0, 5) == fisher_worse(5, 5, 0, 0) == 1.0


@given(st.lists(counts, max_size=12))
def test_discordance_is_the_share_of_trial_pairs_that_differ(cases: list[tuple[int, int]]) -> None:
    shares = []
    for passes, trials in cases:
        both = list(combinations([1] * passes + [0] * (trials - passes), 2))
        if both:
            shares.append(sum(one != other for one, other in both) / len(both))
    expected = sum(shares) / len(shares) if shares else None
    assert discordance(cases) == (pytest.approx(expected) if expected is not None else None)


def test_paired_trials_that_flip_together_count_as_one() -> None:
    cases = [pairs(4, 0, 4)] * 5 + [pairs(0, 0, 4)] * 45
    assert paired_design_effect(cases) == pytest.approx(4 * 50 / 49)


def test_single_pairs_need_no_correction() -> None:
    assert paired_design_effect([pairs(1, 0, 1), pairs(0, 1, 1), pairs(0, 0, 1)]) == 1.0


def test_where_nothing_flipped_or_everything_broke_repeats_say_nothing_new() -> None:
    assert paired_design_effect([pairs(0, 0, 5)] * 20) == 5.0
    assert paired_design_effect([pairs(5, 0, 5)] * 20) == 5.0


def test_a_single_case_has_no_design_effect() -> None:
    assert paired_design_effect([pairs(1, 0, 5)]) is None
    assert paired_design_effect([]) is None


def test_the_paired_design_effect_is_the_cluster_robust_variance_of_statsmodels() -> None:
    dice = random.Random(4)
    cases = [
        [dice.choices([-1, 0, 1], weights)[0] for _ in range(dice.randint(1, 6))]
        for weights in ([[6, 3, 1]] * 15 + [[0, 1, 0]] * 40 + [[1, 3, 4]] * 10)
    ]
    flat = np.array([d for case in cases for d in case], dtype=float)
    groups = np.repeat(np.arange(len(cases)), [len(case) for case in cases])
    fit = sm.OLS(flat, np.ones_like(flat)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    independent = float(np.var(flat)) / len(flat)
    deff = paired_design_effect(pairs(case.count(-1), case.count(1), len(case)) for case in cases)
    assert deff == pytest.approx(float(fit.cov_params()[0, 0]) / independent, rel=1e-9)
    assert deff is not None
    assert deff > 1.2


def test_more_passes_than_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="5 passes of 4 trials"):
        pass_hat(5, 4, 1)
    with pytest.raises(ValueError, match="k=0"):
        pass_at(1, 4, 0)
