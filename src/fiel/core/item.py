"""An item is what graders read: a case together with one output of the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fiel.core.case import Case
from fiel.core.trial import ToolCall, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One case and what the target answered in one trial. None means unknown, never zero."""

    case: Case
    output: Any
    trial: int = 0
    latency_s: float | None = None
    cost_usd: float | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
