"""The commands that must work, in the order of the tutorial, with the exit codes and numbers that are promised."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

CRITICAL = "tenant-crux|contract-notice|adversarial"
RUNS = (
    ("baseline", "dev", "d1", 7, 16),
    ("workflow", "dev", "d2", 16, 16),
    ("runner", "dev", "d3", 13, 16),
    ("workflow", "holdout", "base", 9, 9),
    ("runner", "holdout", "cand", 6, 9),
    ("baseline", "holdout", "old", 5, 9),
)


@pytest.fixture(scope="module")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace, and every run in it: the path is the shell's folder."""
    return tmp_path_factory.mktemp("journey") / "w"


@pytest.fixture(scope="module")
def fiel(journey: Path, shell_in):
    made = shell_in(journey.parent)("init", "--example", "relayops", "w")
    assert made.code == 0, made
    here = shell_in(journey)
    for target, split, name, _, _ in RUNS:
        option = ["--option", "inject_regression=true"] if name == "cand" else []
        done = here("run", target, "--split", split, *option, "-o", f"runs/{name}")
        assert done.code == 0, done
    return here


def test_init_writes_the_files_that_are_promised_and_works_outside_git(fiel, journey):
    datasets = [f"datasets/{split}.{ending}" for split in ("dev", "holdout") for ending in ("jsonl", "toml")]
    for name in ("fiel.toml", "targets.py", *datasets):
        assert (journey / name).is_file(), name
    assert fiel.report("runs/base")["manifest"]["code_version"].startswith("sources:")


def test_init_never_overwrites(fiel, journey):
    (journey / "fiel.toml").open("a").close()
    before = (journey / "fiel.toml").read_bytes()
    done = fiel("init", ".")
    assert done.code == 2
    assert "fiel.toml exists" in done.err
    assert (journey / "fiel.toml").read_bytes() == before


def test_dataset_check_reads_both_splits_and_finds_no_leak(fiel):
    done = fiel("dataset", "check")
    assert done.code == 0, done
    assert "16 cases" in done.out
    assert "9 cases" in done.out
    assert "no id and no input is in both splits" in done.out
    found = fiel("dataset", "check", "--json").json
    assert [entry["cases"] for entry in found["datasets"]] == [16, 9]


@pytest.mark.parametrize(("target", "split", "name", "hits", "of"), RUNS)
def test_each_run_has_the_numbers_of_the_example(fiel, target, split, name, hits, of):
    report = fiel.report(f"runs/{name}")
    success = report["overall"]["success"]
    assert success.keys() >= {"numerator", "denominator", "value", "interval"}
    assert (success["numerator"], success["denominator"]) == (hits, of)
    assert success["value"] == pytest.approx(hits / of)
    low, high = success["interval"]
    assert 0 <= low <= success["value"] <= high <= 1
    assert (report["split"], report["target"]["name"]) == (split, target)


def test_a_run_leaves_its_seven_files_and_renews_latest(fiel, journey):
    names = {path.name for path in (journey / "runs/base").iterdir()}
    assert names >= {"manifest.json", "trials.jsonl", "verdicts.jsonl", "traces.jsonl", "report.json", "report.md"}
    latest = journey / "runs/latest"
    assert (latest / "report.json").read_bytes() == (latest / "latest.json").read_bytes()
    assert (latest / "latest.md").read_text("utf-8").startswith("# fiel report")


def test_the_gate_blocks_the_regression_and_names_where(fiel, journey):
    done = fiel("gate", "--baseline", "runs/base", "--candidate", "runs/cand")
    assert done.code == 1, done
    said = re.sub(r"\s+", " ", done.out)
    assert f"{CRITICAL} dropped from 1 to 0 (drop 1.0000 > epsilon 0.05)" in said
    assert "overall 1 -> 0.6667" in said
    assert json.loads((journey / "runs/cand/decision.json").read_bytes())["outcome"] == "block"


