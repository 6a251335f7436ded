"""Quantiles and tails beside scipy, at the sizes a gate may meet."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy import stats as scipy_stats

from fiel.stats.distributions import (
    binomial_mass,
    binomial_tail,
    fair_tail,
    normal_quantile,
    normal_tail,
    regularised_beta,
    student_t_quantile,
)


@given(st.floats(1e-300, 1 - 1e-15))
def test_the_normal_quantile_agrees_with_scipy_to_twelve_digits(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(special.ndtri(p)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("p", "z"), [(0.5, 0.0), (0.975, 1.9599639845400545), (0.95, 1.6448536269514722)])
def test_the_normal_quantile_at_the_usual_levels(p: float, z: float) -> None:
    assert normal_quantile(p) == pytest.approx(z, abs=1e-14)


@given(st.floats(-37, 5))
def test_the_normal_quantile_undoes_the_tail(z: float) -> None:
    assert normal_quantile(normal_tail(-z)) == pytest.approx(z, rel=1e-9, abs=1e-9)


@given(st.floats(1e-12, 0.5 - 1e-3), st.integers(1, 10**6))
def test_the_t_quantile_agrees_with_scipy(tail: float, df: int) -> None:
    expected = float(special.stdtrit(df, tail))
    assert student_t_quantile(tail, df) == pytest.approx(expected, rel=1e-9)
    assert student_t_quantile(1 - tail, df) == pytest.approx(float(special.stdtrit(df, 1 - tail)), rel=1e-9)


@given(st.floats(1e-90, 0.5 - 1e-6), st.sampled_from([1.0, 3.5, 99_999.0, 100_000.0, 100_001.0, 1e9, 1e15, 1e300]))
def test_t_is_never_closer_to_zero_than_the_normal_quantile_and_always_comes_back(tail: float, df: float) -> None:
    t = student_t_quantile(tail, df)
    assert t <= normal_quantile(tail) * (1 - 1e-10)


@given(st.floats(1e-90, 0.49))
def test_the_two_ways_to_the_t_quantile_meet(tail: float) -> None:
    assert student_t_quantile(tail, 100_000) == pytest.approx(student_t_quantile(tail, 100_000.001), rel=1e-10)


@given(st.floats(1e-9, 1 - 1e-9))
def test_one_degree_of_freedom_is_the_cauchy_quantile(p: float) -> None:
    assert student_t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-7, abs=1e-12)


@given(st.floats(0.51, 0.9999))
def test_more_degrees_of_freedom_bring_t_down_to_the_normal(p: float) -> None:
    values = [student_t_quantile(p, df) for df in (1, 2, 5, 10, 50, 1000, 10**7)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(normal_quantile(p), rel=1e-5)


@given(st.floats(0.05, 1e5), st.floats(0.05, 1e5), st.floats(0, 1))
def test_the_incomplete_beta_function_agrees_with_scipy(a: float, b: float, x: float) -> None:
    assert regularised_beta(a, b, x) == pytest.approx(float(special.betainc(a, b, x)), abs=1e-11)


@st.composite
def binomials(draw: st.DrawFn) -> tuple[int, int]:
    """(k, n) with k where it matters: within ten standard deviations of a fair coin's mean."""
    n = draw(st.integers(1, 10**7))
    k = round(n / 2 + draw(st.floats(-10, 10)) * math.sqrt(n) / 2)
    return min(n, max(0, k)), n


@given(binomials())
def test_a_fair_coins_tail_agrees_with_scipy(kn: tuple[int, int]) -> None:
    k, n = kn
    assert fair_tail(k, n) == pytest.approx(float(scipy_stats.binom.sf(k - 1, n, 0.5)), rel=1e-8, abs=1e-13)


@given(st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(1e-6, 1 - 1e-6))
def test_binomial_masses_and_tails_agree_with_scipy(kn: tuple[int, int], p: float) -> None:
    k, n = kn
    assert binomial_mass(k, n, p) == pytest.approx(float(scipy_stats.binom.pmf(k, n, p)), rel=1e-9, abs=1e-13)
    assert binomial_tail(k, n, p) == pytest.approx(float(scipy_stats.binom.sf(k - 1, n, p)), abs=1e-11)


@pytest.mark.parametrize("n", [1, 2, 7, 50, 199, 200])
def test_whole_number_sums_and_the_beta_function_give_the_same_tail(n: int) -> None:
    for k in range(1, n + 1):
        assert fair_tail(k, n) == pytest.approx(regularised_beta(k, n - k + 1, 0.5), rel=1e-11)


def test_small_tails_are_exact() -> None:
    assert fair_tail(3, 3) == 0.125
    assert fair_tail(9, 10) == 11 / 1024
    assert fair_tail(0, 5) == 1.0
    assert fair_tail(6, 5) == 0.0


@given(st.integers(1, 300), st.floats(1.0, 9.0))
def test_a_tail_of_counts_that_are_not_whole_lies_between_its_neighbours(k: int, by: float) -> None:
    n = 400 / by
    assert fair_tail(k + 1.0, n) <= fair_tail(k + 0.5, n) <= fair_tail(float(k), n)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 2.0, float("nan")])
def test_no_quantile_outside_0_and_1(p: float) -> None:
    with pytest.raises(ValueError, match="quantile"):
        normal_quantile(p)
    with pytest.raises(ValueError, match="quantile"):
        student_t_quantile(p, 5)


def test_half_a_degree_of_freedom_is_refused() -> None:
    with pytest.raises(ValueError, match=r"df=0\.5"):
        student_t_quantile(0.9, 0.5)
