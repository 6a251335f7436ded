"""Measures fiel beside its yardsticks, all in one run: ``python bench/run.py [--smoke] [--json FILE]``.

Figures are ratios or differences of measures that took turns on one machine; seconds alone would measure the machine.
Exits 1 where a limit does not hold. ``--smoke`` is for machines that do other things too: small sizes, no
pydantic-evals, and only what is beyond twice its limit (or under half of it) is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from answers import PAUSE_S
from kills import Survival, kill_and_resume
from processes import Laboratory, Measures, laboratory, rival

ROOT = Path(__file__).parents[1]
AT_ONCE = 32


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many cases are run, and how often."""

    small: int = 10_000
    large: int = 100_000
    tries: int = 7
    large_tries: int = 5
    asleep: int = 6_400
    asleep_tries: int = 3
    killed: int = 2_000
    slack: float = 1.0


SMOKE = Sizes(large=50_000, tries=3, large_tries=1, asleep=320, asleep_tries=1, killed=400, slack=2.0)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured number, how far single rounds lie apart, and its limit; ``least`` turns the limit around."""

    name: str
    value: float | None
    limit: float
    unit: str
    spread: tuple[float, float] | None = None
    least: bool = False
    note: str = ""

    def held(self, slack: float = 1.0) -> bool:
        if self.value is None:
            return False
        return self.value >= self.limit / slack if self.least else self.value <= self.limit * slack

    def line(self, slack: float = 1.0) -> str:
        mark = "ok" if self.held() else "over" if self.held(slack) else "FAIL"
        value = "-" if self.value is None else f"{self.value:.3f}"
        spread = "" if self.spread is None else f"{self.spread[0]:.2f} to {self.spread[1]:.2f}"
        limit = f"{'>=' if self.least else '<='} {self.limit:.3g} {self.unit}"
        return f"{mark:<5}{self.name:<54}{value:>9}  {spread:<18}{limit:<16}{self.note}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="small sizes, no pydantic-evals, twice the limits")
    parser.add_argument("--json", type=Path, help="write the figures into this file too")
    asked = parser.parse_args()
    sizes = SMOKE if asked.smoke else Sizes()
    found = []
    with laboratory() as lab:
        for figure in figures(lab, sizes, with_rival=not asked.smoke):
            print(figure.line(sizes.slack), flush=True)
            found.append(figure)
    if asked.json:
        document = {"machine": machine(), "sizes": asdict(sizes), "figures": [asdict(figure) for figure in found]}
        asked.json.write_text(json.dumps(document, indent=2) + "\n")
    return 0 if all(figure.held(sizes.slack) for figure in found) else 1


def machine() -> dict[str, object]:
    """What the figures were measured on, without names."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def figures(lab: Laboratory, sizes: Sizes, *, with_rival: bool) -> Iterator[Figure]:
    """Every figure, in an order in which what is compared is measured close together."""
    lab.start_up(["-c", "import fiel.cli"])  # writes the bytecode that an installation has
    yield from start_up(lab, 3 * sizes.tries)
    yield from beside(lab, sizes, with_rival=with_rival)
    yield from at_length(lab, sizes)
    yield from efficiency(lab, sizes)
    yield from survival(kill_and_resume(lab, sizes.killed, concurrency=8))
    yield installed()


def beside(lab: Laboratory, sizes: Sizes, *, with_rival: bool) -> Iterator[Figure]:
    """CPU time beside the yardstick and pydantic-evals; memory and disk of the same runs."""
    pythons = {"fiel": sys.executable, "yardstick": sys.executable}
    missing = ""
    if with_rival:
        try:
            pythons["pydantic_evals"] = rival(ROOT)
        except (OSError, subprocess.CalledProcessError) as error:
            missing = f"not measured: {type(error).__name__}"
    for what, python in pythons.items():
        lab.once(python, what, 10)
    rounds = lab.turns(
        sizes.tries,
        {what: lambda p=python, w=what: lab.once(p, w, sizes.small) for what, python in pythons.items()},  # type: ignore[misc]
    )
    ours = rounds["fiel"]
    yield ratio(f"CPU, fiel / yardstick, {sizes.small:,} cases", ours, rounds["yardstick"], "cpu_s", limit=6)
    if "pydantic_evals" in rounds:
        yield ratio("CPU, fiel / pydantic-evals (writes nothing)", ours, rounds["pydantic_evals"], "cpu_s", limit=1 / 3)
    elif missing:
        yield Figure(name="CPU, fiel / pydantic-evals", value=None, limit=1 / 3, unit="x", note=missing)
    yield Figure(
        name=f"peak memory, {sizes.small:,} cases",
        value=max(one["peak_bytes"] for one in ours) / 1e6,
        limit=80,
        unit="MB",
    )
    on_disk = max(one["disk_bytes"] for one in ours) / sizes.small
    yield Figure(name="on disk a case", value=on_disk, limit=1_500, unit="bytes")


