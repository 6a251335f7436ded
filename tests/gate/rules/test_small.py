"""What strata too small for statistics say: the size they would need, and one case tried many times."""

from __future__ import annotations

import pytest

from fiel.core.decision import Outcome
from fiel.core.policy import GatePolicy
from fiel.gate import decide


@pytest.mark.parametrize(("n", "fits"), [(51, True), (52, False)])
def test_small_strata_say_how_many_cases_they_would_need(make, n, fits):
    report = make([(f"c{i}", "tiny", False, "1") for i in range(n)])
    texts = [reason.text for reason in decide(candidate=report, baseline=report, policy=GatePolicy()).reasons]
    assert ("n=51: cannot show non-inferiority at ε=0.05; needs ≥52 (tiny)" in texts) is fits


@pytest.mark.parametrize(
    ("before", "after", "words", "binds"),
    [
        ("111", "000", "fails: passed 3 of 3 trials and now 0 of 3 (Fisher one-sided p=0.05)", True),
        ("1111", "0000", "fails: passed 4 of 4 trials and now 0 of 4 (Fisher one-sided p=0.0143)", True),
        ("11111", "00010", "fails: passed 5 of 5 trials and now 1 of 5 (Fisher one-sided p=0.0238)", True),
        ("11111", "00011", "passed 5 of 5 trials and now 2 of 5, not significant", False),
        ("1", "0", "FLIPPED: passed 1 of 1, now 0 of 1", False),
        ("0", "1", "FLIPPED: passed 0 of 1, now 1 of 1", False),
    ],
)
def test_a_stratum_of_one_case_is_tested_as_itself_by_its_trials(make, before, after, words, binds):
    many = [(f"c{i}", "many", False, "1" * len(before)) for i in range(400)]
    a = make([*many, ("only", "sentinel", False, before)])
    b = make([*many, ("only", "sentinel", False, after)])
    advice = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert advice.outcome is Outcome.PASS
    (text,) = (reason.text for reason in advice.reasons if reason.rule == "sentinel")
    assert words in text
    bound = decide(candidate=b, baseline=a, policy=GatePolicy(evidence="non-inferior"))
    assert (bound.outcome is Outcome.INCONCLUSIVE) is binds
