"""A page as plain text for a terminal, with colour only where asked and no wider than asked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from fiel.core.report import Rate
from fiel.reports.escape import SENTENCE, plain, stdout
from fiel.reports.outline import Cell, Outline, Section, Table, Tone
from fiel.reports.page import Page

_CODES: Final[dict[Tone, str]] = {"good": "32", "bad": "31", "warn": "33", "quiet": "2"}
_BOLD: Final = "1"
_GAP: Final = 2
_LEAST_WIDTH: Final = 40
_NARROWEST: Final = 9
_BAR: Final = 21
_CELL: Final = 160


def render(page: Page) -> str:
    """The page, each line at most its ``width`` columns, with ANSI colour where it asks for it.

    What a reader may want only on demand is named and left out, unless the page asks for all of it.
    """
    outline = page.outline()
    if not page.full:
        outline = _without_folded(outline)
    return _Sheet(max(_LEAST_WIDTH, page.width), page.colour).whole(outline)


def _without_folded(outline: Outline) -> Outline:
    folded = [section.title for section in outline.sections if section.folded]
    if not folded:
        return outline
    kept = tuple(section for section in outline.sections if not section.folded)
    footer = f"Not shown: {', '.join(folded)} (--full shows all). {outline.footer or ''}".rstrip()
    return replace(outline, sections=kept, footer=footer)


class _Sheet:
    __slots__ = ("colour", "width")

    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour

    def whole(self, outline: Outline) -> str:
        lines = [*self.head(outline)]
        for section in outline.sections:
            lines += self.part(section)
        if outline.footer:
            lines += self.sentence(outline.footer, "quiet")
        return stdout("\n".join(line.rstrip() for line in lines) + "\n")

    def head(self, outline: Outline) -> Iterator[str]:
        yield from (self.paint(text, _BOLD) for text in wrap(plain(outline.title), self.width))
        yield ""
        for headline in outline.headlines:
            word = self.paint(plain(headline.word), f"{_BOLD};{_CODES.get(headline.tone, '39')}")
            bar = f"  {self.bar(headline.rate)}" if headline.rate is not None else ""
            yield f"  {word}{bar}"
            yield from self.sentence(headline.about, "plain")
        if outline.headlines:
            yield ""
        for notice in outline.notices:
            yield from self.sentence(notice.text, notice.tone, mark="! ")
        if outline.notices:
            yield ""
        aside = max((columns(name) for name, _ in outline.facts), default=0) + _GAP
        for name, text in outline.facts:
            first, *rest = wrap(plain(text, SENTENCE), self.width - aside - 2) or [""]
            yield f"  {self.paint(plain(name), '2')}{' ' * (aside - columns(name))}{first}"
            yield from (" " * (aside + 2) + line for line in rest)
        yield ""

    def part(self, section: Section) -> Iterator[str]:
        yield from (self.paint(text, _BOLD) for text in wrap(plain(section.title), self.width))
        for line in section.lines:
            yield from self.sentence(line.text, line.tone, mark="- ")
        if section.table is not None and section.table.rows:
            yield from self.table(section.table)
            if section.table.more:
                yield from self.sentence(section.table.more, "quiet")
        yield ""

    def sentence(self, text: str, tone: Tone, mark: str = "") -> Iterator[str]:
        for i, line in enumerate(wrap(plain(text, SENTENCE), self.width - 2 - len(mark))):
            yield f"  {mark if not i else ' ' * len(mark)}{self.tinted(line, tone)}"

    def table(self, table: Table) -> Iterator[str]:
        bars = any(cell.rate is not None for row in table.rows for cell in row) and self.width >= 100
        grid = [[plain(cell.text, _CELL) for cell in row] for row in table.rows]
        natural = [max(columns(title), *(columns(row[i]) for row in grid)) for i, title in enumerate(table.columns)]
        room = self.width - 2 - _GAP * (len(natural) - 1)
        extra = _BAR + 1
        at = _bar_column(table) if bars else None
        if at is not None and sum(natural) + extra <= room:
            natural[at] += extra
        else:
            at = None
        widths = fitted(natural, room)
        if widths is None:
            yield from self.records(table, grid)
            return
        header = [
            pad(clip(title, wide), wide, title in table.numeric)
            for title, wide in zip(table.columns, widths, strict=True)
        ]
        yield f"  {self.paint((' ' * _GAP).join(header).rstrip(), '2')}"
        for row, texts in zip(table.rows, grid, strict=True):
            yield from self.row(row, texts, widths, table, at)

    def row(
        self, row: Sequence[Cell], texts: Sequence[str], widths: Sequence[int], table: Table, bar_at: int | None
    ) -> Iterator[str]:
        wrapped = []
        for i, (cell, text) in enumerate(zip(row, texts, strict=True)):
            bar = f"{self.bar(cell.rate)} " if i == bar_at and cell.rate is not None else ""
            wrapped.append(wrap(bar + text, widths[i]) or [""])
        for line in range(max(len(lines) for lines in wrapped)):
            parts = []
            for i, lines in enumerate(wrapped):
                text = lines[line] if line < len(lines) else ""
                parts.append(self.tinted(pad(text, widths[i], table.columns[i] in table.numeric), row[i].tone))
            yield "  " + (" " * _GAP).join(parts)

    def records(self, table: Table, grid: Sequence[Sequence[str]]) -> Iterator[str]:
        """A table that does not fit, one line a cell."""
        for row, texts in zip(table.rows, grid, strict=True):
            for i, (title, cell, text) in enumerate(zip(table.columns, row, texts, strict=True)):
                if text:
                    lead = "  * " if not i else "    "
                    lines = wrap(f"{title}: {text}", self.width - 4)
                    yield lead + self.tinted(lines[0], cell.tone)
                    yield from (
                        "      " + self.tinted(more, cell.tone) for more in wrap(" ".join(lines[1:]), self.width - 6)
                    )

    def bar(self, rate: Rate) -> str:
        """The interval from 0 to 1 in text: ``·····├──●──┤·····``; dots alone where undefined."""
        marks = ["·"] * _BAR
        if rate.denominator:
            low, high = rate.interval or (0.0, 0.0)
            if rate.interval is not None:
                for i in range(_place(low), _place(high) + 1):
                    marks[i] = "─"
            marks[_place(rate.numerator / rate.denominator)] = "●"
        return "".join(marks)

    def tinted(self, text: str, tone: Tone) -> str:
        return self.paint(text, _CODES[tone]) if tone in _CODES and text.strip() else text

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(character) for character in text)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns, broken at spaces, and inside a word only where it is longer than a line."""
    lines: list[str] = []
    line, taken = "", 0
    for word in text.split(" "):
        size = columns(word)
        if line and taken + 1 + size <= width:
            line, taken = f"{line} {word}", taken + 1 + size
            continue
        if line:
            lines.append(line)
        while size > width:
            head = _head(word, width)
            lines.append(head)
            word = word[len(head) :]
            size = columns(word)
        line, taken = word, size
    if line:
        lines.append(line)
    return lines


