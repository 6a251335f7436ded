"""Whole files that are either the old one or the new one, never half."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from fiel.core.errors import StorageError


def put_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a whole file beside its place, flush it to disk, then rename it there; raises StorageError."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageError(f"{path}: {error.strerror or error}; the file before it, if any, is untouched") from error
