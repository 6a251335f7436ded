"""Where the versions in a manifest come from: git, the sources, or what the workspace declares; never a guess."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fiel.core.errors import ConfigError
from fiel.core.manifest import missing
from fiel.core.trial import Usage
from fiel.graders.schema import compile_schema
from fiel.offline.dataset import check
from fiel.wiring.config import Command, Http, Price, TargetTable
from fiel.wiring.evaluate import workspace_manifest
from fiel.wiring.provenance import code_version, package_versions, price_of, sources_sha
from fiel.wiring.workspace import Workspace

PYTHON = TargetTable(python="targets:answer")
HTTP = TargetTable(http=Http(url="http://127.0.0.1/"))
COMMAND = TargetTable(command=Command(argv=["sh", "agent.sh"]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    root.mkdir()
    (root / "fiel.toml").write_text('[targets.answer]\npython = "targets:answer"\n')
    (root / "targets.py").write_text("def answer(x):\n    return x\n")
    (root / "prompt.txt").write_text("Be brief.")
    (root / "data").mkdir()
    (root / "data/dev.jsonl").write_text('{"id": "a", "input": 1}\n')
    return root


Git = Callable[..., str]


@pytest.fixture
def git(folder: Path) -> Git:
    """Runs git in the workspace, which becomes a repository with one commit of everything."""

    def command(*arguments: str, where: Path = folder) -> str:
        settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *settings, *arguments], cwd=where, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    command("init", "-q")
    command("add", "-A")
    command("commit", "-q", "-m", "All of it")
    return command


def version(folder: Path, target: TargetTable = PYTHON) -> str:
    return code_version(folder, target, datasets=["data/dev.jsonl"])


def test_a_clean_checkout_is_its_commit(folder, git):
    assert version(folder) == f"git:{git('rev-parse', 'HEAD')[:12]}"


@pytest.mark.parametrize("name", ["targets.py", "prompt.txt", "fiel.toml", "new.py"])
def test_a_changed_source_is_a_dirty_version_of_its_own(folder, git, name):
    clean = version(folder)
    seen = {clean}
    for content in ("one", "two"):
        (folder / name).write_text(content)
        found = version(folder)
        assert found.startswith(f"{clean}+dirty:")
        seen.add(found)
    assert len(seen) == 3
    assert version(folder) == found, "the same content is the same version"


def test_a_deleted_source_is_dirty(folder, git):
    (folder / "prompt.txt").unlink()
    assert "+dirty:" in version(folder)


NOT_CODE = (
    "runs/a/report.json",
    "runs/a/x.py",
    "holdout-log.jsonl",
    "data/dev.jsonl",
    ".fiel/cache.sqlite",
    "r.html",
    "x y.md",
)


@pytest.mark.parametrize("name", NOT_CODE)
def test_what_is_not_code_does_not_make_it_dirty(folder, git, name):
    clean = version(folder)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed")
    assert version(folder) == clean


def test_a_tracked_holdout_log_may_grow(folder, git):
    (folder / "holdout-log.jsonl").write_text("{}\n")
    git("add", "holdout-log.jsonl")
    git("commit", "-q", "-m", "Log")
    clean = version(folder)
    (folder / "holdout-log.jsonl").write_text("{}\n{}\n")
    assert version(folder) == clean


def test_names_that_git_quotes_are_read_all_the_same(folder, git):
    path = folder / "é 'x\".txt"
    path.write_text("one")
    git("add", "-A")
    git("commit", "-q", "-m", "Odd name")
    path.write_text("two")
    first = version(folder)
    path.write_text("three")
    assert version(folder) != first


def test_a_workspace_inside_another_repository_is_told_by_its_own_changes(folder, git):
    inner = folder / "evals"
    inner.mkdir()
    (inner / "fiel.toml").write_text("")
    (inner / "targets.py").write_text("x = 1\n")
    assert version(inner).startswith("sources:"), "nobody tracks it: the commit around it says nothing"
    git("add", "-A")
    git("commit", "-q", "-m", "Evals")
    assert version(inner) == f"git:{git('rev-parse', 'HEAD')[:12]}"
    (folder / "targets.py").write_text("elsewhere = True\n")
    assert "+dirty" not in version(inner)
    (inner / "targets.py").write_text("x = 2\n")
    assert "+dirty:" in version(inner)


def test_a_workspace_in_pyproject_is_tracked_by_that_file(folder, git):
    git("rm", "-q", "fiel.toml")
    (folder / "pyproject.toml").write_text("[tool.fiel]\n")
    git("add", "-A")
    git("commit", "-q", "-m", "Move")
    assert code_version(folder, PYTHON, file="pyproject.toml").startswith("git:")
    assert code_version(folder, PYTHON).startswith("sources:")


def test_an_empty_repository_has_no_commit(folder):
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    assert version(folder).startswith("sources:")


def test_outside_git_the_sources_are_the_version(folder):
    first = version(folder)
    assert first == f"sources:{sources_sha(folder, PYTHON)[:16]}"
    (folder / "targets.py").write_text("def answer(x):\n    return 2\n")
    second = version(folder)
    (folder / "more").mkdir()
    (folder / "more/part.py").write_text("")
    third = version(folder)
    (folder / "more/part.py").rename(folder / "more/other.py")
    assert len({first, second, third, version(folder)}) == 4
    for ignored in ("runs/x.py", ".venv/x.py", "__pycache__/x.py"):
        (folder / ignored).parent.mkdir()
        (folder / ignored).write_text("x")
    (folder / "notes.md").write_text("x")
    assert version(folder) == version(folder) != third


def test_a_command_is_told_by_the_files_that_it_names(folder):
    (folder / "agent.sh").write_text("echo 1")
    first = version(folder, COMMAND)
    (folder / "agent.sh").write_text("echo 2")
    assert version(folder, COMMAND) != first
    assert version(folder, COMMAND) != version(folder, PYTHON)


def test_an_endpoint_has_no_version_unless_it_is_declared(folder, git):
    assert version(folder, HTTP) == ""
    (folder / "data/dev.toml").write_text('name = "d"\nversion = "7"\nsplit = "dev"\n')
    (folder / "fiel.toml").write_text("""
        datasets.dev = "data/dev.jsonl"
        manifest = { prompt_version = "1", model_identifier = "m", tool_schema_version = "none", policy_version = "1" }
        graders.exact = {}
        targets.api.http.url = "http://127.0.0.1/"
        targets.known = { http = { url = "http://127.0.0.1/" }, code_version = "api 1.4", model_identifier = "own" }
    """)
    workspace = Workspace.find(folder)
    dataset = check(workspace.dataset("dev"), compile_schema=compile_schema, require_pin=False)
    graders = workspace.graders({})
    bare = workspace_manifest(workspace, workspace.table("api"), dataset, graders)
    assert missing(bare) == ("code_version",)
    known = workspace_manifest(workspace, workspace.table("known"), dataset, graders)
    assert missing(known) == ()
    assert (known["code_version"], known["model_identifier"], bare["model_identifier"]) == ("api 1.4", "own", "m")
    assert known["dataset_version"] == f"d@7#{dataset.sha256[:12]}"
    assert known["packages"] == package_versions()
    assert all(known["packages"].values())


def test_too_many_sources_ask_for_a_declared_version(folder):
    crowd = folder / "crowd"
    crowd.mkdir()
    for number in range(5001):
        (crowd / f"m{number}.py").touch()
    with pytest.raises(ConfigError, match="more than 5000 Python files; declare code_version"):
        version(folder)


def test_a_price_is_by_the_million_and_an_unknown_model_has_none():
    prices = {"gpt-x": Price(input_usd_per_million=2.5, output_usd_per_million=10.0)}
    usage = Usage(input_tokens=1000, output_tokens=200)
    assert price_of(prices, "gpt-x", usage) == pytest.approx(0.0025 + 0.002)
    assert price_of(prices, "gpt-y", usage) is None
    assert price_of(prices, None, usage) is None
    assert price_of({}, "gpt-x", usage) is None
    assert price_of({"free": Price(input_usd_per_million=0, output_usd_per_million=0)}, "free", usage) == 0.0
