"""Importing fiel, or asking its command line for help, pulls in nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
NEVER = {"asyncio", "httpx2", "jsonschema_rs", "numpy", "phonenumbers", "rich", "sqlite3", "stdnum", "tomlkit"}
AFTER = "import json; print(json.dumps(sorted(set(sys.modules) - before)))"


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after ``code``, and did not hold before."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; before = set(sys.modules); {code}; {AFTER}"],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.partition(".")[0] for name in json.loads(ran.stdout.splitlines()[-1])}


def test_importing_fiel_loads_nothing_that_a_reader_of_its_version_pays_for() -> None:
    loaded = loaded_by("import fiel")
    assert "fiel" in loaded
    assert loaded.isdisjoint(NEVER | {"click", "msgspec"})


def test_the_command_line_starts_without_what_only_some_commands_need() -> None:
    loaded = loaded_by("from fiel.cli import main")
    assert "click" in loaded
    assert loaded.isdisjoint(NEVER)


def test_the_measure_can_see_a_heavy_import() -> None:
    assert "asyncio" in loaded_by("import asyncio")
