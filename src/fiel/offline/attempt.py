"""One trial: the target is called, within its time, again where that makes sense, and what came is written down."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fiel.core.case import Case
from fiel.core.errors import TargetFailure
from fiel.core.trial import Output, Usage
from fiel.core.verdict import Ungraded
from fiel.offline.patience import Patience
from fiel.offline.trial import Trial
from fiel.ports import Call, Clock, Target

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 60.0
"""A Retry-After beyond this is obeyed by giving the trial up, not by coming back too early."""


def rounded_s(seconds: float, parts: float) -> float:
    """Seconds from 0 up, to the nearest of so many parts of a second; quicker than ``round`` with its digits."""
    return int(seconds * parts + 0.5) / parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempting:
    """How a trial is made: its time limit in seconds (None: none), how often it is tried again, and the options.

    ``price`` gives the cost in USD of a model's usage where the target did not say it, or None where unknown.
    ``random`` draws the jitter of a pause, 0 to 1.
    """

    target: Target
    clock: Clock
    options: Mapping[str, Any]
    timeout_s: float | None = 60.0
    retries: int = 2
    price: Callable[[str | None, Usage], float | None] = lambda _model, _usage: None
    random: Callable[[], float] = random.random
    patience: Patience = field(default_factory=Patience)

    async def make(self, case: Case, index: int, trial: int) -> Trial:
        """The trial of one case; a target that gives no output ends as ``failed``, never as an exception."""
        call = Call(case_id=case.id, input=case.input, trial=trial, options=self.options, timeout_s=self.timeout_s)
        clock = self.clock
        attempts = 0
        while True:
            attempts += 1
            started, began = clock.unix_s(), clock.monotonic_s()
            try:
                output = await self.patience.within(self.target.call(call), self.timeout_s)
                took = clock.monotonic_s() - began
                if self.timeout_s is None or took <= self.timeout_s:
                    return self._done(case, index, trial, output, attempts, started, took)
                # It blocked the event loop, so that nobody could stop it in time.
                failure = TargetFailure("timeout", f"answered after {took:.3g} s, allowed were {self.timeout_s:g} s")
            except TimeoutError:
                failure = TargetFailure("timeout", f"no answer within {self.timeout_s:g} s")
            except TargetFailure as error:
                failure = error
            took = clock.monotonic_s() - began
            pause = self._pause(failure, attempts)
            if pause is None:
                detail = f"{failure} at {failure.place}" if failure.place else str(failure)
                return Trial(
                    case=case.id,
                    index=index,
                    trial=trial,
                    latency_s=rounded_s(took, 1e6),
                    started_unix_s=rounded_s(started, 1e3),
                    failed=Ungraded(reason=f"target_{failure.code}", detail=detail),
                    output=None,
                    attempts=attempts,
                )
            await clock.sleep(pause)

    def _pause(self, failure: TargetFailure, attempts: int) -> float | None:
        """Seconds before the next try, or None to give up: full jitter under a doubling bound, never before
        what the target asked for in Retry-After."""
        if not failure.retriable or attempts > self.retries:
            return None
        asked = failure.retry_after_s or 0.0
        if asked > LONGEST_PAUSE_S:
            return None
        bound = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (attempts - 1))
        # Jitter goes on top of what was asked: everyone who got a 429 would otherwise return at the same moment.
        return asked + self.random() * bound

    def _done(
        self, case: Case, index: int, trial: int, output: Output, attempts: int, started: float, took: float
    ) -> Trial:
        cost = output.cost_usd
        if cost is None and output.usage is not None:
            cost = self.price(output.model, output.usage)
        return Trial(
            case=case.id,
            index=index,
            trial=trial,
            latency_s=rounded_s(took, 1e6),
            started_unix_s=rounded_s(started, 1e3),
            output=output.value,
            cost_usd=cost,
            usage=output.usage,
            tool_calls=output.tool_calls,
            model=output.model,
            attempts=attempts,
        )
