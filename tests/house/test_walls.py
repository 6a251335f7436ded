"""Each wall of the house is broken once, in a copy, and seen to be the one that reports it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
Plant = Callable[..., Path]


def lint(root: Path, *contracts: str) -> tuple[dict[str, bool], str]:
    """What import-linter says of the copy: contract name to whether it was kept, and the whole text."""
    chosen = [part for contract in contracts for part in ("--contract", contract)]
    ran = subprocess.run(
        [BIN / "lint-imports", "--no-logo", "--no-cache", *chosen],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    text = ran.stdout + ran.stderr
    found = re.findall(r"^(.+?) (KEPT|BROKEN)", text, flags=re.M)
    assert found, text
    kept = {name: said == "KEPT" for name, said in found}
    assert (ran.returncode == 0) == all(kept.values()), text
    return kept, text


def house(root: Path) -> tuple[int, str]:
    ran = subprocess.run(
        [sys.executable, root / "tools" / "check_house.py", root], capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The house in another place, where walls may be broken."""
    skip = shutil.ignore_patterns("__pycache__", ".*_cache")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=skip)
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.fixture
def plant(copy: Path) -> Plant:
    """Writes one more module into the copy, at a path below ``src/fiel``, with any folders it needs."""

    def write(where: str, *lines: str) -> Path:
        path = copy / "src" / "fiel" / where
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in path.relative_to(copy / "src").parents:
            if folder.parts and not (copy / "src" / folder / "__init__.py").exists():
                (copy / "src" / folder / "__init__.py").touch()
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write


def test_the_house_as_it_stands_keeps_every_wall(copy: Path) -> None:
    kept, text = lint(copy)
    assert all(kept.values()), text
    assert len(kept) == 7
    assert house(copy) == (0, "house: lengths, names and pure rooms are in order\n")


FLOORS = "Floors"
PURE = "Pure rooms"
FEATURES = "Features and the engine"
CELLAR = "The cellar"
NEXT_DOOR = "Adapters of different ports"
WIRING = "Only the wiring"
CIRCLES = "No circle"

IMPORTS = [
    pytest.param("floors", FLOORS, "core/planted.py", "import fiel.stats.intervals", id="the cellar looks up"),
    pytest.param("floors", FLOORS, "stats/planted.py", "import fiel.ports", id="numbers know a port"),
    pytest.param("floors", FLOORS, "offline/planted.py", "import fiel.wiring", id="a room knows the wiring"),
    pytest.param("floors", FLOORS, "wiring/planted.py", "import fiel.cli", id="the wiring knows a door"),
    pytest.param("floors", FLOORS, "harness/planted.py", "import fiel.graders", id="the engine knows a room"),
    pytest.param("floors", FLOORS, "gate/planted.py", "import fiel.offline", id="a room knows another room"),
    pytest.param("floors", FLOORS, "reports/planted.py", "import fiel.gate", id="a catalogue knows a feature"),
    pytest.param("floors", FLOORS, "examples/planted.py", "import fiel.testing", id="an example knows a stand-in"),
    pytest.param("floors", FLOORS, "attic/__init__.py", "", id="a new folder has no floor"),
    pytest.param("floors", FLOORS, "attic.py", "", id="a new module has no floor"),
    pytest.param("pure", PURE, "core/planted.py", "import pathlib", id="a value reads files"),
    pytest.param("pure", PURE, "stats/planted.py", "import time", id="a number reads the clock"),
    pytest.param("pure", PURE, "personal/planted.py", "import os", id="a recogniser reads the environment"),
    pytest.param("pure", PURE, "graders/planted.py", "import httpx2", id="a grader calls the network"),
    pytest.param("pure", PURE, "graders/planted.py", "import asyncio", id="a grader waits"),
    pytest.param("pure", PURE, "reports/planted.py", "from urllib.request import urlopen", id="a report fetches"),
    pytest.param("features", FEATURES, "offline/planted.py", "import sqlite3", id="a feature opens a database"),
    pytest.param("features", FEATURES, "gate/planted.py", "import pathlib", id="the gate reads files"),
    pytest.param("features", FEATURES, "harness/planted.py", "import subprocess", id="the engine starts a process"),
    pytest.param("cellar", CELLAR, "core/planted.py", "import msgspec", id="a value needs a library"),
    pytest.param("cellar", CELLAR, "core/planted.py", "import numpy", id="a value needs numpy"),
    pytest.param(
        "next-door", NEXT_DOOR, "adapters/targets/planted.py", "import fiel.adapters.journals", id="adapters meet"
    ),
    pytest.param("next-door", NEXT_DOOR, "adapters/rockets/__init__.py", "", id="an adapter folder has no port"),
    pytest.param("wiring", WIRING, "cli/planted.py", "import fiel.adapters.journals", id="a door knows an adapter"),
    pytest.param("wiring", WIRING, "offline/planted.py", "import fiel.adapters.files", id="a room knows an adapter"),
]


