"""The picture in the README shows what the commands in it print today."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "gate.svg"


def test_the_picture_is_what_the_gate_prints(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, ROOT / "tools" / "picture.py", tmp_path / "gate.svg"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=True,
        capture_output=True,
    )
    drawn = (tmp_path / "gate.svg").read_text(encoding="utf-8")
    assert drawn == PICTURE.read_text(encoding="utf-8"), "the gate prints something else now: `make picture`"


def test_the_picture_asks_for_nothing_from_outside_and_tells_its_story() -> None:
    tree = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    assert {element.tag.rpartition("}")[2] for element in tree.iter()} == {"svg", "style", "rect", "text", "tspan"}
    text = "".join(tree.itertext())
    assert "url(" not in text
    for words in ("BLOCK", "tenant-crux|contract-notice|adversarial", "0.5556 -> 0.6667", "hd-0005"):
        assert words in text
