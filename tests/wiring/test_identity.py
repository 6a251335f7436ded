"""A target is what its table says: another command is another target, for the cache and for a resumed run alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiel.core.errors import Refused
from fiel.wiring.curation import pin_all
from fiel.wiring.evaluate import Asked, evaluate
from fiel.wiring.workspace import Workspace

CONFIG = """
[datasets]
dev = "dev.jsonl"
[manifest]
code_version = "1"
prompt_version = "1"
model_identifier = "none"
tool_schema_version = "1"
policy_version = "1"
[targets.say]
command = {{ argv = ["python3", "-c", "import json; print(json.dumps('{word}'))"] }}
[graders.exact]
"""


def workspace(folder: Path, word: str) -> Workspace:
    (folder / "fiel.toml").write_text(CONFIG.format(word=word))
    if not (folder / "dev.jsonl").exists():
        (folder / "dev.jsonl").write_text(json.dumps({"id": "a", "input": 1, "expected": "one"}) + "\n")
        (folder / "dev.toml").write_text('name = "d"\nversion = "1"\nsplit = "dev"\nsha256 = ""\n')
        list(pin_all(Workspace.find(folder)))
    return Workspace.find(folder)


def test_a_changed_command_is_never_answered_from_the_cache(tmp_path: Path) -> None:
    for name, word, passes in (("r1", "one", 1), ("r2", "two", 0), ("r3", "one", 1)):
        asked = Asked(target="say", out=tmp_path / "runs" / name, cache=True)
        _, report = evaluate(workspace(tmp_path, word), asked)
        assert report.overall["exact"].numerator == passes, name
    assert '"cached":true' in (tmp_path / "runs" / "r3" / "trials.jsonl").read_text()


def test_a_changed_command_is_never_run_into_a_begun_run(tmp_path: Path) -> None:
    out = tmp_path / "runs" / "r"
    evaluate(workspace(tmp_path, "one"), Asked(target="say", out=out))
    with pytest.raises(Refused, match="target changed since this run began"):
        evaluate(workspace(tmp_path, "two"), Asked(target="say", out=out, resume=True))
