"""A grader that must hold on every case blocks on the first case it fails; the policy grader is one by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fiel.core.decision import Kind, Reason
from fiel.core.report import FAILED, PASSED, Report
from fiel.gate.weigh import Weighed
from fiel.gate.wording import counted, listed, short

DEFAULT: Final = ("policy",)


def per_case(weighed: Weighed) -> Iterator[Reason]:
    """A blocking reason for each such grader that failed on a case of the candidate.

    A grader that the policy names but the report lacks, or that graded nothing, leaves the matter open.
    """
    report, named, baseline = weighed.evidence.candidate, weighed.policy.per_case, weighed.evidence.baseline
    for grader in DEFAULT if named is None else named:
        if has(report, grader):
            yield from _judge(weighed, report, grader)
        elif named is not None:
            yield _open(grader, f"{short(grader)} must hold on every case, but the report does not have it")
        elif baseline is not None and has(baseline, grader):
            yield _open(grader, f"{short(grader)} must hold on every case, but only the baseline's report has it")
        else:
            text = f"{grader}: not in the report, so no case was looked at for a violation of it"
            yield Reason(kind=Kind.NOTE, rule="per_case_absent", text=text, facts={"grader": grader})


def has(report: Report, grader: str) -> bool:
    """Whether a grader took part in a report."""
    return grader in report.overall or grader in report.outcome_graders or grader in report.balance


def failing(report: Report, grader: str) -> tuple[int, tuple[str, ...] | None]:
    """How many cases failed the grader and their ids in order; ids are None where the report has no outcomes."""
    if report.outcomes is not None and grader in report.outcome_graders:
        at = report.outcome_graders.index(grader)
        ids = tuple(case.id for case in report.outcomes if FAILED in case.outcomes[at])
        return len(ids), ids
    rate = report.overall.get(grader)
    return (0 if rate is None else rate.denominator - rate.numerator), None


def _judge(weighed: Weighed, report: Report, grader: str) -> Iterator[Reason]:
    count, ids = failing(report, grader)
    measured = _measured(report, grader)
    if not count:
        if not measured:
            yield _open(grader, f"{short(grader)} must hold on every case, but it graded none")
        return
    before = _before(weighed, grader)
    where = f": {listed(ids)}" if ids is not None else " (the report carries no per-case outcomes, so no ids)"
    known = "" if not before or ids is None else _known(sum(case in before for case in ids), len(ids))
    yield Reason(
        kind=Kind.BLOCK,
        rule="per_case",
        text=f"{short(grader)} failed on {counted(count, 'case')} of {measured}{where}{known}",
        facts={
            "grader": grader,
            "failed": count,
            "measured": measured,
            "cases": None if ids is None else list(ids),
            "also_in_baseline": [] if ids is None else [case for case in ids if case in before],
        },
    )


def _known(old: int, failed: int) -> str:
    if not old:
        return ""
    return " (the baseline fails it too)" if old == failed == 1 else f" ({old} of them in the baseline too)"


def _before(weighed: Weighed, grader: str) -> frozenset[str]:
    baseline = weighed.evidence.baseline
    return frozenset() if baseline is None else frozenset(failing(baseline, grader)[1] or ())


def _measured(report: Report, grader: str) -> int:
    if report.outcomes is not None and grader in report.outcome_graders:
        at = report.outcome_graders.index(grader)
        return sum(PASSED in case.outcomes[at] or FAILED in case.outcomes[at] for case in report.outcomes)
    rate = report.overall.get(grader)
    return 0 if rate is None else rate.denominator


def _open(grader: str, text: str) -> Reason:
    return Reason(kind=Kind.INCONCLUSIVE, rule="per_case_unmeasured", text=text, facts={"grader": grader})
