"""The cache of answers: one file, several processes, and a clear word when the file cannot be used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiel.adapters.caches.sqlite import SQLiteCache
from fiel.core.errors import StorageError
from fiel.testing.cache_contract import CacheContract, key_of


class TestSQLiteCache(CacheContract):
    @pytest.fixture(autouse=True)
    def _file(self, tmp_path: Path) -> Iterator[None]:
        with SQLiteCache(tmp_path / "contract", max_value_bytes=self.kept_bytes) as self.cache:
            yield

    def make(self) -> SQLiteCache:
        return self.cache


class TestSQLiteCacheOfLargeValues(TestSQLiteCache):
    kept_bytes = 1_000_000


def test_what_was_put_is_there_after_the_cache_was_closed(tmp_path: Path) -> None:
    with SQLiteCache(tmp_path / "made" / "cache.sqlite") as cache:
        assert cache.get(key_of("a")) is None
        cache.put(key_of("a"), b"\x00\xff")
        cache.put(key_of("b"), b"")
    with SQLiteCache(tmp_path / "made" / "cache.sqlite") as cache:
        assert cache.get(key_of("a")) == b"\x00\xff"
        assert cache.get(key_of("b")) == b""
        assert cache.get(key_of("c")) is None


def test_a_value_beyond_the_limit_is_not_kept(tmp_path: Path) -> None:
    with SQLiteCache(tmp_path / "c", max_value_bytes=10) as cache:
        cache.put(key_of("a"), b"x" * 10)
        cache.put(key_of("b"), b"x" * 11)
        assert cache.get(key_of("a")) == b"x" * 10
        assert cache.get(key_of("b")) is None


def test_closing_twice_is_safe(tmp_path: Path) -> None:
    cache = SQLiteCache(tmp_path / "c")
    cache.close()
    cache.close()
    with pytest.raises(StorageError):
        cache.get(key_of("a"))


WRITER = """
import hashlib, sys
from pathlib import Path
from fiel.adapters.caches.sqlite import SQLiteCache

with SQLiteCache(Path(sys.argv[1])) as cache:
    for n in range(300):
        cache.put(hashlib.sha256(f"{sys.argv[2]}-{n}".encode()).hexdigest(), str(n).encode())
"""


def test_two_processes_may_open_and_write_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "c"
    environ = {**os.environ, "PYTHONPATH": ":".join(part for part in sys.path if part)}
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name], env=environ) for name in ("one", "two", "three")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    with SQLiteCache(path) as cache:
        for name in ("one", "two", "three"):
            assert all(cache.get(key_of(f"{name}-{n}")) == str(n).encode() for n in range(300))


def test_a_file_that_is_no_database_says_to_delete_it(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_bytes(b"this is not a database, it only looks like one " * 100)
    with pytest.raises(StorageError, match=r"is damaged .* delete it") as caught:
        SQLiteCache(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes().startswith(b"this is not")


def test_a_file_damaged_in_the_middle_says_to_delete_it(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with SQLiteCache(path) as cache:
        for n in range(2_000):
            cache.put(key_of(str(n)), b"x" * 100)
    whole = bytearray(path.read_bytes())
    whole[4096 : len(whole) - 4096] = os.urandom(len(whole) - 8192)
    path.write_bytes(whole)
    with SQLiteCache(path) as cache, pytest.raises(StorageError, match=r"is damaged .* delete it"):
        [cache.get(key_of(str(n))) for n in range(2_000)]


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "c"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE customers (name TEXT)")
    other.close()
    with pytest.raises(StorageError, match="another program's database"):
        SQLiteCache(path)


def test_a_cache_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c"
    SQLiteCache(path).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 9")
    newer.close()
    with pytest.raises(StorageError, match="a cache of format 9 and this fiel reads 1; delete it"):
        SQLiteCache(path)


def test_a_directory_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="cannot be used"):
        SQLiteCache(tmp_path / "file" / "c")
    with pytest.raises(StorageError, match="cannot be used"):
        SQLiteCache(tmp_path)


def test_a_full_disk_is_a_storage_error_and_what_was_put_stays(tmp_path: Path) -> None:
    path = tmp_path / "c"
    with SQLiteCache(path) as cache:
        cache.put(key_of("a"), b"kept")
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from fiel.adapters.caches.sqlite import SQLiteCache\n"
        "from fiel.core.errors import StorageError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "with SQLiteCache(Path(sys.argv[1])) as cache:\n"
        "    try:\n"
        "        for n in range(100): cache.put(f'{n:064x}', b'x' * 50_000)\n"
        "    except StorageError as error: print(error)\n"
    )
    environ = {**os.environ, "PYTHONPATH": ":".join(part for part in sys.path if part)}
    command = [sys.executable, "-c", script, str(path)]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert "free some space" in ended.stdout, ended.stderr
    with SQLiteCache(path) as cache:
        assert cache.get(key_of("a")) == b"kept"
