"""Each use of a holdout is one line, whoever else is writing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fiel.adapters.datasets.holdout_log import HoldoutLog


def test_uses_are_counted_by_dataset_and_version(tmp_path: Path):
    log = HoldoutLog(tmp_path / "log.jsonl")
    assert log.uses("d", "1") == 0
    assert log.append({"dataset": "d", "version": "1"}) == 1
    assert log.append({"dataset": "d", "version": "2"}) == 1
    assert log.append({"dataset": "d", "version": "1"}) == 2


def test_many_at_once_lose_none(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: HoldoutLog(path).append({"dataset": "d", "version": "1", "n": n}), range(80)))
    assert sorted(entry["n"] for entry in HoldoutLog(path).entries()) == list(range(80))


def test_a_torn_line_swallows_no_later_one(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"dataset": "d", "version": "1"}\n{"dataset": "d", "ver')
    assert HoldoutLog(path).append({"dataset": "d", "version": "1"}) == 2
