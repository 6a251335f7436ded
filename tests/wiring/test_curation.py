"""Datasets are kept apart: what is known in one split never enters another, whatever it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from fiel.core.errors import ConfigError, DatasetError
from fiel.wiring.config import read
from fiel.wiring.curation import add, check_all
from fiel.wiring.workspace import Workspace

Opened = Callable[..., Workspace]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """Opens a workspace of pinned datasets: lines by the name that fiel.toml gives, splits by the same."""

    def made(lines: Mapping[str, str], **splits: str) -> Workspace:
        listed = "".join(f'{name} = "{name}.jsonl"\n' for name in lines)
        (tmp_path / "fiel.toml").write_text(f"[datasets]\n{listed}")
        for name, text in lines.items():
            raw = f"{text}\n".encode()
            (tmp_path / f"{name}.jsonl").write_bytes(raw)
            said = f'name = "{name}"\nversion = "1"\nsplit = "{splits.get(name, name)}"\n'
            (tmp_path / f"{name}.toml").write_text(f'{said}sha256 = "{sha256(raw).hexdigest()}"\n')
        return Workspace(tmp_path, read(tmp_path / "fiel.toml"))

    return made


def test_a_file_that_says_holdout_under_the_name_of_dev_fails_the_check(opened):
    workspace = opened({"dev": '{"id": "a", "input": 1}', "holdout": '{"id": "b", "input": 2}'}, dev="holdout")
    with pytest.raises(ConfigError, match=r"says split = 'holdout', but fiel\.toml names it as 'dev'"):
        check_all(workspace)


@pytest.mark.parametrize(
    ("case_id", "case_input", "same"),
    [("new", 7.0, "input"), ("new", [" caf\u00e9 "], ""), ("hd  1 ", "x", "id"), ("caf\u00e9", "x", "id")],
)
def test_a_case_that_the_holdout_knows_under_another_writing_is_not_added(opened, case_id, case_input, same):
    holdout = '{"id": "hd 1", "input": 7}\n{"id": "cafe\\u0301", "input": 8}'
    workspace = opened({"dev": '{"id": "a", "input": 1}', "holdout": holdout})
    if not same:
        assert add(workspace, "dev", {"id": case_id, "input": case_input}, None)["cases"] == 2
        return
    with pytest.raises(DatasetError, match=f"its {same} is already in"):
        add(workspace, "dev", {"id": case_id, "input": case_input}, None)
