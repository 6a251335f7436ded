"""How often a holdout was used: one JSON line a run, appended beside the workspace's configuration."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiel.core.errors import StorageError


class HoldoutLog:
    """``holdout-log.jsonl``; many processes may append at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def number_of(self, run: str, dataset: str, version: str) -> int:
        """Which use of this version of this dataset a run is, from 1; how many there are, where it is none of them.

        The number a run got stays its number, however often the holdout is used afterwards.
        """
        runs = [e.get("run") for e in self.entries() if (e.get("dataset"), e.get("version")) == (dataset, version)]
        return runs.index(run) + 1 if run in runs else len(runs)

    def entries(self) -> list[Mapping[str, Any]]:
        """Every whole line that is a JSON object, in order."""
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}") from error
        found: list[Mapping[str, Any]] = []
        for line in lines:
            try:
                entry = json.loads(line) if line else None
            except ValueError:
                continue
            if isinstance(entry, dict):
                found.append(entry)
        return found

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add one use, flushed to disk before this returns."""
        line = json.dumps(dict(entry), ensure_ascii=False).encode() + b"\n"
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                size = os.fstat(fd).st_size
                if size and os.pread(fd, 1, size - 1) != b"\n":
                    # A kill cut the line before; it must not swallow this one.
                    line = b"\n" + line
                os.write(fd, line)
                os.fsync(fd)
            finally:
                os.close(fd)
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}") from error
