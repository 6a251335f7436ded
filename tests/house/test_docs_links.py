"""Every relative link in the documentation leads somewhere, heading included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]+`")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#{1,6} +(.+?) *$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, text: str) -> list[str]:
    """The links in ``text``, read as standing in ``page``, that lead nowhere."""
    found = []
    for link in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


def test_every_page_of_the_docs_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = LINK.findall(CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8"))))
        targets = [(page.parent / link.partition("#")[0]).resolve() for link in links if ":" not in link]
        waiting += [one for target in targets for one in (sorted(target.glob("*.md")) if target.is_dir() else [target])]
    assert set(PAGES) - reached == set()


def test_a_broken_link_is_seen() -> None:
    page = ROOT / "README.md"
    assert broken(page, "[a](docs/nowhere.md) [b](docs/index.md) [c](docs/glossary.md#nothing)") == [
        "docs/nowhere.md",
        "docs/glossary.md#nothing",
    ]


def test_a_link_inside_code_is_not_a_link() -> None:
    assert broken(ROOT / "README.md", "`[a](nowhere.md)`\n```\n[b](nowhere.md)\n```\n") == []
