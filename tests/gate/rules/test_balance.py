"""What was attempted and not graded, or not attempted at all, keeps a pass away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fiel.core.decision import Kind, Outcome
from fiel.core.policy import GatePolicy
from fiel.core.report import Balance
from fiel.gate import decide


def _open(decision):
    return [reason.text for reason in decision.reasons if reason.kind is Kind.INCONCLUSIVE]


def test_ungraded_is_counted_per_grader_and_side(make):
    whole = make([("c1", "x", False, "1"), ("c2", "x", False, "1")])
    holed = make([("c1", "x", False, "1"), ("c2", "x", False, "1")], graders={"policy": {"c2": "-"}})
    decision = decide(candidate=holed, baseline=whole, policy=GatePolicy())
    assert _open(decision) == ["policy: 1 ungraded in the candidate (target_crash 1), at most 0 are let through"]
    decision = decide(candidate=whole, baseline=holed, policy=GatePolicy())
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert _open(decision) == ["policy: 1 ungraded in the baseline (target_crash 1), at most 0 are let through"]


def test_the_policy_may_let_some_through(make):
    holed = make([("c1", "x", False, "1"), ("c2", "x", False, "-")])
    assert decide(candidate=holed, baseline=holed, policy=GatePolicy(max_ungraded=1)).outcome is Outcome.PASS
    assert decide(candidate=holed, baseline=holed, policy=GatePolicy()).outcome is Outcome.INCONCLUSIVE


def test_a_balance_that_does_not_add_up_counts_what_is_missing_from_it(make):
    report = make([("c1", "x", False, "1")])
    report = replace(report, balance={"success": Balance(attempted=10, graded=6, ungraded={"timeout": 1})})
    decision = decide(candidate=report, baseline=None, policy=GatePolicy(max_ungraded=1))
    assert _open(decision) == [
        "success: 4 ungraded in the candidate (timeout 1, unaccounted 3), at most 1 is let through"
    ]


def test_without_a_balance_the_outcomes_say_what_was_left(make):
    report = replace(make([("c1", "x", False, "1-")]), balance={})
    assert (
        "success: 1 ungraded in the candidate" in _open(decide(candidate=report, baseline=None, policy=GatePolicy()))[0]
    )


def test_attempted_sets_that_differ_are_named_by_id(make):
    a = make([("c1", "x", False, "1"), ("c2", "x", False, "1"), ("c3", "x", False, "1")])
    b = make([("c1", "x", False, "1"), ("c2", "x", False, "1"), ("c4", "x", False, "1")])
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert _open(decision) == [
        "attempted sets differ: 1 case only in the baseline (c3), 1 case only in the candidate (c4)"
    ]


def test_without_outcomes_attempted_sets_are_compared_by_count(make):
    rows = [(f"c{i}", "x", False, "1") for i in range(9)]
    a, b = (replace(make(rows[:n]), outcomes=None, outcome_graders=()) for n in (9, 8))
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert "attempted sets differ: 9 in the baseline and 8 in the candidate" in _open(decision)


@pytest.mark.parametrize("critical", [True, False])
def test_a_stratum_that_is_missing_matters_when_it_is_critical(make, critical):
    a = make([("c1", "x", critical, "1"), ("c2", "y", False, "1")])
    b = make([("c2", "y", False, "1"), ("c1", "z", False, "1")])
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert decision.outcome is (Outcome.INCONCLUSIVE if critical else Outcome.PASS)
    texts = [reason.text for reason in decision.reasons]
    assert "1 stratum not in the baseline, so not compared: z" in texts
    assert ("critical stratum x is missing in the candidate (1 case in the baseline)" in texts) is critical
    assert any("in another stratum on each side" in text for text in texts)


def test_a_critical_stratum_that_was_measured_on_fewer_cases_is_inconclusive(make):
    a = make([("c1", "x", True, "1"), ("c2", "x", True, "0")])
    b = make([("c1", "x", True, "1"), ("c2", "x", True, "-")])
    decision = decide(candidate=b, baseline=a, policy=GatePolicy(max_ungraded=9))
    assert _open(decision) == ["critical stratum x is thinner: 2 measured in the baseline and 1 in the candidate"]


def test_a_hand_made_critical_stratum_is_thinner_by_its_denominator(make, make_rate):
    report = replace(make([("c1", "x", True, "1")]), outcomes=None, outcome_graders=(), attempted=None, balance={})
    (stratum,) = report.strata
    a, b = (replace(report, strata=(replace(stratum, cases=n, rates={"success": make_rate(n, n)}),)) for n in (10, 4))
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert _open(decision) == ["critical stratum x is thinner: 10 measured in the baseline and 4 in the candidate"]


def test_another_number_of_trials_is_not_the_same_attempt(make):
    a, b = make([("c1", "x", False, "111")]), make([("c1", "x", False, "1")])
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert decision.outcome is Outcome.INCONCLUSIVE
    said = "trials a case: 3 in the baseline and 1 in the candidate; run both with as many"
    assert said in [reason.text for reason in decision.reasons]
