"""``cost`` says whether an answer cost no more than it may; an unknown cost is unknown, never zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import check_names, limit

LABELS: Final[tuple[str, ...]] = ("within_budget", "too_dear")
_WITHIN: Final = Verdict(passed=True, label="within_budget")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Whether the answer cost at most ``max_usd`` United States dollars; unknown is Ungraded("cost_unknown")."""

    name: str = "cost"
    version: str = "1"
    max_usd: float

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        object.__setattr__(self, "max_usd", limit("max_usd", self.max_usd))

    def grade(self, item: Item) -> Verdict | Ungraded:
        spent = item.cost_usd
        if spent is None or not isfinite(spent) or spent < 0:
            return Ungraded(reason="cost_unknown")
        if spent <= self.max_usd:
            return _WITHIN
        finding = Finding(path="", outcome="too_dear", expected=self.max_usd, got=spent)
        return Verdict(passed=False, label="too_dear", reason="too_dear", findings=(finding,))
