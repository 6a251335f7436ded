"""The directory of one run: three append-only logs, and whole files that are either old or new, never half."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from fiel.adapters.files import put_file
from fiel.adapters.journals.log import FileLog
from fiel.core.errors import Refused, StorageError

_CHUNK: Final = 256 * 1024
_LAG: Final = 32
_FRESH: Final = ".verdicts.jsonl.part"


class RunDirectory:
    """The journal of one run; see the port ``Journal``. One process holds it at a time, by a lock on ``.lock``.

    A new run wants an absent or empty directory (``resume=False``); ``resume=True`` wants one with a manifest.
    Raises Refused when it is the other way round or another process holds it, and StorageError when the disk
    refuses.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        # A target may change the current directory while its run is being written.
        self.path = path.absolute()
        self._lock = -1
        self._logs: list[FileLog] = []
        self._fresh: FileLog | None = None
        begun = (path / "manifest.json").exists()
        if resume and not begun:
            raise Refused(f"{path}: no run to go on with (no manifest.json); start one with -o {path}")
        if not resume and begun:
            raise Refused(f"{path}: already holds a run; go on with --resume {path}, or name another directory")
        if not resume and path.is_dir() and any(path.iterdir()):
            raise Refused(f"{path}: is not empty and holds no run; name an empty or a new directory")
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise Refused(f"{path}: another process is writing this run; wait for it, or end it") from None
        except OSError as error:
            self.close()
            raise StorageError(f"{path}: {error.strerror or error}") from error
        self.trials = self._log("trials.jsonl")
        self.verdicts = self._log("verdicts.jsonl", lag=_LAG)
        self.traces = self._log("traces.jsonl", lag=_LAG)

    def spool(self) -> FileSpool:
        return FileSpool(self.path)

    def begin_verdicts(self) -> FileLog:
        self._fresh = FileLog(self.path / _FRESH, lag=_LAG)
        self._fresh.keep(0)
        self._logs.append(self._fresh)
        return self._fresh

    def adopt_verdicts(self) -> None:
        if self._fresh is None:
            raise StorageError(f"{self.path}: there are no new verdicts to adopt")
        self._fresh.sync()
        try:
            (self.path / _FRESH).replace(self.path / "verdicts.jsonl")
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}; the old verdicts are in place") from error
        self.verdicts, self._fresh = self._fresh, None

    def put(self, name: str, chunks: Iterable[bytes]) -> None:
        put_file(self.path / name, chunks)

    def get(self, name: str) -> bytes | None:
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{self.path / name}: {error.strerror or error}") from error

    def close(self) -> None:
        for log in self._logs:
            log.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _log(self, name: str, *, lag: int = 0) -> FileLog:
        log = FileLog(self.path / name, lag=lag)
        self._logs.append(log)
        return log


class FileSpool:
    """Bytes on disk that vanish with the object; see the port ``Spool``."""

    def __init__(self, directory: Path) -> None:
        self._where = directory
        try:
            self._file = tempfile.TemporaryFile(dir=directory, buffering=_CHUNK)  # noqa: SIM115
        except OSError as error:
            raise StorageError(f"{directory}: {error.strerror or error}") from error

    def write(self, chunk: bytes) -> None:
        try:
            self._file.write(chunk)
        except OSError as error:
            raise StorageError(f"{self._where}: {error.strerror or error}") from error

    def chunks(self) -> Iterator[bytes]:
        try:
            self._file.flush()
            at = 0
            # Read by place, so that a reading that stops half way does not move where writing goes on.
            while chunk := os.pread(self._file.fileno(), _CHUNK, at):
                at += len(chunk)
                yield chunk
        except OSError as error:
            raise StorageError(f"{self._where}: {error.strerror or error}") from error

    def close(self) -> None:
        self._file.close()