def test_the_gate_blocks_though_the_mean_rises(fiel):
    done = fiel("gate", "--baseline", "runs/old", "--candidate", "runs/cand")
    assert done.code == 1, done
    said = re.sub(r"\s+", " ", done.out)
    assert f"{CRITICAL} dropped from 1 to 0" in said
    assert "0.5556 -> 0.6667" in said


def test_the_gate_says_the_same_to_a_program(fiel, journey):
    arguments = ("gate", "--baseline", "runs/old", "--candidate", "runs/cand", "-o", "ruled/decision.json")
    text, document = fiel(*arguments), fiel(*arguments, "--json")
    assert text.code == document.code == 1
    decision = document.json
    assert decision == json.loads((journey / "ruled/decision.json").read_bytes())
    assert decision["outcome"] == "block"
    blocking = [reason for reason in decision["reasons"] if reason["kind"] == "block"]
    assert [reason["stratum"] for reason in blocking] == [CRITICAL]
    said = re.sub(r"\s+", "", text.out)
    for reason in decision["reasons"]:
        assert re.sub(r"\s+", "", reason["text"]) in said
    assert set(decision["broken"]) == {"hd-0005"}
    assert set(decision["fixed"]) == {"hd-0002", "hd-0009"}


def test_the_gate_refuses_dev_reports_in_these_words(fiel):
    done = fiel("gate", "--baseline", "runs/d2", "--candidate", "runs/d3")
    assert done.code == 2
    assert 'refusing to gate on a "dev"/"dev" split' in done.err
    assert done.out == ""


def test_the_gate_refuses_an_incomplete_manifest_in_these_words(fiel):
    for command in (("gate", "--baseline", "handmade/baseline.json", "--candidate"), ("gate", "--candidate")):
        done = fiel(*command, "handmade/incomplete.json")
        assert done.code == 2
        first = done.err.splitlines()[0]
        assert first == "fiel: version manifest is incomplete (missing: prompt_version, model_identifier)"


def test_a_mean_that_hides_a_regression_blocks_without_case_outcomes(fiel):
    done = fiel("gate", "--baseline", "handmade/baseline.json", "--candidate", "handmade/candidate.json")
    assert done.code == 1, done
    assert "0.5667 -> 0.6667" in re.sub(r"\s+", " ", done.out)
    assert "statistics unavailable" in re.sub(r"\s+", " ", done.out)


def test_a_run_against_itself_passes(fiel):
    assert fiel("gate", "--baseline", "runs/base", "--candidate", "runs/base").code == 0


def test_the_absolute_rules_alone_pass_a_clean_run(fiel):
    done = fiel("gate", "--candidate", "runs/base")
    assert done.code == 0, done
    assert "the absolute rules alone decide" in done.out


def test_a_bare_report_file_is_as_good_as_its_run(fiel, journey):
    shutil.copy(journey / "runs/old/report.json", journey / "old-report.json")
    done = fiel("gate", "--baseline", "old-report.json", "--candidate", "runs/cand/report.json", "--json")
    assert done.code == 1, done
    assert done.json["outcome"] == "block"
    assert fiel("report", "old-report.json").code == 0
    assert fiel("diff", "old-report.json", "runs/cand").code == 0


def test_what_does_not_exist_is_misuse(fiel):
    for arguments in (
        ("gate", "--baseline", "runs/nope", "--candidate", "runs/cand"),
        ("gate", "--candidate", "runs/nope/report.json"),
        ("report", "runs/nope"),
        ("diff", "runs/nope", "runs/cand"),
        ("grade", "runs/nope"),
        ("run", "workflow", "--resume", "runs/nope"),
    ):
        done = fiel(*arguments)
        assert done.code == 2, (arguments, done)
        assert "runs/nope" in done.err
        assert not done.out


