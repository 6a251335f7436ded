"""A budget stops when it is spent, and when it cannot be measured; it never takes unknown for zero."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fiel.harness.budget import Budget


def test_without_limits_nothing_stops():
    budget = Budget()
    budget.add(None, None)
    assert budget.stop is None
    assert budget.document(skipped=0) == {}


def test_money_and_tokens_are_limits_of_their_own():
    budget = Budget(usd=1.0, tokens=100)
    budget.add(0.5, 99)
    assert budget.stop is None
    budget.add(0.1, 1)
    assert budget.stop == "budget"


def test_an_unknown_cost_under_a_money_limit_is_unmeasured():
    budget = Budget(usd=1.0)
    budget.add(None, 5)
    assert budget.stop == "budget_unmeasured"
    assert budget.document(skipped=3)["status"] == "unmeasured"


def test_unknown_tokens_do_not_matter_to_a_money_limit():
    budget = Budget(usd=1.0)
    budget.add(0.5, None)
    assert budget.stop is None


@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0.01, 5))
def test_spending_more_never_reopens_a_budget(costs, limit):
    budget, stopped = Budget(usd=limit), False
    for cost in costs:
        budget.add(cost, 0)
        assert not (stopped and budget.stop is None)
        stopped = budget.stop is not None
