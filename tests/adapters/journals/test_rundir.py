"""A run directory belongs to one process at a time, and its whole files are old or new, never half."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiel.adapters.files import put_file
from fiel.adapters.journals.rundir import RunDirectory
from fiel.core.errors import Refused, StorageError


def test_two_processes_cannot_write_one_run(tmp_path: Path):
    first = RunDirectory(tmp_path / "run")
    first.put("manifest.json", [b"{}"])
    with pytest.raises(Refused, match="another process is writing this run"):
        RunDirectory(tmp_path / "run", resume=True)
    first.close()
    RunDirectory(tmp_path / "run", resume=True).close()


def test_resuming_nothing_is_refused(tmp_path: Path):
    with pytest.raises(Refused, match="no run to go on with"):
        RunDirectory(tmp_path / "run", resume=True)


def test_a_directory_with_other_files_is_not_taken(tmp_path: Path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(Refused, match="is not empty"):
        RunDirectory(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_failed_replacement_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "report.json"
    put_file(path, [b"old"])

    def breaking():
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match="No space left"):
        put_file(path, breaking())
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_new_verdicts_take_the_old_ones_place_at_once(tmp_path: Path):
    journal = RunDirectory(tmp_path / "run")
    journal.verdicts.append(b"old")
    fresh = journal.begin_verdicts()
    fresh.append(b"new")
    journal.verdicts.sync()
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == b"old\n"
    journal.adopt_verdicts()
    assert (tmp_path / "run" / "verdicts.jsonl").read_bytes() == b"new\n"
    with pytest.raises(StorageError, match="no new verdicts"):
        journal.adopt_verdicts()
    journal.close()


def test_a_spool_gives_back_what_it_took_and_leaves_nothing(tmp_path: Path):
    journal = RunDirectory(tmp_path / "run")
    spool = journal.spool()
    spool.write(b"a" * 300_000)
    spool.write(b"b")
    assert b"".join(spool.chunks()) == b"a" * 300_000 + b"b"
    spool.write(b"c")
    assert b"".join(spool.chunks()).endswith(b"bc")
    spool.close()
    journal.close()
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == [
        ".lock",
        "traces.jsonl",
        "trials.jsonl",
        "verdicts.jsonl",
    ]