def test_a_resumed_finished_run_is_no_new_use_of_the_holdout(fiel, journey):
    log = (journey / "holdout-log.jsonl").read_bytes()
    trials = (journey / "runs/base/trials.jsonl").read_bytes()
    before = fiel.report("runs/base")
    done = fiel("run", "workflow", "--split", "holdout", "--resume", "runs/base")
    assert done.code == 0, done
    assert (journey / "holdout-log.jsonl").read_bytes() == log
    assert (journey / "runs/base/trials.jsonl").read_bytes() == trials
    after = fiel.report("runs/base")
    assert after["dataset"]["holdout_use"] == before["dataset"]["holdout_use"] == 1
    del before["timing"], after["timing"]
    assert after == before


def test_each_use_of_the_holdout_has_its_number(fiel):
    assert [fiel.report(f"runs/{name}")["dataset"]["holdout_use"] for name in ("base", "cand", "old")] == [1, 2, 3]
    logged = fiel.lines("holdout-log.jsonl")
    assert [entry["target"]["name"] for entry in logged] == ["workflow", "runner", "baseline"]
    assert all(entry["who"] and entry["when"] and entry["manifest"]["dataset_sha256"] for entry in logged)


def test_diff_names_the_cases_that_flipped(fiel):
    done = fiel("diff", "runs/old", "runs/cand")
    assert done.code == 0, done
    assert "2 fixed, 1 broken" in done.out
    found = fiel("diff", "runs/old", "runs/cand", "--json").json
    assert "hd-0005" in json.dumps(found["broken"])


@pytest.mark.parametrize(
    ("form", "opening"),
    [
        ("terminal", "fiel report"),
        ("md", "# fiel report"),
        ("json", "{"),
        ("junit", "<?xml"),
        ("html", "<!doctype html>"),
        ("github", "# fiel report"),
        ("annotations", "::error title="),
    ],
)
def test_report_writes_each_format_to_the_screen_and_to_a_file(fiel, journey, form, opening):
    on_screen = fiel("report", "runs/cand", "--format", form)
    assert on_screen.code == 0, on_screen
    assert on_screen.out.lower().startswith(opening)
    done = fiel("report", "runs/cand", "--format", form, "-o", f"written/r.{form}")
    assert (done.code, done.out) == (0, "")
    assert (journey / f"written/r.{form}").read_text("utf-8").rstrip() == on_screen.out.rstrip()


def test_grading_again_asks_nothing_and_changes_nothing(fiel):
    before = fiel.report("runs/d3")
    done = fiel("grade", "runs/d3", "--json")
    assert done.code == 0, done
    assert done.json["overall"] == before["overall"]
    assert fiel.report("runs/d3")["overall"] == before["overall"]


def test_the_noise_of_a_run_against_itself_is_none(fiel):
    done = fiel("gate", "--noise", "runs/base", "runs/base", "--json")
    assert done.code == 0, done
    assert fiel("gate", "--noise", "runs/base", "runs/base", "--candidate", "runs/cand").code == 2


def test_add_case_pins_again_and_raises_the_version(shell):
    fiel = shell
    assert fiel("init", "--example", "relayops", ".").code == 0
    before = fiel("dataset", "check", "dev", "--json").json["datasets"][0]
    new = ("--id", "dev-0017", "--input", '{"text": "RECEIPT 1"}', "--expected", '{"total": null}')
    refused = fiel("dataset", "add-case", "--split", "holdout", *new)
    assert refused.code == 2
    assert "cannot be added to the holdout" in refused.err
    done = fiel("dataset", "add-case", "--split", "dev", *new, "--tag", "tenant=tenant-alder", "--critical", "--json")
    assert done.code == 0, done
    after = fiel("dataset", "check", "dev", "--json").json["datasets"][0]
    assert (before["version"], after["version"]) == ("2026-09-01", "2026-09-02")
    assert done.json["version"] == after["version"]
    assert after["cases"] == before["cases"] + 1 == done.json["cases"]
    assert after["sha256"] == done.json["sha256"] != before["sha256"]
    for again in (new, ("--id", "other", *new[2:]), ("--id", "hd-0001", "--input", '"new"')):
        twice = fiel("dataset", "add-case", "--split", "dev", *again)
        assert twice.code == 2
        assert "is already in" in twice.err
    assert fiel("dataset", "check", "dev", "--json").json["datasets"][0] == after
