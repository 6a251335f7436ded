"""An append-only file of lines that a kill at any moment leaves whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fiel.core.errors import StorageError

_CHUNK: Final = 256 * 1024


class FileLog:
    """One log over one file; see the port ``Log``.

    Opening for appending drops a torn last line, the mark of a kill in mid-write. ``readonly`` opens a file that
    nobody will append to; a file that is not there reads as empty. ``lag`` lines may wait in memory for the next
    ones, to be written together: for lines that can be made again.
    """

    def __init__(self, path: Path, *, readonly: bool = False, lag: int = 0) -> None:
        self.path = path
        self._lag = lag
        self._waiting: list[bytes] = []
        self._window = (0, b"")
        self._fd = -1
        try:
            if readonly:
                self._fd = os.open(path, os.O_RDONLY) if path.exists() else -1
                self._end = 0
            else:
                self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                self._end = self._drop_torn_line()
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror or error}") from error

    def append(self, line: bytes) -> tuple[int, int]:
        start, length = self._end, len(line)
        self._end = start + length + 1
        waiting = self._waiting
        waiting.append(line)
        if len(waiting) > self._lag:
            self._write()
        return start, length

    def _write(self) -> None:
        if not self._waiting:
            return
        self._waiting.append(b"")
        data = b"\n".join(self._waiting)
        self._waiting.clear()
        start = self._end - len(data)
        try:
            written = os.pwrite(self._fd, data, start)
            while written < len(data):
                # A nearly full disk takes a part, and says ENOSPC to the rest.
                written += os.pwrite(self._fd, data[written:], start + written)
        except OSError as error:
            self._end = start
            self._forget_half_line()
            raise StorageError(
                f"{self.path}: {error.strerror or error}; everything finished before is kept: "
                "make room and go on with --resume"
            ) from error

    def read(self, place: tuple[int, int]) -> bytes:
        if self._waiting:
            self._write()
        offset, length = place
        start, window = self._window
        if not start <= offset <= offset + length <= start + len(window):
            # Lines are mostly asked for in file order, so the next ones come along.
            start, window = offset, self._pread(max(length, _CHUNK), offset)
            self._window = (start, window)
            if len(window) < length:
                raise StorageError(f"{self.path}: ends inside the line at byte {offset}: something else cut the file")
        return window[offset - start : offset - start + length]

    def scan(self) -> Iterator[tuple[tuple[int, int], bytes]]:
        self._write()
        offset, rest = 0, b""
        at = 0
        while chunk := self._pread(_CHUNK, at):
            at += len(chunk)
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            for line in lines:
                yield (offset, len(line)), line
                offset += len(line) + 1

    def sync(self) -> None:
        self._write()
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            raise StorageError(f"{self.path}: could not be flushed to disk: {error.strerror or error}") from error

    def keep(self, lines: int) -> None:
        end = 0
        if lines:
            for number, ((offset, length), _) in enumerate(self.scan(), 1):
                end = offset + length + 1
                if number == lines:
                    break
        self._write()
        try:
            os.ftruncate(self._fd, end)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}") from error
        self._end, self._window = end, (0, b"")

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        if self._fd >= 0:
            with contextlib.suppress(StorageError):
                self._write()
            os.close(self._fd)
            self._fd = -1

    def _pread(self, length: int, offset: int) -> bytes:
        if self._fd < 0:
            return b""
        try:
            return os.pread(self._fd, length, offset)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}") from error

    def _drop_torn_line(self) -> int:
        size = end = os.fstat(self._fd).st_size
        while end > 0:
            start = max(0, end - _CHUNK)
            newline = os.pread(self._fd, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._fd, end)
        return end

    def _forget_half_line(self) -> None:
        try:
            os.ftruncate(self._fd, self._end)
        except OSError:
            # The half line stays; the next opening drops it.
            return
