"""The stand-ins keep their own promises, and those of every target and every clock."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fiel.core.errors import TargetFailure
from fiel.core.trial import Output
from fiel.ports import Call
from fiel.testing.clock_contract import ClockContract
from fiel.testing.target_contract import MAX_OUTPUT_BYTES, TargetContract
from fiel.testing.targets import ScriptedClock, ScriptedTarget


class Agent(ScriptedTarget):
    """The contract's agent, played by a script: what takes time is a delay, what fails an answer that is an error."""

    async def _wait(self, call: Call) -> None:
        waits = {"hang": 3600.0, "sleep": call.input.get("s", 0.0)}
        self._delays = {call.case_id: waits.get(call.input["do"], 0.0)}
        await super()._wait(call)


def _play(call: Call) -> Any:
    asked = call.input
    return {
        "echo": asked.get("value"),
        "who": {"case_id": call.case_id, "trial": call.trial, **call.options},
        "sleep": "late",
        "crash": TargetFailure("crash", "ValueError: asked to crash"),
        "garbage": TargetFailure("garbage", "the answer is a set"),
        "large": TargetFailure("output_too_large", f"more than {MAX_OUTPUT_BYTES} bytes"),
    }[asked["do"]]


class TestScriptedTarget(TargetContract):
    def make(self) -> ScriptedTarget:
        return Agent(_play, name=self.name)


class TestScriptedClock(ClockContract):
    def make(self) -> ScriptedClock:
        return ScriptedClock()


async def test_answers_come_by_case_and_stay_the_same_at_every_trial() -> None:
    target = ScriptedTarget({"a": {"total": 1}, "b": Output(value=None, cost_usd=0.5)})
    for trial in range(2):
        assert (await target.call(Call(case_id="a", input=0, trial=trial))).value == {"total": 1}
    assert (await target.call(Call(case_id="b", input=0))).cost_usd == 0.5
    assert [call.case_id for call in target.calls] == ["a", "a", "b"]


async def test_a_case_without_an_answer_is_a_crash_and_not_an_empty_answer() -> None:
    with pytest.raises(TargetFailure, match='no answer for "z"') as caught:
        await ScriptedTarget({}).call(Call(case_id="z", input=0))
    assert caught.value.code == "crash"


async def test_planned_failures_come_first_one_a_call() -> None:
    busy = TargetFailure("http_status", "answered 429", retriable=True, retry_after_s=2.0)
    target = ScriptedTarget({"a": "fine"}, failures={"a": [busy, busy]})
    for _ in range(2):
        with pytest.raises(TargetFailure, match="429"):
            await target.call(Call(case_id="a", input=0))
    assert (await target.call(Call(case_id="a", input=0))).value == "fine"


async def test_a_function_may_answer_each_trial_differently() -> None:
    target = ScriptedTarget(lambda call: call.trial * 10)
    assert [(await target.call(Call(case_id="a", input=0, trial=n))).value for n in range(3)] == [0, 10, 20]


async def test_delays_pass_on_the_clock_that_was_given() -> None:
    clock = ScriptedClock()
    target = ScriptedTarget({"a": 1, "b": 2}, delays={"a": 50.0, "b": 20.0}, clock=clock)
    await asyncio.gather(*(target.call(Call(case_id=case, input=0)) for case in "ab"))
    assert clock.monotonic_s() == 50.0
    assert target.most_at_once == 2


async def test_a_delay_beyond_the_timeout_fails_when_the_timeout_has_passed() -> None:
    clock = ScriptedClock()
    target = ScriptedTarget({"a": 1}, delays={"a": 50.0}, clock=clock)
    with pytest.raises(TargetFailure) as caught:
        await target.call(Call(case_id="a", input=0, timeout_s=5.0))
    assert caught.value.code == "timeout"
    assert clock.monotonic_s() == 5.0


async def test_sleepers_wake_in_the_order_of_their_times() -> None:
    clock = ScriptedClock(unix_s=1000.0)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.unix_s()))

    await asyncio.gather(sleeper("slow", 3.0), sleeper("fast", 1.0), sleeper("middle", 2.0))
    assert woken == [("fast", 1001.0), ("middle", 1002.0), ("slow", 1003.0)]
    assert clock.slept == [3.0, 1.0, 2.0]


async def test_a_cancelled_sleeper_does_not_hold_up_the_others() -> None:
    clock = ScriptedClock()
    first = asyncio.create_task(clock.sleep(1.0))
    second = asyncio.create_task(clock.sleep(2.0))
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert clock.monotonic_s() == 2.0
    clock.advance(8.0)
    assert clock.monotonic_s() == 10.0
