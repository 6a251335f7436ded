"""Configurations, policies and reports that cannot be used are refused with the place and what would be right."""

from __future__ import annotations

import json

import pytest

GATE = ("gate", "--candidate", "runs/a", "--baseline", "runs/a")


@pytest.fixture(scope="module")
def ran(tmp_path_factory, shell_in):
    """A shell in a bare workspace with one holdout run, runs/a."""
    folder = tmp_path_factory.mktemp("files")
    fiel = shell_in(folder)
    assert fiel.inside("init", ".").code == 0
    done = fiel.inside("run", "answer", "--split", "holdout", "-o", "runs/a")
    assert done.code == 0, done
    return fiel


def changed(fiel, **changes):
    report = fiel.report("runs/a") | changes
    path = fiel.folder / "changed.json"
    path.write_text(json.dumps(report))
    return path


def test_the_bare_workspace_runs_and_is_ruled_on(ran):
    assert ran.inside("doctor").code == 0
    assert ran.inside("dataset", "check").code == 0
    ruled = ran.inside("gate", "--candidate", "runs/a", "--json")
    assert (ruled.code, ruled.json["outcome"]) == (0, "pass")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[gate\n", "broken TOML"),
        (b"\xff\xfe[gate]\n", "broken TOML"),
        ('[gate]\nepsilom = 0.1\n', 'unknown key \'epsilom\' [gate]; did you mean "epsilon"?'),
        ('[gates]\n', 'unknown key \'gates\' at the top; did you mean "gate"?'),
        ('[gate]\nepsilon = "0.05"\n', "Expected `float`, got `str` at `gate.epsilon`"),
        ('[gate]\nepsilon = 5\n', "at `gate.epsilon`"),
        ('[gate]\nepsilon = nan\n', "gate.epsilon"),
        ('[gate]\nevidence = "rules"\n', "at `gate.evidence`"),
        ('[gate.corpus.success]\nat_lest = 1\n', 'did you mean "at_least"?'),
        ('[gate.corpus.success]\n', "gate.corpus.success needs at_least or at_most"),
        ('[run]\ntrials = 0\n', "at `run.trials`"),
        ('[run]\ntrails = 3\n', 'did you mean "trials"?'),
        ('[targets.a]\npyton = "x:y"\n', 'did you mean "python"?'),
        ('[targets.a]\n', "targets.a needs exactly one of python, http and command, has none of them"),
        ('[targets.a]\npython = "x:y"\nhttp = { url = "x" }\n', "has python, http"),
        ('[targets.a]\nhttp = { url = "x", header = {} }\n', 'did you mean "headers"?'),
        ('[targets.a]\ncommand = { argv = [] }\n', "at `targets[...].command.argv`"),
        ('[targets.a]\ncommand = { argv = ["x"], mode = "line" }\n', "at `targets[...].command.mode`"),
        ('[manifest]\nprompt = "1"\n', 'unknown key \'prompt\' in manifest; did you mean "prompt_version"?'),
        ('[prices.x]\ninput_usd_per_million = 1\n', "output_usd_per_million"),
        ('[datasets]\ndev = 3\n', "at `datasets[...]`"),
        ('graders = 3\n', "at `graders`"),
    ],
)  # fmt: skip
def test_a_policy_file_that_is_not_one_is_refused(ran, content, says):
    path = ran.folder / "policy.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = ran.inside("gate", "--candidate", "runs/a", "--policy", "policy.toml")
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("fiel: policy.toml: ")
    assert says in done.err


def test_a_workspace_whose_configuration_is_broken_stops_every_command(workspace, base_config):
    fiel = workspace()
    (fiel.folder / "fiel.toml").write_text(base_config.replace("gate.metric", "gate.metrics"))
    for command in (("run", "answer"), ("dataset", "check"), ("gate", "--candidate", "fiel.toml"), ("grade", "x")):
        done = fiel.inside(*command)
        assert (done.code, done.out) == (2, ""), done
        assert "fiel.toml: unknown key 'metrics' [gate]; did you mean \"metric\"?" in done.err
    done = fiel.inside("doctor")
    assert done.code == 2
    assert "NO  workspace" in done.out


