"""One trial: its time, its retries, and what is written down of a target that gave nothing."""

from __future__ import annotations

import asyncio

import pytest

from fiel.core.case import Case
from fiel.core.errors import TargetFailure
from fiel.offline.attempt import Attempting, within
from fiel.testing.targets import ScriptedClock, ScriptedTarget

CASE = Case(id="a", input=1)


def attempt(target: ScriptedTarget, clock: ScriptedClock, **settings):
    settings = {"options": {}, "random": lambda: 0.5, **settings}
    return asyncio.run(Attempting(target=target, clock=clock, **settings).make(CASE, 0, 0))


def busy(*, retry_after_s: float | None = None) -> TargetFailure:
    return TargetFailure("http_status", "429", retriable=True, retry_after_s=retry_after_s)


def test_a_retry_waits_longer_each_time_and_counts_every_call():
    clock = ScriptedClock()
    target = ScriptedTarget({"a": "yes"}, failures={"a": [busy(), busy()]})
    trial = attempt(target, clock)
    assert (trial.output, trial.attempts, trial.failed) == ("yes", 3, None)
    assert clock.slept == [0.25, 0.5]


def test_retry_after_is_respected_never_shortened():
    clock = ScriptedClock()
    target = ScriptedTarget({"a": "yes"}, failures={"a": [busy(retry_after_s=7.0)]})
    trial = attempt(target, clock)
    assert trial.attempts == 2
    assert clock.slept[0] >= 7.0


def test_a_retry_after_beyond_a_minute_gives_the_trial_up():
    clock = ScriptedClock()
    trial = attempt(ScriptedTarget({"a": "yes"}, failures={"a": [busy(retry_after_s=3600.0)]}), clock)
    assert trial.failed is not None
    assert trial.failed.reason == "target_http_status"
    assert clock.slept == []


def test_retries_end():
    clock = ScriptedClock()
    target = ScriptedTarget({"a": "yes"}, failures={"a": [busy() for _ in range(9)]})
    trial = attempt(target, clock, retries=3)
    assert trial.attempts == 4
    assert trial.failed is not None


def test_what_cannot_get_better_is_not_tried_again():
    target = ScriptedTarget({"a": TargetFailure("crash", "ValueError", place="targets.py:3")})
    trial = attempt(target, ScriptedClock())
    assert trial.attempts == 1
    assert trial.failed is not None
    assert trial.failed.detail == "ValueError at targets.py:3"


def test_a_target_that_hangs_is_given_up_after_its_time():
    async def hang() -> None:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asyncio.run(within(hang(), 0.01))


def test_an_answer_that_waits_is_waited_for():
    async def answer() -> str:
        await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        return "yes"

    assert asyncio.run(within(answer(), 5.0)) == "yes"
    assert asyncio.run(within(answer(), None)) == "yes"


def test_an_exception_after_waiting_comes_through():
    async def fail() -> None:
        try:
            await asyncio.sleep(0.001)
        finally:
            await asyncio.sleep(0)
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(within(fail(), 5.0))


def test_a_timeout_lets_the_coroutine_clean_up():
    cleaned = []

    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(True)

    with pytest.raises(TimeoutError):
        asyncio.run(within(hang(), 0.01))
    assert cleaned == [True]


def test_the_target_may_use_timeouts_and_tasks_of_its_own():
    async def nested() -> str:
        async with asyncio.timeout(1):
            return await asyncio.create_task(asyncio.sleep(0.001, "yes"))

    assert asyncio.run(within(nested(), 5.0)) == "yes"
