"""The number at any rank among millions of whole numbers, exact, in four to eight bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import Final

_RUN: Final = 4096
_SMALL: Final = 2**32


class Ranks:
    """A bag of whole numbers from 0 up to 2**64 - 1, kept in sorted runs.

    A list of them all would take eight times the memory, and only at the very end of a run.
    """

    def __init__(self) -> None:
        self._runs: list[array[int]] = []
        self._open: list[int] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs)) + len(self._open)

    def add(self, number: int) -> None:
        self._open.append(number)
        if len(self._open) == _RUN:
            self._close_run()

    def at(self, rank: int) -> int:
        """The number at ``rank`` in ascending order, from 1 to the length; raises IndexError outside of it."""
        self._close_run()
        if not 1 <= rank <= len(self):
            raise IndexError(f"rank {rank} of {len(self)} numbers")
        low, high = min(run[0] for run in self._runs), max(run[-1] for run in self._runs)
        while low < high:
            middle = (low + high) // 2
            if sum(bisect_right(run, middle) for run in self._runs) >= rank:
                high = middle
            else:
                low = middle + 1
        return low

    def _close_run(self) -> None:
        if self._open:
            self._open.sort()
            self._runs.append(array("I" if self._open[-1] < _SMALL else "Q", self._open))
            self._open.clear()
