"""The machine's clock, as far as a test can know it."""

from __future__ import annotations

import time

from fiel.adapters.clocks.system import SystemClock
from fiel.ports import Clock


async def test_it_tells_the_time_of_the_machine_and_really_waits() -> None:
    clock: Clock = SystemClock()
    assert abs(clock.unix_s() - time.time()) < 5
    started = clock.monotonic_s()
    await clock.sleep(0.05)
    assert clock.monotonic_s() - started >= 0.049
