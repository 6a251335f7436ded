"""A run directory belongs to one process at a time, and its whole files are old or new, never half."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiel.adapters.files import put_file
from fiel.adapters.journals.rundir import RunDirectory
from fiel.core.errors import Refused, StorageError
from fiel.ports import Journal
from fiel.testing.journal_contract import JournalContract

ROOT = Path(__file__).parents[3]


class TestRunDirectory(JournalContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        self.folder = tmp_path
        self.opened: list[RunDirectory] = []
        yield
        for journal in self.opened:
            journal.close()

    def make(self) -> RunDirectory:
        journal = self._open(self.folder / f"run-{len(self.opened)}", resume=False)
        journal.put("manifest.json", [b"{}"])
        return journal

    def reopened(self, journal: Journal) -> RunDirectory:
        journal.close()
        return self._open(self.opened[-1].path, resume=True)

    def killed(self, journal: Journal, half: bytes) -> RunDirectory:
        # What the files hold at this moment is what a kill leaves; what waits in memory dies with the process.
        path = self.folder / f"killed-{len(self.opened)}"
        shutil.copytree(self.opened[-1].path, path)
        with (path / "trials.jsonl").open("ab") as file:
            file.write(half)
        return self._open(path, resume=True)

    def _open(self, path: Path, *, resume: bool) -> RunDirectory:
        self.opened.append(RunDirectory(path, resume=resume))
        return self.opened[-1]


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


def test_verdicts_that_were_never_begun_cannot_be_adopted(tmp_path: Path):
    journal = RunDirectory(tmp_path / "run")
    with pytest.raises(StorageError, match="no new verdicts"):
        journal.adopt_verdicts()
    journal.begin_verdicts()
    journal.adopt_verdicts()
    with pytest.raises(StorageError, match="no new verdicts"):
        journal.adopt_verdicts()
    journal.close()


def test_a_spool_leaves_nothing_behind(tmp_path: Path):
    journal = RunDirectory(tmp_path / "run")
    spool = journal.spool()
    spool.write(b"a" * 300_000)
    spool.close()
    journal.close()
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == [
        ".lock",
        "traces.jsonl",
        "trials.jsonl",
        "verdicts.jsonl",
    ]


WRITER = """
import sys
from pathlib import Path
from fiel.adapters.journals.rundir import RunDirectory

journal = RunDirectory(Path(sys.argv[1]))
journal.put("manifest.json", [b"{}"])
n = 0
while True:
    journal.trials.append(b"trial %d " % n + b"x" * (n % 5_000))
    journal.verdicts.append(b"verdict %d" % n)
    n += 1
    sys.stdout.write(f"{n}\\n")
    sys.stdout.flush()
"""


def test_a_process_killed_outright_loses_no_trial_that_it_had_appended(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    ) as process:
        assert process.stdout is not None
        for _ in range(500):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        appended = 500 + len(process.stdout.read().split(b"\n")) - 1
    assert process.returncode == -signal.SIGKILL
    journal = RunDirectory(tmp_path / "run", resume=True)
    trials = [line for _, line in journal.trials.scan()]
    assert len(trials) in (appended, appended + 1)  # the one after the last that it could tell of
    assert trials == [b"trial %d " % n + b"x" * (n % 5_000) for n in range(len(trials))]
    verdicts = [line for _, line in journal.verdicts.scan()]
    assert verdicts == [b"verdict %d" % n for n in range(len(verdicts))]
    assert verdicts
    journal.close()
