"""A trial is one attempt of a target at one case: what came back, how long it took and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fiel.core.verdict import Ungraded


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One finished attempt: either ``output`` or ``failed`` counts.

    ``index`` is the case's position in the dataset from 0, ``trial`` the attempt's from 0. ``latency_s`` is the
    wall time of the last call in seconds; ``attempts`` counts the calls that were made, retries included.
    """

    case: str
    index: int
    trial: int = 0
    output: Any = None
    failed: Ungraded | None = None
    latency_s: float = 0.0
    cost_usd: float | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    model: str | None = None
    attempts: int = 1
    cached: bool = False
    started_unix_s: float = 0.0
