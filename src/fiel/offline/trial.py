"""A trial is one attempt of a target at one case: what came back, how long it took and what it cost."""

from __future__ import annotations

from typing import Any

import msgspec

from fiel.core.trial import ToolCall, Usage
from fiel.core.verdict import Ungraded


class Trial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished attempt, and one line of ``trials.jsonl``: either ``output`` or ``failed`` counts.

    ``index`` is the case's position in the dataset from 0, ``trial`` the attempt's from 0. ``latency_s`` is the
    wall time of the last call in seconds; ``attempts`` counts the calls that were made, retries included. What has
    a default is left out of the line where it is that.
    """

    case: str
    index: int
    trial: int
    latency_s: float
    started_unix_s: float
    failed: Ungraded | None = None
    output: Any
    cost_usd: float | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    model: str | None = None
    attempts: int = 1
    cached: bool = False
