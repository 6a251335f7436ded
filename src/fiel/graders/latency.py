"""``latency`` says whether an answer came in time."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import check_names, limit

LABELS: Final[tuple[str, ...]] = ("in_time", "too_slow")
_IN_TIME: Final = Verdict(passed=True, label="in_time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Whether the answer took at most ``max_s`` seconds of wall time; unknown is Ungraded("latency_unknown")."""

    name: str = "latency"
    version: str = "1"
    max_s: float

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        object.__setattr__(self, "max_s", limit("max_s", self.max_s))

    def grade(self, item: Item) -> Verdict | Ungraded:
        taken = item.latency_s
        if taken is None or not isfinite(taken) or taken < 0:
            return Ungraded(reason="latency_unknown")
        if taken <= self.max_s:
            return _IN_TIME
        finding = Finding(path="", outcome="too_slow", expected=self.max_s, got=taken)
        return Verdict(passed=False, label="too_slow", reason="too_slow", findings=(finding,))
