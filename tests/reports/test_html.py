from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from html.parser import HTMLParser

import pytest

from fiel.core.decision import Decision
from fiel.core.report import Rate, Report
from fiel.reports import render, render_decision, render_diff, svg

VOID = {"meta", "wbr", "line", "rect", "circle", "path"}
ALLOWED = VOID | {
    *("html", "head", "title", "style", "body", "header", "main", "footer", "h1", "h2", "p", "div", "span", "bdi"),
    *("section", "details", "summary", "ul", "li", "dl", "dt", "dd", "code", "svg", "text"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "dir", "charset", "name", "content", "http-equiv", "class", "role", "scope", "data-column", "aria-label"),
    *("aria-hidden", "focusable", "viewbox", "width", "height", "x", "y", "x1", "x2", "y1", "y2", "rx", "cx", "cy"),
    *("r", "d", "text-anchor"),
}


class Strict(HTMLParser):
    """Fails on an element or attribute that is not ours, and on a tag that does not close where it should."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.policy = ""
        self.style = ""
        self.labels: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        assert len({name for name, _ in attrs}) == len(attrs), attrs
        found = dict(attrs)
        if tag == "svg" and found.get("role") == "img":
            self.labels.append(found["aria-label"] or "")
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def parsed(page: str) -> Strict:
    parser = Strict()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def test_the_page_is_well_formed_and_every_bar_has_words(report: Report, decision: Decision) -> None:
    found = parsed(render(report, "html", decision=decision))
    assert any("16 of 24 for success" in label and "95 % interval 38.0 to 87.0 %" in label for label in found.labels)
    assert all(found.labels)


def test_the_policy_lets_only_this_style_act(report: Report) -> None:
    found = parsed(render(report, "html"))
    digest = base64.b64encode(hashlib.sha256(found.style.encode()).digest()).decode()
    assert found.policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "unsafe" not in found.policy


@pytest.mark.parametrize("word", ["http://", "https://", "javascript:", "<script", "url(", "@import", "style=", "src="])
def test_the_page_asks_nobody_for_anything(report: Report, decision: Decision, word: str) -> None:
    assert word not in render(report, "html", decision=decision)


def test_hostile_text_adds_no_element_no_attribute_and_no_address(
    bad_report: Report, bad_decision: Decision, bad_diff: Mapping[str, object]
) -> None:
    for page in (
        render(bad_report, "html", decision=bad_decision),
        render_decision(bad_decision, "html"),
        render_diff(bad_diff, "html"),
    ):
        parsed(page)
        assert not re.search(r"https?://|javascript:|<script|<img", page)


def test_hostile_text_is_shown_as_it_was_written(bad_report: Report, hostile: str) -> None:
    from fiel.reports.escape import plain

    assert plain(hostile) in "".join(parsed(render(bad_report, "html")).text)


def test_every_table_has_a_caption_scopes_and_roles(report: Report) -> None:
    page = render(report, "html")
    assert page.count("<table") == page.count("<caption") == page.count('<tbody role="rowgroup">')
    assert page.count("<th ") == page.count('scope="col"') + page.count('scope="row"')
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_a_bar_puts_its_dot_at_the_value_and_its_band_on_the_interval() -> None:
    bar = svg.interval_bar(Rate(numerator=1, denominator=2, value=0.5, interval=(0.25, 0.75)), "half", width=112)
    assert 'cx="56.0"' in bar
    assert 'x="31.0" y="5" width="50"' in bar
    assert 'aria-label="half: 50.0 % (1 of 2), 95 % interval 25.0 to 75.0 %"' in bar


def test_an_undefined_rate_has_no_dot() -> None:
    bar = svg.interval_bar(Rate(numerator=0, denominator=0, value=None, interval=None), "none")
    assert "<circle" not in bar
    assert "undefined (0 of 0)" in bar
