"""A workspace on disk, the real command run in it, and the data sets beside the checkout that nobody here wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import fiel

SHARED = Path(__file__).parents[3] / "shared" / "datasets"
MANIFEST = """
[manifest]
prompt_version = "none"
model_identifier = "{model}"
tool_schema_version = "none"
policy_version = "2026-09"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What one command left: its exit code, and both of its texts."""

    code: int
    out: str
    err: str


class Desk:
    """A folder with a workspace in it, and ``python -m fiel`` to use it with."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def configure(self, settings: str, *, model: str = "rules (deterministic, no model)") -> None:
        self.write("fiel.toml", settings + MANIFEST.format(model=model))

    def dataset(
        self, split: str, cases: Iterable[Mapping[str, Any]], *, name: str = "", strata: Iterable[str] = ()
    ) -> None:
        """``datasets/<split>.jsonl`` with its TOML, not pinned yet."""
        lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
        self.write(f"datasets/{split}.jsonl", lines)
        said = {"name": name or split, "version": "1", "split": split, "strata": list(strata)}
        self.write(f"datasets/{split}.toml", "".join(f"{key} = {json.dumps(value)}\n" for key, value in said.items()))

    def fiel(self, *arguments: str, code: int | None = 0) -> Done:
        """Run the command as a user does; ``code`` is the exit code that it must end with (None: any)."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
        environment |= {"PYTHONPATH": str(Path(fiel.__file__).parents[1]), "COLUMNS": "250", "NO_COLOR": "1"}
        ended = subprocess.run(
            [sys.executable, "-m", "fiel", *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        done = Done(code=ended.returncode, out=ended.stdout, err=ended.stderr)
        assert code is None or done.code == code, f"exit {done.code}, expected {code}\n{done.out}\n{done.err}"
        return done

    def said(self, *arguments: str, code: int | None = 0) -> Any:
        """The JSON that a command prints."""
        return json.loads(self.fiel(*arguments, "--json", code=code).out)

    def report(self, run: str) -> dict[str, Any]:
        return self._json(f"{run}/report.json")

    def decision(self, run: str) -> dict[str, Any]:
        return self._json(f"{run}/decision.json")

    def lines(self, path: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.root / path).read_text(encoding="utf-8").split("\n") if line]

    def _json(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / path).read_text(encoding="utf-8"))
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "workspace")


@pytest.fixture(scope="session")
def new_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Desk]:
    """A workspace that several tests look at."""
    return lambda name: Desk(tmp_path_factory.mktemp(name))


@pytest.fixture(scope="session")
def rows() -> Callable[[str], list[dict[str, Any]]]:
    """The rows of a data set by its name; skips where it is not on this machine."""

    def read(name: str) -> list[dict[str, Any]]:
        path = SHARED / name / "data.jsonl"
        if not path.is_file():
            pytest.skip(f"the data set {name} is not beside this checkout")
        return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]

    return read


@pytest.fixture(scope="session")
def wilson() -> Callable[[int, int], tuple[float, float]]:
    """Wilson's 95 % interval of ``hits`` of ``of`` independent counts, by its textbook formula."""

    def interval(hits: int, of: int) -> tuple[float, float]:
        z, p = 1.959963984540054, hits / of
        middle, half = p + z * z / (2 * of), z * sqrt(p * (1 - p) / of + z * z / (4 * of * of))
        return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)

    return interval
