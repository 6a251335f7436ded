"""The ways to reach a system under test: import its callable, ask its URL, or run its command."""

from __future__ import annotations

from typing import Final

TARGETS: Final = {
    "python": "fiel.adapters.targets.python:PythonTarget",
    "http": "fiel.adapters.targets.http:HTTPTarget",
    "command": "fiel.adapters.targets.command:CommandTarget",
}
"""Kind of target, as ``fiel.toml`` spells it, to where its adapter lives; imported only when a target needs it."""
