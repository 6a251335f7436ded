"""Holm and Benjamini-Hochberg by hand and beside statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from fiel.stats.multiplicity import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_benjamini_hochberg_by_hand() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])


def test_no_tests_need_no_correction() -> None:
    assert holm([]) == []
    assert benjamini_hochberg([]) == []


@settings(max_examples=25)
@given(p_values)
def test_both_agree_with_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]), abs=1e-12)
    assert benjamini_hochberg(values) == pytest.approx(list(multipletests(values, method="fdr_bh")[1]), abs=1e-12)


@given(p_values)
def test_a_correction_never_makes_a_finding_stronger_nor_reorders_them(values: list[float]) -> None:
    for adjusted in (holm(values), benjamini_hochberg(values)):
        assert all(raw <= up <= 1.0 for raw, up in zip(values, adjusted, strict=True))
        by_raw = [up for _, up in sorted(zip(values, adjusted, strict=True))]
        assert by_raw == sorted(by_raw)


@given(p_values)
def test_the_order_of_the_tests_does_not_matter(values: list[float]) -> None:
    backwards = holm(values[::-1])[::-1]
    assert backwards == holm(values)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_a_p_value_outside_0_and_1_is_refused_by_its_place(bad: float) -> None:
    with pytest.raises(ValueError, match="p-value 1 is"):
        holm([0.5, bad])
