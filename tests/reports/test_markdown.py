from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from markdown_it import MarkdownIt

from fiel.core.decision import Decision
from fiel.core.report import Report
from fiel.reports import render, render_decision, render_diff

GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def tags(markdown: str) -> set[str]:
    return set(re.findall(r"<[^>]*>", re.sub(r' style="text-align:right"', "", GFM.render(markdown))))


EXPECTED = {
    f"<{slash}{name}>"
    for slash in ("", "/")
    for name in (
        *("h1", "h2", "p", "ul", "li", "strong", "blockquote", "code", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    )
} | {"<hr />"}


@pytest.mark.parametrize("name", ["md", "github"])
def test_hostile_text_adds_no_element(
    bad_report: Report, bad_decision: Decision, bad_diff: Mapping[str, object], name: str
) -> None:
    for page in (
        render(bad_report, name, decision=bad_decision),
        render_decision(bad_decision, name),
        render_diff(bad_diff, name),
    ):
        assert tags(page) <= EXPECTED


@pytest.mark.parametrize("name", ["md", "github"])
def test_hostile_text_opens_no_cell_and_no_row(bad_report: Report, hostile: str, name: str) -> None:
    page = GFM.render(render(bad_report, name))
    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        widths = {row.count("</td>") + row.count("</th>") for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)}
        assert len(widths) == 1, hostile[:40]


def test_hostile_text_is_read_as_it_was_written(hostile: str) -> None:
    from html import unescape

    from fiel.reports.escape import markdown, markdown_cell, markdown_code, plain

    shown = plain(hostile, 100).strip()
    for written in (markdown(hostile, 100), markdown_cell(hostile, 100), markdown_code(hostile, 100)):
        for before in ("x ", "- ", "> ", "# ", "- **x** "):
            read = unescape(re.sub(r"</?(?:code|p|ul|li|h1|blockquote|strong)>", "", GFM.render(before + written)))
            assert read.strip() == f"{before.strip('->#* ')} {shown}".strip()


def test_no_mention_no_link_no_issue_is_made(bad_report: Report) -> None:
    page = render(bad_report, "md")
    outside_code = re.sub(r"`[^`\n]*`|<code>.*?</code>|&#\d+;", " ", page)
    assert not re.search(r"@\w|#\d|://|www\.\w", outside_code)
