"""What a run has so far: which trials are finished, and where their lines stand in the journal."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from fiel.core.errors import StorageError
from fiel.offline.records import decode_trial, decode_verdicts
from fiel.ports import Log

Place = tuple[int, int]
_NOWHERE: Final = -1


class Places:
    """Where the line of each (case, trial) stands, at twelve bytes each."""

    def __init__(self, size: int) -> None:
        self._offsets = array("q", [_NOWHERE]) * size
        self._lengths = array("I", [0]) * size

    def __len__(self) -> int:
        return len(self._offsets)

    def __contains__(self, slot: int) -> bool:
        return self._offsets[slot] != _NOWHERE

    def __getitem__(self, slot: int) -> Place:
        return self._offsets[slot], self._lengths[slot]

    def get(self, slot: int) -> Place | None:
        """Where the line of a slot stands, or None while there is none."""
        offset = self._offsets[slot]
        return None if offset == _NOWHERE else (offset, self._lengths[slot])

    def __setitem__(self, slot: int, place: Place) -> None:
        self._offsets[slot], self._lengths[slot] = place

    def count(self) -> int:
        """How many slots have a line."""
        return len(self._offsets) - self._offsets.count(_NOWHERE)


@dataclass(slots=True, kw_only=True)
class Book:
    """Where the lines of finished trials and of their verdicts stand."""

    trials: Places
    verdicts: Places


def find_trials(log: Log, *, cases: int, trials: int, where: str) -> Places:
    """The places of all finished trials; raises :class:`StorageError` for a line that is not of this run."""
    places = Places(cases * trials)
    for place, line in log.scan():
        trial = decode_trial(line, where)
        if not (0 <= trial.index < cases and 0 <= trial.trial < trials):
            raise StorageError(
                f"{where}: holds trial {trial.trial} of case number {trial.index + 1}, "
                f"but this run has {cases} cases with {trials} trials each: the files do not belong together"
            )
        places[trial.index * trials + trial.trial] = place
    return places


def find_verdicts(log: Log, *, graders: Sequence[str], trials: int, size: int, where: str) -> Places | None:
    """The places of all verdict lines, or None where the file is of other graders than ``graders`` now.

    The first line of the file says whose verdicts it holds, so that a changed grader never borrows old ones.
    """
    places = Places(size)
    lines = log.scan()
    header = next(lines, None)
    if header is None or header[1] != verdict_header(graders):
        return None
    for place, line in lines:
        index, trial, _ = decode_verdicts(line, where)
        slot = index * trials + trial
        if 0 <= slot < size:
            places[slot] = place
    return places


def verdict_header(graders: Sequence[str]) -> bytes:
    """The first line of ``verdicts.jsonl``: the fingerprints of the graders, in order."""
    return msgspec.json.encode({"graders": list(graders)})
