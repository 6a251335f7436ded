"""What commands share on a screen: JSON or text, colour or none, progress where a terminal is watching."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fiel.offline.run import Progress


def emit(document: Any) -> None:
    """Print one JSON document on standard output, in ASCII and without what a build server takes for a command."""
    # Only a string can hold "##", and the escape in it is the same sign.
    click.echo(json.dumps(document, indent=2, allow_nan=False).replace("##", "#\\u0023"))


def visible(text: str) -> str:
    """Lines with text from outside in which nothing is hidden, and nothing is a command to a build server."""
    from fiel.reports.escape import SENTENCE, plain, stdout

    return stdout("\n".join(plain(line, SENTENCE) for line in text.split("\n")))


def colour() -> bool:
    """Whether standard output is a terminal that wants colour (NO_COLOR is respected)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def width() -> int:
    """The columns to lay out for: the terminal's, or 100 where there is none."""
    return max(60, min(160, shutil.get_terminal_size((100, 24)).columns))


def say(text: str) -> None:
    """A line for people, on standard error, so that standard output stays for results."""
    click.echo(text, err=True)


def deliver(text: str, out: Path | None) -> None:
    """Print a result, or write it to the file that was asked for and say so."""
    if out is None:
        click.echo(text.rstrip())
        return
    from fiel.wiring.release import write_text

    write_text(out, text)
    say(f"written to {out}")


@contextlib.contextmanager
def results_alone() -> Iterator[None]:
    """Inside, what anybody prints goes to standard error: a target's own prints must not end up in the result.

    That holds for what C code and child processes write too, unless a stream is closed or no real file.
    """
    try:
        kept, aside = os.dup(1), os.dup(2)
    except OSError:
        yield
        return
    try:
        sys.stdout.flush()
        os.dup2(aside, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(aside)


def progress(label: str) -> Bar | Lines:
    """How far something long has come, on standard error: a bar on a terminal, now and then a line elsewhere.

    To be entered with ``with``; what that gives is called with each :class:`Progress`.
    """
    watched = sys.stderr.isatty() and not os.environ.get("CI")
    return Bar(label) if watched else Lines(label)


class Bar:
    """One line that redraws itself, at most ten times a second."""

    def __init__(
        self, label: str, *, write: Callable[[str], object] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._label, self._write, self._clock = label, write or _unfinished, clock
        self._next_s = clock()
        self._drawn = False

    def __enter__(self) -> Bar:
        return self

    def __call__(self, at: Progress) -> None:
        now_s = self._clock()
        if now_s < self._next_s and at.finished < at.of:
            return
        self._next_s, self._drawn = now_s + 0.1, True
        bar = "#" * round((at.finished / at.of if at.of else 1.0) * 30)
        self._write(f"\r{self._label} [{bar:<30}] {_counted(at)}")

    def __exit__(self, *error: object) -> None:
        # What follows, an error as well as a report, starts on a line of its own.
        if self._drawn:
            self._write("\n")


class Lines:
    """A plain line every ``every_s`` seconds; something short prints none."""

    def __init__(
        self,
        label: str,
        *,
        every_s: float = 30.0,
        write: Callable[[str], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label, self._every_s, self._write, self._clock = label, every_s, write or _unfinished, clock
        self._next_s = clock() + every_s

    def __enter__(self) -> Lines:
        return self

    def __call__(self, at: Progress) -> None:
        now_s = self._clock()
        if now_s >= self._next_s:
            self._next_s = now_s + self._every_s
            self._write(f"{self._label}: {_counted(at)}\n")

    def __exit__(self, *error: object) -> None:
        return


def _counted(at: Progress) -> str:
    return f"{at.finished}/{at.of}" + (f", {at.failed} without an answer" if at.failed else "")


def _unfinished(text: str) -> None:
    click.echo(text, nl=False, err=True)
