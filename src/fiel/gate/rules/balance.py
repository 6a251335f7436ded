"""What was attempted must have been graded, and by both sides the same: a crash never raises a rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiel.core.decision import Kind, Reason
from fiel.core.report import NOT_GRADED, Report
from fiel.gate.evidence import Evidence
from fiel.gate.weigh import Weighed
from fiel.gate.wording import counted, listed, short


def nothing_attempted(weighed: Weighed) -> Iterator[Reason]:
    """A report without a single case proves nothing, and neither does one without the metric that is compared."""
    evidence = weighed.evidence
    for side, report in sides(evidence):
        if report.attempted == 0 or (report.outcomes is not None and not report.outcomes):
            yield _open("nothing_attempted", f"no case was attempted in the {side}", {"side": side})
        elif evidence.baseline is not None:
            yield from _metric_missing(side, report, evidence.metric)


def _metric_missing(side: str, report: Report, metric: str) -> Iterator[Reason]:
    rate = report.overall.get(metric)
    if rate is None:
        text = f"{short(metric)} is not in the {side}, which measured: {listed(sorted(report.overall)) or 'nothing'}"
        yield _open("metric_missing", text, {"side": side, "metric": metric})
    elif not rate.denominator:
        text = f"{short(metric)} is undefined in the {side}: nothing was graded (0 of 0)"
        yield _open("metric_missing", text, {"side": side, "metric": metric})


def ungraded(weighed: Weighed) -> Iterator[Reason]:
    """One reason a grader and side that left more trials ungraded than the policy lets a pass carry."""
    limit = weighed.policy.max_ungraded
    for side, report in sides(weighed.evidence):
        for grader, reasons in left_ungraded(report, weighed.evidence.metric).items():
            total = sum(reasons.values())
            if total > limit:
                told = ", ".join(f"{short(why, 40)} {count}" for why, count in sorted(reasons.items()))
                yield _open(
                    "ungraded",
                    f"{short(grader)}: {total} ungraded in the {side} ({told}), "
                    f"at most {limit} {'is' if limit == 1 else 'are'} let through",
                    {"side": side, "grader": grader, "ungraded": dict(reasons), "limit": limit},
                )


def left_ungraded(report: Report, metric: str) -> dict[str, Mapping[str, int]]:
    """Per grader the reasons of what it left ungraded, with counts in trials; graders that left nothing are absent.

    A balance that does not add up counts what is missing from it; a report without a balance is read from its
    outcomes, or else from the metric's denominator beside what was attempted.
    """
    found: dict[str, Mapping[str, int]] = {}
    for grader, balance in report.balance.items():
        reasons = {why: count for why, count in balance.ungraded.items() if count}
        attempted = max(balance.attempted, report.attempted or 0)
        missing = attempted - balance.graded - sum(balance.ungraded.values())
        if missing > 0:
            reasons["unaccounted"] = missing
        if reasons:
            found[grader] = reasons
    if report.outcomes is not None:
        for at, grader in enumerate(report.outcome_graders):
            count = sum(case.outcomes[at].count(NOT_GRADED) for case in report.outcomes)
            if count and grader not in report.balance:
                found[grader] = {"ungraded": count}
    elif metric not in report.balance and report.attempted is not None:
        rate = report.overall.get(metric)
        if rate is not None and rate.clusters is None and rate.denominator < report.attempted:
            found[metric] = {"unaccounted": report.attempted - rate.denominator}
    return found


def balance_unknown(weighed: Weighed) -> Iterator[Reason]:
    """A note where a report does not say what it attempted, so that nothing can be missing from it."""
    for side, report in sides(weighed.evidence):
        if not report.balance and report.outcomes is None and report.attempted is None:
            text = f"the {side} does not say what it attempted: whether anything went ungraded is unknown"
            yield Reason(kind=Kind.NOTE, rule="balance_unknown", text=text, facts={"side": side})


def attempted_differs(weighed: Weighed) -> Iterator[Reason]:
    """Open when the two sides did not attempt the same cases, by id where both have ids, else by count."""
    evidence = weighed.evidence
    if evidence.baseline is None:
        return
    if evidence.only_baseline or evidence.only_candidate:
        parts = [
            f"{counted(len(ids), 'case')} only in the {side} ({listed(ids)})"
            for side, ids in (("baseline", evidence.only_baseline), ("candidate", evidence.only_candidate))
            if ids
        ]
        facts = {"only_baseline": list(evidence.only_baseline), "only_candidate": list(evidence.only_candidate)}
        yield _open("attempted_differs", f"attempted sets differ: {', '.join(parts)}", facts)
        return
    if evidence.baseline.outcomes is not None and evidence.candidate.outcomes is not None:
        return
    before, after = (_attempted(report, evidence.metric) for report in (evidence.baseline, evidence.candidate))
    if before is not None and after is not None and before != after:
        text = f"attempted sets differ: {before} in the baseline and {after} in the candidate"
        yield _open("attempted_differs", text, {"baseline": before, "candidate": after})


def critical_cases_moved(weighed: Weighed) -> Iterator[Reason]:
    """Open when a case of a critical stratum is in another stratum on the other side: the two are not one stratum."""
    if ids := weighed.evidence.moved_critical:
        what = f"{counted(len(ids), 'case')} of critical strata in another stratum on each side"
        yield _open(
            "critical_cases_moved",
            f"{what}, so their rates are not of the same cases: {listed(ids)}",
            {"cases": list(ids)},
        )


def trials_differ(weighed: Weighed) -> Iterator[Reason]:
    """Open when the sides tried each case a different number of times: they did not attempt the same. A note when they
    sort cases into different strata."""
    evidence = weighed.evidence
    if evidence.baseline is None:
        return
    before, after = evidence.baseline.trials, evidence.candidate.trials
    if before != after:
        text = f"trials a case: {before} in the baseline and {after} in the candidate; run both with as many"
        yield _open("trials_differ", text, {"baseline": before, "candidate": after})
    if evidence.moved:
        text = f"{counted(evidence.moved, 'case')} in another stratum on each side; paired under the baseline's"
        yield Reason(kind=Kind.NOTE, rule="strata_differ", text=text, facts={"cases": evidence.moved})


def sides(evidence: Evidence) -> Iterator[tuple[str, Report]]:
    """The reports with their names, candidate first."""
    yield "candidate", evidence.candidate
    if evidence.baseline is not None:
        yield "baseline", evidence.baseline


def _attempted(report: Report, metric: str) -> int | None:
    """Trials that were attempted, or None where the report does not let one know."""
    if report.attempted is not None:
        return report.attempted
    if report.outcomes is not None:
        return len(report.outcomes) * report.trials
    rate = report.overall.get(metric)
    return None if rate is None or rate.clusters is not None else rate.denominator


def _open(rule: str, text: str, facts: Mapping[str, Any]) -> Reason:
    return Reason(kind=Kind.INCONCLUSIVE, rule=rule, text=text, facts=facts)
