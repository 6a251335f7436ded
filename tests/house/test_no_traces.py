"""What is in the repository says nothing of the machine it was written on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Written in pieces, so that this file is not what it looks for.
MACHINE = re.compile(r"(?<![\w.])/" + r"(?:work|farm|root|home/\w+|Users/\w+|tmp/\w+)/")
INDEX = re.compile(r"(?:extra-)?index" + r"-url|--find" + r"-links|pypi" + r"\.org/simple|^registry *=", re.M)
ADDRESS = re.compile(r"https?:" + r"//")


def tracked() -> list[Path]:
    """Every file that git tracks here and that is text; skips outside a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout: there is no list of tracked files")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def where(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    found = []
    for path in paths:
        text = path.read_bytes().decode("utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    return found


def test_no_tracked_file_holds_a_path_of_this_machine() -> None:
    assert where(MACHINE, tracked()) == []


def test_no_tracked_file_names_a_package_index() -> None:
    assert where(INDEX, tracked()) == []


def test_lock_files_hold_names_versions_and_hashes_only() -> None:
    locks = sorted((ROOT / "requirements").glob("*.lock"))
    assert len(locks) >= 3
    assert where(ADDRESS, locks) == []
    pin = re.compile(r"[a-z0-9._-]+==[\w.+!]+(?: ; [\w .'\"<>=!()]+)? \\")
    digest = re.compile(r" +--hash=sha256:[0-9a-f]{64}(?: \\)?")
    for lock in locks:
        for line in lock.read_text(encoding="utf-8").splitlines():
            assert pin.fullmatch(line) or digest.fullmatch(line), f"{lock.name}: {line}"


@pytest.mark.parametrize("line", ["see /" + "work/notes", "cd /" + "root/x", "'/home/" + "ana/fiel'"])
def test_the_search_sees_a_planted_path(line: str) -> None:
    assert MACHINE.search(line)


@pytest.mark.parametrize("line", ["a/work/b", "docs/root/x", "https://example.org/work/"])
def test_the_search_lets_other_paths_be(line: str) -> None:
    assert not MACHINE.search(line)
