"""What fiel can know of the versions behind a run: code, dataset, graders, packages, platform; never a guess."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from fiel import __version__
from fiel.core.errors import ConfigError
from fiel.core.grader import Grader, fingerprint
from fiel.offline.dataset import Checked
from fiel.wiring.config import DECLARABLE, FILE, Config, TargetTable

_PACKAGES: Final = ("msgspec", "jsonschema-rs", "python-stdnum", "phonenumberslite", "httpx2")
_SKIPPED: Final = frozenset({"runs", "node_modules", "__pycache__", "venv"})
_MOST_SOURCES: Final = 5000


def manifest_of(
    *,
    root: Path,
    config: Config,
    target: TargetTable,
    dataset: Checked,
    graders: Sequence[Grader],
    file: str = FILE,
) -> dict[str, Any]:
    """The manifest of a run: what can be known is filled in, the rest is what the workspace declares.

    Required names that nobody declared are left out, so that the check can name them.
    """
    info = dataset.info
    said: dict[str, Any] = {
        "dataset_version": f"{info.name}@{info.version}#{dataset.sha256[:12]}",
        "dataset_sha256": dataset.sha256,
        "split": info.split,
        "grader_version": " ".join(fingerprint(grader) for grader in graders),
        "fiel_version": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": package_versions(),
    }
    for name in DECLARABLE:
        declared = getattr(target, name) or config.manifest.get(name)
        if declared:
            said[name] = declared
    if "code_version" not in said:
        code = code_version(root, target, file=file, datasets=config.datasets.values())
        if code:
            said["code_version"] = code
    return said


def package_versions() -> dict[str, str]:
    """Versions of the packages whose behaviour a number depends on."""
    return {name: metadata.version(name) for name in _PACKAGES}


def code_version(root: Path, target: TargetTable, *, file: str = FILE, datasets: Iterable[str] = ()) -> str:
    """``git:<commit>`` of the workspace, with ``+dirty:<hash>`` where its code differs from that commit.

    Code is every tracked file below the workspace, and every Python file that git does not ignore, but for runs,
    the holdout's log and ``datasets`` (paths below the workspace), which have versions of their own. Outside git,
    or where ``file`` (the workspace's configuration) is not tracked, ``sources:<hash>`` of the target's sources.
    Empty where the target's code is not here at all (an HTTP endpoint): then it has to be declared.
    """
    if target.http is not None:
        return ""
    here = sources_sha(root, target)
    commit = _git(root, "rev-parse", "HEAD")
    if not commit or _git(root, "ls-files", "--error-unmatch", file) is None:
        return f"sources:{here[:16]}" if here else ""
    changed = _changed(root, datasets)
    return f"git:{commit.strip()[:12]}" + (f"+dirty:{changed[:12]}" if changed else "")


def _changed(root: Path, datasets: Iterable[str]) -> str:
    """SHA-256 over the code that differs from the commit, names and contents; empty where none does."""
    top = (_git(root, "rev-parse", "--show-toplevel") or "").strip()
    apart = ["runs", ".fiel", "holdout-log.jsonl"]
    for name in datasets:
        data = Path(root, name).resolve()
        if data.is_relative_to(root.resolve()):
            apart += [str(Path(name)), str(Path(name).with_suffix(".toml"))]
    but = [f":(exclude,literal){name}" for name in apart]
    said = _git(root, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ".", *but)
    if said is None:
        return "unknown"
    digest = hashlib.sha256()
    entries = [entry for entry in said.split("\0") if entry and (entry[:2] != "??" or entry.endswith(".py"))]
    for entry in sorted(entries, key=lambda entry: entry[3:]):
        path = Path(top, entry[3:])
        digest.update(f"{entry[3:]}\0".encode(errors="surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"gone")
    return digest.hexdigest() if entries else ""


def sources_sha(root: Path, target: TargetTable) -> str:
    """SHA-256 over the Python files of the workspace and the files that a command names; empty where none."""
    if target.http is not None:
        return ""
    files = set(_python_files(root))
    if target.command is not None:
        files.update(path for part in target.command.argv if (path := root / part).is_file())
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(root) if path.is_relative_to(root) else path.name}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest() if files else ""


def _python_files(root: Path) -> Iterator[Path]:
    count = 0
    waiting = [root]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if path.is_dir() and not path.is_symlink():
                if not path.name.startswith(".") and path.name not in _SKIPPED:
                    waiting.append(path)
            elif path.suffix == ".py":
                count += 1
                if count > _MOST_SOURCES:
                    raise ConfigError(
                        f"{root}: more than {_MOST_SOURCES} Python files; declare code_version for the target"
                    )
                yield path


def _git(root: Path, *arguments: str) -> str | None:
    if shutil.which("git") is None:
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def price_of(prices: Mapping[str, Any], model: str | None, usage: Any) -> float | None:
    """USD for a usage by the workspace's price table; None for a model that is not in it: unknown is not zero."""
    price = prices.get(model or "")
    if price is None:
        return None
    tokens = usage.input_tokens * price.input_usd_per_million + usage.output_tokens * price.output_usd_per_million
    return float(tokens / 1_000_000)
