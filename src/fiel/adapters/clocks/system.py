"""The machine's own time, given to those that must not read it themselves."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """The wall clock and the monotonic clock of this machine, and a sleep that really waits."""

    def unix_s(self) -> float:
        return time.time()

    def monotonic_s(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
