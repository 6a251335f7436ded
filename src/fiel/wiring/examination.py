"""The doctor's round: everything that a run would need is tried for real, and each answer is one line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fiel import __version__
from fiel.core.errors import FielError
from fiel.core.grader import fingerprint
from fiel.core.manifest import missing
from fiel.gate.decide import check_policy
from fiel.wiring.config import policy_of
from fiel.wiring.curation import check_all
from fiel.wiring.evaluate import workspace_manifest
from fiel.wiring.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line: what was tried, whether it is right, and what it says."""

    what: str
    ok: bool
    says: str


def examine() -> list[Finding]:
    """Every finding, in the order in which a run would meet them."""
    return list(_round())


def _round() -> Iterator[Finding]:
    yield Finding(what="fiel", ok=True, says=__version__)
    try:
        workspace = Workspace.find()
    except FielError as error:
        yield Finding(what="workspace", ok=False, says=str(error))
        return
    yield Finding(what="workspace", ok=True, says=str(workspace.root / workspace.file))
    yield _tried("datasets", lambda: _datasets(workspace))
    yield _tried("graders", lambda: " ".join(fingerprint(grader) for grader in workspace.graders({})))
    yield _tried("gate policy", lambda: _policy(workspace))
    for name in workspace.config.targets:
        yield _tried(f"target {name}", lambda name=name: _target(workspace, name))  # type: ignore[misc]


def _tried(what: str, attempt: Callable[[], str]) -> Finding:
    try:
        return Finding(what=what, ok=True, says=attempt())
    except (FielError, OSError) as error:
        return Finding(what=what, ok=False, says=str(error))


def _datasets(workspace: Workspace) -> str:
    found = check_all(workspace)
    counts = ", ".join(f"{entry['name']} {entry['version']} ({entry['cases']} cases)" for entry in found["datasets"])
    return f"{counts}; {found['leaks']}"


def _policy(workspace: Workspace) -> str:
    policy = policy_of(workspace.config.gate)
    check_policy(policy)
    return f"version {policy.version or '(none)'}, hash {policy.sha256[:12]}"


def _target(workspace: Workspace, name: str) -> str:
    table = workspace.table(name)

    async def open_and_close() -> None:
        target = workspace.target(name, table.options, concurrency=1)
        try:
            await target.open()
        finally:
            await target.close()

    asyncio.run(open_and_close())
    split = next(iter(workspace.config.datasets), None)
    if split is None:
        return f"{table.kind}, opens"
    dataset = workspace.checked(split)
    manifest = workspace_manifest(workspace, table, dataset, workspace.graders(dataset.source.schemas()))
    absent = missing(manifest)
    if absent:
        raise FielError(f"opens, but its manifest lacks {', '.join(absent)}")
    return f"{table.kind}, opens; {manifest['model_identifier']}"
