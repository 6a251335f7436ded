"""The sockets: small protocols that adapters fill and features use without knowing who is behind them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fiel.core.case import DatasetInfo
from fiel.core.grader import MetricReply, MetricRequest, ModelReply, ModelRequest
from fiel.core.trial import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a target is asked: one input, the trial's number from 0, and the run's options.

    ``timeout_s`` is how long the caller will wait (None: for ever); an adapter that holds resources outside
    the event loop (a process, a thread) must let go of them by itself when it has passed.
    """

    case_id: str
    input: Any
    trial: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float | None = None


class Target(Protocol):
    """The system under test. One object for a whole run, used by many tasks at once."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """``python``, ``http`` or ``command``."""
        ...

    async def open(self) -> None:
        """Make ready; raise ConfigError or TargetFailure before the first call rather than at it."""
        ...

    def call(self, call: Call) -> Coroutine[Any, Any, Output]:
        """The answer to one call; raise TargetFailure when there is none, and nothing else."""
        ...

    async def close(self) -> None:
        """Let go of everything; safe to call twice and after a failed open."""
        ...


class Clock(Protocol):
    """Time, so that tests can own it."""

    def unix_s(self) -> float:
        """Seconds since 1970 in UTC."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never go back, for durations."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Log(Protocol):
    """An append-only file of lines.

    A line is there for good, whole, once ``append`` has returned: killing the process loses nothing that was
    appended. What a kill cut in the middle of a line is dropped when the log is next opened for appending.
    """

    def append(self, line: bytes) -> tuple[int, int]:
        """Add one line (without its newline); gives its place as (offset, length). Raises StorageError."""
        ...

    def read(self, place: tuple[int, int]) -> bytes:
        """The line at a place that ``append`` or ``scan`` gave, without its newline."""
        ...

    def scan(self) -> Iterator[tuple[tuple[int, int], bytes]]:
        """Every whole line from the beginning, with its place."""
        ...

    def sync(self) -> None:
        """Make everything appended survive a power cut too."""
        ...

    def keep(self, lines: int) -> None:
        """Forget every line after the first ``lines``."""
        ...


class Spool(Protocol):
    """Bytes put aside until they are needed, on disk so that memory stays flat."""

    def write(self, chunk: bytes) -> None: ...

    def chunks(self) -> Iterator[bytes]:
        """What was written, from the beginning."""
        ...

    def close(self) -> None: ...


class Journal(Protocol):
    """The directory of one run, held by one process at a time."""

    @property
    def trials(self) -> Log:
        """What the target answered: the truth of a run, there for good once appended."""
        ...

    @property
    def verdicts(self) -> Log:
        """What graders said. It can be made again from the trials, so it may lag behind until it is synced."""
        ...

    @property
    def traces(self) -> Log:
        """One span a trial, in the order of ``verdicts``; may lag like them."""
        ...

    def spool(self) -> Spool: ...

    def begin_verdicts(self) -> Log:
        """A new log beside ``verdicts``, empty, that replaces it at :meth:`adopt_verdicts`."""
        ...

    def adopt_verdicts(self) -> None:
        """Flush the log that was begun and put it in the place of ``verdicts``, at once."""
        ...

    def put(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a whole file of the run (``report.json``) so that it is either the old one or the new one."""
        ...

    def get(self, name: str) -> bytes | None:
        """A small whole file of the run, or None where there is none."""
        ...

    def close(self) -> None: ...


class CaseSource(Protocol):
    """A dataset as it lies on disk: lines and what its ``dataset.toml`` says."""

    @property
    def info(self) -> DatasetInfo: ...

    @property
    def label(self) -> str:
        """How errors name it: the path as the user wrote it."""
        ...

    def lines(self, also: Callable[[bytes], object] | None = None) -> Iterator[tuple[int, bytes]]:
        """Line number from 1 and the line's bytes, without its newline and without a byte order mark.

        ``also`` is called with every raw chunk of the file in order (to hash it). Raises DatasetError on a line
        beyond the size limit and StorageError when the file cannot be read. May be iterated several times.
        """
        ...

    def schemas(self) -> Mapping[str, Any]:
        """The named JSON Schemas in the dataset's folder."""
        ...


class Cache(Protocol):
    """Answers by content. A key is a hex digest; a value is bytes."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, value: bytes) -> None: ...


class Model(Protocol):
    """Something that answers a ModelRequest; raises TargetFailure when it cannot."""

    async def ask(self, request: ModelRequest) -> ModelReply: ...


class Metrics(Protocol):
    """Something that runs a library's metric."""

    async def measure(self, request: MetricRequest) -> MetricReply: ...
