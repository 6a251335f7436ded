"""fiel tells whether an AI agent got better or worse."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fiel.core.case import ABSENT, Case
    from fiel.core.decision import Decision, Outcome
    from fiel.core.errors import Broken, FielError, Refused, TargetFailure
    from fiel.core.grader import Grader, Grading, ask, ask_all
    from fiel.core.item import Item
    from fiel.core.report import Rate, Report
    from fiel.core.trial import Output, ToolCall, Usage
    from fiel.core.verdict import Finding, Measure, Ungraded, Verdict
    from fiel.wiring.reportfiles import load_report

_HOMES = {
    "ABSENT": "core.case",
    "Broken": "core.errors",
    "Case": "core.case",
    "Decision": "core.decision",
    "FielError": "core.errors",
    "Finding": "core.verdict",
    "Grader": "core.grader",
    "Grading": "core.grader",
    "Item": "core.item",
    "Measure": "core.verdict",
    "Outcome": "core.decision",
    "Output": "core.trial",
    "Rate": "core.report",
    "Refused": "core.errors",
    "Report": "core.report",
    "TargetFailure": "core.errors",
    "ToolCall": "core.trial",
    "Ungraded": "core.verdict",
    "Usage": "core.trial",
    "Verdict": "core.verdict",
    "ask": "core.grader",
    "ask_all": "core.grader",
    "load_report": "wiring.reportfiles",
}

__all__ = [
    "Case",
    "Item",
    "Output",
    "Usage",
    "ToolCall",
    "Grader",
    "Grading",
    "Verdict",
    "Ungraded",
    "Measure",
    "Finding",
    "ask",
    "ask_all",
    "Report",
    "Rate",
    "Decision",
    "Outcome",
    "load_report",
    "FielError",
    "Refused",
    "Broken",
    "TargetFailure",
    "ABSENT",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # Public names are imported when first used (PEP 562): `import fiel` stays light.
    if name not in _HOMES:
        raise AttributeError(f"module 'fiel' has no attribute {name!r}")
    value = getattr(import_module(f"fiel.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
