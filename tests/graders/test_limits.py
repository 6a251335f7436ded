"""``latency`` and ``cost``: a line that is inclusive, and an unknown that is never zero."""

from __future__ import annotations

from typing import Any

import pytest

from fiel.core.case import Case
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.graders.cost import Cost
from fiel.graders.latency import Latency

CASE = Case(id="c", input="")


@pytest.mark.parametrize(("value", "passes"), [(0.0, True), (2.0, True), (2.0001, False)])
def test_the_line_itself_passes(value: float, passes: bool) -> None:
    slow = Latency(max_s=2).grade(Item(case=CASE, output="", latency_s=value))
    dear = Cost(max_usd=2).grade(Item(case=CASE, output="", cost_usd=value))
    for result in (slow, dear):
        assert isinstance(result, Verdict)
        assert result.passed is passes


@pytest.mark.parametrize("value", [None, float("nan"), -1.0, float("inf")])
def test_what_is_unknown_is_not_zero(value: Any) -> None:
    slow = Latency(max_s=2).grade(Item(case=CASE, output="", latency_s=value))
    dear = Cost(max_usd=2).grade(Item(case=CASE, output="", cost_usd=value))
    assert isinstance(slow, Ungraded)
    assert isinstance(dear, Ungraded)
    assert (slow.reason, dear.reason) == ("latency_unknown", "cost_unknown")


@pytest.mark.parametrize("value", [-1, "2", None, True, float("inf")])
def test_a_limit_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match="max_s is"):
        Latency(max_s=value)
    with pytest.raises(ConfigError, match="max_usd is"):
        Cost(max_usd=value)
