"""A ruling is published whole: decision.json beside its run, annotations on a build server, a summary that fits."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from fiel.core.errors import FielError, ReportError, StorageError
from fiel.core.policy import GatePolicy
from fiel.examples import files
from fiel.reports.github import SUMMARY_BYTES
from fiel.wiring.release import noise_of, policy, publish_decision, rule
from fiel.wiring.reportfiles import load_page, load_report, report_path

SRC = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def handmade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hand-made reports, each alone and as a run directory."""
    folder = tmp_path_factory.mktemp("handmade")
    for name, content in files("relayops"):
        if name.startswith("handmade/"):
            path = folder / Path(name).stem / "report.json"
            path.parent.mkdir()
            path.write_bytes(content)
    return folder


def gate(folder: Path, *arguments: str, summary: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    place = {} if summary is None else {"GITHUB_STEP_SUMMARY": str(summary)}
    return subprocess.run(
        [sys.executable, "-m", "fiel", "gate", "--github", *arguments],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(SRC)} | place | env,
        capture_output=True,
        text=True,
        check=False,
    )


def both(candidate: str) -> tuple[str, ...]:
    return ("--baseline", "baseline", "--candidate", candidate)


def test_a_block_is_an_error_beside_the_job_and_a_summary_on_its_page(handmade, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = gate(handmade, *both("candidate"), summary=summary)
    assert done.returncode == 1, done
    errors = [line for line in done.stdout.splitlines() if line.startswith("::error ")]
    assert len(errors) == 1
    assert "critical_stratum_fell::" in errors[0]
    written = summary.read_text()
    assert written.startswith("before\n# fiel report")
    assert "BLOCK" in written.upper()
    assert "::error" not in written


def test_a_pass_has_no_error_and_no_warning(handmade, tmp_path):
    done = gate(handmade, "--candidate", "baseline", summary=tmp_path / "new.md")
    assert "::error" not in done.stdout + done.stderr
    assert (tmp_path / "new.md").read_text().startswith("# fiel report")
    assert done.returncode in {0, 3}, done
    assert ("::warning" in done.stdout) == (done.returncode == 3)


def test_a_refusal_is_an_error_beside_the_job_too(handmade, tmp_path):
    done = gate(handmade, *both("incomplete"), summary=tmp_path / "none.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == (
        "::error title=fiel gate%3A no ruling::"
        "version manifest is incomplete (missing: prompt_version, model_identifier)"
    )
    assert not (tmp_path / "none.md").exists()


def test_with_json_the_document_has_standard_output_to_itself(handmade):
    done = gate(handmade, *both("candidate"), "--json")
    assert json.loads(done.stdout)["outcome"] == "block"
    assert "::error" in done.stderr


def test_a_summary_with_little_room_is_cut_and_says_so(handmade, tmp_path):
    summary = tmp_path / "summary.md"
    for room, cut in ((900, True), (60, False), (0, False), (-5, False)):
        summary.write_bytes(b"x" * (SUMMARY_BYTES - room))
        done = gate(handmade, *both("candidate"), summary=summary)
        assert done.returncode == 1, done
        added = summary.read_bytes()[SUMMARY_BYTES - room :].decode()
        assert summary.stat().st_size <= SUMMARY_BYTES or room < 0
        if cut:
            assert re.search(r"Cut here: [\d,]+ of [\d,]+ bytes did not fit", added)
        else:
            assert added == ""
            assert f"the step summary has {max(0, room)} bytes left; the report is in candidate" in done.stdout


def test_a_summary_that_cannot_be_written_is_broken_but_the_ruling_is_said(handmade, tmp_path):
    done = gate(handmade, *both("candidate"), summary=tmp_path / "no" / "folder.md")
    assert done.returncode == 4
    assert "BLOCK" in done.stdout
    assert "folder.md: No such file or directory" in done.stderr


def test_the_decision_lies_beside_its_run_or_where_it_was_asked_for(handmade, tmp_path):
    decision = rule(handmade / "candidate", handmade / "baseline", policy_file=None)
    publish_decision(decision, handmade / "candidate", None)
    beside = json.loads((handmade / "candidate/decision.json").read_bytes())
    publish_decision(decision, handmade / "candidate", tmp_path / "deep/er/d.json")
    assert json.loads((tmp_path / "deep/er/d.json").read_bytes()) == beside
    before = {path.name for path in handmade.iterdir()}
    publish_decision(decision, handmade / "candidate/report.json", None)
    assert {path.name for path in handmade.iterdir()} == before, "a bare report has no run to write into"
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"d.json: File exists|d.json: Not a directory"):
        publish_decision(decision, handmade / "candidate", tmp_path / "file" / "d.json")


def test_a_policy_is_read_from_its_file_else_from_the_workspace_else_the_defaults(tmp_path):
    (tmp_path / "other.toml").write_text("[gate]\nepsilon = 0.2\n")
    with contextlib.chdir(tmp_path):
        assert policy(None) == GatePolicy()
        assert policy(Path("other.toml")).epsilon == Fraction(1, 5)
        (tmp_path / "fiel.toml").write_text("[gate]\nepsilon = 0.1\n")
        assert policy(None).epsilon == Fraction(1, 10)
        assert policy(Path("other.toml")).epsilon == Fraction(1, 5)


def test_noise_needs_the_outcomes_of_each_case(handmade):
    with pytest.raises(FielError, match="outcome"):
        noise_of(handmade / "baseline", handmade / "baseline")


def test_a_page_is_a_report_without_the_outcomes_of_each_case(handmade, tmp_path):
    document = json.loads((handmade / "baseline/report.json").read_bytes())
    outcomes = {"graders": ["success"], "cases": [["a", 0, ["1"]]]}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document | {"outcomes": outcomes, "unheard_of": 1}))
    whole, page = load_report(path), load_page(path)
    assert whole.outcomes is not None
    assert page == replace(whole, outcomes=None, outcome_graders=())
    path.write_text("[]")
    with pytest.raises(ReportError, match=r"report\.json: not JSON"):
        load_page(path)


def test_a_report_is_found_by_its_run_or_by_its_file(handmade, tmp_path):
    assert report_path(handmade / "baseline") == handmade / "baseline/report.json"
    assert report_path(handmade / "baseline/report.json") == handmade / "baseline/report.json"
    assert load_report(str(handmade / "baseline")).split == "holdout"
    with pytest.raises(ReportError, match=r"holds no report\.json; name a run directory"):
        load_report(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ReportError, match=f"the run was not finished: go on with --resume {tmp_path}"):
        load_report(tmp_path)
