"""Installing fiel brings in few packages, counted from what each one says it needs."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
MOST = 25


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(requirements: list[str]) -> set[str]:
    """Every distribution that these requirements bring in here, extras included, by normalised name."""
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(line), "") for line in requirements]
    while waiting:
        needed, extra = waiting.pop()
        if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
            continue
        name = normal(needed.name)
        for wanted in ("", *sorted(needed.extras)):
            if (name, wanted) not in seen:
                seen.add((name, wanted))
                waiting += [(Requirement(line), wanted) for line in metadata.requires(name) or []]
    return {name for name, _ in seen}


def declared() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dependencies: list[str] = project["dependencies"]
    return dependencies


def test_a_base_install_is_at_most_25_packages() -> None:
    packages = {"fiel"} | closure(declared())
    assert {"fiel", "click", "httpx2", "msgspec", "rich"} <= packages
    assert len(packages) <= MOST, sorted(packages)


def test_the_runtime_lock_holds_what_a_base_install_needs_and_nothing_else() -> None:
    lock = (ROOT / "requirements" / "runtime.lock").read_text(encoding="utf-8")
    pinned = [Requirement(line.removesuffix("\\").strip()) for line in lock.splitlines() if "==" in line]
    here = {normal(one.name) for one in pinned if one.marker is None or one.marker.evaluate()}
    assert here == closure(declared())


def test_numpy_and_scipy_are_not_needed_to_run() -> None:
    assert closure(declared()).isdisjoint({"numpy", "scipy", "pandas", "statsmodels"})


def test_the_count_follows_what_a_package_needs() -> None:
    assert {"pytest", "pluggy", "iniconfig"} <= closure(["pytest"])
    assert closure(["click; extra == 'never'"]) == set()
