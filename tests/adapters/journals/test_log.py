"""A log keeps whole lines only, whatever cuts it, and says where each line stands."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.adapters.journals.log import FileLog
from fiel.core.errors import StorageError
from fiel.ports import Log
from fiel.testing.journal_contract import LogContract

ROOT = Path(__file__).parents[3]


class TestFileLog(LogContract):
    lag = 0

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        self.folder = tmp_path
        self.opened: list[FileLog] = []
        yield
        for log in self.opened:
            log.close()

    def make(self) -> FileLog:
        return self._open(self.folder / f"log-{len(self.opened)}")

    def reopened(self, log: Log) -> FileLog:
        last = self.opened[-1]
        assert last is log
        last.close()
        return self._open(last.path)

    def killed(self, log: Log, half: bytes) -> FileLog:
        # What the file holds at this moment is what a kill leaves; what waits in memory dies with the process.
        left = self.opened[-1].path.read_bytes()
        path = self.folder / f"killed-{len(self.opened)}"
        path.write_bytes(left + half)
        return self._open(path)

    def _open(self, path: Path) -> FileLog:
        self.opened.append(FileLog(path, lag=self.lag))
        return self.opened[-1]


class TestFileLogThatLags(TestFileLog):
    lag = 3


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=8), st.integers(0, 400))
def test_cut_anywhere_the_whole_lines_before_the_cut_are_there(tmp_path_factory, lines, cut):
    path = tmp_path_factory.mktemp("log") / "log"
    log = FileLog(path)
    for line in lines:
        log.append(line)
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    again = FileLog(path)
    assert [line for _, line in again.scan()] == whole[:cut].split(b"\n")[:-1]
    again.append(b"after")
    assert [line for _, line in again.scan()][-1] == b"after"
    again.close()


@pytest.mark.parametrize("lag", [0, 3])
def test_lagging_lines_are_there_once_synced_or_read(tmp_path: Path, lag: int):
    log = FileLog(tmp_path / "log", lag=lag)
    place = log.append(b"x")
    assert log.read(place) == b"x"
    log.append(b"y")
    log.sync()
    assert (tmp_path / "log").read_bytes() == b"x\ny\n"
    log.close()


def test_a_full_disk_is_a_clear_error_and_loses_no_line_before_it(tmp_path: Path):
    # A limit on the file's size makes the kernel refuse the write in the middle, as a full disk does.
    script = textwrap.dedent(
        """
        import resource, signal, sys
        from pathlib import Path
        from fiel.adapters.journals.log import FileLog
        from fiel.core.errors import StorageError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        log = FileLog(Path(sys.argv[1]))
        done = 0
        try:
            while True:
                log.append(b"x" * 99)
                done += 1
        except StorageError as error:
            print(done, error)
        """
    )
    path = tmp_path / "log"
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stdout.startswith("10 ")
    assert "everything finished before is kept" in done.stdout
    assert path.read_bytes() == (b"x" * 99 + b"\n") * 10


def test_a_file_that_is_not_there_reads_as_empty(tmp_path: Path):
    log = FileLog(tmp_path / "nowhere", readonly=True)
    assert list(log.scan()) == []
    log.close()


def test_a_directory_in_the_way_is_named(tmp_path: Path):
    with pytest.raises(StorageError, match=str(tmp_path)):
        FileLog(tmp_path)
