"""A spent budget leaves cases untried, and an unknown price is unknown: neither may pass for a zero."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from fiel.core.decision import Kind, Reason
from fiel.gate.rules.balance import sides
from fiel.gate.weigh import Weighed
from fiel.gate.wording import counted, trimmed

OPEN_BUDGETS: Final = {
    "spent": "the run's budget was spent before all was tried",
    "unmeasured": "the run had a budget, but what it spent could not be measured",
}
_NANO: Final = 10**9


def budget(weighed: Weighed) -> Iterator[Reason]:
    """Open where a run's own budget was spent or could not be measured."""
    for side, report in sides(weighed.evidence):
        status = report.budget.get("status")
        if isinstance(status, str) and status in OPEN_BUDGETS:
            yield Reason(
                kind=Kind.INCONCLUSIVE,
                rule="budget",
                text=f"{OPEN_BUDGETS[status]}, in the {side}",
                facts={"side": side, "budget": dict(report.budget)},
            )


def mean_cost(weighed: Weighed) -> Iterator[Reason]:
    """Block where a trial costs more on average than the policy lets it; open where any cost is unknown."""
    line, cost = weighed.policy.max_mean_cost_usd, weighed.evidence.candidate.cost
    if line is None:
        return
    facts = {"known": cost.known, "unknown": cost.unknown, "at_most_usd": float(line)}
    if cost.unknown or not cost.known or not math.isfinite(cost.known_usd):
        what = (
            f"of {counted(cost.unknown, 'trial')} of {cost.known + cost.unknown}" if cost.unknown else "of every trial"
        )
        yield Reason(
            kind=Kind.INCONCLUSIVE,
            rule="cost_unknown",
            text=f"the cost {what} is unknown, and unknown is not 0: a mean cost of at most {_usd(line)} is not shown",
            facts=facts,
        )
        return
    # Sums of floats carry noise far below a billionth of a dollar; the line is compared above it.
    mean = Fraction(round(cost.known_usd * _NANO), _NANO * cost.known)
    if mean > line:
        yield Reason(
            kind=Kind.BLOCK,
            rule="cost",
            text=f"a trial costs {_usd(mean)} on average over {counted(cost.known, 'trial')}, more than {_usd(line)}",
            facts=facts | {"known_usd": cost.known_usd, "mean_usd": float(mean)},
        )


def _usd(amount: Fraction) -> str:
    text = trimmed(amount) if amount * 10**4 == int(amount * 10**4) else f"{float(amount):.9f}".rstrip("0")
    return f"{text} USD"
