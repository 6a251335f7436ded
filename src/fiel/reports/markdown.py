"""A page as GitHub-flavoured Markdown, for ``report.md`` and for comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fiel.reports.escape import SENTENCE, markdown, markdown_cell, markdown_code
from fiel.reports.outline import Cell, Headline, Outline, Section, Table, Tone
from fiel.reports.page import Page

_MARKS: Final[dict[Tone, str]] = {"good": "✅ ", "bad": "❌ ", "warn": "⚠️ "}


def render(page: Page) -> str:
    """The whole page; its ``width`` and ``colour`` have no meaning here."""
    outline = page.outline()
    body = (line for section in outline.sections for line in part(section))
    return "\n".join([*head(outline), *body, *foot(outline)])


def head(outline: Outline) -> Iterator[str]:
    """Title, headlines, notices and facts."""
    yield from (f"# {markdown(outline.title)}", "")
    for headline in outline.headlines:
        yield from (_headline(headline), "")
    for notice in outline.notices:
        yield from (f"> {_MARKS.get(notice.tone, '')}{markdown(notice.text, SENTENCE)}", "")
    for name, text in outline.facts:
        yield f"- **{markdown(name)}:** {markdown(text, SENTENCE)}"
    yield ""


def part(section: Section, *, fold: bool = False) -> Iterator[str]:
    """One section; inside ``<details>`` where it may be folded and ``fold`` is true."""
    folded = fold and section.folded
    if folded:
        yield from ("<details>", f"<summary>{markdown(section.title)}</summary>", "")
    else:
        yield from (f"## {markdown(section.title)}", "")
    if section.lines:
        yield from (f"- {_MARKS.get(line.tone, '')}{markdown(line.text, SENTENCE)}" for line in section.lines)
        yield ""
    if section.table is not None:
        yield from _table(section.table)
    if folded:
        yield from ("</details>", "")


def foot(outline: Outline) -> Iterator[str]:
    """The last line."""
    if outline.footer:
        yield from ("---", "", markdown(outline.footer), "")


def _headline(headline: Headline) -> str:
    return f"{_MARKS.get(headline.tone, '')}**{markdown(headline.word)}**: {markdown(headline.about)}"


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(markdown_cell(title) for title in table.columns)} |"
    yield f"|{'|'.join('---:' if title in table.numeric else '---' for title in table.columns)}|"
    for row in table.rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"
    yield ""
    if table.more:
        yield from (markdown(table.more), "")


def _cell(cell: Cell) -> str:
    return markdown_code(cell.text) if cell.code else markdown_cell(cell.text)
