"""A workshop for runs: a dataset on disk, a journal on disk, a scripted target, and one function that runs it all."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fiel.adapters.datasets.jsonl import JsonlDataset
from fiel.adapters.journals.rundir import RunDirectory
from fiel.core.grader import Grader, fingerprint
from fiel.core.manifest import REQUIRED
from fiel.core.report import Report
from fiel.core.report_document import decode
from fiel.graders import build
from fiel.graders.schema import compile_schema
from fiel.offline.attempt import Attempting
from fiel.offline.dataset import Checked, check
from fiel.offline.run import Plan, run
from fiel.testing.targets import ScriptedClock, ScriptedTarget


class Workshop:
    """One folder in which datasets and runs are made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def source(
        self, lines: Sequence[str | bytes | Mapping[str, Any]], *, name: str = "dev", split: str = "dev", **info: Any
    ) -> JsonlDataset:
        """A dataset file of raw lines or of cases, pinned."""
        raw = b"".join(
            (line if isinstance(line, bytes) else line.encode() if isinstance(line, str) else json.dumps(line).encode())
            + b"\n"
            for line in lines
        )
        return self.raw(raw, name=name, split=split, **info)

    def raw(self, content: bytes, *, name: str = "dev", split: str = "dev", **info: Any) -> JsonlDataset:
        path = self.folder / f"{name}.jsonl"
        path.write_bytes(content)
        said = {"name": name, "version": "1", "split": split, "sha256": hashlib.sha256(content).hexdigest(), **info}
        path.with_suffix(".toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in said.items()))
        return JsonlDataset(path, label=f"{name}.jsonl")

    def checked(self, lines: Sequence[Any], **info: Any) -> Checked:
        return check(self.source(lines, **info), compile_schema=compile_schema)

    def plan(self, dataset: Checked, graders: Sequence[Grader] | None = None, **changes: Any) -> Plan:
        chosen = tuple(graders) if graders is not None else (build("exact", "exact", {}),)
        manifest = dict.fromkeys(REQUIRED, "1") | {
            "dataset_sha256": dataset.sha256,
            "split": dataset.info.split,
            "grader_version": " ".join(map(fingerprint, chosen)),
        }
        settings: dict[str, Any] = {
            "run_id": "run-1",
            "dataset": dataset,
            "graders": chosen,
            "manifest": manifest,
            "target": {"name": "scripted", "kind": "python", "options": {}},
            "dataset_facts": {"sha256": dataset.sha256},
            "primary": chosen[0].name if chosen else None,
        }
        return Plan(**{**settings, **changes})

    def run(
        self,
        plan: Plan,
        answers: Mapping[str, Any] | Callable[..., Any] | ScriptedTarget,
        *,
        out: str = "run",
        resume: bool = False,
        cache: Any = None,
        clock: ScriptedClock | None = None,
        **attempting: Any,
    ) -> Report:
        """Run and read back what was written."""
        clock = clock or ScriptedClock()
        target = answers if isinstance(answers, ScriptedTarget) else ScriptedTarget(answers, clock=clock)
        settings = {"options": {}, "random": lambda: 0.5, **attempting}
        journal = RunDirectory(self.folder / out, resume=resume)
        try:
            asyncio.run(
                run(plan, attempting=Attempting(target=target, clock=clock, **settings), journal=journal, cache=cache)
            )
        finally:
            journal.close()
        return self.report(out)

    def report(self, out: str = "run") -> Report:
        return decode(json.loads((self.folder / out / "report.json").read_bytes()))

    def lines(self, name: str, out: str = "run") -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / out / name).read_text().splitlines()]


def a_case(case_id: str, *, expected: Any = "yes", **more: Any) -> dict[str, Any]:
    return {"id": case_id, "input": f"question {case_id}", "expected": expected, **more}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def case() -> Callable[..., dict[str, Any]]:
    return a_case
