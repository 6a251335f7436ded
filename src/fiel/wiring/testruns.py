"""Runs made by tests: each test function is a target, each process writes a shard, one process merges them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fiel import __version__
from fiel.adapters.clocks.system import SystemClock
from fiel.adapters.journals.log import FileLog
from fiel.adapters.journals.rundir import RunDirectory
from fiel.adapters.targets.answers import output_of
from fiel.core.case import Case
from fiel.core.decision import EXIT_CODES, Decision, Outcome
from fiel.core.errors import ConfigError, Refused, TargetFailure
from fiel.core.grader import Grader, Result
from fiel.core.manifest import require_complete
from fiel.core.report import Report
from fiel.core.verdict import Ungraded
from fiel.gate.decide import decide
from fiel.graders.schema import compile_schema
from fiel.harness.drive import place_of
from fiel.offline.dataset import Checked, check
from fiel.offline.failures import failures_of
from fiel.offline.records import encode_trial
from fiel.offline.regrade import regrade
from fiel.offline.run import Plan, begin_journal, grade
from fiel.offline.trial import Trial
from fiel.reports import render_decision
from fiel.wiring.config import DECLARABLE, TargetTable, policy_of
from fiel.wiring.evaluate import dataset_facts, primary_of, publish, workspace_manifest
from fiel.wiring.reportfiles import load_report
from fiel.wiring.workspace import Workspace, shown


def named(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The marker's arguments by name; raises ConfigError for what the marker does not know."""
    found = dict(keywords)
    if arguments:
        found["dataset"] = arguments[0]
    if len(arguments) > 1 or "dataset" not in found:
        raise ConfigError('the marker is fiel(dataset="dev", graders=[...], prompt_version="...")')
    versions = {key: found.pop(key) for key in list(found) if key in DECLARABLE}
    dataset, graders = found.pop("dataset"), found.pop("graders", None)
    if found:
        raise ConfigError(f"the marker fiel does not know {', '.join(sorted(found))}")
    return {"dataset": str(dataset), "counting": graders, "versions": versions}


