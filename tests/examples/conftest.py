"""RelayOps as its user has it after ``fiel init``: the files written out and ``targets.py`` imported from there."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fiel import examples
from fiel.core.case import Case


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the RelayOps files."""
    root = tmp_path_factory.mktemp("relayops")
    for path, content in examples.files("relayops"):
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return root


@pytest.fixture(scope="session")
def targets(workspace: Path) -> Iterator[ModuleType]:
    """The workspace's ``targets.py``."""
    spec = importlib.util.spec_from_file_location("relayops_targets", workspace / "targets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["relayops_targets"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["relayops_targets"]


@pytest.fixture(scope="session")
def cases(workspace: Path) -> dict[str, Case]:
    """All 25 cases by id, in file order, dev before holdout."""
    found = {}
    for split in ("dev", "holdout"):
        for line in (workspace / f"datasets/{split}.jsonl").read_text(encoding="utf-8").splitlines():
            case = Case(**json.loads(line))
            assert case.id not in found
            found[case.id] = case
    return found
