"""What CONTRIBUTING.md tells a newcomer to write, works as written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fiel.core.case import Case
from fiel.core.grader import fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict

ROOT = Path(__file__).parents[2]


def written() -> type[Any]:
    """The grader class of the page's example."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S)
    # Dataclasses with slots look their module up by name.
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    grader: type[Any] = names["Greets"]
    return grader


def item(output: Any) -> Item:
    return Item(case=Case(id="c1", input="Hi"), output=output)


def test_the_grader_of_the_guide_passes_fails_and_says_when_it_cannot() -> None:
    grader = written()()
    assert grader.grade(item("Hello, Ana")) == Verdict(passed=True, label="greets")
    assert grader.grade(item("No.")) == Verdict(passed=False, label="silent")
    assert grader.grade(item(None)) == Ungraded(reason="not_text")


def test_a_changed_setting_is_a_changed_grader_as_the_guide_says() -> None:
    grader = written()
    assert fingerprint(grader()) != fingerprint(grader(greetings=("hello", "olá")))


def test_every_room_that_the_guide_draws_is_there_and_none_is_left_out() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^  (\w+(?:/|\.py)) ", page, flags=re.M))
    house = ROOT / "src" / "fiel"
    folders = {f"{path.name}/" for path in house.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    modules = {path.name for path in house.glob("*.py") if not path.name.startswith("_")}
    assert drawn == folders | modules
