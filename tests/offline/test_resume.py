"""A kill at any moment loses no finished trial, doubles none, and the resumed report is the unbroken one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fiel.core.errors import Refused, StorageError
from fiel.graders import build
from fiel.offline.regrade import regrade
from fiel.testing.targets import ScriptedClock, ScriptedTarget

ROOT = Path(__file__).parents[2]
TARGET = """
import pathlib, time
CALLS = pathlib.Path(__file__).parent / "calls.log"

def answer(question, case_id):
    with CALLS.open("a") as file:
        file.write(case_id + "\\n")
    time.sleep(0.005)
    return question.upper() if not question.endswith("7") else "wrong"
"""
CONFIG = """
[datasets]
dev = "dev.jsonl"
[manifest]
prompt_version = "1"
model_identifier = "none"
tool_schema_version = "1"
policy_version = "1"
[targets.answer]
python = "targets:answer"
[graders.exact]
[run]
concurrency = 4
"""
CASES = 300


def without_times(path: Path) -> str:
    report = json.loads(path.read_bytes())
    for key in ("timing", "latency", "run_id"):
        del report[key]
    return json.dumps(report, indent=1)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "fiel.toml").write_text(CONFIG)
    (folder / "targets.py").write_text(TARGET)
    rows = [{"id": f"c{n}", "input": f"q{n}", "expected": f"Q{n}"} for n in range(CASES)]
    (folder / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "dev.toml").write_text('name = "d"\nversion = "1"\nsplit = "dev"\nstrata = []\nsha256 = ""\n')
    fiel(folder, "dataset", "pin")
    return folder


def fiel(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "fiel", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr
    return done


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_a_killed_run_resumes_to_the_report_of_an_unbroken_one(workspace: Path, share: float):
    calls = workspace / "calls.log"
    process = subprocess.Popen(
        [sys.executable, "-m", "fiel", "run", "answer", "-o", "runs/killed"],
        cwd=workspace,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if calls.exists() and calls.read_text().count("\n") >= share * CASES:
            break
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = calls.read_text().splitlines()
    assert len(before) < CASES, "the kill came too late to show anything"
    fiel(workspace, "run", "answer", "--resume", "runs/killed")
    asked = calls.read_text().splitlines()
    assert len(asked) - CASES <= 4, "only the calls in flight may be asked again"
    trials = [json.loads(line)["case"] for line in (workspace / "runs/killed/trials.jsonl").read_text().splitlines()]
    assert sorted(trials) == sorted({f"c{n}" for n in range(CASES)}), "each once"
    spans = [json.loads(line)["spanId"] for line in (workspace / "runs/killed/traces.jsonl").read_text().splitlines()]
    assert len(spans) == len(set(spans)) == CASES
    fiel(workspace, "run", "answer", "-o", "runs/whole")
    assert without_times(workspace / "runs/killed/report.json") == without_times(workspace / "runs/whole/report.json")


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_torn_last_line_is_dropped_and_asked_again(workshop, case, cut):
    dataset = workshop.checked([case(str(n)) for n in range(5)])
    plan = workshop.plan(dataset)
    workshop.run(plan, lambda call: "yes")
    path = workshop.folder / "run" / "trials.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])
    target = ScriptedTarget(lambda call: "yes")
    report = workshop.run(plan, target, resume=True)
    assert [call.case_id for call in target.calls] == ["4"]
    assert report.overall["exact"].numerator == 5


@pytest.mark.parametrize("name", ["verdicts.jsonl", "traces.jsonl"])
@pytest.mark.parametrize("keep", [0, 1, 3])
def test_lost_verdicts_and_spans_are_made_again_from_the_trials(workshop, case, name, keep):
    dataset = workshop.checked([case(str(n)) for n in range(5)])
    plan = workshop.plan(dataset)
    whole = workshop.run(plan, lambda call: "yes")
    path = workshop.folder / "run" / name
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:keep]))
    target = ScriptedTarget(lambda call: "never")
    again = workshop.run(plan, target, resume=True)
    assert target.calls == []
    assert again.overall == whole.overall
    assert again.outcomes == whole.outcomes
    assert len(workshop.lines("traces.jsonl")) == 5
    assert len({line["spanId"] for line in workshop.lines("traces.jsonl")}) == 5
    assert len(workshop.lines("verdicts.jsonl")) == 6


def test_other_versions_are_not_mixed_into_a_begun_run(workshop, case):
    dataset = workshop.checked([case("a")])
    plan = workshop.plan(dataset)
    workshop.run(plan, {"a": "yes"})
    changed = workshop.plan(dataset, manifest={**plan.manifest, "prompt_version": "2"})
    with pytest.raises(Refused, match="prompt_version changed since this run began"):
        workshop.run(changed, {"a": "yes"}, resume=True)


def test_another_dataset_is_not_run_into_a_begun_run(workshop, case):
    workshop.run(workshop.plan(workshop.checked([case("a")])), {"a": "yes"})
    other = workshop.checked([case("b")])
    with pytest.raises(Refused, match="the dataset is not the one of this run"):
        workshop.run(workshop.plan(other), {"b": "yes"}, resume=True)


def test_a_journal_of_another_run_is_noticed(workshop, case):
    dataset = workshop.checked([case("a"), case("b")])
    plan = workshop.plan(dataset)
    workshop.run(plan, lambda call: "yes")
    path = workshop.folder / "run" / "trials.jsonl"
    path.write_text(path.read_text().replace('"index":1', '"index":7'))
    with pytest.raises(StorageError, match="do not belong together"):
        workshop.run(plan, lambda call: "yes", resume=True)


def test_grading_again_asks_the_target_nothing_and_takes_the_new_graders(workshop, case):
    from fiel.adapters.journals.rundir import RunDirectory

    dataset = workshop.checked([case("a", expected="YES"), case("b", expected="no")])
    workshop.run(workshop.plan(dataset), {"a": "yes", "b": "no"})
    assert workshop.report().overall["exact"].numerator == 1
    graders = [build("exact", "exact", {"normalise": ["casefold"]})]
    journal = RunDirectory(workshop.folder / "run", resume=True)
    regrade(workshop.plan(dataset, graders), journal=journal, clock=ScriptedClock())
    journal.close()
    report = workshop.report()
    assert report.overall["exact"].numerator == 2
    assert report.graders != workshop.plan(dataset).graders
    again = workshop.run(workshop.plan(dataset, graders), ScriptedTarget({}), resume=True)
    assert again.overall["exact"].numerator == 2


def test_what_was_never_run_stays_ungraded_when_graded_again(workshop, case):
    from fiel.adapters.journals.rundir import RunDirectory

    dataset = workshop.checked([case("a"), case("b")])
    plan = workshop.plan(dataset)
    workshop.run(plan, {"a": "yes", "b": "yes"})
    path = workshop.folder / "run" / "trials.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    journal = RunDirectory(workshop.folder / "run", resume=True)
    regrade(plan, journal=journal, clock=ScriptedClock())
    journal.close()
    assert dict(workshop.report().balance["exact"].ungraded) == {"not_run": 1}