def test_without_a_workspace_what_needs_one_says_how_to_make_it(shell):
    for command in (("run", "answer"), ("dataset", "check"), ("grade", "x")):
        done = shell.inside(*command)
        assert done.code == 2
        assert "no fiel.toml in" in done.err
        assert "`fiel init DIR` makes a workspace" in done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("run", "anwser"), "no target 'anwser' in [targets]; did you mean \"answer\"?"),
        (("run", "answer", "--split", "hold-out"), "no dataset 'hold-out' in [datasets]; did you mean \"holdout\"?"),
        (("run", "answer", "--option", "temprature=1"), '"targets:answer" takes no option "temprature"'),
        (("run", "answer", "--option", "novalue"), "'novalue' is not KEY=VALUE"),
        (("run", "answer", "--trials", "0"), "--trials"),
        (("run", "answer", "--timeout", "nan"), "nan is not a finite number"),
        (("run", "answer", "--budget-usd", "inf"), "inf is not a finite number"),
        (("run", "answer", "--trails", "2"), "--trials"),
        (("run", "answer", "--resume", "runs/a", "-o", "runs/b"), "--resume names the run directory already"),
        (("run", "answer", "-o", "runs/a"), "already holds a run; go on with --resume runs/a"),
        (("report", "runs/a", "--format", "htm"), "no report format 'htm': did you mean \"html\"?"),
        (("report", "runs/a", "--metric", "exat"), 'no metric \'exat\' in what was given; did you mean "exact"?'),
        (("diff", "runs/a", "runs/a", "--metric", "exat"), "exat"),
        (("gate",), "name a run with --candidate"),
        (("gate", "--candidate", "runs/a", "--policy", "nope.toml"), "nope.toml: no such file"),
        ((*GATE, "--allow-mismatch", "grader_versoin"), 'did you mean "grader_version"?'),
        ((*GATE, "--allow-mismatch", "split"), "split cannot be allowed"),
        (("gaet",), 'no command \'gaet\'; did you mean "gate"?'),
        (("init", "--example", "relayop", "x"), 'did you mean "relayops"?'),
        (("dataset", "add-case", "--split", "dev", "--id", "n", "--input", "text"), "text needs quotes of its own"),
        (("dataset", "add-case", "--split", "dev", "--id", "n", "--input", "1e999"), "not JSON"),
        (("dataset", "add-case", "--split", "dev", "--id", "n", "--input", "@nope"), "nope: No such file"),
        (("dataset", "add-case", "--split", "dev", "--id", "n", "--input", "1", "--tag", "x"), "'x' is not KEY=VALUE"),
        (("dataset", "check", "dve"), 'no dataset \'dve\' in [datasets]; did you mean "dev"?'),
    ],
)  # fmt: skip
def test_a_word_that_is_not_known_gets_the_nearest_that_is(ran, arguments, says):
    done = ran.inside(*arguments)
    assert (done.code, done.out) == (2, ""), done
    assert says in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("graders.exact = { normalize = [] }", 'graders.exact: unknown setting "normalize": did you mean "normalise"?'),
        ("graders.exakt = {}", 'graders.exakt: there is no grader of kind "exakt": did you mean "exact"?'),
        ('graders.mine = { kind = "nowhere:Mine" }', "no module 'nowhere' can be imported"),
        ('graders.mine = { kind = "targets:Mine" }', "'targets' has no 'Mine'"),
        ("", "no [graders.…] table"),
    ],
)
def test_a_grader_that_cannot_be_made_is_named_before_anything_runs(workspace, base_config, table, says):
    fiel = workspace(config=base_config.replace("graders.exact = {}", table))
    done = fiel("run", "answer")
    assert (done.code, done.out) == (2, ""), done
    assert says in done.err
    assert not (fiel.folder / "runs").exists()


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        (None, "targets"),
        ("def anser(x):\n    return x\n", "anser"),
        ("answer = 3\n", "answer"),
        ("import nothing_of_that_name\n", "nothing_of_that_name"),
        ("def answer(:\n", "SyntaxError"),
        ("raise RuntimeError('no key')\n", "RuntimeError"),
        ("def answer():\n    return 1\n", "takes no input"),
    ],
)
def test_a_target_that_cannot_be_imported_is_refused_before_anything_runs(workspace, targets, says):
    fiel = workspace()
    (fiel.folder / "targets.py").unlink()
    if targets is not None:
        (fiel.folder / "targets.py").write_text(targets)
    done = fiel.inside("run", "answer")
    assert (done.code, done.out) == (2, ""), done
    assert says in done.err
    assert not (fiel.folder / "runs").exists()
    examined = fiel.inside("doctor", "--json")
    assert examined.code == 2
    assert [finding["what"] for finding in examined.json if not finding["ok"]] == ["target answer"]


def test_a_run_with_a_version_missing_is_refused_before_the_first_call(workspace, base_config):
    table = 'manifest = { tool_schema_version = "1", policy_version = "1" }\n'
    config = "\n".join(line for line in base_config.splitlines() if not line.startswith("manifest")) + f"\n{table}"
    fiel = workspace(config=config, targets="raise SystemExit('called')\n")
    done = fiel("run", "answer")
    assert done.code == 2
    assert done.err == (
        "fiel: version manifest is incomplete (missing: prompt_version, model_identifier)\n"
        "  declare them in [manifest] or in [targets.answer] of fiel.toml\n"
    )


def test_a_report_that_cannot_be_read_is_refused(ran):
    cases = [
        (changed(ran, format=2).read_bytes(), "newer"),
        (b'{"format": 1', "not JSON"),
        (b"[]", "changed.json"),
        (b"{}", "changed.json"),
        (b"", "not JSON"),
        (b"\x00" * 100, "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (changed(ran, overall={"exact": {"numerator": "x"}}).read_bytes(), "changed.json"),
        (changed(ran, strata=[7]).read_bytes(), "changed.json"),
    ]
    for content, says in cases:
        (ran.folder / "changed.json").write_bytes(content)
        done = ran.inside("report", "changed.json")
        assert (done.code, done.out) == (2, ""), (content[:40], done)
        assert says in done.err
    gate = ran.inside("gate", "--baseline", "runs/a", "--candidate", "changed.json")
    assert (gate.code, gate.out) == (2, "")


def test_fields_of_a_newer_report_that_are_not_known_are_left_alone(ran):
    path = changed(ran, something_new={"a": 1})
    assert ran.inside("report", path.name).code == 0
