"""What every Target must do, as tests: subclass ``TargetContract`` and each adapter is held to the same promises."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from fiel.core.errors import TargetFailure
from fiel.core.trial import Output
from fiel.ports import Call, Target

MAX_OUTPUT_BYTES = 65_536
"""The limit that the target under test must be made with."""

OPTIONS = {"tone": "dry"}
"""The options that the target under test must be made with, where it is told them."""

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -7,
    2**63,
    0.1,
    1e-300,
    "",
    "plain",
    'quotes " and \\ and \n and \t and \x00',
    "ação 東京 ไทย العربية 👩‍🚀 e\u0301",
    [],
    {},
    [[], {}, None, ""],
    {"a": {"b": [1, 2.5, None, {"c": "d"}]}, "": 0, "ключ": "значение", "a/b~c": 1},
    "x" * 20_000,
)


class TargetContract:
    """The contract suite of the Target port.

    A subclass gives ``make()``: a new, unopened Target, made with ``OPTIONS`` and ``MAX_OUTPUT_BYTES``, for at least
    8 calls at once. Behind it stands an agent that does what its input asks for:

    ================================  ======================================================================
    ``{"do": "echo", "value": v}``    answers ``v``
    ``{"do": "who"}``                 answers ``{"case_id": …, "trial": …, "tone": …}`` of the call
    ``{"do": "sleep", "s": 0.3}``     waits so long, then answers ``"late"``
    ``{"do": "hang"}``                never answers
    ``{"do": "crash"}``               fails in its own way: an exception, a status of 500, an exit status
    ``{"do": "garbage"}``             answers something that is not JSON
    ``{"do": "large"}``               answers more than ``MAX_OUTPUT_BYTES``
    ================================  ======================================================================
    """

    name = "contract"

    def make(self) -> Target:
        raise NotImplementedError("a subclass of TargetContract gives make()")

    def test_it_is_named_and_of_a_known_kind(self) -> None:
        target = self.make()
        assert target.name == self.name
        assert target.kind in ("python", "http", "command")

    def test_every_json_value_comes_back_as_it_went(self) -> None:
        async def ask(target: Target) -> None:
            for value in VALUES:
                output = await target.call(_call({"do": "echo", "value": value}))
                assert isinstance(output, Output)
                assert output.value == value
                assert type(output.value) is type(value)

        self._run(ask)

    def test_what_is_not_known_of_an_answer_is_none_and_not_zero(self) -> None:
        async def ask(target: Target) -> None:
            output = await target.call(_call({"do": "echo", "value": 1}))
            assert (output.cost_usd, output.usage, output.tool_calls, output.model) == (None, None, None, None)

        self._run(ask)

    def test_the_agent_is_told_the_case_the_trial_and_the_options(self) -> None:
        async def ask(target: Target) -> None:
            output = await target.call(_call({"do": "who"}, case_id='c-1 "ã"', trial=4))
            assert output.value == {"case_id": 'c-1 "ã"', "trial": 4, "tone": "dry"}

        self._run(ask)

    def test_calls_at_once_are_never_mixed_up(self) -> None:
        async def ask(target: Target) -> None:
            calls = [target.call(_call({"do": "echo", "value": n}, case_id=f"c{n}")) for n in range(40)]
            assert [output.value for output in await asyncio.gather(*calls)] == list(range(40))

        self._run(ask)

    def test_calls_at_once_do_not_wait_for_each_other(self) -> None:
        async def ask(target: Target) -> None:
            await asyncio.gather(*(target.call(_call({"do": "echo", "value": 0})) for _ in range(8)))
            started = time.monotonic()
            await asyncio.gather(*(target.call(_call({"do": "sleep", "s": 0.5})) for _ in range(8)))
            assert time.monotonic() - started < 8 * 0.5 * 0.75

        self._run(ask)

    def test_a_crash_fails_its_own_call_and_no_other(self) -> None:
        async def ask(target: Target) -> None:
            for _ in range(3):
                failure = await _failure(target, {"do": "crash"})
                assert failure.code in ("crash", "http_status", "exit_status")
                assert 0 < len(str(failure)) <= 1000
                assert "\n" not in str(failure)
                assert (await target.call(_call({"do": "echo", "value": "alive"}))).value == "alive"

        self._run(ask)

    def test_garbage_is_a_failure_and_never_a_value(self) -> None:
        async def ask(target: Target) -> None:
            assert (await _failure(target, {"do": "garbage"})).code == "garbage"
            assert (await target.call(_call({"do": "echo", "value": "alive"}))).value == "alive"

        self._run(ask)

    def test_an_answer_beyond_the_limit_is_refused(self) -> None:
        async def ask(target: Target) -> None:
            failure = await _failure(target, {"do": "large"})
            assert failure.code == "output_too_large"
            assert str(MAX_OUTPUT_BYTES) in str(failure)
            assert (await target.call(_call({"do": "echo", "value": "alive"}))).value == "alive"

        self._run(ask)

    def test_a_call_that_hangs_ends_at_its_time_and_starves_no_other(self) -> None:
        async def ask(target: Target) -> None:
            hanging = [_timed_out(target, {"do": "hang"}, 0.3) for _ in range(8)]
            assert all(await asyncio.gather(*hanging))
            answers = [target.call(_call({"do": "echo", "value": n}, timeout_s=20)) for n in range(8)]
            assert [output.value for output in await asyncio.gather(*answers)] == list(range(8))

        self._run(ask)

    def test_a_late_answer_is_not_given_to_the_next_call(self) -> None:
        async def ask(target: Target) -> None:
            assert await _timed_out(target, {"do": "sleep", "s": 0.8}, 0.1)
            for n in range(10):
                assert (await target.call(_call({"do": "echo", "value": n}))).value == n
                await asyncio.sleep(0.1)

        self._run(ask)

    def test_a_cancelled_call_stays_cancelled(self) -> None:
        async def ask(target: Target) -> None:
            task = asyncio.create_task(target.call(_call({"do": "hang"}, timeout_s=None)))
            await asyncio.sleep(0.2)
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=5)
            assert task in done
            assert task.cancelled()
            assert (await target.call(_call({"do": "echo", "value": "alive"}))).value == "alive"

        self._run(ask)

    def test_closing_is_safe_twice_and_before_opening_and_quick_after_a_hang(self) -> None:
        async def scene() -> None:
            never_opened = self.make()
            await never_opened.close()
            target = self.make()
            await target.open()
            assert await _timed_out(target, {"do": "hang"}, 0.2)
            started = time.monotonic()
            await target.close()
            await target.close()
            assert time.monotonic() - started < 3

        asyncio.run(scene())

    def test_it_can_be_opened_again_after_it_was_closed(self) -> None:
        async def scene() -> None:
            target = self.make()
            for n in range(2):
                await target.open()
                assert (await target.call(_call({"do": "echo", "value": n}))).value == n
                await target.close()

        asyncio.run(scene())

    def _run(self, ask: Callable[[Target], Awaitable[None]]) -> None:
        async def scene() -> None:
            target = self.make()
            await target.open()
            try:
                await ask(target)
            finally:
                await target.close()

        asyncio.run(scene())


def _call(asked: Any, *, case_id: str = "c1", trial: int = 0, timeout_s: float | None = 30) -> Call:
    return Call(case_id=case_id, input=asked, trial=trial, options=OPTIONS, timeout_s=timeout_s)


async def _failure(target: Target, asked: Any) -> TargetFailure:
    try:
        output = await target.call(_call(asked))
    except TargetFailure as failure:
        return failure
    raise AssertionError(f"{asked} gave {str(output)[:200]} and should have failed")


async def _timed_out(target: Target, asked: Any, timeout_s: float) -> bool:
    """Whether the call ended without an answer: by itself, or, where it only awaits, by the caller's own limit."""
    patience_s = 0.3 if target.kind == "python" else 5.0
    try:
        async with asyncio.timeout(timeout_s + patience_s):
            await target.call(_call(asked, timeout_s=timeout_s))
    except TimeoutError:
        return target.kind == "python"  # what holds a process or a connection must let go of it by itself
    except TargetFailure as failure:
        return failure.code == "timeout"
    return False
