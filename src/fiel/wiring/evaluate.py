"""One run, wired: dataset, target, graders and journal are opened, the engine runs, the report is published."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from fiel import __version__
from fiel.adapters.clocks.system import SystemClock
from fiel.adapters.files import put_file
from fiel.adapters.journals.rundir import RunDirectory
from fiel.core.errors import ConfigError, ManifestIncomplete, Refused
from fiel.core.grader import Grader
from fiel.core.manifest import missing, require_complete
from fiel.core.report import Report
from fiel.harness.content import digest
from fiel.offline.attempt import Attempting
from fiel.offline.dataset import Checked
from fiel.offline.regrade import regrade
from fiel.offline.run import Plan, Progress, run
from fiel.reports import render
from fiel.wiring.config import TargetTable
from fiel.wiring.provenance import manifest_of, price_of
from fiel.wiring.reportfiles import load_json, load_page
from fiel.wiring.workspace import Workspace, shown

_CHUNK: Final = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller wants of a run; None means what fiel.toml says."""

    target: str
    split: str = "dev"
    options: Mapping[str, Any] = field(default_factory=dict)
    out: Path | None = None
    resume: bool = False
    trials: int | None = None
    concurrency: int | None = None
    timeout_s: float | None = None
    retries: int | None = None
    budget_usd: float | None = None
    budget_tokens: int | None = None
    cache: bool | None = None
    name: str = ""
    """Of a new run; made from the time, the target and the split where it is empty."""


def evaluate(
    workspace: Workspace, asked: Asked, *, progress: Callable[[Progress], None] | None = None
) -> tuple[Path, Report]:
    """Run a target over a split and publish the report; gives the run directory and the report's head."""
    name = asked.name or _run_name(asked, SystemClock().unix_s())
    asked = replace(asked, name=name, out=asked.out or workspace.runs / name)
    try:
        return asyncio.run(evaluate_async(workspace, asked, progress=progress))
    except KeyboardInterrupt as stop:
        if asked.out is not None and (asked.out / "manifest.json").exists():
            again = shlex.join(["fiel", "run", asked.target, "--split", asked.split, "--resume", shown(asked.out)])
            stop.add_note(f"what was finished is kept; go on with the same options and --resume: {again}")
        raise


async def evaluate_async(
    workspace: Workspace, asked: Asked, *, progress: Callable[[Progress], None] | None = None
) -> tuple[Path, Report]:
    """The same for callers with an event loop of their own."""
    settings = workspace.config.run
    table = workspace.table(asked.target)
    options = {**table.options, **asked.options}
    dataset = workspace.checked(asked.split)
    graders = workspace.graders(dataset.source.schemas())
    manifest = workspace_manifest(workspace, table, dataset, graders)
    if missing(manifest) != ("code_version",):
        # Code of no version is mostly code that is not there, which opening the target says better.
        _require_declared(manifest, asked.target)
    concurrency = asked.concurrency or settings.concurrency
    target = workspace.target(asked.target, options, concurrency=concurrency)
    clock = SystemClock()
    attempting = Attempting(
        target=target,
        clock=clock,
        options=options,
        timeout_s=settings.timeout_s if asked.timeout_s is None else asked.timeout_s,
        retries=settings.retries if asked.retries is None else asked.retries,
        price=partial(price_of, workspace.config.prices),
    )
    wants_cache = settings.cache if asked.cache is None else asked.cache
    cache = workspace.cache() if wants_cache else None
    # The table's digest stands for what is called: another command, URL or template is another target, and neither
    # the cache nor a resumed run may take one for the other. A digest, since headers may hold what nobody should read.
    described = {
        "name": asked.target,
        "kind": target.kind,
        "options": options,
        "definition": digest(msgspec.to_builtins(table))[:12],
    }
    try:
        await target.open()
        _require_declared(manifest, asked.target)
        name = asked.name or _run_name(asked, clock.unix_s())
        out = asked.out or workspace.runs / name
        journal = RunDirectory(out, resume=asked.resume)
        out = journal.path
        try:
            run_id = _known_run_id(out) if asked.resume else f"run-{name}"
            plan = Plan(
                run_id=run_id,
                dataset=dataset,
                graders=graders,
                manifest=manifest,
                target=described,
                dataset_facts=dataset_facts(workspace, dataset, manifest, run_id, described, new=not asked.resume),
                trials=asked.trials or _known_trials(out, settings.trials, asked.resume),
                concurrency=concurrency,
                primary=primary_of(workspace, graders),
                thin_below=workspace.config.gate.min_stratum,
                budget_usd=settings.budget_usd if asked.budget_usd is None else asked.budget_usd,
                budget_tokens=settings.budget_tokens if asked.budget_tokens is None else asked.budget_tokens,
                cost_note=table.cost_note,
                cache_key=digest([described, _versions(manifest)]) if cache else None,
                fiel_version=__version__,
            )
            report = await run(plan, attempting=attempting, journal=journal, cache=cache, progress=progress)
            publish(workspace, out)
        finally:
            journal.close()
    finally:
        await target.close()
        if cache is not None:
            cache.close()
    return out, report


