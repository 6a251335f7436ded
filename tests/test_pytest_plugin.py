"""The pytest door: one test a case, one report, a gate only when asked, the same under xdist."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from fiel.wiring.reportfiles import load_report

ROOT = Path(__file__).parents[1]
CONFIG = """
[datasets]
dev = "dev.jsonl"
holdout = "holdout.jsonl"
[manifest]
prompt_version = "1"
model_identifier = "none"
tool_schema_version = "1"
policy_version = "1"
[graders.exact]
[graders.contains]
value = "a"
[gate]
metric = "exact"
per_case = []
"""
TESTS = """
import pytest

@pytest.mark.fiel(dataset="{split}")
def test_upper(case):
    if case.input == "boom":
        raise ValueError("no answer to " + case.input)
    return case.input.upper()
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "fiel.toml").write_text(CONFIG)
    rows = {
        "dev": [{"id": f"d{n}", "input": f"a{n}", "expected": f"A{n}" if n else "other"} for n in range(6)],
        "holdout": [{"id": f"h{n}", "input": f"b{n}", "expected": f"B{n}", "critical": True} for n in range(4)],
    }
    for split, cases in rows.items():
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
        (tmp_path / f"{split}.toml").write_text(f'name = "{split}"\nversion = "1"\nsplit = "{split}"\nsha256 = ""\n')
    run(tmp_path, "-m", "fiel", "dataset", "pin")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
    )


def pytest_in(folder: Path, *arguments: str, test: str = TESTS, split: str = "dev") -> subprocess.CompletedProcess[str]:
    (folder / "test_agent.py").write_text(test.replace("{split}", split))
    installed = any(point.name == "fiel" for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "fiel.pytest_plugin"]
    return run(folder, "-m", "pytest", "-p", "no:cacheprovider", "-q", *plugin, *arguments)


def report_of(folder: Path, name: str = "test_agent.py-test_upper"):
    return load_report(folder / "runs" / "pytest" / name)


def test_each_case_is_a_test_and_fails_with_the_graders_reason(workspace: Path):
    done = pytest_in(workspace)
    assert "1 failed, 5 passed" in done.stdout
    assert "test_agent.py::test_upper[d0]" in done.stdout
    assert "expected 'other'" in done.stdout
    assert done.returncode == 1


def test_the_report_is_the_one_of_a_run(workspace: Path):
    pytest_in(workspace)
    report = report_of(workspace)
    assert (report.overall["exact"].numerator, report.overall["exact"].denominator) == (5, 6)
    assert report.split == "dev"
    assert report.target["kind"] == "pytest"
    assert report.outcomes is not None
    assert [outcome.id for outcome in report.outcomes] == [f"d{n}" for n in range(6)]
    assert (workspace / "runs" / "latest" / "latest.md").is_file()


@pytest.mark.parametrize("workers", ["1", "3"])
def test_workers_write_shards_and_the_controller_merges_them(workspace: Path, workers: str):
    alone = pytest_in(workspace)
    expected = report_of(workspace)
    done = pytest_in(workspace, "-n", workers)
    assert "1 failed, 5 passed" in done.stdout, alone.stdout
    found = report_of(workspace)
    assert found.overall == expected.overall
    assert found.outcomes == expected.outcomes
    assert not list((workspace / "runs" / "pytest").glob(".*.shards"))


def test_a_test_that_raises_is_ungraded_and_fails(workspace: Path):
    rows = [{"id": "d0", "input": "boom", "expected": "BOOM"}, {"id": "d1", "input": "a", "expected": "A"}]
    (workspace / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(workspace, "-m", "fiel", "dataset", "pin")
    done = pytest_in(workspace)
    assert "1 failed, 1 passed" in done.stdout
    balance = report_of(workspace).balance["exact"]
    assert (balance.graded, dict(balance.ungraded)) == (1, {"target_crash": 1})
    assert "boom" not in (workspace / "runs/pytest/test_agent.py-test_upper/traces.jsonl").read_text()


def test_a_case_that_was_not_selected_is_not_run_and_is_counted(workspace: Path):
    pytest_in(workspace, "-k", "d3 or d4")
    balance = report_of(workspace).balance["exact"]
    assert (balance.attempted, balance.graded, dict(balance.ungraded)) == (6, 2, {"not_run": 4})


def test_nothing_is_gated_unless_asked(workspace: Path):
    done = pytest_in(workspace, split="holdout")
    assert done.returncode == 0
    assert "PASS" not in done.stdout
    asked = pytest_in(workspace, "--fiel-gate", split="holdout")
    assert asked.returncode == 0
    assert "PASS" in asked.stdout


def test_a_gate_that_cannot_pass_fails_the_session(workspace: Path):
    # Every selected test passes, but half of the holdout was not run: that is inconclusive, not a pass.
    done = pytest_in(workspace, "--fiel-gate", "-k", "h0 or h1", split="holdout")
    assert "2 passed" in done.stdout
    assert "INCONCLUSIVE" in done.stdout
    assert done.returncode == 3


def test_the_gate_refuses_dev_and_the_session_says_so(workspace: Path):
    done = pytest_in(workspace, "--fiel-gate", "-k", "d1 or d2")
    assert 'refusing to gate on a "dev"' in done.stdout
    assert done.returncode == 2


def test_a_baseline_is_compared_with(workspace: Path):
    pytest_in(workspace, "--fiel-out", "runs/base", split="holdout")
    worse = TESTS.replace("return case.input.upper()", 'return "x" if case.id == "h2" else case.input.upper()')
    done = pytest_in(
        workspace,
        "--fiel-gate",
        "--fiel-baseline",
        "runs/base/test_agent.py-test_upper",
        test=worse,
        split="holdout",
    )
    assert "dropped from 1 to 0.75" in " ".join(done.stdout.split())
    assert done.returncode == 1


def test_an_incomplete_manifest_stops_the_session_before_the_first_call(workspace: Path):
    config = workspace / "fiel.toml"
    config.write_text(config.read_text().replace('prompt_version = "1"\n', ""))
    done = pytest_in(workspace)
    assert "version manifest is incomplete (missing: prompt_version)" in done.stdout + done.stderr
    assert "passed" not in done.stdout
    named = TESTS.replace('dataset="{split}"', 'dataset="{split}", prompt_version="7"')
    assert "5 passed" in pytest_in(workspace, test=named).stdout


def test_the_code_of_a_workspace_in_pyproject_has_its_commit_for_a_version(workspace: Path):
    (workspace / "fiel.toml").unlink()
    table = CONFIG.replace("\n[", "\n[tool.fiel.")
    (workspace / "pyproject.toml").write_text(f"{table}[tool.pytest.ini_options]\n")
    pytest_in(workspace)
    (workspace / ".gitignore").write_text("runs/\n")
    for arguments in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=workspace, check=True)
    assert "5 passed" in pytest_in(workspace).stdout
    assert report_of(workspace).manifest["code_version"].startswith("git:")


