"""Targets that print, walk away or are run without a screen: the result stays whole and the exit code true."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

CASES: list[Mapping[str, str]] = [{"id": f"c{n}", "input": "x", "expected": "x"} for n in range(3)]
LOUD = """
import os, subprocess
print("while it is imported")
def answer(question):
    print("a thought of its own")
    os.write(1, b"and one past Python\\n")
    subprocess.run(["echo", "and one of a child"])
    return question
"""
WALKER = """
import os
def answer(question):
    os.chdir("/")
    return question
"""

DEAF = """
import asyncio
async def answer(question, case_id):
    while case_id == "c1":
        try:
            await asyncio.sleep(3600)
        except:
            continue
    return question
"""


def test_what_a_target_prints_is_no_part_of_the_result(workspace):
    fiel = workspace(CASES, targets=LOUD)
    done = fiel("run", "answer", "-o", "r", "--json")
    assert done.code == 0, done
    assert done.json["overall"]["exact"]["numerator"] == 3
    for said in ("imported", "a thought", "past Python", "of a child"):
        assert said in done.err


def test_a_target_that_changes_the_directory_does_not_take_the_run_along(workspace):
    fiel = workspace(CASES, targets=WALKER)
    done = fiel("run", "answer", "-o", "r")
    assert done.code == 0, done
    assert (fiel.folder / "r" / "report.json").is_file()
    assert (fiel.folder / "runs" / "latest" / "latest.md").is_file()


def test_a_target_that_swallows_its_cancellation_is_a_timeout_and_the_command_ends(workspace):
    fiel = workspace(CASES, targets=DEAF)
    done = fiel("run", "answer", "-o", "r", "--timeout", "0.3", "--json")
    assert done.code == 0, done
    assert done.json["balance"]["exact"] == {"attempted": 3, "graded": 2, "ungraded": {"target_timeout": 1}}
    assert "Traceback" not in done.err
    again = fiel("run", "answer", "--resume", "r", "--json")
    assert again.code == 0, again


def test_a_closed_standard_output_is_no_block(workspace):
    fiel = workspace(CASES)
    assert fiel("run", "answer", "-o", "r").code == 0
    for streams in (">&-", "2>&-", ">&- 2>&-"):
        shown = subprocess.run(
            ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *fiel.argv("report", "r")],
            cwd=fiel.folder,
            env=fiel.environment(),
            capture_output=True,
            check=False,
        )
        assert shown.returncode == 0, shown
