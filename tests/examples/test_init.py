"""The examples as a user gets them: which there are, and which files each one brings."""

import tomllib

import pytest

from fiel import examples
from fiel.core.errors import ConfigError


def test_relayops_brings_a_whole_workspace() -> None:
    paths = [path for path, _ in examples.files("relayops")]
    assert paths == sorted(paths)
    assert set(paths) == {
        ".gitignore",
        "README.md",
        "fiel.toml",
        "targets.py",
        "datasets/dev.jsonl",
        "datasets/dev.toml",
        "datasets/holdout.jsonl",
        "datasets/holdout.toml",
        "datasets/schemas/contract-notice.json",
        "datasets/schemas/intake-id.json",
        "datasets/schemas/invoice.json",
        "datasets/schemas/receipt.json",
        "handmade/baseline.json",
        "handmade/candidate.json",
        "handmade/incomplete.json",
        "incident/trace-9c4e02.json",
    }


@pytest.mark.parametrize("name", sorted(examples.EXAMPLES))
def test_every_example_in_the_table_is_a_workspace_that_can_be_read(name: str) -> None:
    found = dict(examples.files(name))
    settings = tomllib.loads(found["fiel.toml"].decode())
    assert settings["project"]["name"] == name
    assert examples.EXAMPLES[name].summary
    for path in settings["datasets"].values():
        assert path in found


def test_an_unknown_example_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match='there is no example "relayop"; did you mean "relayops"'):
        examples.files("relayop")
