"""Each lane of CI is seen to fail on a planted defect: a lane that cannot fail guards nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READY = ".venvs/test/.ready"
SLOW = pytest.mark.skipif(
    os.environ.get("FIEL_REQUIRE") != "1", reason="takes half a minute; FIEL_REQUIRE=1 (as in CI) runs it"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout in another place, with the environment that runs this test as its own."""
    skip = shutil.ignore_patterns("__pycache__", ".*_cache")
    for folder in ("src", "tools", ".ci"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skip)
    for file in ("Makefile", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / ".venvs").mkdir()
    (tmp_path / ".venvs" / "test").symlink_to(sys.prefix)
    return tmp_path


@pytest.fixture
def cellar(copy: Path) -> Path:
    """The same with the cellar alone, so that only what is planted can be wrong."""
    for path in (copy / "src" / "fiel").iterdir():
        if path.is_dir() and path.name != "core":
            shutil.rmtree(path)
        elif path.is_file() and path.name not in ("__init__.py", "py.typed"):
            path.unlink()
    return copy


def make(copy: Path, *words: str, require: str = "0") -> tuple[int, str]:
    """Exit code and text of ``make``, told that the environment needs no building."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "MAKE", "MFLAGS"))}
    env["FIEL_REQUIRE"] = require
    ran = subprocess.run(
        ["make", "--old-file", READY, "TESTS=tests", *words],
        cwd=copy,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_the_lint_lane_fails_on_an_unused_import(cellar: Path) -> None:
    (cellar / "src/fiel/core/planted.py").write_text("import json\n")
    code, text = make(cellar, "lint")
    assert code != 0
    assert "F401" in text


def test_the_lint_lane_fails_on_a_line_that_is_not_in_the_house_format(cellar: Path) -> None:
    (cellar / "src/fiel/core/planted.py").write_text("x = {'a':1}\n")
    code, text = make(cellar, "lint")
    assert code != 0
    assert "src/fiel/core/planted.py" in text
    assert "1 file would be reformatted" in text


def test_the_lint_lane_fails_on_a_file_that_is_too_long(cellar: Path) -> None:
    (cellar / "src/fiel/core/planted.py").write_text("x = 1\n" * 401)
    code, text = make(cellar, "lint")
    assert code != 0
    assert "401 lines" in text


def test_the_walls_lane_fails_on_a_forbidden_import(copy: Path) -> None:
    (copy / "src/fiel/core/planted.py").write_text("import socket\n")
    code, text = make(copy, "walls")
    assert code != 0
    assert "fiel.core.planted -> socket" in text


@SLOW
def test_the_types_lane_fails_on_a_wrong_type_and_on_a_missing_one(copy: Path) -> None:
    (copy / "src/fiel/core/planted.py").write_text('x: int = "one"\n\n\ndef f(a):\n    return a\n')
    code, text = make(copy, "types")
    assert code != 0
    assert "[assignment]" in text
    assert "[no-untyped-def]" in text


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("def test_one():\n    assert 1 == 2\n", "1 failed"),
        ("import warnings\n\ndef test_one():\n    warnings.warn('old', DeprecationWarning)\n", "1 failed"),
        ("raise RuntimeError('at import')\n", "1 error"),
        ("import pytest\n\n@pytest.mark.unheard_of\ndef test_one():\n    pass\n", "1 error"),
        ("", "no tests ran"),
    ],
    ids=["a failing test", "a warning", "a broken test file", "an unknown mark", "no test at all"],
)
def test_the_tests_lane_fails_on(copy: Path, lines: str, said: str) -> None:
    (copy / "tests" / "test_planted.py").write_text(lines)
    code, text = make(copy, "test", "JOBS=0")
    assert code != 0
    assert said in text


def test_the_tests_lane_fails_in_ci_on_a_test_that_skips(copy: Path) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", copy / "tests")
    (copy / "tests" / "test_planted.py").write_text("import pytest\n\ndef test_one():\n    pytest.skip('no oracle')\n")
    code, text = make(copy, "test", "JOBS=0")
    assert (code, "1 skipped" in text) == (0, True), text
    code, text = make(copy, "test", "JOBS=0", require="1")
    assert code != 0
    assert "FIEL_REQUIRE=1 lets nothing skip. Skipped: no oracle" in text


def test_the_tests_lane_passes_where_nothing_is_wrong(copy: Path) -> None:
    (copy / "tests" / "test_planted.py").write_text("def test_one():\n    assert 1 == 1\n")
    code, text = make(copy, "test", "JOBS=0")
    assert code == 0, text
    assert "1 passed" in text


def lanes() -> list[str]:
    """What ``.ci/run`` asks of make, in its order."""
    return re.findall(r"^(?:\w+=\S+ )?make ([\w-]+)", (ROOT / ".ci/run").read_text(encoding="utf-8"), flags=re.M)


def test_ci_has_every_lane() -> None:
    assert lanes() == ["lint", "walls", "demo", "bench-smoke", "test"]


@pytest.mark.parametrize("broken", [*lanes(), None])
def test_ci_fails_when_any_one_lane_does_and_passes_when_none_does(tmp_path: Path, broken: str | None) -> None:
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    rules = [f"{lane}:\n\t@{'exit 7' if lane == broken else f'echo {lane} ran'}\n" for lane in lanes()]
    (tmp_path / "Makefile").write_text("PYTHON := python3\n" + "".join(rules))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(
        ["bash", ".ci/run"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ran.returncode == 0) == (broken is None), ran.stdout + ran.stderr
