"""A page as one HTML file that asks nobody for anything: no script, no address, style only, by its hash."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final

from fiel.reports import svg
from fiel.reports.escape import SENTENCE
from fiel.reports.escape import html as safe
from fiel.reports.html_style import STYLE
from fiel.reports.outline import Cell, Headline, Outline, Section, Table
from fiel.reports.page import Page

FAILURES_SHOWN: Final = 500
_SHORT: Final = 18


def render(page: Page) -> str:
    """The whole file, readable in light, dark, on a phone, on paper and aloud."""
    return document(page.outline(FAILURES_SHOWN))


def document(outline: Outline) -> str:
    """An outline as a whole file."""
    title = safe(outline.title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{content_security_policy(STYLE)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            "<header>",
            svg.needle(),
            f"<h1><bdi>{title}</bdi></h1>",
            "</header>",
            "<main>",
            *_top(outline),
            *(line for section in outline.sections for line in section_html(section)),
            "</main>",
            f"<footer><p>{safe(outline.footer)}</p></footer>",
            "</body>",
            "</html>",
            "",
        ]
    )


def content_security_policy(style: str) -> str:
    """The policy under which only ``style``, to the letter, may act."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def section_html(section: Section) -> Iterator[str]:
    """One section, folded where its outline says so; also for other pages that show the same."""
    title = f"<h2><bdi>{safe(section.title)}</bdi></h2>"
    yield f"<details><summary>{title}</summary>" if section.folded else f"<section>{title}"
    if section.lines:
        yield "<ul>"
        yield from (
            f'<li class="{line.tone}"><bdi dir="ltr">{safe(line.text, SENTENCE)}</bdi></li>' for line in section.lines
        )
        yield "</ul>"
    if section.table is not None and section.table.rows:
        yield from _table(section.table, section.title)
    yield "</details>" if section.folded else "</section>"


def _top(outline: Outline) -> Iterator[str]:
    if outline.headlines:
        yield '<div class="headlines">'
        yield from (_headline(headline) for headline in outline.headlines)
        yield "</div>"
    for notice in outline.notices:
        yield f'<p class="notice {notice.tone}"><bdi dir="ltr">{safe(notice.text, SENTENCE)}</bdi></p>'
    if outline.facts:
        yield '<dl class="facts">'
        yield from (
            f'<div><dt>{safe(name)}</dt><dd><bdi dir="ltr">{safe(text, SENTENCE)}</bdi></dd></div>'
            for name, text in outline.facts
        )
        yield "</dl>"


def _headline(headline: Headline) -> str:
    bar = "" if headline.rate is None else svg.interval_bar(headline.rate, headline.about, width=300, scale=True)
    return (
        f'<div class="headline {headline.tone}"><p class="word"><bdi>{safe(headline.word)}</bdi></p>'
        f'<p><bdi dir="ltr">{safe(headline.about)}</bdi></p>{bar}</div>'
    )


# On a phone each row becomes a block, which would take the table's meaning from those who hear it: hence the roles.
def _table(table: Table, title: str) -> Iterator[str]:
    yield f'<table role="table"><caption>{safe(title)}</caption><thead role="rowgroup"><tr role="row">'
    yield from (
        f'<th role="columnheader" scope="col"{_number(name, table)}>{safe(name)}</th>' for name in table.columns
    )
    yield '</tr></thead><tbody role="rowgroup">'
    for row in table.rows:
        yield '<tr role="row">'
        for i, (name, cell) in enumerate(zip(table.columns, row, strict=True)):
            yield _cell(cell, name, table, row_header=i == 0, row_name=row[0].text)
        yield "</tr>"
    yield "</tbody></table>"
    if table.more:
        yield f'<p class="quiet">{safe(table.more)}</p>'


def _cell(cell: Cell, column: str, table: Table, *, row_header: bool, row_name: str) -> str:
    text = f"<bdi>{safe(cell.text)}</bdi>" if cell.text else ""
    if cell.code and text:
        # Identifiers of strata may break where their tags meet.
        text = f"<code>{text.replace('|', '|<wbr>')}</code>"
    if cell.rate is not None:
        text = f'<div class="measure">{svg.interval_bar(cell.rate, row_name, thin=cell.thin)}<span>{text}</span></div>'
    head = "th" if row_header else "td"
    role = 'role="rowheader" scope="row"' if row_header else 'role="cell"'
    tone = "" if cell.tone == "plain" else f" {cell.tone}"
    number = " number" if column in table.numeric else ""
    short = " short" if len(cell.text) <= _SHORT else ""
    kind = f' class="{(tone + number + short).strip()}"' if tone or number or short else ""
    return f'<{head} {role}{kind} data-column="{safe(column)}">{text}</{head}>'


def _number(column: str, table: Table) -> str:
    return ' class="number"' if column in table.numeric else ""
