"""The demonstration shows what it must or says what it did not; the doctor and the self-test mean what they say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fiel.core.decision import Outcome
from fiel.core.errors import Broken
from fiel.wiring.demonstration import CRITICAL, demonstrate, missing_of, require_shown


def test_the_demonstration_shows_strata_and_decisions_and_writes_the_page(shell):
    done = shell("demo")
    assert done.code == 0, done
    for shown in (
        "baseline   dev      success 7/16",
        "workflow   dev      success 16/16",
        "runner     dev      success 13/16",
        "workflow   holdout  success 9/9",
        "baseline   holdout  success 5/9",
        "runner     holdout  success 6/9",
        "fiel gate --baseline runs/base --candidate runs/cand",
        "fiel gate --baseline runs/old --candidate runs/cand",
    ):
        assert shown in done.out
    said = " ".join(done.out.split())
    assert said.count(f"{CRITICAL} dropped from 1 to 0") == 2
    assert "0.5556 -> 0.6667" in said
    assert said.count("BLOCK") >= 2
    assert "Numbers of a stub: no claim about a model" in said
    page = (shell.folder / "fiel-demo/report.html").read_text("utf-8")
    assert CRITICAL in page
    assert "block" in page.lower()


def test_a_second_demonstration_takes_the_next_folder_and_speaks_json(shell):
    (shell.folder / "fiel-demo").mkdir()
    done = shell("demo", "--json")
    assert done.code == 0, done
    assert done.json["workspace"] == "fiel-demo-2"
    assert done.json["decisions"] == {"base": "block", "old": "block"}
    assert [rate["numerator"] for rate in done.json["runs"].values()] == [7, 16, 13, 9, 5, 6]
    assert done.json["missing"] == []
    assert "Three targets on the dev split" in done.err
    taken = shell("demo", "--dir", "fiel-demo-2")
    assert taken.code == 2
    assert "exists" in taken.err


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "w"
    return demonstrate(folder, say=lambda text: None, width=100, colour=False)


def test_a_demonstration_that_lacks_something_is_broken_and_says_what(shown):
    require_shown(shown)
    with pytest.raises(Broken, match="did not show: one thing; another"):
        require_shown(replace(shown, missing=("one thing", "another")))


def test_each_thing_that_must_be_seen_is_looked_for(shown):
    runs, decisions, same = shown.runs, shown.decisions, shown.same
    old, candidate = runs["old"], runs["cand"]
    assert missing_of(old, candidate, decisions, same) == ()
    (fell,) = missing_of(candidate, old, decisions, same)
    assert "the mean rises" in fell
    for name in ("base", "old"):
        passed = decisions | {name: replace(decisions[name], outcome=Outcome.PASS)}
        assert len(missing_of(old, candidate, passed, same)) == 1
        silent = decisions | {name: replace(decisions[name], reasons=())}
        assert missing_of(old, candidate, silent, same) == (f"the gate names {CRITICAL}",)
    assert missing_of(old, candidate, decisions, decisions["old"]) == ("a run compared with itself passes",)


def test_the_doctor_tries_every_part_for_real(shell):
    assert shell("init", "--example", "relayops", ".").code == 0
    done = shell("doctor")
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert all(line.startswith("ok  ") for line in lines)
    assert [line[4:].partition(":")[0] for line in lines] == [
        "fiel",
        "workspace",
        "datasets",
        "graders",
        "gate policy",
        "target baseline",
        "target workflow",
        "target runner",
    ]
    assert "no id and no input is in both splits" in done.out


def test_the_doctor_says_no_to_what_is_not_right_and_goes_on(shell):
    assert shell.inside("init", "--example", "relayops", ".").code == 0
    file = shell.folder / "fiel.toml"
    whole = file.read_text()
    for change, what, says in (
        (('python = "targets:runner"', 'python = "targets:runer"'), "target runner", "runer"),
        (('prompt_version = "stub-prompt-v1"', ""), "target runner", "its manifest lacks prompt_version"),
        (("options = { inject_regression = false }", "options = { x = 1 }"), "target runner", 'takes no option "x"'),
        (("[graders.success]", "[graders.succes]"), "graders", 'did you mean "success"?'),
        (("datasets/holdout.jsonl", "datasets/hold.jsonl"), "datasets", "datasets/hold"),
    ):
        assert change[0] in whole
        file.write_text(whole.replace(*change))
        done = shell.inside("doctor", "--json")
        assert done.code == 2
        wrong = [finding for finding in done.json if not finding["ok"]]
        assert what in [finding["what"] for finding in wrong]
        assert says in next(finding["says"] for finding in wrong if finding["what"] == what)
        assert done.json[-1]["what"].startswith("target "), "the round goes on to its end"


def test_the_doctor_calls_no_target(workspace):
    fiel = workspace(targets="def answer(x):\n    raise SystemExit('called')\n")
    assert fiel.inside("doctor").code == 0


def test_the_doctor_says_when_there_is_no_workspace(shell):
    done = shell("doctor")
    assert done.code == 2
    assert "NO  workspace: no fiel.toml in" in done.out


def test_the_self_test_holds_every_interval_to_its_bound(shell):
    text, document = shell.inside("selftest"), shell.inside("selftest", "--json")
    assert (text.code, document.code) == (0, 0)
    assert len(text.out.splitlines()) == len(document.json) >= 5
    for line, result in zip(text.out.splitlines(), document.json, strict=True):
        assert line.startswith(f"ok  {result['name']}: ")
        assert result["passed"] is True
        assert result["bound"]
