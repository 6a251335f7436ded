"""One trial: its time, its retries, and what is written down of a target that gave nothing."""

from __future__ import annotations

import asyncio
import time

import pytest

from fiel.core.case import Case
from fiel.core.errors import TargetFailure
from fiel.offline.attempt import Attempting
from fiel.offline.patience import QUICK, Patience
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


def within(coroutine, seconds):
    return asyncio.run(Patience().within(coroutine, seconds))


def stepped(coroutine, seconds):
    """The same after a row of quick answers, when calls are stepped directly."""

    async def after_quick_ones():
        patience = Patience()

        async def quick() -> int:
            return 1

        for _ in range(QUICK + 1):
            assert await patience.within(quick(), seconds) == 1
        return await patience.within(coroutine, seconds)

    return asyncio.run(after_quick_ones())


@pytest.fixture(params=[within, stepped], ids=["in a task", "stepped"])
def wait_for(request):
    return request.param


def test_a_target_that_hangs_is_given_up_after_its_time(wait_for):
    async def hang() -> None:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        wait_for(hang(), 0.05)


def test_an_answer_that_waits_is_waited_for(wait_for):
    async def answer() -> str:
        await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        return "yes"

    assert wait_for(answer(), 5.0) == "yes"


def test_without_a_limit_an_answer_is_waited_for():
    assert within(asyncio.sleep(0.001, "yes"), None) == "yes"


def test_an_exception_after_waiting_comes_through(wait_for):
    async def fail() -> None:
        try:
            await asyncio.sleep(0.001)
        finally:
            await asyncio.sleep(0)
        raise KeyError("x")

    with pytest.raises(KeyError):
        wait_for(fail(), 5.0)


def test_a_timeout_lets_the_coroutine_clean_up(wait_for):
    cleaned = []

    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append(True)

    with pytest.raises(TimeoutError):
        wait_for(hang(), 0.05)
    assert cleaned == [True]


def test_the_target_may_use_timeouts_and_tasks_of_its_own(wait_for):
    async def nested() -> str:
        async with asyncio.timeout(1):
            return await asyncio.create_task(asyncio.sleep(0.001, "yes"))

    assert wait_for(nested(), 5.0) == "yes"


def test_a_target_that_swallows_its_cancellation_is_abandoned_and_the_loop_ends():
    async def deaf() -> None:
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        within(deaf(), 0.05)
    assert time.monotonic() - began < 10


def test_a_late_answer_after_being_told_to_stop_is_still_too_late():
    async def late() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "late"
        return "never"

    with pytest.raises(TimeoutError):
        within(late(), 0.05)


def test_an_answer_that_blocked_the_loop_beyond_its_time_is_a_timeout():
    clock = ScriptedClock()

    def blocks(call):
        clock.advance(8.0)
        return "yes"

    trial = attempt(ScriptedTarget(blocks, clock=clock), clock, timeout_s=2.0, retries=0)
    assert trial.failed is not None
    assert trial.failed.reason == "target_timeout"
    assert "answered after 8 s, allowed were 2 s" in trial.failed.detail
