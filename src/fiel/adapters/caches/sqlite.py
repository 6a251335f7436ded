"""Answers by content in one SQLite file, which two runs may use at the same time."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final, Self

from fiel.core.errors import StorageError

_APPLICATION: Final = 0x6669656C  # "fiel", so that no other program's database is taken for a cache
_VERSION: Final = 1
_WAIT_S: Final = 10.0


class SQLiteCache:
    """A cache that outlives the run, in write-ahead mode: readers never wait, two writers wait for each other.

    What was put is there after a killed process; a power cut may lose the latest answers, and then they are asked
    again. A value beyond ``max_value_bytes`` is not kept: a cache may forget.
    """

    def __init__(self, path: Path, *, max_value_bytes: int = 1_048_576) -> None:
        """Open the file, made where there is none. Raises StorageError that says what to do about one it cannot use."""
        self._path = path
        self._max_bytes = max_value_bytes
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Used by one task at a time, but maybe closed from another thread than it was opened in.
            self._database = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False)
        except (sqlite3.Error, OSError) as error:
            raise self._broken(error) from error
        try:
            self._prepare()
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.Error):
                raise self._broken(error) from error
            raise

    def get(self, key: str) -> bytes | None:
        """What was put under this hex digest, or None. Raises StorageError."""
        try:
            row = self._database.execute("SELECT value FROM answers WHERE key = ?", (bytes.fromhex(key),)).fetchone()
        except sqlite3.Error as error:
            raise self._broken(error) from error
        return None if row is None else bytes(row[0])

    def put(self, key: str, value: bytes) -> None:
        """Keep a value under this hex digest; the latest wins. Raises StorageError, as on a full disk."""
        try:
            if len(value) > self._max_bytes:
                # Too large to keep; the value before it must not stand for it.
                self._database.execute("DELETE FROM answers WHERE key = ?", (bytes.fromhex(key),))
                return
            self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (bytes.fromhex(key), value))
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def close(self) -> None:
        """Let go of the file; safe to call twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _prepare(self) -> None:
        self._write_ahead()
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("BEGIN IMMEDIATE")
        application, version = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables == 0:
            self._database.execute("CREATE TABLE answers (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
            self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._database.execute(f"PRAGMA user_version = {_VERSION}")
        elif application != _APPLICATION:
            raise StorageError(f"{self._path} is another program's database, not a cache; name another file")
        elif version != _VERSION:
            raise StorageError(
                f"{self._path} is a cache of format {version} and this fiel reads {_VERSION}; delete it (answers are"
                " asked again) or name another file"
            )
        self._database.execute("COMMIT")

    def _write_ahead(self) -> None:
        """Switch to write-ahead mode; SQLite does not wait by itself while another process is switching too."""
        until_s = time.monotonic() + _WAIT_S
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until_s:
                    raise
                time.sleep(0.02)
            else:
                return

    def _broken(self, error: Exception) -> StorageError:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            advice = "it holds only copies of answers: delete it (with its -wal and -shm files) and run again"
            return StorageError(f"the cache {self._path} is damaged ({error}); {advice}")
        advice = "free some space, fix the permissions, or run without the cache"
        return StorageError(f"the cache {self._path} cannot be used ({error}); {advice}")