def _head(word: str, width: int) -> str:
    """The beginning of a long word that fits, up to a mark between its parts where one is not too far back."""
    head = clip(word, width) or word[:1]
    cut = max(head.rfind(mark) for mark in "|/:_.-,")
    return head[: cut + 1] if cut >= len(head) // 2 else head


def clip(text: str, width: int) -> str:
    """The longest beginning of ``text`` that takes at most ``width`` columns."""
    taken = 0
    for i, character in enumerate(text):
        taken += _columns_of(character)
        if taken > width:
            return text[:i]
    return text


def pad(text: str, width: int, right: bool) -> str:
    """``text`` filled with spaces to ``width`` columns."""
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def fitted(natural: Sequence[int], room: int) -> list[int] | None:
    """Widths that sum to at most ``room``, the widest columns giving way first; None where too little is left."""
    widths = list(natural)
    least = [min(wide, _NARROWEST) for wide in natural]
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max(range(len(widths)), key=lambda i: widths[i] if widths[i] > least[i] else -1)
        widths[widest] -= 1
    return widths


def _bar_column(table: Table) -> int | None:
    """The column that has rates, where it is the only one; beside each other two bars would not be compared."""
    found = {i for row in table.rows for i, cell in enumerate(row) if cell.rate is not None}
    return found.pop() if len(found) == 1 else None


def _place(share: float) -> int:
    return min(_BAR - 1, max(0, round(share * (_BAR - 1))))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
