"""The self-test keeps its promises, is able to break one, and shows why Wald's interval is not used."""

from __future__ import annotations

import pytest
from scipy import stats as scipy_stats

from fiel.stats.intervals import wilson
from fiel.stats.paired import Pairs
from fiel.stats.selftest import Check, check, coverage_table, wald


def test_every_promise_holds() -> None:
    results = check()
    assert [result for result in results if not result.passed] == []
    assert len({result.name for result in results}) == len(results) >= 15


def test_the_table_is_the_same_every_time() -> None:
    assert coverage_table() == coverage_table()


def test_the_wilson_rows_agree_with_scipys_binomial() -> None:
    for row in coverage_table():
        if row.method == "wilson":
            inside = [k for k in range(row.n + 1) if wilson(k, row.n)[0] <= row.truth <= wilson(k, row.n)[1]]
            assert row.covers == pytest.approx(sum(scipy_stats.binom.pmf(inside, row.n, row.truth)))


def test_wald_claims_certainty_where_nothing_flipped_and_flatters_a_worse_candidate() -> None:
    assert wald(Pairs(both=20, broken=0, fixed=0, neither=0)) == (0.0, 0.0)
    rows = {(row.method, row.level, row.discordance): row for row in coverage_table()}
    assert rows["wald", 0.95, 0.11].too_good > 0.18
    assert rows["tango", 0.95, 0.11].too_good < 0.01
    assert rows["wald", 0.95, 0.05].covers < 0.65


def test_chances_are_chances() -> None:
    for row in coverage_table():
        assert 0.0 <= row.too_good <= 1.0 - row.covers + 1e-12


def test_a_broken_promise_would_be_seen() -> None:
    broken = Check(name="x", measured=0.5, bound="at least 0.92", passed=False)
    assert not broken.passed
    wald_rows = [row for row in coverage_table() if row.method == "wald"]
    assert min(row.covers for row in wald_rows) < 0.92
    assert max(row.too_good for row in wald_rows) > 0.03
