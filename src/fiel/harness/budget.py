"""A run's budget in money and tokens: when it is spent, or cannot be measured, no further call is made."""

from __future__ import annotations

from typing import Any


class Budget:
    """Counts what a run spends. Without limits it only counts.

    ``usd`` and ``tokens`` are the limits, None for none. A limit that cannot be checked, since a call did not say
    what it cost, stops the run as a spent one does: an unknown cost is not zero.
    """

    def __init__(self, *, usd: float | None = None, tokens: int | None = None) -> None:
        self.usd, self.tokens = usd, tokens
        self.spent_usd = 0.0
        self.spent_tokens = 0
        self.usd_unknown = 0
        self.tokens_unknown = 0

    def add(self, cost_usd: float | None, total_tokens: int | None) -> None:
        """Count one call."""
        if cost_usd is None:
            self.usd_unknown += 1
        else:
            self.spent_usd += cost_usd
        if total_tokens is None:
            self.tokens_unknown += 1
        else:
            self.spent_tokens += total_tokens

    @property
    def limited(self) -> bool:
        return self.usd is not None or self.tokens is not None

    @property
    def stop(self) -> str | None:
        """Why no further call may be made (``budget`` or ``budget_unmeasured``), or None."""
        if self.usd is not None:
            if self.usd_unknown:
                return "budget_unmeasured"
            if self.spent_usd >= self.usd:
                return "budget"
        if self.tokens is not None:
            if self.tokens_unknown:
                return "budget_unmeasured"
            if self.spent_tokens >= self.tokens:
                return "budget"
        return None

    def document(self, *, skipped: int) -> dict[str, Any]:
        """What the report says: limits, what is known to be spent, and ``within``, ``spent`` or ``unmeasured``.

        ``skipped`` is how many trials were not made for want of budget; reaching the line with the last trial is
        within the budget.
        """
        if not self.limited:
            return {}
        stop = self.stop
        status = "unmeasured" if stop == "budget_unmeasured" else "spent" if skipped else "within"
        return {
            "status": status,
            "skipped": skipped,
            "limit_usd": self.usd,
            "limit_tokens": self.tokens,
            "spent_usd": self.spent_usd if self.usd is not None else None,
            "spent_tokens": self.spent_tokens if self.tokens is not None else None,
        }
