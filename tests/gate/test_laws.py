"""Laws of the gate, over reports of any shape and with tags that nobody has seen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiel.core.decision import Kind, Outcome
from fiel.core.policy import GatePolicy
from fiel.gate import decide, decision_document

RELAXED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# Pricing what is not shown takes a third of a second: enough of it, not half of all examples.
POLICIES = (*[GatePolicy()] * 9, GatePolicy(evidence="non-inferior"))


@st.composite
def runs(draw: st.DrawFn, marks: str = "01") -> tuple[list[tuple[str, str, bool, str]], list[str]]:
    """Rows of a baseline, and the candidate's outcomes of the same cases."""
    names = draw(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4, unique=True))
    critical = [draw(st.booleans()) for _ in names]
    trials = draw(st.sampled_from([1, 1, 2, 3]))
    trial_marks = st.text(alphabet=marks, min_size=trials, max_size=trials)
    rows, after = [], []
    for i in range(draw(st.integers(1, 25))):
        at = draw(st.integers(0, len(names) - 1))
        rows.append((f"case-{i}", names[at], critical[at], draw(trial_marks)))
        after.append(draw(trial_marks))
    return rows, after


def _with(rows: list[Any], outcomes: list[str]) -> list[Any]:
    return [(case, name, critical, marks) for (case, name, critical, _), marks in zip(rows, outcomes, strict=True)]


@RELAXED
@given(run=runs(), policy=st.sampled_from(POLICIES), data=st.data())
def test_one_more_pass_in_the_candidate_never_turns_a_pass_into_a_block(make, run, policy, data):
    rows, after = run
    baseline = make(rows)
    before = decide(candidate=make(_with(rows, after)), baseline=baseline, policy=policy)
    failed = [(i, at) for i, marks in enumerate(after) for at, mark in enumerate(marks) if mark == "0"]
    if not failed:
        return
    i, at = data.draw(st.sampled_from(failed))
    better = [*after[:i], after[i][:at] + "1" + after[i][at + 1 :], *after[i + 1 :]]
    now = decide(candidate=make(_with(rows, better)), baseline=baseline, policy=policy)
    blocks = [{r.stratum for r in d.reasons if r.kind is Kind.BLOCK} for d in (before, now)]
    assert blocks[1] <= blocks[0]
    if policy.evidence == "rule" and before.outcome is Outcome.PASS:
        assert now.outcome is Outcome.PASS


@RELAXED
@given(run=runs())
def test_identical_reports_whose_trials_were_all_graded_pass(make, run):
    report = make(run[0])
    decision = decide(candidate=report, baseline=report, policy=GatePolicy())
    assert decision.outcome is Outcome.PASS
    assert (decision.broken, decision.fixed) == ((), ())
    assert not any("change" in reason.text for reason in decision.reasons if not reason.stratum)


@RELAXED
@given(run=runs(marks="01-."), policy=st.sampled_from(POLICIES))
def test_a_critical_fall_above_epsilon_always_blocks_whatever_its_tags_are_called(make, run, policy):
    rows, after = run
    baseline, candidate = make(rows), make(_with(rows, after))
    decision = decide(candidate=candidate, baseline=baseline, policy=policy)
    fallen = set()
    for before, now in zip(baseline.strata, candidate.strata, strict=True):
        was, rate = before.rates["success"].fraction, now.rates["success"].fraction
        if before.critical and was is not None and rate is not None and was - rate > policy.epsilon:
            fallen.add(before.name)
    assert {r.stratum for r in decision.reasons if r.rule == "critical_stratum_fell"} == fallen
    assert (decision.outcome is Outcome.BLOCK) == bool(fallen)
    json.dumps(decision_document(decision), allow_nan=False)
    assert all(line.isprintable() for reason in decision.reasons for line in [reason.text])


@RELAXED
@given(run=runs(marks="01-"))
def test_anything_ungraded_keeps_a_pass_away(make, run):
    rows, after = run
    decision = decide(candidate=make(_with(rows, after)), baseline=make(rows), policy=GatePolicy())
    if any("-" in marks for marks in [*after, *(row[3] for row in rows)]):
        assert decision.outcome is not Outcome.PASS


@RELAXED
@given(run=runs(), order=st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(make, run, order):
    rows, after = run
    candidate = make(_with(rows, after))
    shuffled = list(candidate.outcomes)
    order.shuffle(shuffled)
    one = decide(candidate=candidate, baseline=make(rows), policy=GatePolicy())
    other = decide(candidate=replace(candidate, outcomes=tuple(shuffled)), baseline=make(rows), policy=GatePolicy())
    assert one == other


@pytest.mark.parametrize("tags", [{"moon": "Europa"}, {"tipo": "guia de remessa", "canal": "balcão"}])
def test_a_type_that_nobody_has_seen_is_gated_like_any_other(make, tags):
    def report(marks: str):
        built = make([(f"c{i}", "|".join(tags.values()), True, mark) for i, mark in enumerate(marks)])
        return replace(built, strata=tuple(replace(stratum, tags=tags) for stratum in built.strata))

    decision = decide(candidate=report("1110"), baseline=report("1111"), policy=GatePolicy())
    assert decision.outcome is Outcome.BLOCK
    assert decision.reasons[0].text.startswith("|".join(tags.values()) + " dropped from 1 to 0.75")
