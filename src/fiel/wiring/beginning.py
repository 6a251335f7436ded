"""The beginning of a workspace: files are written where there are none, from an example or as a bare start."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from fiel.core.errors import ConfigError, StorageError
from fiel.examples import files

_BARE: Final = {
    "fiel.toml": """\
# What fiel needs to know of this workspace; `fiel doctor` checks it.
[project]
name = "my-agent"

[datasets]
dev = "datasets/dev.jsonl"            # for tuning
holdout = "datasets/holdout.jsonl"    # for the release gate alone

[manifest]                            # the versions that fiel cannot know
prompt_version = "none"
model_identifier = "none (a rule in targets.py)"
tool_schema_version = "none"
policy_version = "1"

[targets.answer]
python = "targets:answer"

[graders.exact]

[gate]
metric = "exact"
""",
    "targets.py": '''\
"""What is measured: a function from a case's input to an output that is JSON."""


def answer(question: str) -> str:
    # Call your agent here. An `async def` works too.
    return "4" if question == "2 + 2" else "I do not know"
''',
    "datasets/dev.jsonl": """\
{"id": "dev-1", "input": "2 + 2", "expected": "4", "tags": {"topic": "sums"}}
{"id": "dev-2", "input": "the capital of Peru", "expected": "Lima", "tags": {"topic": "places"}}
""",
    "datasets/holdout.jsonl": """\
{"id": "hold-1", "input": "3 + 4", "expected": "7", "tags": {"topic": "sums"}, "critical": true}
{"id": "hold-2", "input": "the capital of Chile", "expected": "Santiago", "tags": {"topic": "places"}}
""",
    ".gitignore": "runs/\n.fiel/\n__pycache__/\n",
}


def initialise(directory: Path, example: str | None) -> list[str]:
    """Write a workspace; gives the names of what was written. Raises ConfigError before anything is written
    when a file is in the way."""
    contents = bare() if example is None else dict(files(example))
    taken = [name for name in contents if (directory / name).exists()]
    if taken:
        raise ConfigError(f"{directory / taken[0]} exists; name a new directory, nothing was written")
    try:
        for name, content in contents.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise StorageError(f"{error.filename or directory}: {error.strerror or error}") from error
    return sorted(contents)


def bare() -> dict[str, bytes]:
    """The smallest workspace that runs: two cases a split, one target, one grader."""
    found = {name: text.encode() for name, text in _BARE.items()}
    for split in ("dev", "holdout"):
        pin = hashlib.sha256(found[f"datasets/{split}.jsonl"]).hexdigest()
        found[f"datasets/{split}.toml"] = (
            f'name = "my-agent-{split}"\nversion = "1"\nsplit = "{split}"\nstrata = ["topic"]\n'
            f'licence = "yours"\nsource = "written by hand"\nsha256 = "{pin}"\n'
        ).encode()
    return found
