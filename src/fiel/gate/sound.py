"""A report that contradicts itself is refused: its counts, its outcomes and its balance must tell one story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fiel.core.errors import ReportError
from fiel.core.report import FAILED, NOT_APPLICABLE, NOT_GRADED, PASSED, Rate, Report
from fiel.gate.wording import counted, short


def require_sound(report: Report, side: str) -> None:
    """Return if nothing in ``report`` contradicts the rest of it; raise :class:`ReportError` with what does.

    A rule reads rates in one place and outcomes in another, so a report in which they differ could pass by the one
    and fail by the other. What a report leaves out contradicts nothing: one written by hand may hold rates alone.
    A balance that adds up to less than was attempted is no contradiction either, but ungraded trials.
    """
    for problem in _problems(report):
        raise ReportError(f"{side}: the report contradicts itself: {problem}")


def _problems(report: Report) -> Iterator[str]:
    if report.trials < 1:
        yield f"trials is {report.trials}; a case is tried once at least"
    yield from _balance(report)
    if report.outcomes is not None:
        yield from _against_strata(report)
        yield from _shapes(report)
        yield from _against_balance(report)
        yield from _against_counts(report)
    elif report.attempted is not None:
        for metric, rate in report.overall.items():
            if rate.clusters is None and rate.denominator > report.attempted:
                yield f"{short(metric)} was measured {rate.denominator} times and {report.attempted} were attempted"


def _balance(report: Report) -> Iterator[str]:
    for grader, balance in report.balance.items():
        if any(count < 0 for count in balance.ungraded.values()):
            yield f"the balance of {short(grader)} holds a count under 0"
        if balance.graded + sum(balance.ungraded.values()) > balance.attempted:
            yield f"the balance of {short(grader)} graded and left more than the {balance.attempted} attempted"


def _shapes(report: Report) -> Iterator[str]:
    width, known = len(report.outcome_graders), {PASSED, FAILED, NOT_GRADED, NOT_APPLICABLE}
    for case in report.outcomes or ():
        if len(case.outcomes) != width or any(len(marks) != report.trials for marks in case.outcomes):
            told = f"{counted(width, 'grader')}, {counted(report.trials, 'trial')} each"
            yield f"outcomes of case {short(case.id)!r} are not of {told}"
        elif not known.issuperset("".join(case.outcomes)):
            yield f"outcomes of case {short(case.id)!r} hold a mark other than {' '.join(sorted(known))}"
    attempted = len(report.outcomes or ()) * report.trials
    if report.attempted is not None and report.attempted != attempted:
        yield f"{report.attempted} attempted, and outcomes of {attempted}"


def _marks(report: Report, at: int) -> Counter[str]:
    return Counter("".join(case.outcomes[at] for case in report.outcomes or ()))


def _against_balance(report: Report) -> Iterator[str]:
    for at, grader in enumerate(report.outcome_graders):
        balance = report.balance.get(grader)
        if balance is None:
            continue
        marks, left = _marks(report, at), sum(balance.ungraded.values())
        # What a balance does not account for is counted as ungraded elsewhere; here it may only not hide any.
        missing = max(0, balance.attempted - balance.graded - left)
        if marks[NOT_GRADED] > left + missing:
            yield f"{short(grader)} left {marks[NOT_GRADED]} ungraded by its outcomes, {left + missing} by its balance"


def _against_strata(report: Report) -> Iterator[str]:
    cases = Counter(case.stratum for case in report.outcomes or ())
    beyond = [at for at in cases if at >= len(report.strata)]
    if report.strata and beyond:
        told = counted(len(report.strata), "stratum", "strata")
        yield f"outcomes name stratum {beyond[0]}, but the report has {told}, counted from 0"
    for at, stratum in enumerate(report.strata):
        if stratum.cases != cases[at]:
            yield f"{counted(stratum.cases, 'case')} in stratum {short(stratum.name)}, outcomes of {cases[at]}"
    if not report.strata:
        return
    for metric, rate in report.overall.items():
        parts = [stratum.rates[metric] for stratum in report.strata if metric in stratum.rates]
        sums = sum(part.numerator for part in parts), sum(part.denominator for part in parts)
        if parts and sums != (rate.numerator, rate.denominator):
            told = f"{rate.numerator}/{rate.denominator} overall, {sums[0]}/{sums[1]} in its strata together"
            yield f"{short(metric)} is {told}"


def _against_counts(report: Report) -> Iterator[str]:
    for at, grader in enumerate(report.outcome_graders):
        by_stratum: dict[int, Counter[str]] = {}
        for case in report.outcomes or ():
            by_stratum.setdefault(case.stratum, Counter()).update(case.outcomes[at])
        total: Counter[str] = sum(by_stratum.values(), Counter())
        yield from _counts(grader, "overall", report.overall.get(grader), total)
        for number, stratum in enumerate(report.strata):
            yield from _counts(
                grader,
                f"in stratum {short(stratum.name)}",
                stratum.rates.get(grader),
                by_stratum.get(number, Counter()),
            )


def _counts(grader: str, where: str, rate: Rate | None, marks: Counter[str]) -> Iterator[str]:
    """A rate to which each case adds one count is the count of passes; a grader with counts of its own has others."""
    of = marks[PASSED] + marks[FAILED]
    alone = rate is not None and rate.clusters is None and not marks[NOT_APPLICABLE]
    if rate is not None and alone and rate.denominator == of and rate.numerator != marks[PASSED]:
        yield f"{short(grader)} is {rate.numerator}/{rate.denominator} {where}, and passed {marks[PASSED]} by outcomes"
