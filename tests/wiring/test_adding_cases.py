"""Adding a case raises the dataset's version, and what is known already is refused wherever it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fiel.core.errors import DatasetError, HoldoutProtected
from fiel.wiring.curation import add, check_all, pin_all, raised_version, statistics_of
from fiel.wiring.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "fiel.toml").write_text('[datasets]\ndev = "dev.jsonl"\nholdout = "holdout.jsonl"\n')
    for split, rows in (("dev", [("d1", "one two"), ("d2", "three")]), ("holdout", [("h1", "café")])):
        lines = [json.dumps({"id": name, "input": text, "tags": {"t": split}}) + "\n" for name, text in rows]
        (tmp_path / f"{split}.jsonl").write_text("".join(lines))
        (tmp_path / f"{split}.toml").write_text(
            f'# kept\nname = "{split}"\nversion = "1.9"\nsplit = "{split}"\nstrata = ["t"]  # and this\n'
        )
    workspace = Workspace.find(tmp_path)
    assert [entry["changed"] for entry in pin_all(workspace)] == [True, True]
    return workspace


@pytest.mark.parametrize(
    ("version", "next_one"),
    [
        ("1", "2"),
        ("1.9", "1.10"),
        ("2026-09-01", "2026-09-02"),
        ("v1-rc", "v2-rc"),
        ("099", "100"),
        ("first", "first.1"),
    ],
)
def test_the_last_number_of_a_version_is_raised(version, next_one):
    assert raised_version(version) == next_one


def test_pinning_twice_changes_nothing(workspace):
    before = (workspace.root / "dev.toml").read_bytes()
    assert [entry["changed"] for entry in pin_all(workspace)] == [False, False]
    assert (workspace.root / "dev.toml").read_bytes() == before


def test_a_case_is_added_at_the_end_and_the_rest_of_the_toml_is_kept(workspace):
    now = add(workspace, "dev", {"id": "d3", "input": {"q": "ñ"}, "expected": None, "critical": True}, None)
    assert (now["version"], now["cases"], now["added"]) == ("1.10", 3, "d3")
    text = (workspace.root / "dev.toml").read_text()
    assert text.startswith("# kept\n")
    assert "# and this" in text
    assert f'sha256 = "{now["sha256"]}"' in text
    last = json.loads((workspace.root / "dev.jsonl").read_text().splitlines()[-1])
    assert last == {"id": "d3", "input": {"q": "ñ"}, "expected": None, "critical": True}
    assert [entry["cases"] for entry in check_all(Workspace.find(workspace.root))["datasets"]] == [3, 1]
    assert add(workspace, "dev", {"id": "d4", "input": 4}, "9")["version"] == "9"


@pytest.mark.parametrize(
    "fields",
    [
        {"id": "d1", "input": "new"},
        {"id": "new", "input": " one  two "},
        {"id": "h1", "input": "new"},
        {"id": "new", "input": "cafe\u0301"},
    ],
)
def test_what_is_known_in_any_split_is_refused_with_its_line(workspace, fields):
    before = (workspace.root / "dev.jsonl").read_bytes()
    with pytest.raises(DatasetError, match=r"is already in .*jsonl:1"):
        add(workspace, "dev", fields, None)
    assert (workspace.root / "dev.jsonl").read_bytes() == before


def test_the_holdout_is_never_added_to_under_any_name(workspace):
    new = {"id": "new", "input": "new"}
    with pytest.raises(HoldoutProtected, match="cannot be added to the holdout"):
        add(workspace, "holdout", new, None)
    (workspace.root / "fiel.toml").write_text('[datasets]\nextra = "holdout.jsonl"\nholdout = "dev.jsonl"\n')
    for name in ("extra", "holdout"):
        with pytest.raises(HoldoutProtected):
            add(Workspace.find(workspace.root), name, new, None)


def test_a_case_that_is_not_one_is_refused_before_anything_is_written(workspace):
    for fields in ({"id": " ", "input": 1}, {"id": "x"}, {"id": "x", "input": 1, "tags": {"t": 1}}):
        with pytest.raises(DatasetError, match="the new case"):
            add(workspace, "dev", fields, None)


def test_statistics_count_by_stratum(workspace):
    dev, _ = statistics_of(workspace)
    assert dev["cases"] == dev["without_expected"] == 2
    assert dev["strata"]["dev"]["cases"] == 2
