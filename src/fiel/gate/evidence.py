"""Evidence is what two reports say side by side: case by case where both have outcomes, and stratum by stratum."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from fiel.core.errors import ReportError
from fiel.core.report import FAILED, NOT_GRADED, PASSED, CaseOutcome, Rate, Report, Stratum
from fiel.gate.sound import require_sound
from fiel.gate.wording import short
from fiel.stats.paired import Pairs

PASS, FAIL, TIE, UNGRADED, SILENT = "pass", "fail", "tie", "ungraded", "not applicable"
"""What a case comes to over its trials; ``SILENT`` is a grader that only describes."""

_CELL: Final = {(PASS, PASS): 0, (PASS, FAIL): 1, (FAIL, PASS): 2, (FAIL, FAIL): 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The cases that both reports attempted, each as one pair.

    ``pairs`` counts the cases that came to pass or fail on both sides; ``broken`` and ``fixed`` are their ids.
    ``ties`` are cases in which an even vote of trials was split on a side: a class of its own, not a coin.
    ``excluded`` counts all that are not in ``pairs`` (ties too) by what each side came to, baseline first.
    ``tables`` holds each case's trials, paired by index, where cases were tried several times; else it is empty.
    ``passes`` sums passing and graded trials per side: baseline passes, of, candidate passes, of.
    """

    pairs: Pairs
    broken: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    ties: int = 0
    excluded: Mapping[tuple[str, str], int] = field(default_factory=dict)
    tables: tuple[Pairs, ...] = ()
    passes: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def n(self) -> int:
        """How many pairs there are."""
        return self.pairs.n

    def ungraded(self, side: int) -> int:
        """How many pairs the side (0 baseline, 1 candidate) left ungraded."""
        return sum(count for classes, count in self.excluded.items() if classes[side] == UNGRADED)


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumPair:
    """One stratum in both reports; a side is None where the report does not have it.

    ``graded`` counts the trials that the metric's grader passed or failed on each side, None without outcomes.
    """

    name: str
    critical: bool
    baseline: Stratum | None
    candidate: Stratum | None
    paired: Paired | None = None
    graded: tuple[int | None, int | None] = (None, None)

    @property
    def label(self) -> str:
        """The name as one printable line of at most 200 characters."""
        return short(self.name, 200)

    def rates(self, metric: str) -> tuple[Rate | None, Rate | None]:
        """The metric of both sides, each None where it is not there."""
        return (
            None if self.baseline is None else self.baseline.rates.get(metric),
            None if self.candidate is None else self.candidate.rates.get(metric),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a rule may look at. ``baseline`` is None where the candidate stands alone.

    ``paired`` is None where there is nothing to pair, and ``unavailable`` says why. ``only_baseline`` and
    ``only_candidate`` are the ids that a single side attempted; ``moved`` counts cases that are in another
    stratum on each side, and ``moved_critical`` those of them that are in a critical one on either.
    """

    metric: str
    candidate: Report
    baseline: Report | None = None
    paired: Paired | None = None
    strata: tuple[StratumPair, ...] = ()
    unavailable: str = ""
    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    moved: int = 0
    moved_critical: tuple[str, ...] = ()

    @property
    def trials(self) -> int:
        """The larger number of trials a case of the two reports."""
        return max(self.candidate.trials, 1 if self.baseline is None else self.baseline.trials)

    @property
    def rates(self) -> tuple[Rate | None, Rate | None]:
        """The metric over all cases, baseline then candidate."""
        before = None if self.baseline is None else self.baseline.overall.get(self.metric)
        return before, self.candidate.overall.get(self.metric)


def gather(*, metric: str, candidate: Report, baseline: Report | None) -> Evidence:
    """The evidence for ``metric``; raise :class:`ReportError` for a report that contradicts itself."""
    ours = _by_id(candidate, "candidate")
    if baseline is None:
        alone = _keyed(candidate, "candidate", _clashing(candidate)).items()
        require_sound(candidate, "candidate")
        strata = (
            StratumPair(name=key, critical=stratum.critical, baseline=None, candidate=stratum) for key, stratum in alone
        )
        return Evidence(metric=metric, candidate=candidate, strata=tuple(strata), unavailable="there is no baseline")
    theirs = _by_id(baseline, "baseline")
    clash = _clashing(baseline) or _clashing(candidate)
    left, right = _keyed(baseline, "baseline", clash), _keyed(candidate, "candidate", clash)
    require_sound(baseline, "baseline")
    require_sound(candidate, "candidate")
    unavailable = _why_unavailable(metric, baseline, candidate)
    paired: Paired | None = None
    by_stratum: dict[str, Paired] = {}
    moved: dict[str, tuple[str | None, str | None]] = {}
    if not unavailable and theirs is not None and ours is not None:
        paired, by_stratum, moved = _pair_cases(metric, baseline, candidate, theirs, ours, list(left), list(right))
    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    if theirs is not None and ours is not None:
        only_baseline = tuple(case for case in theirs if case not in ours)
        only_candidate = tuple(case for case in ours if case not in theirs)
    both = tuple(_pair_strata(metric, (baseline, left), (candidate, right), by_stratum))
    critical = {stratum.name for stratum in both if stratum.critical}
    return Evidence(
        metric=metric,
        candidate=candidate,
        baseline=baseline,
        paired=paired,
        strata=both,
        unavailable=unavailable,
        only_baseline=only_baseline,
        only_candidate=only_candidate,
        moved=len(moved),
        moved_critical=tuple(case for case, keys in moved.items() if not critical.isdisjoint(keys)),
    )


def vote(outcomes: str) -> str:
    """What one case comes to by the majority of all its trials.

    Ungraded trials count in the total, so a case passes only when more than half of what was attempted passed.
    """
    passed, failed, total = outcomes.count(PASSED), outcomes.count(FAILED), len(outcomes)
    if 2 * passed > total:
        return PASS
    if 2 * failed > total:
        return FAIL
    if NOT_GRADED in outcomes or not total:
        return UNGRADED
    return TIE if passed or failed else SILENT


class _Tally:
    """Counts pairs as they come; :meth:`done` freezes them."""

    __slots__ = ("broken", "cells", "excluded", "fixed", "passes", "tables", "ties")

    def __init__(self) -> None:
        self.cells = [0, 0, 0, 0]
        self.broken: list[str] = []
        self.fixed: list[str] = []
        self.ties = 0
        self.excluded: Counter[tuple[str, str]] = Counter()
        self.tables: list[Pairs] = []
        self.passes = [0, 0, 0, 0]

    def add(self, case: str, before: str, after: str, classes: tuple[str, str]) -> None:
        for at, outcomes in ((0, before), (2, after)):
            passed = outcomes.count(PASSED)
            self.passes[at] += passed
            self.passes[at + 1] += passed + outcomes.count(FAILED)
        cell = _CELL.get(classes)
        if cell is None:
            self.ties += TIE in classes
            self.excluded[classes] += 1
        else:
            self.cells[cell] += 1
            if cell == 1:
                self.broken.append(case)
            elif cell == 2:
                self.fixed.append(case)
        if len(before) > 1 or len(after) > 1:
            table = _trial_table(before, after)
            if table.n:
                self.tables.append(table)

    def done(self) -> Paired:
        both, broken, fixed, neither = self.cells
        first, second, third, fourth = self.passes
        return Paired(
            pairs=Pairs(both=both, broken=broken, fixed=fixed, neither=neither),
            broken=tuple(self.broken),
            fixed=tuple(self.fixed),
            ties=self.ties,
            excluded=dict(self.excluded),
            tables=tuple(self.tables),
            passes=(first, second, third, fourth),
        )


def _trial_table(before: str, after: str) -> Pairs:
    """One case's trials paired by index, where both were graded."""
    cells = Counter(zip(before, after, strict=False))
    return Pairs(
        both=cells[PASSED, PASSED],
        broken=cells[PASSED, FAILED],
        fixed=cells[FAILED, PASSED],
        neither=cells[FAILED, FAILED],
    )


def _pair_cases(
    metric: str,
    baseline: Report,
    candidate: Report,
    theirs: Mapping[str, CaseOutcome],
    ours: Mapping[str, CaseOutcome],
    left: Sequence[str],
    right: Sequence[str],
) -> tuple[Paired, dict[str, Paired], dict[str, tuple[str | None, str | None]]]:
    """All pairs, the pairs of each stratum (of the baseline, by key), and from and to where cases moved."""
    before_at, after_at = baseline.outcome_graders.index(metric), candidate.outcome_graders.index(metric)
    overall, strata = _Tally(), {key: _Tally() for key in left}
    moved: dict[str, tuple[str | None, str | None]] = {}
    for case, theirs_of in theirs.items():
        ours_of = ours.get(case)
        if ours_of is None:
            continue
        before, after = theirs_of.outcomes[before_at], ours_of.outcomes[after_at]
        classes = vote(before), vote(after)
        overall.add(case, before, after, classes)
        key, now = _key_of(left, theirs_of), _key_of(right, ours_of)
        if key != now:
            moved[case] = key, now
        if key is not None:
            strata[key].add(case, before, after, classes)
    return overall.done(), {key: tally.done() for key, tally in strata.items()}, moved


def _key_of(keys: Sequence[str], case: CaseOutcome) -> str | None:
    """The stratum of a case, which a sound report has; None where the report has no strata at all."""
    return keys[case.stratum] if keys else None


def _why_unavailable(metric: str, baseline: Report, candidate: Report) -> str:
    for name, report in (("baseline", baseline), ("candidate", candidate)):
        if report.outcomes is None:
            return f"the report of the {name} carries no per-case outcomes"
        if metric not in report.outcome_graders:
            return f"{short(metric)!r} is not an outcome of single cases in the report of the {name}"
    return ""


def _by_id(report: Report, side: str) -> Mapping[str, CaseOutcome] | None:
    if report.outcomes is None:
        return None
    found = {case.id: case for case in report.outcomes}
    if len(found) != len(report.outcomes):
        twice = [case for case, times in Counter(case.id for case in report.outcomes).items() if times > 1]
        raise ReportError(f"{side}: case {short(twice[0])!r} is in the outcomes twice; every case has one entry")
    return found


def _clashing(report: Report) -> bool:
    names = [stratum.name for stratum in report.strata]
    return len(set(names)) != len(names)


def _keyed(report: Report, side: str, by_tags: bool) -> dict[str, Stratum]:
    """Strata by name, or by name and tags where a name alone would stand for two (values that hold a ``|``)."""
    found: dict[str, Stratum] = {}
    for stratum in report.strata:
        tags = json.dumps(dict(stratum.tags), sort_keys=True, ensure_ascii=False)
        key = f"{stratum.name} {tags}" if by_tags else stratum.name
        if key in found:
            raise ReportError(f"{side}: stratum {short(key)!r} is there twice; every stratum has one entry")
        found[key] = stratum
    return found


def _pair_strata(
    metric: str,
    before: tuple[Report, Mapping[str, Stratum]],
    after: tuple[Report, Mapping[str, Stratum]],
    paired: Mapping[str, Paired],
) -> Iterable[StratumPair]:
    left, right = before[1], after[1]
    graded_left, graded_right = _graded(before[0], metric, list(left)), _graded(after[0], metric, list(right))
    for key in dict.fromkeys([*left, *right]):
        yield StratumPair(
            name=key,
            critical=any(side is not None and side.critical for side in (left.get(key), right.get(key))),
            baseline=left.get(key),
            candidate=right.get(key),
            paired=paired.get(key),
            graded=(graded_left.get(key), graded_right.get(key)),
        )


def _graded(report: Report, metric: str, keys: Sequence[str]) -> dict[str, int]:
    """Trials with a pass or a fail by stratum; empty where the report has no such outcomes."""
    if report.outcomes is None or metric not in report.outcome_graders:
        return {}
    at, found = report.outcome_graders.index(metric), dict.fromkeys(keys, 0)
    for case in report.outcomes:
        key = _key_of(keys, case)
        if key is not None:
            found[key] += case.outcomes[at].count(PASSED) + case.outcomes[at].count(FAILED)
    return found
