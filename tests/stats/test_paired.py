"""The paired difference: published laws of Tango's interval, corner tables, a numeric twin, statsmodels and scipy."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar

from fiel.stats.intervals import two_sided_z
from fiel.stats.paired import (
    Pairs,
    difference,
    mcnemar_exact,
    mcnemar_midp,
    mcnemar_worse,
    newcombe,
    non_inferiority,
    tango,
    tango_effective,
    tango_z,
)

SMALL = [
    Pairs(both=n - broken - fixed, broken=broken, fixed=fixed, neither=0)
    for n in (1, 2, 3, 5, 9)
    for broken in range(n + 1)
    for fixed in range(n + 1 - broken)
]


@st.composite
def tables(draw: st.DrawFn, most: int = 10**7) -> Pairs:
    n = draw(st.integers(1, most))
    broken = draw(st.integers(0, n))
    fixed = draw(st.integers(0, n - broken))
    both = draw(st.integers(0, n - broken - fixed))
    return Pairs(both=both, broken=broken, fixed=fixed, neither=n - broken - fixed - both)


def swapped(pairs: Pairs) -> Pairs:
    return Pairs(both=pairs.both, broken=pairs.fixed, fixed=pairs.broken, neither=pairs.neither)


def numeric_bounds(pairs: Pairs, z: float) -> tuple[float, float]:
    """Tango's interval without his closed form: the restricted likelihood is maximised by search."""
    n, broken, fixed = pairs.n, pairs.broken, pairs.fixed

    def score(at: float) -> float:
        def loss(q: float) -> float:
            cells = ((broken, q), (fixed, q + at), (n - broken - fixed, 1 - 2 * q - at))
            return -sum(count * math.log(max(p, 1e-300)) for count, p in cells if count)

        floor, ceiling = max(0.0, -at), (1 - at) / 2
        q = optimize.minimize_scalar(loss, bounds=(floor, ceiling), method="bounded", options={"xatol": 1e-13}).x
        return ((fixed - broken) / n - at) / math.sqrt((2 * q + at - at * at) / n)

    delta = (fixed - broken) / n
    low = optimize.brentq(lambda at: score(at) - z, -1 + 1e-9, delta - 1e-9)
    high = optimize.brentq(lambda at: score(at) + z, delta + 1e-9, 1 - 1e-9)
    return low, high


def test_the_difference_is_an_exact_fraction() -> None:
    assert difference(Pairs(both=1, broken=2, fixed=1, neither=2)) == Fraction(-1, 6)
    assert difference(Pairs(both=0, broken=0, fixed=0, neither=0)) is None


def test_five_cases_without_a_flip_show_almost_nothing() -> None:
    squared = two_sided_z(0.90) ** 2
    edge = squared / (5 + squared)
    assert tango(Pairs(both=3, broken=0, fixed=0, neither=2)) == (pytest.approx(-edge), pytest.approx(edge))
    assert edge == pytest.approx(0.3511, abs=1e-4)


def test_one_broken_case_is_not_shown_worse() -> None:
    low, high = tango(Pairs(both=0, broken=1, fixed=0, neither=0))
    squared = two_sided_z(0.90) ** 2
    assert (low, high) == (-1.0, pytest.approx(-(1 - squared) / (1 + squared)))


def test_without_pairs_everything_is_possible() -> None:
    nothing = Pairs(both=0, broken=0, fixed=0, neither=0)
    assert tango(nothing) == newcombe(nothing) == (-1.0, 1.0)
    assert mcnemar_exact(nothing) == mcnemar_worse(nothing) == mcnemar_midp(nothing) == 1.0
    assert tango_z(nothing, 0.1) == 0.0


@pytest.mark.parametrize(
    "pairs",
    [
        Pairs(both=21, broken=9, fixed=5, neither=15),
        Pairs(both=0, broken=12, fixed=1, neither=7),
        Pairs(both=80, broken=1, fixed=3, neither=16),
        Pairs(both=500, broken=40, fixed=22, neither=38),
    ],
)
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
def test_tango_agrees_with_a_numeric_search_of_the_likelihood(pairs: Pairs, level: float) -> None:
    assert tango(pairs, level) == pytest.approx(numeric_bounds(pairs, two_sided_z(level)), abs=2e-6)


