"""The demonstration: RelayOps from an empty folder to release decisions, checked to have shown what it must."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fiel.core.decision import Decision, Outcome
from fiel.core.errors import Broken
from fiel.core.report import Report
from fiel.core.report_document import encode_rate
from fiel.reports import render, render_decision
from fiel.wiring.beginning import initialise
from fiel.wiring.evaluate import Asked, evaluate
from fiel.wiring.release import publish_decision, rule, write_text
from fiel.wiring.reportfiles import load_report
from fiel.wiring.workspace import Workspace

CRITICAL: Final = "tenant-crux|contract-notice|adversarial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the demonstration made and where, and what it did not show though it must.

    ``runs`` are by the name of their directory, ``decisions`` on the candidate by that of their baseline; ``same`` is
    the ruling on a run compared with itself.
    """

    workspace: Path
    html: Path
    runs: Mapping[str, Report]
    decisions: Mapping[str, Decision]
    same: Decision
    missing: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The same for a program: rates by run, outcomes by baseline."""
        return {
            "workspace": str(self.workspace),
            "html": str(self.html),
            "runs": {name: encode_rate(report.overall["success"]) for name, report in self.runs.items()},
            "decisions": {name: decision.outcome.value for name, decision in self.decisions.items()},
            "missing": list(self.missing),
        }


def demonstrate(directory: Path, *, say: Callable[[str], None], width: int, colour: bool) -> Shown:
    """Make the workspace, run its three targets, rule twice, and write the HTML report.

    The targets are deterministic functions and a stub, and what is said of them says so.
    """
    initialise(directory, "relayops")
    workspace = Workspace.find(directory)
    runs = directory / "runs"
    reports: dict[str, Report] = {}

    def run(target: str, split: str, name: str, **options: object) -> Report:
        evaluate(workspace, Asked(target=target, split=split, out=runs / name, options=options))
        reports[name] = report = load_report(runs / name)
        success = report.overall["success"]
        say(f"  {target:<10} {split:<8} success {success.numerator}/{success.denominator}")
        return report

    say("Three targets on the dev split, for tuning:")
    for number, target in enumerate(("baseline", "workflow", "runner"), 1):
        run(target, "dev", f"d{number}")
    say("\nOn the holdout, for the gate; the candidate carries an injected regression:")
    run("workflow", "holdout", "base")
    old = run("baseline", "holdout", "old")
    candidate = run("runner", "holdout", "cand", inject_regression=True)
    say("")
    say(render(candidate, "terminal", metric="success", width=width, colour=colour).rstrip())

    decisions: dict[str, Decision] = {}
    for name in ("base", "old"):
        say(f"\nfiel gate --baseline runs/{name} --candidate runs/cand")
        decisions[name] = _rule(workspace, runs / name, runs / "cand")
        say(render_decision(decisions[name], "terminal", width=width, colour=colour).rstrip())
    publish_decision(decisions["old"], runs / "cand", None)
    same = _rule(workspace, runs / "base", runs / "base")
    html = directory / "report.html"
    write_text(html, render(candidate, "html", decision=decisions["old"], metric="success"))
    return Shown(
        workspace=directory,
        html=html,
        runs=reports,
        decisions=decisions,
        same=same,
        missing=missing_of(old, candidate, decisions, same),
    )


def _rule(workspace: Workspace, baseline: Path, candidate: Path) -> Decision:
    return rule(candidate, baseline, policy_file=workspace.root / workspace.file)


def missing_of(old: Report, candidate: Report, decisions: Mapping[str, Decision], same: Decision) -> tuple[str, ...]:
    """What must be seen and is not; ``same`` is the ruling on a run compared with itself."""
    before, after = old.overall["success"].fraction, candidate.overall["success"].fraction
    checks = {
        "the mean rises from the old baseline to the candidate": before is not None
        and after is not None
        and before < after,
        "the gate blocks the candidate against the workflow": decisions["base"].outcome is Outcome.BLOCK,
        "the gate blocks the candidate though the mean rises": decisions["old"].outcome is Outcome.BLOCK,
        f"the gate names {CRITICAL}": all(
            any(reason.stratum == CRITICAL for reason in decision.reasons) for decision in decisions.values()
        ),
        "a run compared with itself passes": same.outcome is Outcome.PASS,
    }
    return tuple(what for what, seen in checks.items() if not seen)


def require_shown(shown: Shown) -> None:
    """Raise Broken when the demonstration did not show what it must."""
    if shown.missing:
        raise Broken("the demonstration did not show: " + "; ".join(shown.missing))
