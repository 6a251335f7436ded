"""A report that tells two stories is refused: it could pass by the one and would have failed by the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fiel.core.decision import Outcome
from fiel.core.errors import ReportError
from fiel.core.policy import GatePolicy
from fiel.core.report import Balance, CaseOutcome
from fiel.gate.decide import decide

ROWS = [("c1", "x", True, "1"), ("c2", "x", True, "1"), ("c3", "y", False, "1")]


def _ruled(candidate, baseline=None):
    return decide(candidate=candidate, baseline=baseline, policy=GatePolicy())


def _marked(report, case, *marks):
    cases = [replace(one, outcomes=marks) if one.id == case else one for one in report.outcomes]
    return replace(report, outcomes=tuple(cases))


@pytest.mark.parametrize("other", ["baseline", "candidate"])
def test_outcomes_that_failed_under_a_rate_that_passed_are_refused_on_either_side(make, other):
    good = make(ROWS)
    lying = _marked(good, "c1", "0", "1")
    sides = {"baseline": good, "candidate": good} | {other: lying}
    with pytest.raises(ReportError, match=f"{other}: the report contradicts itself: success is 3/3 overall"):
        decide(policy=GatePolicy(), **sides)


def test_a_policy_rate_that_failed_under_outcomes_that_passed_is_refused(make, make_rate):
    good = make(ROWS)
    with pytest.raises(ReportError, match="policy is 2/3 overall, 3/3 in its strata together"):
        _ruled(replace(good, overall={**good.overall, "policy": make_rate(2, 3)}))


def test_overall_counts_are_the_sums_of_the_strata(make, make_rate):
    good = make(ROWS)
    with pytest.raises(ReportError, match="success is 9/9 overall, 3/3 in its strata together"):
        _ruled(replace(good, overall={**good.overall, "success": make_rate(9, 9)}))


def test_a_stratum_has_as_many_cases_as_outcomes(make):
    good = make(ROWS)
    first, second = good.strata
    with pytest.raises(ReportError, match="5 cases in stratum x, outcomes of 2"):
        _ruled(replace(good, strata=(replace(first, cases=5), second)))


@pytest.mark.parametrize("marks", ["", "11", "x", "?"])
def test_every_trial_has_one_known_mark(make, marks):
    with pytest.raises(ReportError, match="outcomes of case 'c3'"):
        _ruled(_marked(make(ROWS), "c3", marks, "1"))


def test_fewer_or_no_attempts_than_outcomes_are_refused(make):
    good = make(ROWS)
    with pytest.raises(ReportError, match="2 attempted, and outcomes of 3"):
        _ruled(replace(good, attempted=2))
    with pytest.raises(ReportError, match="trials is 0"):
        _ruled(replace(good, trials=0))


def test_a_balance_cannot_hide_what_the_outcomes_left_ungraded(make):
    good = make([*ROWS[:2], ("c3", "y", False, "-")])
    with pytest.raises(ReportError, match="success left 1 ungraded by its outcomes, 0 by its balance"):
        _ruled(replace(good, balance={"success": Balance(attempted=3, graded=3)}))


@pytest.mark.parametrize(
    ("balance", "why"),
    [
        (Balance(attempted=3, graded=20), "more than the 3 attempted"),
        (Balance(attempted=3, graded=4, ungraded={"timeout": -1}), "a count under 0"),
        (Balance(attempted=3, graded=3, ungraded={"timeout": 1}), "more than the 3 attempted"),
    ],
)
def test_a_balance_never_holds_more_than_was_attempted(make, balance, why):
    with pytest.raises(ReportError, match=why):
        _ruled(replace(make(ROWS), balance={"success": balance}))


def test_a_balance_of_a_part_of_what_was_attempted_leaves_the_rest_ungraded(make):
    good = make(ROWS)
    bare = replace(good, outcomes=None, outcome_graders=(), balance={"success": Balance(attempted=1, graded=1)})
    decision = _ruled(bare)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert any("success: 2 ungraded in the candidate (unaccounted 2)" in reason.text for reason in decision.reasons)


def test_a_rate_by_hand_does_not_measure_more_than_was_attempted(make):
    bare = replace(make(ROWS), outcomes=None, outcome_graders=(), balance={}, attempted=2)
    with pytest.raises(ReportError, match="success was measured 3 times and 2 were attempted"):
        _ruled(bare)


def test_counts_of_fields_are_not_counts_of_cases_and_contradict_nothing(make, make_rate):
    good = make(ROWS, graders={"fields": {"c1": "0"}})
    counted = make_rate(8, 9, clusters=3)
    first, second = good.strata
    strata = (
        replace(first, rates={**first.rates, "fields": make_rate(5, 6, clusters=2)}),
        replace(second, rates={**second.rates, "fields": make_rate(3, 3, clusters=1)}),
    )
    report = replace(good, overall={**good.overall, "fields": counted}, strata=strata)
    assert _ruled(report, report).outcome is Outcome.PASS


def test_a_critical_case_that_fails_in_another_stratum_leaves_the_matter_open(make):
    before = make(ROWS)
    after = make([("c1", "y", False, "0"), ("c2", "x", True, "1"), ("c3", "x", True, "1")])
    decision = _ruled(after, before)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert any(reason.rule == "critical_cases_moved" and "c1, c3" in reason.text for reason in decision.reasons)


def test_cases_that_move_between_strata_that_are_not_critical_are_only_said(make):
    before = make([("c1", "x", False, "1"), ("c2", "y", False, "1"), ("c3", "z", True, "1")])
    after = make([("c1", "y", False, "1"), ("c2", "x", False, "1"), ("c3", "z", True, "1")])
    assert _ruled(after, before).outcome is Outcome.PASS


def test_a_candidate_without_the_policy_that_its_baseline_had_is_not_passed(make):
    before = make(ROWS)
    names = ("success", "rules")
    after = replace(
        before,
        outcome_graders=names,
        overall={"success": before.overall["success"]},
        balance={"success": before.balance["success"]},
        outcomes=tuple(CaseOutcome(id=one.id, stratum=one.stratum, outcomes=one.outcomes) for one in before.outcomes),
    )
    decision = _ruled(after, before)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert any("only the baseline's report has it" in reason.text for reason in decision.reasons)


def test_a_holdout_report_whose_manifest_says_dev_is_refused(make):
    good = make(ROWS)
    with pytest.raises(ReportError, match='split is "dev" in its manifest and "holdout" beside it'):
        _ruled(replace(good, manifest={**good.manifest, "split": "dev"}))


def test_a_report_of_two_datasets_is_refused(make):
    good = make(ROWS)
    with pytest.raises(ReportError, match="dataset_sha256 is"):
        _ruled(replace(good, dataset={"sha256": "cd" * 32}))
