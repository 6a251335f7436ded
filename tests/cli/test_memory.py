"""Memory is flat in the number of cases but for what finding duplicates and writing the report need."""

from __future__ import annotations

import subprocess
import sys

MEASURE = """
import pathlib, re, resource, sys
from fiel.cli import run
code = run(["run", "answer", "-o", sys.argv[1], "--json"])
status = pathlib.Path("/proc/self/status")
# Linux hands the parent's peak down in ru_maxrss; the peak of this process alone is in /proc.
own = re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text()) if status.exists() else None
sys.stderr.write(str(int(own[1]) if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
sys.exit(code)
"""
TARGET = "async def answer(question):\n    return question\n"
BYTES_A_CASE = 64
ALLOCATOR_NOISE = 1_500_000
"""Arenas of the allocator come by the megabyte, and two runs of one size differ by about one."""


def peak(workspace, cases: int) -> int:
    rows = (b'{"id":"case-%07d","input":"question %d","expected":"question %d"}\n' % (n, n, n) for n in range(cases))
    fiel = workspace(b"".join(rows), targets=TARGET)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, f"runs/{cases}"],
        cwd=fiel.folder,
        env=fiel.environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert fiel.report(f"runs/{cases}")["overall"]["exact"]["numerator"] == cases
    return int(done.stderr) * 1024


def test_thirty_thousand_cases_take_at_most_64_bytes_each_above_ten_thousand(workspace):
    small = peak(workspace, 10_000)
    large = peak(workspace, 30_000)
    assert small <= 80 * 1024 * 1024
    assert large - small <= 20_000 * BYTES_A_CASE + ALLOCATOR_NOISE, f"{(large - small) / 20_000:.0f} bytes a case"
