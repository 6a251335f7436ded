"""What fiel does in a benchmark: a whole run, from the dataset's checks to the report, everything journalled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from fiel.adapters.clocks.system import SystemClock
from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.adapters.journals.rundir import RunDirectory
from fiel.core.manifest import REQUIRED
from fiel.core.trial import Output
from fiel.graders import build
from fiel.graders.schema import compile_schema
from fiel.offline.attempt import Attempting
from fiel.offline.dataset import check
from fiel.offline.run import Plan
from fiel.offline.run import run as run_plan
from fiel.ports import Call


class Answering:
    """A target around one coroutine function, so that the function is the same for everybody measured."""

    name = "bench"
    kind = "python"

    def __init__(self, answer: Callable[[str], Awaitable[str]]) -> None:
        self._answer = answer

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def call(self, call: Call) -> Output:
        return Output(value=await self._answer(call.input))


def run(folder: Path, answer: Callable[[str], Awaitable[str]], concurrency: int) -> None:
    dataset = check(JsonlDataset(folder / "cases.jsonl"), compile_schema=compile_schema)
    journal = RunDirectory(folder / "run")
    plan = Plan(
        run_id="bench",
        dataset=dataset,
        graders=(build("exact", "exact", {}),),
        manifest=dict.fromkeys(REQUIRED, "bench"),
        target={"name": "bench"},
        concurrency=concurrency,
        primary="exact",
    )
    attempting = Attempting(target=Answering(answer), clock=SystemClock(), options={})
    asyncio.run(run_plan(plan, attempting=attempting, journal=journal))
    journal.close()
