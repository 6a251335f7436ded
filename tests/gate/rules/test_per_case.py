"""One failing case is enough where a grader must hold on every case."""

from __future__ import annotations

from dataclasses import replace

from fiel.core.decision import Kind, Outcome
from fiel.core.policy import GatePolicy
from fiel.gate import decide


def _ruled(report, baseline=None, **policy):
    decision = decide(candidate=report, baseline=baseline, policy=GatePolicy(**policy))
    return decision, [r.text for r in decision.reasons if r.kind is not Kind.NOTE]


def test_a_policy_violation_blocks_by_default_and_lists_the_cases(make):
    rows = [(f"c{i}", "x", False, "1") for i in range(4)]
    report = make(rows, graders={"policy": {"c1": "0", "c3": "0"}})
    decision, texts = _ruled(report)
    assert decision.outcome is Outcome.BLOCK
    assert texts == ["policy failed on 2 cases of 4: c1, c3"]
    assert decision.reasons[0].facts["cases"] == ["c1", "c3"]


def test_a_violation_that_the_baseline_had_too_still_blocks_and_it_is_said(make):
    report = make([("c1", "x", False, "1"), ("c2", "x", False, "1")], graders={"policy": {"c2": "0"}})
    decision, texts = _ruled(report, report)
    assert decision.outcome is Outcome.BLOCK
    assert texts == ["policy failed on 1 case of 2: c2 (the baseline fails it too)"]


def test_one_failing_trial_of_several_is_a_failing_case(make):
    report = make([("c1", "x", False, "111")], graders={"policy": {"c1": "101"}})
    assert _ruled(report)[1] == ["policy failed on 1 case of 1: c1"]


def test_long_lists_of_cases_are_cut_in_the_sentence_and_whole_in_the_facts(make):
    rows = [(f"c{i}", "x", False, "1") for i in range(500)]
    decision, (text,) = _ruled(make(rows, graders={"policy": {row[0]: "0" for row in rows}}))
    assert text.endswith("c8, c9 and 490 more")
    assert len(decision.reasons[0].facts["cases"]) == 500


def test_the_default_is_not_asked_of_a_report_without_the_grader(make):
    bare = make([("c1", "x", False, "1")])
    bare = replace(
        bare,
        overall={"success": bare.overall["success"]},
        balance={},
        outcome_graders=("success",),
        outcomes=tuple(replace(case, outcomes=case.outcomes[:1]) for case in bare.outcomes),
    )
    decision, texts = _ruled(bare)
    assert (decision.outcome, texts) == (Outcome.PASS, [])
    assert any(r.text.startswith("policy: not in the report") for r in decision.reasons)
    decision, texts = _ruled(bare, per_case=("policy",))
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert texts == ["policy must hold on every case, but the report does not have it"]


def test_a_named_grader_that_graded_nothing_leaves_the_matter_open(make):
    report = make([("c1", "x", False, "1")], graders={"refusal": {"c1": "."}})
    decision, texts = _ruled(report, per_case=("refusal",))
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert texts == ["refusal must hold on every case, but it graded none"]


def test_counts_alone_block_too_where_no_case_is_known(make, make_rate):
    report = make([("c1", "x", False, "1")])
    rates = {**report.overall, "policy": make_rate(8, 9)}
    bare = replace(report, outcomes=None, outcome_graders=(), balance={}, attempted=None, overall=rates)
    assert "policy failed on 1 case of 9 (the report carries no per-case outcomes, so no ids)" in _ruled(bare)[1]


def test_naming_other_graders_replaces_the_default(make):
    report = make([("c1", "x", False, "1")], graders={"policy": {"c1": "0"}, "refusal": {}})
    assert _ruled(report, per_case=("refusal",))[0].outcome is Outcome.PASS
    assert _ruled(report, per_case=())[0].outcome is Outcome.PASS
