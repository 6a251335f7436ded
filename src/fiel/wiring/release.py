"""A release, wired: reports and policy are read, the gate rules, and the decision is published."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from fiel import __version__
from fiel.adapters.files import put_file
from fiel.core.decision import Decision
from fiel.core.errors import StorageError
from fiel.core.policy import GatePolicy
from fiel.gate.decide import decide
from fiel.gate.document import decision_document
from fiel.gate.noise import Noise, noise
from fiel.reports import github, render
from fiel.reports.page import Page
from fiel.wiring.config import policy_of, read
from fiel.wiring.reportfiles import load_report
from fiel.wiring.workspace import Workspace


def policy(policy_file: Path | None) -> GatePolicy:
    """The gate's policy of a file, else of the workspace here, else the defaults (outside any workspace)."""
    if policy_file is not None:
        return policy_of(read(policy_file).gate)
    workspace = Workspace.near()
    return GatePolicy() if workspace is None else policy_of(workspace.config.gate)


def rule(
    candidate: Path, baseline: Path | None, *, policy_file: Path | None = None, allow: Collection[str] = ()
) -> Decision:
    """The gate's ruling on two runs; raises Refused for what must not be compared."""
    frozen = policy(policy_file)
    before = None if baseline is None else load_report(baseline)
    return decide(
        candidate=load_report(candidate), baseline=before, policy=frozen, allow=allow, fiel_version=__version__
    )


def noise_of(a1: Path, a2: Path, *, policy_file: Path | None = None, allow: Collection[str] = ()) -> Noise:
    """The noise floor of two runs of the same thing, against the policy's epsilon and metric."""
    frozen = policy(policy_file)
    first, second = load_report(a1), load_report(a2)
    metric = frozen.metric if frozen.metric in first.overall and frozen.metric in second.overall else None
    return noise(first, second, epsilon=frozen.epsilon, allow=allow, metric=metric)


def publish_decision(decision: Decision, candidate: Path, out: Path | None) -> None:
    """Write the decision as JSON to ``out``, or as decision.json beside the candidate's report in its run."""
    path = out if out is not None else candidate / "decision.json" if candidate.is_dir() else None
    if path is not None:
        put_file(path, [msgspec.json.format(msgspec.json.encode(decision_document(decision)), indent=2), b"\n"])


def publish_annotations(decision: Decision, candidate: Path, *, echo: Callable[[str], None]) -> None:
    """Print GitHub annotations, and append the summary to the file that GITHUB_STEP_SUMMARY names.

    A summary that does not fit into what earlier steps left of the file is cut and says so; where not even that
    fits, a line is printed instead.
    """
    report = load_report(candidate)
    if lines := render(report, "annotations", decision=decision).rstrip():
        echo(lines)
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    metric = decision.policy.get("metric")
    outline = Page(subject=report, decision=decision, metric=metric if metric in report.overall else None).outline()
    try:
        with Path(place).open("ab") as file:
            # A summary above the limit vanishes whole; what others wrote before counts too.
            room = github.SUMMARY_BYTES - file.tell()
            text = github.summary(outline, limit=room).encode()
            if len(text) <= room:
                file.write(text)
                return
    except OSError as error:
        raise StorageError(f"{place}: {error.strerror or error}") from error
    echo(f"fiel: the step summary has {max(0, room)} bytes left; the report is in {candidate}")


def write_text(path: Path, text: str) -> None:
    """Write a whole file, or leave what was there."""
    put_file(path, [text.encode()])
