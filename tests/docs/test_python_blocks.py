"""Every Python block of the documentation runs as it stands.

The blocks of a page are one program, run in order with one set of names, in a fresh workspace of the RelayOps example.
"""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from fiel.examples import files

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if BLOCK.search(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path) -> None:
    for name, content in dict(files("relayops")).items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    text = page.read_text(encoding="utf-8")
    # Dataclasses with slots look their module up by name.
    names: dict[str, Any] = {"__name__": __name__}
    for block in BLOCK.finditer(text):
        # Blank lines in front, so that a traceback names the line of the page.
        padding = "\n" * text.count("\n", 0, block.start(1))
        with chdir(tmp_path):
            exec(compile(padding + block[1], str(page.relative_to(ROOT)), "exec"), names)


def test_the_reference_of_the_public_names_is_among_the_pages() -> None:
    assert ROOT / "docs" / "reference" / "python.md" in PAGES
