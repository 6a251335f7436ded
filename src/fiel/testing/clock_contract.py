"""What every Clock must do, as tests: subclass ``ClockContract`` and each adapter is held to the same promises."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from fiel.ports import Clock

EARLY = 0.99
"""The part of a sleep that must have passed: an event loop may wake a hair before its time."""


class ClockContract:
    """The contract suite of the Clock port.

    A subclass gives ``make()``: a new Clock. Every duration is read on the clock itself, so that a clock whose time
    does not really pass keeps the contract too; what is asked for is below half a second.
    """

    def make(self) -> Clock:
        raise NotImplementedError("a subclass of ClockContract gives make()")

    def test_the_time_is_in_seconds_since_1970(self) -> None:
        now_s = self.make().unix_s()
        assert isinstance(now_s, float)
        assert 1_577_836_800 < now_s < 4_102_444_800, f"{now_s} s is no time between 2020 and 2100: not seconds, maybe"

    def test_monotonic_time_never_goes_back(self) -> None:
        async def watch(clock: Clock) -> None:
            seen = [clock.monotonic_s() for _ in range(1_000)]
            for _ in range(5):
                await clock.sleep(0.002)
                seen.append(clock.monotonic_s())
            assert seen == sorted(seen)

        self._run(watch)

    def test_a_sleep_lasts_as_long_as_was_asked_for(self) -> None:
        async def watch(clock: Clock) -> None:
            for asked_s in (0.01, 0.1):
                started_s = clock.monotonic_s()
                await clock.sleep(asked_s)
                assert clock.monotonic_s() - started_s >= asked_s * EARLY

        self._run(watch)

    def test_the_time_of_day_passes_while_somebody_sleeps(self) -> None:
        async def watch(clock: Clock) -> None:
            started_s, unix_s = clock.monotonic_s(), clock.unix_s()
            await clock.sleep(0.2)
            # A machine's time of day may be set right at any moment, by a little.
            assert abs((clock.unix_s() - unix_s) - (clock.monotonic_s() - started_s)) < 0.1

        self._run(watch)

    def test_a_sleep_of_nothing_or_less_ends_at_once(self) -> None:
        async def watch(clock: Clock) -> None:
            started_s = clock.monotonic_s()
            for asked_s in (0, 0.0, -1.0):
                await clock.sleep(asked_s)
            assert clock.monotonic_s() - started_s < 0.5

        self._run(watch)

    def test_others_go_on_while_one_sleeps(self) -> None:
        async def watch(clock: Clock) -> None:
            went_on = asyncio.Event()
            other = asyncio.create_task(_set(went_on))
            await clock.sleep(0.1)
            assert went_on.is_set()
            await other

        self._run(watch)

    def test_sleeps_at_once_overlap_and_the_shorter_ends_first(self) -> None:
        async def watch(clock: Clock) -> None:
            woken: list[float] = []

            async def sleeper(asked_s: float) -> None:
                await clock.sleep(asked_s)
                woken.append(asked_s)

            started_s = clock.monotonic_s()
            await asyncio.gather(*(sleeper(asked_s) for asked_s in (0.4, 0.2, 0.3)))
            assert woken == [0.2, 0.3, 0.4]
            assert 0.4 * EARLY <= clock.monotonic_s() - started_s < 0.9

        self._run(watch)

    def test_a_cancelled_sleep_ends_and_holds_up_no_other(self) -> None:
        async def watch(clock: Clock) -> None:
            started_s = clock.monotonic_s()
            cancelled, other = (asyncio.create_task(clock.sleep(asked_s)) for asked_s in (60.0, 0.1))
            await asyncio.sleep(0)
            cancelled.cancel()
            await asyncio.wait([cancelled, other], timeout=10)
            assert cancelled.cancelled()
            assert other.done()
            assert 0.1 * EARLY <= clock.monotonic_s() - started_s < 10

        self._run(watch)

    def _run(self, watch: Callable[[Clock], Awaitable[None]]) -> None:
        async def scene() -> None:
            await watch(self.make())

        asyncio.run(scene())


async def _set(event: asyncio.Event) -> None:
    event.set()
