"""One child process in a process group of its own, read with a limit and killed with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

STDERR_TAIL: Final = 4_000
_GRACE_S: Final = 0.5


class Process(asyncio.SubprocessProtocol):
    """A running command. ``output`` is what it printed and nobody took yet."""

    def __init__(self, max_bytes: int) -> None:
        self.output = bytearray()
        self.stderr_tail = bytearray()
        self.too_large = False
        self.exited = False
        self.stdout_closed = False
        self.stdin_closed = False
        self._max_bytes = max_bytes
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self._next: asyncio.Future[None] = self._loop.create_future()
        self._transport: asyncio.SubprocessTransport | None = None

    @classmethod
    async def start(cls, argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str], max_bytes: int) -> Process:
        """Start the command; raises OSError when it cannot be started."""
        loop = asyncio.get_running_loop()
        _, process = await loop.subprocess_exec(
            lambda: cls(max_bytes), *argv, cwd=cwd, env=dict(environ), start_new_session=True
        )
        return process

    @property
    def code(self) -> int | None:
        """The exit status; negative for a signal; None while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    def write(self, data: bytes, *, last: bool = False) -> None:
        """Send ``data`` to its standard input, and close that where ``last``; a process that does not read loses it."""
        pipe = None if self._transport is None else self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not self.stdin_closed:
            pipe.write(data)
            if last:
                pipe.close()

    async def changed(self) -> None:
        """Come back after the next thing that happens to it."""
        await asyncio.shield(self._next)

    async def settle(self) -> None:
        """When it has exited or closed its output: wait a moment for the other, which may never come.

        A child of its own may hold the output open after its exit; it may also close the output and stay.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                while not (self.exited and self.stdout_closed):
                    await self.changed()

    async def end(self, *, politely: bool = False) -> None:
        """Kill the whole group and let go of the pipes; ``politely`` closes its input first and waits a moment."""
        if politely and not self.exited:
            self.write(b"", last=True)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_S):
                    while not self.exited:
                        await self.changed()
        self.kill()
        await asyncio.shield(self._gone)

    def kill(self) -> None:
        """Kill every process of the group and close the pipes, without waiting."""
        if self._transport is None:
            return
        # The group outlives its leader as long as one member lives, so this reaches what a dead leader left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        for number in range(3):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()
        # The transport itself is closed when it says that all is over: to close it while the process is dying makes
        # it wait for the process in the loop's stead, and the loop would then report a made-up exit status.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr_tail = (self.stderr_tail + data)[-STDERR_TAIL:]
            return
        if len(self.output) + len(data) > self._max_bytes:
            self.too_large = True
            self.kill()
        else:
            self.output += data
        self._wake()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self.stdin_closed = True
        if fd == 1:
            self.stdout_closed = True
        self._wake()

    def process_exited(self) -> None:
        self.exited = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.exited = self.stdout_closed = True
        if self._transport is not None:
            self._transport.close()
        if not self._gone.done():
            self._gone.set_result(None)
        self._wake()

    def _wake(self) -> None:
        happened, self._next = self._next, self._loop.create_future()
        happened.set_result(None)