def test_async_tests_outputs_and_chosen_graders(workspace: Path):
    test = """
import asyncio, fiel, pytest

@pytest.mark.fiel("dev", graders=["contains"])
async def test_agent(case):
    await asyncio.sleep(0)
    return fiel.Output(value="a", cost_usd=0.5)
"""
    done = pytest_in(workspace, test=test)
    assert "6 passed" in done.stdout, done.stdout
    assert report_of(workspace, "test_agent.py-test_agent").cost.known_usd == 3.0


def test_an_output_that_is_not_json_is_ungraded(workspace: Path):
    test = TESTS.replace("return case.input.upper()", 'return float("nan")')
    pytest_in(workspace, test=test)
    assert dict(report_of(workspace).balance["exact"].ungraded) == {"target_garbage": 6}


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ('dataset="dve"', "dve"),
        ('dataset="dev", grader="exact"', "does not know grader"),
        ('dataset="dev", cost_note="free"', "does not know cost_note"),
        ('dataset="dev", graders=["exactly"]', "names grader 'exactly'"),
        ("", "the marker is fiel(dataset="),
    ],
)
def test_a_marker_that_is_off_is_named(workspace: Path, marker: str, said: str):
    done = pytest_in(workspace, test=TESTS.replace('dataset="{split}"', marker))
    assert said in done.stdout + done.stderr
    assert done.returncode != 0


def test_a_test_without_a_case_argument_is_told(workspace: Path):
    done = pytest_in(workspace, test=TESTS.replace("(case)", "()"))
    assert "takes an argument named case" in done.stdout + done.stderr


def test_unmarked_tests_are_left_alone(workspace: Path):
    done = pytest_in(workspace, test="def test_plain():\n    assert 1 + 1 == 2\n")
    assert "1 passed" in done.stdout
    assert not (workspace / "runs").exists()


def test_a_holdout_run_by_tests_is_a_use_of_it(workspace: Path):
    pytest_in(workspace, split="holdout")
    pytest_in(workspace, split="holdout")
    assert report_of(workspace).dataset["holdout_use"] == 2


SKIPPED = TESTS.replace("    if case.input", '    pytest.skip("no key")\n    if case.input')
TWO = TESTS + TESTS.replace("test_upper", "test_lower").replace('"{split}"', '"dev"').replace("upper()", "lower()")


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_gate_never_rules_on_the_run_of_an_earlier_session(workspace: Path, workers: tuple[str, ...]):
    assert pytest_in(workspace, "--fiel-gate", *workers, split="holdout").returncode == 0
    done = pytest_in(workspace, "--fiel-gate", *workers, test=SKIPPED, split="holdout")
    assert "no case of this test ran in this session" in done.stdout
    assert "PASS" not in done.stdout
    assert done.returncode == 3


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_test_of_which_no_case_was_selected_is_not_gated(workspace: Path, workers: tuple[str, ...]):
    done = pytest_in(workspace, "--fiel-gate", "-k", "test_upper", *workers, test=TWO, split="holdout")
    assert "PASS" in done.stdout
    assert "test_lower" not in done.stdout
    assert done.returncode == 0


def test_a_gate_whose_tests_were_all_deselected_is_not_a_pass(workspace: Path):
    plain = TESTS + "\n\ndef test_plain():\n    pass\n"
    done = pytest_in(workspace, "--fiel-gate", "-k", "test_plain", test=plain, split="holdout")
    assert "1 passed" in done.stdout
    assert done.returncode == 3


def test_of_several_runs_a_block_counts_most(workspace: Path):
    pytest_in(workspace, "--fiel-out", "runs/base", split="holdout")
    worse = TWO.replace("return case.input.upper()", "return case.input", 1)
    forgiving = worse.replace('dataset="{split}"', 'dataset="{split}", graders=["contains"]').replace(
        "return case.input\n", 'return case.input + "a"\n'
    )
    dev = forgiving.replace('dataset="dev"', 'dataset="dev", graders=["contains"]')
    base = ("--fiel-baseline", "runs/base/test_agent.py-test_upper")
    done = pytest_in(workspace, "--fiel-gate", *base, test=dev, split="holdout")
    assert "BLOCK" in done.stdout
    assert 'refusing to gate on a "' in done.stdout
    assert done.returncode == 1
