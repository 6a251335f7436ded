"""Waiting for a target no longer than was agreed, whatever it does with being told to stop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Generator
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

GRACE_S: Final = 1.0
"""How long a target may take to clean up once it was told to stop; after that nobody waits for it."""

QUICK: Final = 32
"""After so many answers in a row that took no time, calls are made without a task of their own."""

ABANDONED: Final[list[asyncio.Task[Any]]] = []
"""Calls that did not listen. They are kept, for a coroutine that swallows everything would spin for ever if it were
collected; a process that has some must end without collecting."""

_NO_TIME_S: Final = 0.001
_BEGINS_AT_ONCE: Final = sys.version_info >= (3, 12)


class Patience:
    """Time limits for the calls of one run.

    A call gets a task of its own, which is told to stop when its time is over, and is abandoned when it does not
    listen. A target that answers at once, of which a run may have millions, does not pay for that: after a row of
    quick answers its calls are stepped directly, until one of them waits.
    """

    def __init__(self) -> None:
        self._quick = 0
        self._ended = 0

    async def within(self, coroutine: Coroutine[Any, Any, T], seconds: float | None) -> T:
        """The coroutine's result, or TimeoutError when it takes longer (None: no limit)."""
        if seconds is None:
            return await coroutine
        if self._quick < QUICK:
            return await self._in_a_task(coroutine, seconds)
        try:
            waits_for = coroutine.send(None)
        except StopIteration as stop:
            answer: T = stop.value
            return answer
        self._quick = 0
        async with asyncio.timeout(seconds):
            return await _Rest(coroutine, waits_for)

    async def _in_a_task(self, coroutine: Coroutine[Any, Any, T], seconds: float) -> T:
        loop = asyncio.get_running_loop()
        over: asyncio.Future[bool] = loop.create_future()
        task = _started(self._told(coroutine, over))
        timer = loop.call_later(seconds, _tell, over, False)
        try:
            in_time = await over
        except asyncio.CancelledError:
            await _stop(task)
            raise
        finally:
            timer.cancel()
        if not in_time:
            await _stop(task)
            raise TimeoutError
        self._ended += 1
        if not _BEGINS_AT_ONCE and self._ended % 2:
            # Calls that end together would begin together again, each after the bookkeeping of all: half of them
            # let the other half's calls begin first.
            await asyncio.sleep(0)
        return await task

    async def _told(self, coroutine: Coroutine[Any, Any, T], over: asyncio.Future[bool]) -> T:
        """The coroutine's result; ``over`` is told of its end at once, however it ended."""
        clock = asyncio.get_running_loop().time
        # From its first step on: before it, other calls had their turn, and that is no slowness of this one.
        began = clock()
        try:
            answer = await coroutine
            self._quick = self._quick + 1 if clock() - began < _NO_TIME_S else 0
            return answer
        finally:
            _tell(over, True)


def _tell(over: asyncio.Future[bool], in_time: bool) -> None:
    if not over.done():
        over.set_result(in_time)


def _started(coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task of the coroutine, begun at once where the interpreter can do that, else when all others had their turn."""
    loop = asyncio.get_running_loop()
    if sys.version_info >= (3, 12):
        return asyncio.Task(coroutine, loop=loop, eager_start=True)
    return loop.create_task(coroutine)


async def _stop(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)
    if not task.done():
        # It swallows its own cancellation. The loop must not wait for it at its end, nor complain that it is pending.
        asyncio.tasks._unregister_task(task)
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        ABANDONED.append(task)
    elif not task.cancelled():
        # What it says now comes too late; it only must not be reported as never looked at.
        task.exception()


class _Rest(Generic[T]):
    """What is left of a coroutine after its first step, as something to await in the same task."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], waits_for: Any) -> None:
        self._coroutine, self._waits_for = coroutine, waits_for

    def __await__(self) -> Generator[Any, Any, T]:
        waits_for = self._waits_for
        try:
            while True:
                try:
                    sent = yield waits_for
                except BaseException as error:
                    waits_for = self._coroutine.throw(error)
                else:
                    waits_for = self._coroutine.send(sent)
        except StopIteration as stop:
            answer: T = stop.value
            return answer
