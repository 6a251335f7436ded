"""What commands share on a screen: JSON or text, colour or none, progress where a terminal is watching."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from fiel.offline.run import Progress


def emit(document: Any) -> None:
    """Print one JSON document on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def colour() -> bool:
    """Whether standard output is a terminal that wants colour (NO_COLOR is respected)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def width() -> int:
    """The columns to lay out for: the terminal's, or 100 where there is none."""
    return max(60, min(160, shutil.get_terminal_size((100, 24)).columns))


def say(text: str) -> None:
    """A line for people, on standard error, so that standard output stays for results."""
    click.echo(text, err=True)


def progress(label: str) -> Callable[[Progress], None] | None:
    """A bar that redraws itself on a terminal; None elsewhere, where a log would fill with it."""
    if not sys.stderr.isatty():
        return None

    def draw(at: Progress) -> None:
        share = at.finished / at.of if at.of else 1.0
        bar = "#" * round(share * 30)
        failed = f", {at.failed} without an answer" if at.failed else ""
        click.echo(f"\r{label} [{bar:<30}] {at.finished}/{at.of}{failed}", nl=at.finished >= at.of, err=True)

    return draw