def grade_again(
    workspace: Workspace, run_directory: Path, *, progress: Callable[[Progress], None] | None = None
) -> Report:
    """Grade a run's stored outputs with today's graders; the target is asked nothing."""
    begun = _begun(run_directory)
    name, split = str(begun["target"]["name"]), str(begun["split"])
    table = workspace.table(name)
    dataset = workspace.checked(split)
    graders = workspace.graders(dataset.source.schemas())
    fresh = workspace_manifest(workspace, table, dataset, graders)
    # What was run stays what it was: only what graded it is of today.
    manifest = {**begun["manifest"], "grader_version": fresh["grader_version"]}
    if "policy_version" in fresh:
        manifest["policy_version"] = fresh["policy_version"]
    before = load_page(run_directory).dataset if (run_directory / "report.json").exists() else {}
    plan = Plan(
        run_id=str(begun["run_id"]),
        dataset=dataset,
        graders=graders,
        manifest=manifest,
        target=begun["target"],
        dataset_facts=before,
        trials=int(begun["trials"]),
        primary=primary_of(workspace, graders),
        thin_below=workspace.config.gate.min_stratum,
        cost_note=table.cost_note,
        fiel_version=__version__,
    )
    journal = RunDirectory(run_directory, resume=True)
    try:
        report = regrade(plan, journal=journal, clock=SystemClock(), progress=progress)
        publish(workspace, run_directory)
    finally:
        journal.close()
    return report


def workspace_manifest(
    workspace: Workspace, table: TargetTable, dataset: Checked, graders: tuple[Grader, ...]
) -> dict[str, Any]:
    """The versions behind a run of this target here; see :func:`fiel.wiring.provenance.manifest_of`."""
    return manifest_of(
        root=workspace.root,
        config=workspace.config,
        target=table,
        dataset=dataset,
        graders=graders,
        file=workspace.file,
    )


def publish(workspace: Workspace, run_directory: Path) -> None:
    """Write ``report.md`` beside ``report.json`` and renew ``runs/latest``."""
    text = render(load_page(run_directory), "md", metric=workspace.config.gate.metric).encode()
    put_file(run_directory / "report.md", [text])
    latest = workspace.runs / "latest"
    put_file(latest / "latest.md", [text])
    for name in ("report.json", "latest.json"):
        put_file(latest / name, _chunks(run_directory / "report.json"))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def primary_of(workspace: Workspace, graders: tuple[Grader, ...]) -> str | None:
    """The grader that repeated trials are judged on: the gate's metric, else the last grader."""
    names = [grader.name for grader in graders]
    metric = workspace.config.gate.metric
    return metric if metric in names else names[-1] if names else None


def _versions(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The versions that decide what a target answers; the graders' and the dataset's do not."""
    return {
        name: manifest[name] for name in ("code_version", "prompt_version", "model_identifier", "tool_schema_version")
    }


def dataset_facts(
    workspace: Workspace,
    dataset: Checked,
    manifest: Mapping[str, Any],
    run_id: str,
    target: Mapping[str, Any],
    *,
    new: bool,
) -> dict[str, Any]:
    """What a report says of its dataset; a ``new`` run of a holdout is logged first, with its number."""
    info = dataset.info
    facts: dict[str, Any] = {
        "name": info.name,
        "version": info.version,
        "sha256": dataset.sha256,
        "cases": dataset.cases,
        "path": dataset.source.label,
        "strata": list(info.strata),
    }
    if info.split == "holdout":
        log = workspace.holdout_log
        if new:
            log.append(
                {
                    "run": run_id,
                    "when": datetime.now(UTC).isoformat(timespec="seconds"),
                    "who": os.environ.get("USER") or os.environ.get("LOGNAME") or "unknown",
                    "dataset": info.name,
                    "version": info.version,
                    "target": dict(target),
                    "manifest": dict(manifest),
                }
            )
        facts["holdout_use"] = log.number_of(run_id, info.name, info.version)
    return facts


def _require_declared(manifest: Mapping[str, Any], target: str) -> None:
    try:
        require_complete(manifest)
    except ManifestIncomplete as incomplete:
        incomplete.add_note(f"declare them in [manifest] or in [targets.{target}] of fiel.toml")
        raise


def _run_name(asked: Asked, now: float) -> str:
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d-%H%M%S")
    return f"{stamp}-{asked.target}-{asked.split}-{secrets.token_hex(2)}"


def _begun(run_directory: Path) -> dict[str, Any]:
    path = run_directory / "manifest.json"
    if not path.is_file():
        raise Refused(f"{shown(run_directory)}: holds no run (no manifest.json)")
    begun = load_json(path)
    if not isinstance(begun, dict) or not {"target", "split", "trials", "run_id", "manifest"} <= begun.keys():
        raise ConfigError(f"{shown(path)}: is not the manifest of a run")
    return begun


def _known_run_id(run_directory: Path) -> str:
    return str(_begun(run_directory)["run_id"])


def _known_trials(run_directory: Path, default: int, resume: bool) -> int:
    return int(_begun(run_directory)["trials"]) if resume else default
