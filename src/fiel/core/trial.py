"""What a target gives back in one trial: its value, what it cost, and what it did on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that one answer took, as the provider counted them."""

    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool by the target, in the order made; ``arguments`` is a JSON object."""

    name: str
    arguments: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a target gives back for one input.

    A Python target may return a bare JSON value instead; then cost, usage and tool calls are unknown (None),
    which is not the same as zero or none.
    """

    value: Any
    cost_usd: float | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    model: str | None = None
