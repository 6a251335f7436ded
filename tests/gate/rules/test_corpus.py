"""Lines over the whole corpus are exact, and what was not measured does not hold them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fiel.core.decision import Outcome
from fiel.core.policy import GatePolicy, Threshold
from fiel.gate import decide
from fiel.gate.rules.corpus import is_judged


@pytest.fixture
def ruled(make, make_rate):
    def rule(metric: str, hits: int | None, of: int, line: Threshold, **others):
        report = make([("c1", "x", False, "1")], **others)
        overall = dict(report.overall) if hits is None else {**report.overall, metric: make_rate(hits, of)}
        report = make([("c1", "x", False, "1")], overall=overall, **others)
        return decide(candidate=report, baseline=None, policy=GatePolicy(corpus={metric: line}))

    return rule


def test_a_line_is_inclusive_and_exact(ruled):
    line = Threshold(at_least=Fraction(85, 100))
    assert ruled("schema", 17, 20, line).outcome is Outcome.PASS
    decision = ruled("schema", 84, 100, line)
    assert decision.outcome is Outcome.BLOCK
    assert decision.reasons[0].text.startswith("schema 0.84 is under at_least 0.85 (84/100, interval [")


def test_an_upper_line_blocks_above_it(ruled):
    line = Threshold(at_most=Fraction(1, 10))
    assert ruled("hallucination", 1, 10, line).outcome is Outcome.PASS
    assert "hallucination 0.2 is over at_most 0.1" in ruled("hallucination", 2, 10, line).reasons[0].text


def test_a_miss_below_the_fourth_decimal_is_shown_exactly(ruled):
    decision = ruled("schema", 84_999, 100_000, Threshold(at_least=Fraction(8499901, 10_000_000)))
    assert "schema 0.85 (exactly 84999/100000) is under at_least 0.85" in decision.reasons[0].text


def test_without_a_judge_judged_lines_are_not_applied_and_it_is_said(ruled):
    decision = ruled("faithfulness", None, 0, Threshold(at_least=Fraction(85, 100)))
    assert decision.outcome is Outcome.PASS
    assert "faithfulness: not applied (judge: disabled)" in [reason.text for reason in decision.reasons]


def test_a_line_on_any_other_metric_that_is_missing_is_inconclusive(ruled):
    line = Threshold(at_least=Fraction(1, 2))
    for decision in (ruled("field", None, 0, line), ruled("faithfulness", None, 0, line, judge="m@1")):
        assert decision.outcome is Outcome.INCONCLUSIVE
        assert decision.reasons[0].text.endswith("has a line, but it is not in the report")


def test_an_undefined_value_is_inconclusive_never_a_zero(ruled):
    decision = ruled("hallucination", 0, 0, Threshold(at_most=Fraction(1, 10)))
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "undefined: nothing was measured (0 of 0)" in decision.reasons[0].text


def test_with_a_judge_and_no_calibration_the_line_rules_and_the_gap_is_recorded(ruled):
    decision = ruled("judge:tone", 9, 10, Threshold(at_least=Fraction(1, 2)), judge="m@1")
    assert decision.outcome is Outcome.PASS
    assert any(reason.rule == "calibration_skipped" for reason in decision.reasons)


def test_judged_metrics_are_known_by_name():
    assert all(is_judged(name) for name in ("groundedness", "faithfulness.claims", "hallucination", "judge:tone"))
    assert not any(is_judged(name) for name in ("success", "faithful", "judgement"))
