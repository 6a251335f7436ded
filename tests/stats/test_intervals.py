"""Wilson's interval: its laws, hand-worked values, and statsmodels beside it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from fiel.stats.intervals import two_sided_z, wilson

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.9999])


@st.composite
def counts(draw: st.DrawFn, most: int = 10**7) -> tuple[int, int]:
    of = draw(st.integers(1, most))
    return draw(st.integers(0, of)), of


def test_nothing_counted_leaves_every_rate_possible() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_none_of_ten_by_hand() -> None:
    squared = two_sided_z(0.95) ** 2
    assert wilson(0, 10) == (0.0, pytest.approx(squared / (10 + squared), rel=1e-14))


def test_five_of_ten_by_hand() -> None:
    squared = 1.959963984540054**2
    half = 1.959963984540054 * math.sqrt(0.25 / 10 + squared / 400) / (1 + squared / 10)
    assert wilson(5, 10) == (pytest.approx(0.5 - half, rel=1e-13), pytest.approx(0.5 + half, rel=1e-13))


@given(counts(), levels)
def test_it_agrees_with_statsmodels(count: tuple[int, int], level: float) -> None:
    hits, of = count
    expected = proportion_confint(hits, of, alpha=1 - level, method="wilson")
    assert wilson(hits, of, level) == pytest.approx(expected, abs=1e-12)


@given(counts(), levels)
def test_it_holds_the_observed_rate_and_stays_within_0_and_1(count: tuple[int, int], level: float) -> None:
    hits, of = count
    low, high = wilson(hits, of, level)
    assert 0.0 <= low <= hits / of + 1e-15
    assert hits / of - 1e-15 <= high <= 1.0
    assert low < high


@given(counts(), levels)
def test_misses_mirror_hits(count: tuple[int, int], level: float) -> None:
    hits, of = count
    low, high = wilson(hits, of, level)
    assert wilson(of - hits, of, level) == pytest.approx((1 - high, 1 - low), abs=1e-14)


@given(counts(), levels)
def test_one_more_pass_never_lowers_a_bound(count: tuple[int, int], level: float) -> None:
    hits, of = count
    low, high = wilson(hits, of, level)
    more_low, more_high = wilson(hits + 1, of + 1, level)
    assert more_low >= low
    assert more_high >= high - 1e-15


@given(counts(), levels)
def test_a_fail_turned_into_a_pass_raises_both_bounds(count: tuple[int, int], level: float) -> None:
    hits, of = count
    if hits < of:
        low, high = wilson(hits, of, level)
        better_low, better_high = wilson(hits + 1, of, level)
        assert better_low > low
        assert better_high >= high


@given(counts(most=10**5), st.floats(1.0, 1000.0))
def test_fewer_effective_counts_make_it_wider(count: tuple[int, int], deff: float) -> None:
    hits, of = count
    low, high = wilson(hits, of)
    wide_low, wide_high = wilson(hits / deff, of / deff)
    assert wide_low <= low + 1e-14
    assert wide_high >= high - 1e-14


@given(counts())
def test_a_higher_level_holds_a_lower_one(count: tuple[int, int]) -> None:
    inner, outer = wilson(*count, level=0.8), wilson(*count, level=0.99)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


@pytest.mark.parametrize(("hits", "of"), [(-1, 5), (6, 5), (0, -1), (float("nan"), 5), (1, float("inf"))])
def test_what_is_no_rate_is_refused_with_both_numbers(hits: float, of: float) -> None:
    with pytest.raises(ValueError, match="is not a rate"):
        wilson(hits, of)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.1, float("nan")])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level"):
        wilson(1, 2, level)
