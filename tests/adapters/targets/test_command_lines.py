"""A command that lives through the run: one line in, one line out, and no answer ever given to another call."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fiel.adapters.targets.command import CommandTarget
from fiel.core.errors import TargetFailure
from fiel.ports import Call


@contextlib.asynccontextmanager
async def opened(workspace: Path, source: str, *, concurrency: int = 8) -> AsyncIterator[CommandTarget]:
    (workspace / "agent.py").write_text(textwrap.dedent(source))
    argv = [sys.executable, "-S", "agent.py"]
    target = CommandTarget(
        name="t", argv=argv, workspace=workspace, environ=dict(os.environ), mode="lines", concurrency=concurrency
    )
    await target.open()
    yield target
    await target.close()


def asked(value: object, case_id: str = "c") -> Call:
    return Call(case_id=case_id, input=value, timeout_s=20)


COUNTER = """
    import json, os, sys
    count = 0
    for line in sys.stdin:
        asked = json.loads(line)["input"]
        count += 1
        if asked == "die": os.kill(os.getpid(), 9)
        print(json.dumps([os.getpid(), count]), flush=True)
        if asked == "twice": print(json.dumps("again"), flush=True)
        if asked == "last words": sys.exit(0)
"""


async def test_a_long_lived_process_answers_one_call_after_the_other(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER) as target:
        values = [(await target.call(asked(n))).value for n in range(3)]
    assert [count for _, count in values] == [1, 2, 3]
    assert len({pid for pid, _ in values}) == 1


async def test_a_process_that_dies_fails_its_call_once_and_another_takes_over(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER) as target:
        first = (await target.call(asked(1))).value
        with pytest.raises(TargetFailure, match=r"killed by signal 9 \(SIGKILL\)") as caught:
            await target.call(asked("die"))
        assert (caught.value.code, caught.value.retriable) == ("exit_status", True)
        after = (await target.call(asked(3))).value
    assert after[1] == 1
    assert after[0] != first[0]


async def test_a_process_that_ended_between_calls_costs_no_call(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER) as target:
        for _ in range(2):
            assert (await target.call(asked("last words"))).value[1] == 1
            await asyncio.sleep(0.3)


async def test_a_line_that_no_call_asked_for_is_not_given_to_the_next(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER) as target:
        told = []
        for value in ("twice", 2):
            # Both lines may arrive together, and then the call itself is told; else the next one is.
            try:
                assert (await target.call(asked(value))).value[1] == 1
            except TargetFailure as failure:
                told.append((failure.code, str(failure)))
            await asyncio.sleep(0.3)
        ((code, said),) = told
        assert code == "garbage"
        assert "more than one line" in said or "a line that no call had asked for" in said
        pid, count = (await target.call(asked(3))).value
        assert count in (1, 2), "the process that spoke out of turn was let go"
        assert pid


async def test_an_answer_that_names_its_case_is_never_given_to_another(tmp_path: Path) -> None:
    source = """
        import json, sys, time
        for line in sys.stdin:
            call = json.loads(line)
            for delay in (0, 0.05):
                time.sleep(delay)
                print(json.dumps({"output": call["input"], "case_id": call["case_id"]}), flush=True)
    """
    values = []
    async with opened(tmp_path, source, concurrency=1) as target:
        for n in range(12):
            with contextlib.suppress(TargetFailure):
                values.append((n, (await target.call(asked(n, case_id=f"c{n}"))).value))
    assert values
    assert all(sent == answered for sent, answered in values)


async def test_there_are_never_more_processes_than_calls_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER, concurrency=3) as target:
        outputs = await asyncio.gather(*(target.call(asked(n)) for n in range(30)))
    assert len({output.value[0] for output in outputs}) <= 3


async def test_a_process_that_reads_to_the_end_is_let_to_leave_politely(tmp_path: Path) -> None:
    async with opened(tmp_path, COUNTER + "    open('left', 'w').write('politely')\n") as target:
        await target.call(asked(1))
    assert (tmp_path / "left").read_text() == "politely"
