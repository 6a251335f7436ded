"""Threads of our own for callables that block: one that hangs is left behind and never keeps the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

Job = Callable[[], Any]
"""What a worker runs. It answers with a value and is expected not to raise."""


class Workers:
    """As many daemon threads as there are calls at once, each running one call at a time.

    A thread whose call was given up (cancelled, or beyond its time) is abandoned: nothing waits for it, nothing is
    queued behind it, and it ends by itself if its call ever returns. The interpreter does not wait for it at exit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: list[_Worker] = []
        self._closed = False

    async def run(self, job: Job, timeout_s: float | None) -> Any:
        """What ``job()`` gives, run in a copy of the caller's context.

        Raises TimeoutError after ``timeout_s`` seconds (None: never), RuntimeError where no thread can be started.
        """
        worker = self._idle.pop() if self._idle else _Worker(self._name)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        worker.put(job, contextvars.copy_context(), answer)
        try:
            async with asyncio.timeout(timeout_s):
                value = await answer
        except BaseException:
            worker.abandon()
            raise
        if self._closed:
            worker.abandon()
        else:
            self._idle.append(worker)
        return value

    def close(self) -> None:
        """Let the idle threads end; a busy one ends when its call does."""
        self._closed = True
        while self._idle:
            self._idle.pop().abandon()


class _Worker:
    """One daemon thread and the queue that feeds it."""

    __slots__ = ("_abandoned", "_jobs", "_pid")

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Job, contextvars.Context, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._abandoned = False
        self._pid = os.getpid()
        threading.Thread(target=self._work, name=f"fiel target {name}", daemon=True).start()

    def put(self, job: Job, context: contextvars.Context, answer: asyncio.Future[Any]) -> None:
        self._jobs.put((job, context, answer))

    def abandon(self) -> None:
        self._abandoned = True
        self._jobs.put(None)

    def _work(self) -> None:
        while (asked := self._jobs.get()) is not None:
            job, context, answer = asked
            value = context.run(job)
            end_if_forked(self._pid)
            if self._abandoned:
                return
            try:
                answer.get_loop().call_soon_threadsafe(_settle, answer, value)
            except RuntimeError:
                return  # the loop has closed: nobody waits any more
            del job, context, answer, value, asked


def end_if_forked(pid: int) -> None:
    """End this process at once where it is not ``pid``: a child that a callable forked and let return.

    It holds the run's open files and event loop, and would go on with the run beside its parent.
    """
    if os.getpid() != pid:
        os._exit(0)


def _settle(answer: asyncio.Future[Any], value: Any) -> None:
    if not answer.done():
        answer.set_result(value)
