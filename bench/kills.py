"""Kills a run in the middle, resumes it, and counts what was asked twice."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from processes import Laboratory

OF_TIME = ("timing", "latency")
"""What two runs of the same cases may differ in."""


@dataclass(frozen=True, kw_only=True)
class Survival:
    """What came of a killed run: in calls, and whether its resumed report is the unbroken one but for times."""

    cases: int
    finished: int
    in_flight: int
    asked_again: int
    same_report: bool


def kill_and_resume(lab: Laboratory, cases: int, *, concurrency: int) -> Survival:
    """Kill -9 at half of ``cases``, then resume; beside a run that nothing broke."""
    more = ("--answer", "counted", "--concurrency", str(concurrency))
    broken, whole = lab.cases(cases), lab.cases(cases)
    trials, calls = broken / "run" / "trials.jsonl", broken / "calls.log"
    lab.kill_when(lab.command(sys.executable, "fiel", broken, *more), lambda: _lines(trials) >= cases // 2)
    finished, asked = _lines(trials), _lines(calls)
    lab.workload(sys.executable, "fiel", broken, *more, "--resume")
    lab.workload(sys.executable, "fiel", whole, *more)
    times = Counter(calls.read_text().splitlines())
    if len(times) != cases or _lines(trials) != cases:
        raise RuntimeError(f"{len(times)} of {cases} cases were asked, {_lines(trials)} trials are in the journal")
    return Survival(
        cases=cases,
        finished=finished,
        in_flight=min(concurrency, asked - finished),
        asked_again=times.total() - cases,
        same_report=_report(broken) == _report(whole),
    )


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _report(folder: Path) -> str:
    report = json.loads((folder / "run" / "report.json").read_bytes())
    return json.dumps({key: value for key, value in report.items() if key not in OF_TIME}, indent=1)
