"""An exception of the system under test: its type and the user's own line it came from, never its text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from fiel.adapters.targets.answers import short
from fiel.core.errors import TargetFailure

_MAX_TEXT: Final = 300
_INSTALLED: Final = frozenset({"site-packages", "dist-packages", "node_modules"})


def crash(error: BaseException, roots: Sequence[Path]) -> TargetFailure:
    """The TargetFailure ``crash`` for an exception: ``ValueError`` and, as its place, ``targets.py:12``.

    Its text is left out: a parser's error quotes what it could not read, which is the case's own document, and the
    failure goes into reports. Of ``sys.exit(3)`` the number is said, ``SystemExit: 3``.
    The place is the deepest frame whose file lies under one of ``roots`` (the user's own sources), relative to it;
    empty when there is none. Of the frames nothing else is read: no locals, no source line.
    """
    place = place_of(error.__traceback__, roots)
    if not place and error.__cause__ is not None:
        # A StopIteration that leaves a coroutine becomes a RuntimeError without the coroutine's frame.
        place = place_of(error.__cause__.__traceback__, roots)
    # A StopIteration that leaves a coroutine is one by its cause alone.
    name = type(error.__cause__ if isinstance(error.__cause__, StopIteration) else error).__name__[:80]
    if isinstance(error, SystemExit) and type(error.code) is int:
        name += f": {error.code}"
    return TargetFailure("crash", name, place=place)


def told(error: BaseException) -> str:
    """``Type: text`` of what no case was asked of yet, on one bounded line, even where ``str()`` raises."""
    # A StopIteration that leaves a coroutine is one by its cause alone.
    name = type(error.__cause__ if isinstance(error.__cause__, StopIteration) else error).__name__[:80]
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be read)"
    return f"{name}: {short(text, _MAX_TEXT)[1:-1]}" if text else name


def place_of(traceback: TracebackType | None, roots: Sequence[Path]) -> str:
    """File and line of the deepest frame under one of ``roots``, as ``agents/flow.py:12``; ``""`` when none is."""
    place = ""
    while traceback is not None:
        own = relative(traceback.tb_frame.f_code.co_filename, roots)
        if own:
            place = f"{own}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


def relative(filename: str, roots: Sequence[Path]) -> str:
    """The file's path below the first root that holds it, or ``""``; what is installed inside a root is not in it."""
    path = Path(filename)
    for root in roots:
        if path.is_relative_to(root):
            inside = path.relative_to(root)
            if _INSTALLED.isdisjoint(inside.parts):
                return inside.as_posix()
    return ""