def at_length(lab: Laboratory, sizes: Sizes) -> Iterator[Figure]:
    """What grows with the number of cases."""
    rounds = lab.turns(
        sizes.large_tries,
        {
            "small": lambda: lab.once(sys.executable, "fiel", sizes.small),
            "large": lambda: lab.once(sys.executable, "fiel", sizes.large),
            "small again": lambda: lab.once(sys.executable, "fiel", sizes.small),
        },
    )
    longer = sizes.large / sizes.small
    # A long run meets quiet and busy moments, a short one may meet only quiet ones: neighbours are compared, not bests.
    pairs = [
        large["cpu_s"] / (before["cpu_s"] + after["cpu_s"]) * 2 / longer
        for before, large, after in zip(*rounds.values(), strict=True)
    ]
    yield Figure(
        name=f"CPU a case, {sizes.large:,} / {sizes.small:,} cases",
        value=median(pairs),
        spread=(min(pairs), max(pairs)),
        limit=1.1,
        unit="x",
    )
    grown = least(rounds["large"], "peak_bytes") - least(rounds["small"], "peak_bytes")
    yield Figure(
        name=f"memory a case above {sizes.small:,}", value=grown / (sizes.large - sizes.small), limit=64, unit="bytes"
    )


def efficiency(lab: Laboratory, sizes: Sizes) -> Iterator[Figure]:
    """The ideal time of a target that sleeps, as a share of the time taken; and what a bare event loop takes."""

    def asleep(what: str, answer: str) -> Measures:
        return lab.once(sys.executable, what, sizes.asleep, "--answer", answer, "--concurrency", str(AT_ONCE))

    rounds = lab.turns(
        sizes.asleep_tries,
        {
            "async": lambda: asleep("fiel", "waiting"),
            "sync": lambda: asleep("fiel", "blocking"),
            "bare": lambda: asleep("bare", "waiting"),
        },
    )
    ideal = sizes.asleep / AT_ONCE * PAUSE_S * 100
    floor = ideal / least(rounds["bare"], "wall_s")
    for how in ("async", "sync"):
        shares = [ideal / one["wall_s"] for one in rounds[how]]
        yield Figure(
            name=f"of the ideal, {how} target of 50 ms, {AT_ONCE} at once",
            value=max(shares),
            spread=(min(shares), max(shares)),
            limit=95,
            unit="%",
            least=True,
            note=f"a bare event loop: {floor:.1f} %",
        )


def survival(found: Survival) -> Iterator[Figure]:
    """What a kill -9 in the middle costs."""
    note = f"killed after {found.finished:,} of {found.cases:,}"
    yield Figure(
        name="calls asked again after kill -9, of those in flight",
        value=found.asked_again,
        limit=found.in_flight,
        unit="calls",
        note=note,
    )
    same = 1.0 if found.same_report else 0.0
    yield Figure(name="resumed report equals the unbroken one", value=same, limit=1, unit="", least=True)


def start_up(lab: Laboratory, tries: int) -> Iterator[Figure]:
    """What a person waits for before anything is done, beside an interpreter that does nothing."""
    rounds = lab.turns(
        tries,
        {
            "nothing": lambda: lab.start_up(["-c", "pass"]),
            "import": lambda: lab.start_up(["-c", "import fiel"]),
            "help": lambda: lab.start_up(["-m", "fiel", "--help"]),
        },
    )
    yield ratio("fiel --help / python -c pass", rounds["help"], rounds["nothing"], "wall_s", limit=8)
    above = least(rounds["import"], "wall_s") - least(rounds["nothing"], "wall_s")
    yield Figure(name="import fiel above python -c pass", value=above * 1000, limit=60, unit="ms")


def installed() -> Figure:
    """How many packages a base install brings, fiel included; a test holds the lock to what they say they need."""
    lock = (ROOT / "requirements" / "runtime.lock").read_text()
    count = 1 + sum("==" in line for line in lock.splitlines())
    return Figure(name="packages of a base install", value=count, limit=25, unit="")


def least(rounds: Sequence[Measures], measure: str) -> float:
    return min(one[measure] for one in rounds)


def ratio(name: str, ours: Sequence[Measures], theirs: Sequence[Measures], measure: str, *, limit: float) -> Figure:
    """The least of ours over the least of theirs; the spread is that of single rounds."""
    pairs = [one[measure] / other[measure] for one, other in zip(ours, theirs, strict=True)]
    value = least(ours, measure) / least(theirs, measure)
    return Figure(name=name, value=value, spread=(min(pairs), max(pairs)), limit=limit, unit="x")


if __name__ == "__main__":
    raise SystemExit(main())
