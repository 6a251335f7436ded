"""Sample sizes beside published tables, plain enumeration, and each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.stats import binom

from fiel.stats.paired import Pairs, mcnemar_worse, non_inferiority
from fiel.stats.power import (
    exact_power,
    formula_pairs,
    items_for_mean_difference,
    minimum_detectable_drop,
    pairs_for_non_inferiority,
    pairs_to_detect,
    pairs_without_flip,
)


def chance(n: int, p_broken: float, p_fixed: float, broken: int, fixed: int) -> float:
    rest = 1.0 - p_broken - p_fixed
    return float(scipy_stats.multinomial.pmf([broken, fixed, n - broken - fixed], n, [p_broken, p_fixed, rest]))


@pytest.mark.parametrize(("n", "p_broken", "p_fixed"), [(1, 0.5, 0.1), (6, 0.9, 0.0), (25, 0.3, 0.1), (40, 0.1, 0.2)])
def test_the_exact_power_is_the_sum_over_every_table(n: int, p_broken: float, p_fixed: float) -> None:
    expected = sum(
        chance(n, p_broken, p_fixed, broken, fixed)
        for broken in range(n + 1)
        for fixed in range(n + 1 - broken)
        if mcnemar_worse(Pairs(both=n - broken - fixed, broken=broken, fixed=fixed, neither=0)) <= 0.05
    )
    assert exact_power(n, p_broken, p_fixed) == pytest.approx(expected, abs=1e-8)


def test_five_cases_that_all_break_are_found_and_four_are_not() -> None:
    assert exact_power(5, 1.0, 0.0) == 1.0
    assert exact_power(4, 1.0, 0.0) == 0.0


def test_nothing_to_find_is_found_with_at_most_the_chance_alpha() -> None:
    assert exact_power(300, 0.0, 0.0) == 0.0
    assert 0.02 < exact_power(1000, 0.1, 0.1) <= 0.05


@pytest.mark.parametrize(
    ("drop", "discordance", "one_sided", "two_sided"),
    [(0.05, 0.1, 268, 337), (0.05, 0.2, 527, 658), (0.1, 0.2, 134, 168), (0.2, 0.3, 50, 61), (0.03, 0.1, 739, 920)],
)
def test_pairs_to_detect_a_drop(drop: float, discordance: float, one_sided: int, two_sided: int) -> None:
    assert pairs_to_detect(drop, discordance) == one_sided
    assert pairs_to_detect(drop, discordance, two_sided=True) == two_sided
    assert formula_pairs(drop, discordance) < one_sided


def test_a_million_pairs_take_no_patience() -> None:
    assert pairs_to_detect(0.001, 0.2) == pytest.approx(formula_pairs(0.001, 0.2), rel=0.01)


@pytest.mark.parametrize(
    ("margin", "discordance", "pairs"),
    [
        *((0.02, 0.05, 819), (0.03, 0.05, 388), (0.03, 0.1, 705), (0.1, 0.05, 49), (0.1, 0.2, 130), (0.1, 0.3, 189)),
        *((0.05, 0.05, 158), (0.05, 0.1, 269), (0.05, 0.2, 501), (0.05, 0.3, 745)),
    ],
)
def test_pairs_to_show_that_nothing_changed(margin: float, discordance: float, pairs: int) -> None:
    assert pairs_for_non_inferiority(margin, discordance) == pairs


def test_the_pairs_for_non_inferiority_reach_their_power_by_plain_enumeration() -> None:
    def power(n: int) -> float:
        return sum(
            chance(n, 0.05, 0.05, broken, fixed)
            for broken in range(25)
            for fixed in range(25)
            if broken + fixed <= n
            and non_inferiority(Pairs(both=n - broken - fixed, broken=broken, fixed=fixed, neither=0), 0.1).outcome
            == "pass"
        )

    n = pairs_for_non_inferiority(0.1, 0.1)
    assert n == 77
    assert power(n) >= 0.8
    assert power(n - 1) < 0.8


def test_the_formula_above_two_thousand_continues_the_sums_below() -> None:
    assert pairs_for_non_inferiority(0.02, 0.2) == pytest.approx(3100, rel=0.01)
    assert pairs_for_non_inferiority(0.02, 0.1) == pytest.approx(1565, rel=0.01)


@pytest.mark.parametrize(("margin", "pairs"), [(0.1, 25), (0.05, 52), (0.03, 88), (0.02, 133), (0.01, 268)])
def test_pairs_needed_where_nothing_flips(margin: float, pairs: int) -> None:
    assert pairs_without_flip(margin) == pairs
    assert pairs_for_non_inferiority(margin, 0.0) == pairs
    for n, outcome in ((pairs, "pass"), (pairs - 1, "indistinguishable")):
        assert non_inferiority(Pairs(both=n, broken=0, fixed=0, neither=0), margin).outcome == outcome


@settings(max_examples=40)
@given(st.integers(1, 3000), st.floats(0.01, 0.9))
def test_the_minimum_detectable_drop_is_where_the_power_is_reached(n: int, discordance: float) -> None:
    drop = minimum_detectable_drop(n, discordance)
    if drop is None:
        assert exact_power(n, 1.0, 0.0) < 0.8
    else:
        flips = max(drop, discordance)
        assert 0.0 < drop <= 1.0
        assert exact_power(n, (flips + drop) / 2, (flips - drop) / 2) == pytest.approx(0.8, abs=1e-4)


def test_a_handful_of_cases_can_find_no_drop_at_all() -> None:
    assert minimum_detectable_drop(4, 1.0) is None
    assert minimum_detectable_drop(0, 0.5) is None


def test_a_drop_above_the_noise_brings_its_own_flips() -> None:
    # Five breaks without a fix are the fewest that are significant: P(Bin(500, d) >= 5) is 0.8 at d = 0.0134.
    drop = minimum_detectable_drop(500, 0.0)
    assert drop is not None
    assert 1.0 - binom.cdf(4, 500, drop) == pytest.approx(0.8, abs=1e-4)
    assert minimum_detectable_drop(500, 0.001) == pytest.approx(drop, abs=1e-6)


@settings(max_examples=40)
@given(st.integers(5, 2000), st.floats(0.05, 0.5), st.floats(0.0, 0.9), st.floats(0.0, 0.1))
def test_a_larger_drop_is_found_more_often(n: int, discordance: float, share: float, more: float) -> None:
    def power(drop: float) -> float:
        return exact_power(n, (discordance + drop) / 2, (discordance - drop) / 2)

    assert power(discordance * share) <= power(discordance * (share + more)) + 1e-9


def test_items_for_a_mean_difference_of_graded_scores() -> None:
    assert items_for_mean_difference(0.03, 1 / 9) == 969
    assert items_for_mean_difference(-0.03, 1 / 9) == 969
    assert items_for_mean_difference(0.03, 1 / 9, two_sided=False) < 969


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ValueError, match="discordance"):
        pairs_to_detect(0.3, 0.2)
    with pytest.raises(ValueError, match="alpha"):
        pairs_to_detect(0.1, 0.2, alpha=0.9)
    with pytest.raises(ValueError, match="margin"):
        pairs_without_flip(0.0)
    with pytest.raises(ValueError, match="shares"):
        exact_power(10, 0.9, 0.3)
    with pytest.raises(ValueError, match="sample size"):
        items_for_mean_difference(0.0, 1.0)
    assert math.isfinite(pairs_to_detect(0.01, 0.01))
