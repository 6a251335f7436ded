"""fiel.toml is read with exact numbers, and what it does not know is answered with what it does."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from fiel.core.errors import ConfigError, StorageError
from fiel.core.policy import GatePolicy
from fiel.examples import files
from fiel.wiring.config import Config, Gate, decode, policy_of, read, schema
from fiel.wiring.workspace import Workspace

PUBLISHED = Path(__file__).parents[2] / "docs/reference/fiel.schema.json"

WHOLE = {
    "project": {"name": "relayops"},
    "datasets": {"dev": "d.jsonl", "holdout": "h.jsonl"},
    "run": {
        "trials": 2,
        "concurrency": 4,
        "timeout_s": 1.5,
        "retries": 0,
        "max_output_bytes": 1000,
        "cache": True,
        "budget_usd": 0.5,
        "budget_tokens": 10,
    },
    "manifest": {"policy_version": "1", "code_version": "2"},
    "targets": {
        "py": {"python": "targets:a", "options": {"k": 1}, "cost_note": "none", "prompt_version": "1"},
        "api": {
            "http": {
                "url": "http://x/",
                "method": "POST",
                "headers": {"Authorization": "Bearer ${KEY}"},
                "request": {"q": "${input}"},
                "output": "/a",
                "cost_usd": "/c",
                "input_tokens": "/i",
                "output_tokens": "/o",
                "tool_calls": "/t",
                "model": "/m",
            }
        },
        "cli": {"command": {"argv": ["x"], "mode": "lines"}},
    },
    "prices": {"m": {"input_usd_per_million": 2.5, "output_usd_per_million": 10}},
    "graders": {"exact": {}, "f": {"kind": "fields", "compare": {"total": "money"}}},
    "gate": {
        "version": "1",
        "metric": "success",
        "epsilon": 0.05,
        "evidence": "non-inferior",
        "per_case": ["policy"],
        "corpus": {"success": {"at_least": 0.85, "at_most": 1}},
        "max_ungraded": 1,
        "min_stratum": 5,
        "margin": 0.1,
        "alpha": 0.025,
        "max_mean_cost_usd": 0.01,
    },
}


def misspelt(place: str, key: str) -> dict[str, object]:
    """The whole configuration with one more key at ``place`` (names joined by dots)."""
    document = json.loads(json.dumps(WHOLE))
    table = document
    for name in filter(None, place.split(".")):
        table = table[name]
    table[key] = "1"
    return document


@pytest.mark.parametrize(
    ("place", "key", "near"),
    [
        ("", "gates", "gate"),
        ("", "target", "targets"),
        ("project", "nmae", "name"),
        ("run", "concurency", "concurrency"),
        ("run", "timeout", "timeout_s"),
        ("manifest", "model_identifer", "model_identifier"),
        ("targets.py", "pythn", "python"),
        ("targets.py", "option", "options"),
        ("targets.api.http", "header", "headers"),
        ("targets.api.http", "input_token", "input_tokens"),
        ("targets.cli.command", "arg", "argv"),
        ("prices.m", "input_usd_per_millon", "input_usd_per_million"),
        ("gate", "epsilom", "epsilon"),
        ("gate", "min_strata", "min_stratum"),
        ("gate.corpus.success", "atleast", "at_least"),
    ],
)
def test_a_key_that_is_not_known_gets_the_nearest_of_its_own_table(place, key, near):
    with pytest.raises(ConfigError, match=f'^fiel.toml: unknown key .{key}.*did you mean "{near}"'):
        decode(misspelt(place, key), where="fiel.toml")


def test_everything_at_once_is_read_and_fits_the_published_schema():
    config = decode(WHOLE, where="fiel.toml")
    assert config.targets["api"].kind == "http"
    assert config.gate.corpus["success"].at_least == 0.85
    jsonschema.validate(WHOLE, json.loads(PUBLISHED.read_text("utf-8")))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(misspelt("gate", "epsilom"), json.loads(PUBLISHED.read_text("utf-8")))


def test_the_published_schema_is_the_one_of_the_code():
    assert PUBLISHED.read_text("utf-8") == json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def test_the_configuration_of_the_example_fits_the_published_schema():
    document = tomllib.loads(dict(files("relayops"))["fiel.toml"].decode())
    jsonschema.validate(document, json.loads(PUBLISHED.read_text("utf-8")))


def test_the_policy_has_the_number_that_was_written_not_the_nearest_binary_one():
    policy = policy_of(decode(WHOLE, where="x").gate)
    assert policy.epsilon == Fraction(1, 20)
    assert policy.alpha == Fraction(1, 40)
    assert policy.margin == Fraction(1, 10)
    assert policy.max_mean_cost_usd == Fraction(1, 100)
    assert policy.corpus["success"].at_least == Fraction(17, 20)
    assert policy.per_case == ("policy",)
    assert Fraction(0.05) != Fraction(1, 20), "which is why"


def test_a_small_number_written_with_an_exponent_is_exact_too():
    assert policy_of(decode({"gate": {"epsilon": 1e-07}}, where="x").gate).epsilon == Fraction(1, 10_000_000)


def test_an_empty_gate_is_the_default_policy():
    assert policy_of(Gate()) == GatePolicy()
    assert decode({}, where="x") == Config()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.01, 1.01])
def test_a_share_that_is_none_is_refused(number):
    for gate in ({"epsilon": number}, {"margin": number}, {"corpus": {"m": {"at_least": number}}}):
        with pytest.raises(ConfigError, match="gate"):
            decode({"gate": gate}, where="x")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_time_or_a_budget_without_end_is_refused(number):
    for run in ({"timeout_s": number}, {"budget_usd": number}):
        with pytest.raises(ConfigError, match="run"):
            decode({"run": run}, where="x")


def test_pyproject_holds_the_same_in_its_own_table(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.fiel.gate]\nepsilon = 0.1\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    workspace = Workspace.find(below)
    assert (workspace.root, workspace.file) == (tmp_path.resolve(), "pyproject.toml")
    assert workspace.config.gate.epsilon == 0.1
    (tmp_path / "fiel.toml").write_text("[gate]\nepsilon = 0.2\n")
    assert Workspace.find(below).config.gate.epsilon == 0.2, "fiel.toml goes first in one folder"


@pytest.mark.parametrize("written", ["fiel.gate.epsilon = 0.1\n", "fiel = { gate = { epsilon = 0.1 } }\n"])
def test_pyproject_may_write_its_table_in_any_way(tmp_path, written):
    (tmp_path / "pyproject.toml").write_text(f"[tool]\n{written}")
    assert Workspace.find(tmp_path).config.gate.epsilon == 0.1


@pytest.mark.parametrize(
    "written", ['[project]\nname = "fiel-user"\n', "[tool.fielder]\nx = 1\n", "tool = 3 # fiel\n", "[["]
)
def test_a_pyproject_without_the_table_is_not_ours(tmp_path, written):
    (tmp_path / "pyproject.toml").write_text(written)
    assert Workspace.near(tmp_path) is None
    with pytest.raises(ConfigError, match=r"no fiel\.toml in .* or above; `fiel init DIR` makes a workspace"):
        Workspace.find(tmp_path)


def test_a_pyproject_with_a_bad_table_is_refused_with_its_place(tmp_path):
    for written, says in (
        ("[tool.fiel.gate]\nepsilom = 1\n", r"pyproject.toml \[tool.fiel\]: unknown key 'epsilom'"),
        ("[tool]\nfiel = 3\n", "tool.fiel is int, expected a table"),
        ("[tool.fiel\n", "broken TOML"),
    ):
        (tmp_path / "pyproject.toml").write_text(written)
        with pytest.raises(ConfigError, match=says):
            Workspace.find(tmp_path)


def test_a_file_that_cannot_be_opened_is_not_a_wrong_one(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "fiel.toml")
    with pytest.raises(StorageError, match="Is a directory"):
        read(tmp_path)
