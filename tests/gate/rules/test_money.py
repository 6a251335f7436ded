"""Unknown money is never zero, and a spent budget is never a pass."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fiel.core.decision import Kind, Outcome
from fiel.core.policy import GatePolicy
from fiel.core.report import Cost
from fiel.gate import decide


@pytest.mark.parametrize(
    ("cost", "outcome", "words"),
    [
        (Cost(known_usd=0.0387, known=9), Outcome.PASS, ""),
        (Cost(known_usd=sum([0.0043] * 9), known=9), Outcome.PASS, ""),  # float noise is not a cent
        (Cost(known_usd=0.0396, known=9), Outcome.BLOCK, "a trial costs 0.0044 USD on average over 9 trials"),
        (Cost(known_usd=0.0, known=8, unknown=1), Outcome.INCONCLUSIVE, "of 1 trial of 9 is unknown"),
        (Cost(known_usd=0.0, known=0, unknown=9), Outcome.INCONCLUSIVE, "unknown is not 0"),
        (Cost(), Outcome.INCONCLUSIVE, "the cost of every trial is unknown"),
        (Cost(known_usd=float("nan"), known=9), Outcome.INCONCLUSIVE, "unknown is not 0"),
    ],
)
def test_an_unknown_cost_is_inconclusive_never_zero(make, cost, outcome, words):
    report = make([("c1", "x", False, "1")], cost=cost)
    decision = decide(candidate=report, baseline=None, policy=GatePolicy(max_mean_cost_usd=Fraction(43, 10_000)))
    assert decision.outcome is outcome
    assert words in decision.reasons[0].text


@pytest.mark.parametrize("status", ["spent", "unmeasured"])
def test_a_budget_that_was_spent_or_could_not_be_measured_is_inconclusive_on_either_side(make, status):
    whole = make([("c1", "x", False, "1")], budget={"status": "within"})
    spent = make([("c1", "x", False, "1")], budget={"status": status, "usd": 5})
    for candidate, baseline, side in (
        (spent, whole, "candidate"),
        (whole, spent, "baseline"),
        (spent, None, "candidate"),
    ):
        decision = decide(candidate=candidate, baseline=baseline, policy=GatePolicy())
        assert decision.outcome is Outcome.INCONCLUSIVE
        (text,) = (reason.text for reason in decision.reasons if reason.kind is Kind.INCONCLUSIVE)
        assert text.endswith(f"in the {side}")
