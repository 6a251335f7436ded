"""What fiel does in a benchmark: a whole run, from the dataset's checks to the report, everything journalled."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fiel.adapters.clocks.system import SystemClock
from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.adapters.journals.rundir import RunDirectory
from fiel.adapters.targets.python import PythonTarget
from fiel.core.manifest import REQUIRED
from fiel.graders import build
from fiel.graders.schema import compile_schema
from fiel.offline.attempt import Attempting
from fiel.offline.dataset import check
from fiel.offline.run import Plan
from fiel.offline.run import run as run_plan


def run(folder: Path, answer: str, concurrency: int, *, resume: bool = False) -> None:
    """One run of ``cases.jsonl`` in ``folder`` against a callable of ``answers.py``, into ``folder/run``."""
    asyncio.run(_run(folder, answer, concurrency, resume))


async def _run(folder: Path, answer: str, concurrency: int, resume: bool) -> None:
    options = {"log": str(folder / "calls.log")} if answer == "counted" else {}
    target = PythonTarget(name="bench", entry=f"answers:{answer}", workspace=Path(__file__).parent, options=options)
    dataset = check(JsonlDataset(folder / "cases.jsonl"), compile_schema=compile_schema)
    plan = Plan(
        run_id="bench",
        dataset=dataset,
        graders=(build("exact", "exact", {}),),
        manifest=dict.fromkeys(REQUIRED, "bench"),
        target={"name": "bench"},
        concurrency=concurrency,
        primary="exact",
    )
    attempting = Attempting(target=target, clock=SystemClock(), options=options)
    await target.open()
    journal = RunDirectory(folder / "run", resume=resume)
    try:
        await run_plan(plan, attempting=attempting, journal=journal)
    finally:
        journal.close()
        await target.close()
