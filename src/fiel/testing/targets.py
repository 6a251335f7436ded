"""Stand-ins for the outside: a target that answers by script, and a clock whose sleep takes no time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fiel.core.errors import TargetFailure
from fiel.core.trial import Output
from fiel.ports import Call, Clock


class ScriptedClock:
    """Time that moves only when somebody sleeps or ``advance`` is called.

    Tasks that sleep at once overlap as on a real clock: two that sleep 5 s from the same moment wake at the same
    moment, and the earlier of two wakes first. ``slept`` lists what was asked for, in seconds, in order.
    """

    def __init__(self, *, unix_s: float = 1_790_000_000.0) -> None:
        self._start_unix_s = unix_s
        self._now_s = 0.0
        self._sleepers: list[tuple[float, int]] = []
        self._numbers = itertools.count()
        self.slept: list[float] = []

    def unix_s(self) -> float:
        return self._start_unix_s + self._now_s

    def monotonic_s(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Let time pass with nobody asleep for it."""
        self._now_s += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        me = (self._now_s + seconds, next(self._numbers))
        heapq.heappush(self._sleepers, me)
        try:
            # Others get their turn first: whoever falls asleep at this moment is asleep before time moves.
            for _ in range(3):
                await asyncio.sleep(0)
            while self._sleepers[0] != me:  # noqa: ASYNC110 - each waits for another sleeper's turn, there is no event
                await asyncio.sleep(0)
            self._now_s = max(self._now_s, me[0])
        finally:
            self._sleepers.remove(me)
            heapq.heapify(self._sleepers)


class ScriptedTarget:
    """A Target that answers by script and remembers what it was asked.

    ``answers`` maps a case's id to its value (or ``Output``), the same at every trial, or is a function of the
    ``Call``. An answer that is an exception is raised. ``failures`` maps an id to what its first calls raise, one
    each, in order; ``delays`` to the seconds that each of its calls takes, on ``clock`` (default: real time). A call
    whose delay is longer than its ``timeout_s`` fails with ``timeout`` when that has passed. An id without an answer
    is a TargetFailure ``crash``, not an empty answer.
    """

    def __init__(
        self,
        answers: Mapping[str, Any] | Callable[[Call], Any],
        *,
        failures: Mapping[str, Sequence[BaseException]] | None = None,
        delays: Mapping[str, float] | None = None,
        clock: Clock | None = None,
        name: str = "scripted",
        kind: str = "python",
    ) -> None:
        self._answers = answers
        self._failures = {case: list(planned) for case, planned in (failures or {}).items()}
        self._delays = delays or {}
        self._clock = clock
        self._name = name
        self._kind = kind
        self._in_flight = 0
        self.calls: list[Call] = []
        """Every call made, in order, retries included."""
        self.most_at_once = 0
        """The highest number of calls that were in flight at the same moment."""
        self.is_open = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def kind(self) -> str:
        return self._kind

    async def open(self) -> None:
        self.is_open = True

    async def call(self, call: Call) -> Output:
        self.calls.append(call)
        self._in_flight += 1
        self.most_at_once = max(self.most_at_once, self._in_flight)
        try:
            await self._wait(call)
            return self._answer(call)
        finally:
            self._in_flight -= 1

    async def close(self) -> None:
        self.is_open = False

    async def _wait(self, call: Call) -> None:
        delay_s = self._delays.get(call.case_id, 0.0)
        sleep = asyncio.sleep if self._clock is None else self._clock.sleep
        if call.timeout_s is not None and delay_s > call.timeout_s:
            await sleep(call.timeout_s)
            raise TargetFailure("timeout", f"no answer within {call.timeout_s:g} s")
        if delay_s:
            await sleep(delay_s)

    def _answer(self, call: Call) -> Output:
        planned = self._failures.get(call.case_id)
        if planned:
            raise planned.pop(0)
        if callable(self._answers):
            answer = self._answers(call)
        elif call.case_id in self._answers:
            answer = self._answers[call.case_id]
        else:
            raise TargetFailure("crash", f'the script has no answer for "{call.case_id}"')
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Output) else Output(value=answer)