class TestRun:
    """One test function over one dataset."""

    __test__ = False  # pytest would collect a class of this name

    def __init__(
        self,
        *,
        name: str,
        workspace: Workspace,
        dataset: Checked,
        graders: tuple[Grader, ...],
        counting: Sequence[str],
        manifest: Mapping[str, Any],
        out: Path,
        worker: str,
    ) -> None:
        self.name, self.workspace, self.dataset = name, workspace, dataset
        self.graders, self.counting, self.manifest = graders, tuple(counting), manifest
        self.out, self.worker = out, worker
        self.said: list[str] = []
        self._reported = False
        self._shard: FileLog | None = None

    @classmethod
    def begin(
        cls,
        *,
        root: Path,
        nodeid: str,
        out: Path,
        worker: str,
        dataset: str,
        counting: Sequence[str] | None,
        versions: Mapping[str, Any],
    ) -> TestRun:
        """Read the workspace and the dataset; raises ConfigError, DatasetError, ManifestIncomplete."""
        workspace = Workspace.find(root)
        if dataset in workspace.config.datasets:
            checked = workspace.checked(dataset)
        else:
            checked = check(workspace.dataset_at(root / dataset), compile_schema=compile_schema)
        graders = workspace.graders(checked.source.schemas())
        names = [grader.name for grader in graders]
        for name in counting or ():
            if name not in names:
                raise ConfigError(f"the marker names grader {name!r}, fiel.toml has {', '.join(names)}")
        primary = primary_of(workspace, graders)
        manifest = workspace_manifest(workspace, TargetTable(python=nodeid, **versions), checked, graders)
        require_complete(manifest)
        slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", nodeid).strip("-.")
        return cls(
            name=nodeid,
            workspace=workspace,
            dataset=checked,
            graders=graders,
            counting=counting or ([primary] if primary else []),
            manifest=manifest,
            out=out / slug,
            worker=worker,
        )

    # In each process -----------------------------------------------------------------------------------------

    def answered(self, case: Case, index: int, value: Any, took: float, started: float) -> Trial:
        """The trial of a test that returned its output."""
        try:
            output = output_of(value, self.workspace.config.run.max_output_bytes)
        except TargetFailure as error:
            return self.failed(case, index, error, took, started)
        return Trial(
            case=case.id,
            index=index,
            trial=0,
            latency_s=round(took, 6),
            started_unix_s=round(started, 3),
            output=output.value,
            cost_usd=output.cost_usd,
            usage=output.usage,
            tool_calls=output.tool_calls,
            model=output.model,
        )

    def failed(self, case: Case, index: int, error: BaseException, took: float, started: float) -> Trial:
        """The trial of a test that raised."""
        code = error.code if isinstance(error, TargetFailure) else "crash"
        said = str(error) if isinstance(error, TargetFailure) else f"{type(error).__name__} at {place_of(error)}"
        why = Ungraded(reason=f"target_{code}", detail=said)
        return Trial(
            case=case.id,
            index=index,
            trial=0,
            latency_s=round(took, 6),
            started_unix_s=round(started, 3),
            failed=why,
            output=None,
        )

    def keep(self, trial: Trial) -> None:
        """Write a trial into this process's shard."""
        if self._shard is None:
            self._shards.mkdir(parents=True, exist_ok=True)
            self._shard = FileLog(self._shards / f"{self.worker}.jsonl")
            self._shard.keep(0)
        self._shard.append(encode_trial(trial))

    def complaint(self, case: Case, trial: Trial) -> str:
        """Why the test fails: what the graders that count say, values masked; empty when it passes."""
        results = grade(self.graders, case, trial)
        counted: dict[str, Result] = {name: results[name] for name in self.counting}
        lines = []
        for failure in failures_of(case, 0, "", trial.failed, trial.output, counted):
            lines.append(f"{failure.grader}: {failure.label} {failure.reason} {failure.detail}".rstrip())
            if failure.expected is not None or failure.got is not None:
                lines.append(f"  expected {failure.expected!r}\n  got      {failure.got!r}")
        return "\n".join(lines)

    def close(self) -> None:
        """Close this process's shard."""
        if self._shard is not None:
            self._shard.close()
            self._shard = None

    # In the controlling process ------------------------------------------------------------------------------

    def report(self) -> None:
        """Merge the shards of all processes into a run directory and write its report; does nothing without one."""
        self.close()
        shards = sorted(self._shards.glob("*.jsonl")) if self._shards.is_dir() else []
        if not shards:
            return
        clock = SystemClock()
        _clear_run(self.out)
        run_id = f"pytest-{int(clock.unix_s())}-{self.out.name}"
        target = {"name": self.name, "kind": "pytest", "options": {}}
        plan = Plan(
            run_id=run_id,
            dataset=self.dataset,
            graders=self.graders,
            manifest=self.manifest,
            target=target,
            dataset_facts=dataset_facts(self.workspace, self.dataset, self.manifest, run_id, target, new=True),
            primary=primary_of(self.workspace, self.graders),
            thin_below=self.workspace.config.gate.min_stratum,
            fiel_version=__version__,
        )
        journal = RunDirectory(self.out)
        try:
            begin_journal(plan, journal, clock.unix_s())
            for path in shards:
                shard = FileLog(path, readonly=True)
                for _, line in shard.scan():
                    journal.trials.append(line)
                shard.close()
            regrade(plan, journal=journal, clock=clock)
            publish(self.workspace, self.out)
        finally:
            journal.close()
        for path in shards:
            path.unlink()
        self._shards.rmdir()
        self._reported = True
        self._tell(load_report(self.out))

    def gate(self, baseline: str | None) -> int:
        """Rule on the run that this session wrote; gives the gate's exit code, 2 when it refused, 3 without a run."""
        if not self._reported:
            # What may stand in the folder is an earlier session's, and rules on nothing of this one.
            self.said.append("the gate is inconclusive: no case of this test ran in this session")
            return EXIT_CODES[Outcome.INCONCLUSIVE]
        try:
            decision = self._rule(baseline)
        except Refused as error:
            self.said.append(f"the gate refused: {error}")
            return 2
        self.said.extend(render_decision(decision, "terminal").splitlines())
        return EXIT_CODES[decision.outcome]

    def _rule(self, baseline: str | None) -> Decision:
        return decide(
            candidate=load_report(self.out),
            baseline=None if baseline is None else load_report(baseline),
            policy=policy_of(self.workspace.config.gate),
            fiel_version=__version__,
        )

    @property
    def _shards(self) -> Path:
        return self.out.parent / f".{self.out.name}.shards"

    def _tell(self, report: Report) -> None:
        width = max(24, *map(len, report.overall))
        for name, rate in report.overall.items():
            value = "undefined" if rate.value is None else f"{rate.value:.4f}"
            self.said.append(f"{name:<{width}} {rate.numerator}/{rate.denominator}  {value}")
        ungraded = {name: dict(each.ungraded) for name, each in report.balance.items() if each.ungraded}
        if ungraded:
            self.said.append(f"ungraded: {ungraded}")
        self.said.append(f"written to {shown(self.out)}/report.json")


def _clear_run(out: Path) -> None:
    """Remove the files of the run that stood here before: a test run replaces the last one."""
    if (out / "manifest.json").is_file():
        for path in out.iterdir():
            if path.is_file():
                path.unlink()
