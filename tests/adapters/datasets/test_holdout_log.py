"""Each use of a holdout is one line, whoever else is writing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fiel.adapters.datasets.holdout_log import HoldoutLog


def test_uses_are_numbered_by_dataset_and_version_and_keep_their_number(tmp_path: Path):
    log = HoldoutLog(tmp_path / "log.jsonl")
    assert log.number_of("r1", "d", "1") == 0
    for run, version in (("r1", "1"), ("r2", "2"), ("r3", "1"), ("r4", "1")):
        log.append({"run": run, "dataset": "d", "version": version})
    assert [log.number_of(run, "d", "1") for run in ("r1", "r3", "r4")] == [1, 2, 3]
    assert log.number_of("r2", "d", "2") == 1
    assert log.number_of("unknown", "d", "1") == 3
    assert log.number_of("r1", "e", "1") == 0


def test_many_at_once_lose_none(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: HoldoutLog(path).append({"dataset": "d", "version": "1", "n": n}), range(80)))
    assert sorted(entry["n"] for entry in HoldoutLog(path).entries()) == list(range(80))


def test_a_torn_line_swallows_no_later_one(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"dataset": "d", "version": "1"}\n{"dataset": "d", "ver')
    HoldoutLog(path).append({"run": "r2", "dataset": "d", "version": "1"})
    assert HoldoutLog(path).number_of("r2", "d", "1") == 2
