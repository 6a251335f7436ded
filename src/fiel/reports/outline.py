"""An outline is what a page says, before any format says how: headline, facts, sections, tables.

Reports, decisions and diffs each become one outline; each format writes outlines. So every format says the
same, a new format is one file, and a new fact is one line. Texts in an outline are raw: a format escapes all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fiel.core.report import Rate

Tone = Literal["plain", "good", "bad", "warn", "quiet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table; ``code`` sets identifiers and values apart, ``rate`` asks for an interval bar.

    ``thin`` says that few cases stand behind the rate, so that its bar is drawn fainter.
    """

    text: str
    tone: Tone = "plain"
    code: bool = False
    rate: Rate | None = None
    thin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One sentence, at most ``escape.SENTENCE`` characters of which are shown."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under titles; ``numeric`` names the columns set to the right. ``more`` says what was left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numeric: frozenset[str] = frozenset()
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled part: sentences, then a table. ``folded`` where a reader may want it only on demand."""

    title: str
    lines: tuple[Line, ...] = ()
    table: Table | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The one thing to see first: a word or a number, what it is, and its rate where it is one."""

    word: str
    about: str
    tone: Tone = "plain"
    rate: Rate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A whole page."""

    title: str
    headlines: tuple[Headline, ...] = ()
    notices: tuple[Line, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    sections: tuple[Section, ...] = ()
    footer: str = ""


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(Cell(text=text) for text in texts)
