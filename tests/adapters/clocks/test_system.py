"""The machine's clock keeps what every clock promises, and its time is the machine's."""

from __future__ import annotations

import time

from fiel.adapters.clocks.system import SystemClock
from fiel.testing.clock_contract import ClockContract


class TestSystemClock(ClockContract):
    def make(self) -> SystemClock:
        return SystemClock()


async def test_it_tells_the_time_of_the_machine_and_really_waits() -> None:
    clock = SystemClock()
    assert abs(clock.unix_s() - time.time()) < 5
    started = time.monotonic()
    await clock.sleep(0.05)
    assert time.monotonic() - started >= 0.049
