"""A log keeps whole lines only, whatever cuts it, and says where each line stands."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiel.adapters.journals.log import FileLog
from fiel.core.errors import StorageError

ROOT = Path(__file__).parents[3]


def test_what_was_appended_is_read_back_by_its_place(tmp_path: Path):
    log = FileLog(tmp_path / "log")
    places = [log.append(line) for line in (b"one", b"", b"three" * 100_000)]
    assert [log.read(place) for place in reversed(places)] == [b"three" * 100_000, b"", b"one"]
    assert [line for _, line in log.scan()] == [b"one", b"", b"three" * 100_000]
    log.close()


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


def test_lines_are_kept_up_to_a_number(tmp_path: Path):
    log = FileLog(tmp_path / "log", lag=2)
    for line in (b"a", b"b", b"c"):
        log.append(line)
    log.keep(2)
    assert log.read(log.append(b"d")) == b"d"
    assert [line for _, line in log.scan()] == [b"a", b"b", b"d"]
    log.keep(0)
    assert list(log.scan()) == []
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
