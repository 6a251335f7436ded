"""Measures fiel beside its yardsticks and holds it to its limits: ``python bench [--smoke] [--rival PYTHON]``.

Every figure is a ratio or a difference within one run on one machine, the best of several tries; seconds alone would
measure the machine. Exits 1 where a limit does not hold.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number and the limit it is held to; ``least`` turns the limit around."""

    what: str
    value: float
    limit: float
    unit: str = ""
    least: bool = False

    @property
    def held(self) -> bool:
        return self.value >= self.limit if self.least else self.value <= self.limit

    def __str__(self) -> str:
        mark, sign = "ok  " if self.held else "OVER", ">=" if self.least else "<="
        return f"{mark}  {self.what:<64} {self.value:>9.3f} {sign} {self.limit:<7g} {self.unit}"


def main() -> int:
    """Measure, print a line a figure, and say with the exit code whether every limit held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="leave out what takes long")
    parser.add_argument("--rival", help="the interpreter of an environment that has pydantic-evals")
    parser.add_argument("--tries", type=int, default=5)
    asked = parser.parse_args()
    held = True
    for figure in figures(asked.rival, smoke=asked.smoke, tries=asked.tries):
        print(figure, flush=True)
        held = held and figure.held
    return 0 if held else 1


def figures(rival: str | None, *, smoke: bool, tries: int) -> Iterator[Figure]:
    """Every figure, in an order in which what is compared is measured close together."""
    contenders = {"yardstick": sys.executable, "fiel": sys.executable}
    if rival:
        contenders["pydantic_evals"] = rival
    small = best_of(tries, contenders, 10_000)
    ours = small["fiel"]
    yield Figure(
        what="CPU time, fiel / yardstick, 10,000 cases, all journalled",
        value=ours["cpu_s"] / small["yardstick"]["cpu_s"],
        limit=6,
        unit="x",
    )
    if rival:
        yield Figure(
            what="CPU time, fiel / pydantic-evals, which writes nothing",
            value=ours["cpu_s"] / small["pydantic_evals"]["cpu_s"],
            limit=1 / 3,
            unit="x",
        )
    yield Figure(what="peak memory at 10,000 cases", value=ours["peak_bytes"] / MEGABYTE, limit=80, unit="MB")
    yield Figure(what="on disk, a case", value=ours["disk_bytes"] / 10_000, limit=1_500, unit="bytes")
    yield from start_up(tries)
    if not smoke:
        yield from at_length(ours)


def at_length(ours: dict[str, float]) -> Iterator[Figure]:
    """What grows with the number of cases, and what waiting costs."""
    large = best_of(2, {"fiel": sys.executable}, 100_000)["fiel"]
    yield Figure(
        what="CPU time a case, 100,000 cases / 10,000 cases",
        value=large["cpu_s"] / 10 / ours["cpu_s"],
        limit=1.1,
        unit="x",
    )
    yield Figure(
        what="memory a case above 10,000 cases",
        value=(large["peak_bytes"] - ours["peak_bytes"]) / 90_000,
        limit=64,
        unit="bytes",
    )
    waited = measured(sys.executable, "fiel", 6_400, "--sleep", "0.05", "--concurrency", "32")
    yield Figure(
        what="of the ideal, a target of 50 ms at concurrency 32, journal on",
        value=6_400 / 32 * 0.05 / waited["wall_s"] * 100,
        limit=95,
        unit="%",
        least=True,
    )


def best_of(tries: int, contenders: dict[str, str], cases: int) -> dict[str, dict[str, float]]:
    """The least of each measure over ``tries`` rounds, contenders taking turns so that noise falls on all alike."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(tries):
        for what, python in contenders.items():
            now = measured(python, what, cases)
            before = best.get(what, now)
            best[what] = {name: min(value, before[name]) for name, value in now.items()}
    return best


def measured(python: str, what: str, cases: int, *more: str) -> dict[str, float]:
    """One workload in a process of its own."""
    ran = subprocess.run(
        [python, HERE / "workloads.py", what, str(cases), *more], check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def start_up(tries: int) -> Iterator[Figure]:
    """What a person waits for before anything is done, beside an interpreter that does nothing."""
    commands = {
        "nothing": [sys.executable, "-c", "pass"],
        "import": [sys.executable, "-c", "import fiel"],
        "help": [str(Path(sys.executable).with_name("fiel")), "--help"],
    }
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(3 * tries):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - began)
    yield Figure(what="fiel --help / python -c pass", value=best["help"] / best["nothing"], limit=8, unit="x")
    yield Figure(
        what="import fiel, above python -c pass", value=(best["import"] - best["nothing"]) * 1000, limit=60, unit="ms"
    )


if __name__ == "__main__":
    raise SystemExit(main())
