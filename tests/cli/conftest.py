"""A shell in a workspace of its own: every command is a real process with a real exit code."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fiel.cli import run

SRC = Path(__file__).parents[2] / "src"
CONFIG = """
datasets.dev = "dev.jsonl"
targets.answer.python = "targets:answer"
graders.exact = {}
gate.metric = "exact"
manifest = { prompt_version = "1", model_identifier = "none (a rule)", tool_schema_version = "1", policy_version = "1" }
"""
TARGETS = "def answer(question):\n    return question\n"


class Done:
    """What a command left behind: its exit ``code``, and what it said on both streams."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


class Shell:
    """A folder in which commands run, away from this checkout's git and from the user's settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def environment(self, extra: Mapping[str, str] = {}) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "FIEL_"))}
        for name in ("CI", "NO_COLOR", "FORCE_COLOR", "PYTHONWARNINGS"):
            kept.pop(name, None)
        return kept | {"PYTHONPATH": str(SRC), "GIT_CEILING_DIRECTORIES": str(self.folder.parent)} | extra

    def argv(self, *arguments: str | Path) -> list[str]:
        return [sys.executable, "-m", "fiel", *map(str, arguments)]

    def __call__(self, *arguments: str | Path, env: Mapping[str, str] = {}, timeout: float = 60, **popen: Any) -> Done:
        done = subprocess.run(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.environment(env),
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
            **popen,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def inside(self, *arguments: str | Path) -> Done:
        """The same command in this process: the exit code is what ``main`` would end with. For tables of errors."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(list(map(str, arguments)))
        return Done(code, out.getvalue(), err.getvalue())

    def report(self, name: str) -> dict[str, Any]:
        return json.loads((self.folder / name / "report.json").read_bytes())

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_bytes().split(b"\n") if line]


class Workspaces:
    """Small workspaces made from lines, a target and a configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self,
        cases: Sequence[Mapping[str, Any]] | bytes = ({"id": "a", "input": "x", "expected": "x"},),
        *,
        targets: str = TARGETS,
        config: str = CONFIG,
        pinned: bool = True,
    ) -> Shell:
        content = cases if isinstance(cases, bytes) else b"".join(json.dumps(case).encode() + b"\n" for case in cases)
        (self.folder / "fiel.toml").write_text(config)
        (self.folder / "targets.py").write_text(targets)
        self.dataset("dev", content)
        shell = Shell(self.folder)
        if pinned:
            done = shell.inside("dataset", "pin", "dev")
            assert done.code == 0, done
        return shell

    def dataset(self, split: str, content: bytes) -> None:
        (self.folder / f"{split}.jsonl").write_bytes(content)
        (self.folder / f"{split}.toml").write_text(f'name = "{split}"\nversion = "1"\nsplit = "{split}"\nstrata = []\n')


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty folder."""
    folder = tmp_path / "w"
    folder.mkdir()
    return Shell(folder)


@pytest.fixture
def workspace(shell: Shell) -> Workspaces:
    """Call it to get a shell in a small workspace."""
    return Workspaces(shell.folder)


@pytest.fixture(scope="session")
def shell_in() -> type[Shell]:
    """Call it with a folder to get a shell there."""
    return Shell


@pytest.fixture(scope="session")
def base_config() -> str:
    """The configuration of a small workspace, to be changed."""
    return CONFIG