@pytest.mark.parametrize(("contract", "name", "where", "line"), IMPORTS)
def test_a_planted_import_breaks_its_wall(
    copy: Path, plant: Plant, contract: str, name: str, where: str, line: str
) -> None:
    plant(where, line)
    kept, text = lint(copy, contract)
    assert [said for called, said in kept.items() if called.startswith(name)] == [False], text
    assert Path(where).stem in text or Path(where).parts[-2] in text


def test_a_circle_among_siblings_is_found(copy: Path, plant: Plant) -> None:
    plant("graders/egg.py", "import fiel.graders.hen")
    plant("graders/hen.py", "import fiel.graders.egg")
    kept, text = lint(copy, "circles")
    assert [said for called, said in kept.items() if called.startswith(CIRCLES)] == [False], text
    assert "hen" in text


def test_a_deep_circle_is_found(copy: Path, plant: Plant) -> None:
    plant("adapters/journals/nest/egg.py", "import fiel.adapters.journals.nest.hen")
    plant("adapters/journals/nest/hen.py", "from fiel.adapters.journals.nest import egg")
    kept, text = lint(copy, "circles")
    assert [said for called, said in kept.items() if called.startswith(CIRCLES)] == [False], text


def test_a_room_is_not_pure_by_a_detour_either(copy: Path, plant: Plant) -> None:
    plant("core/detour.py", "import socket")
    plant("graders/planted.py", "import fiel.core.detour")
    kept, text = lint(copy, "pure")
    assert not all(kept.values())
    assert "fiel.graders.planted -> fiel.core.detour" in text


def test_a_file_of_401_lines_is_too_long_and_one_of_400_is_not(copy: Path, plant: Plant) -> None:
    path = plant("gate/planted.py", *["x = 1"] * 400)
    assert house(copy)[0] == 0
    path.write_text("x = 1\n" * 401, encoding="utf-8")
    code, text = house(copy)
    assert code == 1
    assert text == "src/fiel/gate/planted.py: 401 lines; a file has at most 400\n"


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "shared", "base", "misc", "manager", "_utils"])
def test_a_name_that_says_nothing_is_refused_for_files_and_folders(copy: Path, plant: Plant, name: str) -> None:
    plant(f"gate/{name}.py", "")
    plant(f"offline/{name}/thing.py", "")
    code, text = house(copy)
    assert code == 1
    assert f"src/fiel/gate/{name}.py: " in text
    assert f"src/fiel/offline/{name}/thing.py: " in text


@pytest.mark.parametrize(
    ("where", "line", "said"),
    [
        ("core/planted.py", "import attrs", 'imports "attrs"'),
        ("core/planted.py", "from pandas.core import frame", 'imports "pandas"'),
        ("reports/planted.py", "open('page.html')", "calls open()"),
        ("offline/planted.py", "open('cases.jsonl')", "calls open()"),
        ("graders/planted.py", "from datetime import datetime; datetime.now()", "reads the clock"),
        ("stats/planted.py", "import random; random.shuffle([])", "draws from the global generator"),
    ],
)
def test_what_no_import_shows_is_found_too(copy: Path, plant: Plant, where: str, line: str, said: str) -> None:
    plant(where, line)
    code, text = house(copy)
    assert code == 1
    assert f"src/fiel/{where}:1: {said}" in text
    assert text.count("\n") == 1