@given(tables(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_score_is_z_at_both_bounds(pairs: Pairs, level: float) -> None:
    low, high = tango(pairs, level)
    z = two_sided_z(level)
    assert -1.0 <= low <= (pairs.fixed - pairs.broken) / pairs.n <= high <= 1.0
    assert low < high
    if low > -0.999:
        assert tango_z(pairs, low) == pytest.approx(z, rel=1e-6)
    if high < 0.999:
        assert tango_z(pairs, high) == pytest.approx(-z, rel=1e-6)


@given(tables())
def test_swapping_the_runs_mirrors_everything(pairs: Pairs) -> None:
    low, high = tango(pairs)
    assert tango(swapped(pairs)) == (-high, -low)
    other_low, other_high = newcombe(pairs)
    assert newcombe(swapped(pairs)) == pytest.approx((-other_high, -other_low), abs=1e-12)
    assert mcnemar_exact(swapped(pairs)) == mcnemar_exact(pairs)


@given(tables(), st.sampled_from([0.8, 0.9, 0.99]))
def test_one_more_fixed_case_lowers_no_bound_and_one_more_broken_raises_none(pairs: Pairs, level: float) -> None:
    low, high = tango(pairs, level)
    if pairs.neither:
        up = Pairs(both=pairs.both, broken=pairs.broken, fixed=pairs.fixed + 1, neither=pairs.neither - 1)
        assert tango(up, level)[0] >= low - 1e-12
        assert tango(up, level)[1] >= high - 1e-12
    if pairs.broken:
        healed = Pairs(both=pairs.both + 1, broken=pairs.broken - 1, fixed=pairs.fixed, neither=pairs.neither)
        assert tango(healed, level)[0] >= low - 1e-12
        assert tango(healed, level)[1] >= high - 1e-12


@pytest.mark.parametrize("pairs", SMALL, ids=repr)
def test_every_small_table_has_an_honest_interval(pairs: Pairs) -> None:
    inner, outer = tango(pairs, 0.9), tango(pairs, 0.99)
    assert -1.0 <= outer[0] <= inner[0] < inner[1] <= outer[1] <= 1.0
    z = two_sided_z(0.9)
    grid = [k / 500 for k in range(-499, 500)]
    inside = [at for at in grid if abs(tango_z(pairs, at)) <= z]
    assert all(inner[0] - 1e-9 <= at <= inner[1] + 1e-9 for at in inside)
    assert len(inside) == sum(inner[0] <= at <= inner[1] for at in grid)


@given(tables(most=10**5), st.floats(1.0, 20.0))
def test_a_design_effect_never_narrows(pairs: Pairs, deff: float) -> None:
    low, high = tango(pairs)
    wide_low, wide_high = tango_effective(pairs, deff)
    assert wide_low <= low + 1e-12
    assert wide_high >= high - 1e-12


@given(tables(most=10**4), st.integers(1, 9))
def test_counts_divided_by_their_repeats_give_the_interval_of_one(pairs: Pairs, times: int) -> None:
    repeated = Pairs(
        both=pairs.both * times, broken=pairs.broken * times, fixed=pairs.fixed * times, neither=pairs.neither * times
    )
    assert tango_effective(repeated, times) == pytest.approx(tango(pairs), abs=1e-12)


@given(tables())
def test_newcombe_holds_the_difference_and_stays_within_1(pairs: Pairs) -> None:
    low, high = newcombe(pairs)
    delta = (pairs.fixed - pairs.broken) / pairs.n
    assert -1.0 <= low <= delta + 1e-12
    assert delta - 1e-12 <= high <= 1.0


@given(st.integers(10**4, 10**6), st.floats(0.05, 0.3), st.floats(0.05, 0.3))
def test_tango_and_newcombe_agree_at_large_n(n: int, p_broken: float, p_fixed: float) -> None:
    broken, fixed = int(n * p_broken), int(n * p_fixed)
    pairs = Pairs(both=(n - broken - fixed) // 2, broken=broken, fixed=fixed, neither=(n - broken - fixed + 1) // 2)
    assert tango(pairs) == pytest.approx(newcombe(pairs), abs=3 / n + 2e-4)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_the_exact_tests_agree_with_statsmodels_and_scipy(broken: int, fixed: int) -> None:
    pairs = Pairs(both=0, broken=broken, fixed=fixed, neither=0)
    expected = float(mcnemar([[0, broken], [fixed, 0]], exact=True).pvalue)
    assert mcnemar_exact(pairs) == pytest.approx(min(1.0, expected), abs=1e-11)
    if broken + fixed:
        worse = scipy_stats.binomtest(broken, broken + fixed, alternative="greater").pvalue
        assert mcnemar_worse(pairs) == pytest.approx(float(worse), abs=1e-11)


def test_mcnemar_by_hand() -> None:
    pairs = Pairs(both=0, broken=4, fixed=0, neither=0)
    assert mcnemar_worse(pairs) == 1 / 16
    assert mcnemar_exact(pairs) == 1 / 8
    assert mcnemar_midp(pairs) == 1 / 16
    assert mcnemar_midp(Pairs(both=0, broken=1, fixed=1, neither=0)) == 0.75


@given(tables())
def test_mid_p_is_never_above_the_exact_p(pairs: Pairs) -> None:
    assert 0.0 <= mcnemar_midp(pairs) <= mcnemar_exact(pairs) <= 1.0


@given(tables())
def test_the_score_at_zero_is_mcnemars_chi_square(pairs: Pairs) -> None:
    flips = pairs.broken + pairs.fixed
    assume(flips)
    assert tango_z(pairs, 0.0) ** 2 == pytest.approx((pairs.broken - pairs.fixed) ** 2 / flips, rel=1e-9)


def test_a_candidate_that_is_shown_close_passes() -> None:
    standing = non_inferiority(Pairs(both=180, broken=1, fixed=1, neither=18), margin=0.05)
    assert (standing.outcome, standing.worse, standing.different) == ("pass", False, False)


def test_a_candidate_that_is_shown_far_below_fails() -> None:
    standing = non_inferiority(Pairs(both=150, broken=30, fixed=6, neither=14), margin=0.05)
    assert (standing.outcome, standing.worse, standing.different) == ("fail", True, True)


def test_worse_but_perhaps_within_the_margin_is_indistinguishable() -> None:
    standing = non_inferiority(Pairs(both=160, broken=14, fixed=6, neither=20), margin=0.05)
    assert (standing.outcome, standing.worse) == ("indistinguishable", True)


def test_no_pairs_are_indistinguishable() -> None:
    standing = non_inferiority(Pairs(both=0, broken=0, fixed=0, neither=0), margin=0.05)
    assert (standing.outcome, standing.lower, standing.upper) == ("indistinguishable", -1.0, 1.0)


def test_repeats_taken_as_new_cases_would_pass_what_the_cases_do_not() -> None:
    pairs = Pairs(both=60, broken=0, fixed=0, neither=0)
    assert non_inferiority(pairs, margin=0.05).outcome == "pass"
    assert non_inferiority(pairs, margin=0.05, deff=4.0).outcome == "indistinguishable"


@given(tables(most=10**6), st.floats(0, 1), st.floats(1, 10))
def test_a_fixed_case_never_turns_a_pass_into_less(pairs: Pairs, margin: float, deff: float) -> None:
    order = ("fail", "indistinguishable", "pass")
    if pairs.neither:
        up = Pairs(both=pairs.both, broken=pairs.broken, fixed=pairs.fixed + 1, neither=pairs.neither - 1)
        before, after = (non_inferiority(p, margin, deff=deff).outcome for p in (pairs, up))
        assert order.index(after) >= order.index(before)


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than no cases"):
        Pairs(both=1, broken=-1, fixed=0, neither=0)
    pairs = Pairs(both=1, broken=0, fixed=0, neither=0)
    for deff in (0.5, math.inf, math.nan):
        with pytest.raises(ValueError, match="design effect"):
            tango_effective(pairs, deff)
    with pytest.raises(ValueError, match="margin"):
        non_inferiority(pairs, margin=5.0)
    with pytest.raises(ValueError, match="cannot be tested"):
        tango_z(pairs, 1.0)
