"""Counting verdicts into rates: sums over sums by stratum, one pass over the cases, nothing kept of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fiel.core.case import stratum_of
from fiel.core.grader import Result
from fiel.core.report import FAILED, NOT_APPLICABLE, NOT_GRADED, PASSED, Balance, Rate, Repeats, Stratum
from fiel.core.verdict import Ungraded, Verdict
from fiel.stats.clusters import ClusterSums, clustered_wilson
from fiel.stats.intervals import wilson
from fiel.stats.repeats import discordance, pass_hat

# Clusters, hits, of, and the sums of hits*hits, hits*of and of*of over clusters: all a ratio's variance needs.
_Sums = list[int]


@dataclass(slots=True)
class _Stratum:
    index: int
    tags: Mapping[str, str]
    critical: bool = False
    cases: int = 0
    sums: dict[str, _Sums] = field(default_factory=dict)


class Tally:
    """The counts of one run, filled case by case.

    ``strata`` are the dataset's tags; ``graders`` the names in order; ``primary`` the grader whose passes the
    repeated trials are judged on, or None.
    """

    def __init__(self, *, strata: Sequence[str], graders: Sequence[str], trials: int, primary: str | None) -> None:
        self._keys = tuple(strata)
        self._graders = tuple(graders)
        self._trials = trials
        self._primary = primary
        self._strata: dict[str, _Stratum] = {}
        self._by_values: dict[tuple[str | None, ...], _Stratum] = {}
        self._graded = dict.fromkeys(graders, 0)
        self._ungraded: dict[str, Counter[str]] = {name: Counter() for name in graders}
        self._repeats: Counter[tuple[int, int]] = Counter()
        self.flagged: Counter[str] = Counter()
        self.cases = 0

    def add(
        self, tags: Mapping[str, str], critical: bool, trials: Sequence[Mapping[str, Result]]
    ) -> tuple[int, list[str]]:
        """Count one case by its tags with the results of all its trials; gives its stratum's index and outcomes.

        Outcomes are a string a grader, one character a trial, as in ``core.report.CaseOutcome``.
        """
        values = tuple([tags.get(key) for key in self._keys])
        stratum = self._by_values.get(values)
        if stratum is None:
            stratum = self._by_values[values] = self._stratum(tags)
        self.cases += 1
        stratum.cases += 1
        if critical:
            stratum.critical = True
        outcomes = []
        counts: dict[str, list[int]] = {}
        for grader in self._graders:
            marks = ""
            for results in trials:
                result = results[grader]
                if isinstance(result, Ungraded):
                    marks += NOT_GRADED
                    self._ungraded[grader][result.reason] += 1
                else:
                    self._graded[grader] += 1
                    passed = result.passed
                    marks += NOT_APPLICABLE if passed is None else PASSED if passed else FAILED
                    if result.measures or result.flags:
                        self._measure(grader, result, counts)
                    elif passed is not None:
                        _count(counts, grader, 1 if passed else 0, 1)
            outcomes.append(marks)
            if grader == self._primary and self._trials > 1 and NOT_GRADED not in marks:
                self._repeats[marks.count(PASSED), len(marks)] += 1
        for metric, (hits, of) in counts.items():
            _add(stratum.sums, metric, 1, hits, of)
        return stratum.index, outcomes

    def _stratum(self, tags: Mapping[str, str]) -> _Stratum:
        name, chosen = stratum_of(tags, self._keys)
        if name not in self._strata:
            self._strata[name] = _Stratum(index=len(self._strata), tags=chosen)
        return self._strata[name]

    def _measure(self, grader: str, verdict: Verdict, counts: dict[str, list[int]]) -> None:
        own = verdict.passed is not None
        for measure in verdict.measures:
            metric = f"{grader}.{measure.name}" if measure.name else grader
            own = own and bool(measure.name)
            _count(counts, metric, measure.hits, measure.of)
        if own:
            _count(counts, grader, 1 if verdict.passed else 0, 1)
        for flag in verdict.flags:
            self.flagged[flag] += 1

    def strata(self) -> tuple[Stratum, ...]:
        """The strata in the order in which the dataset first showed them."""
        return tuple(
            Stratum(
                name=name,
                tags=stratum.tags,
                critical=stratum.critical,
                cases=stratum.cases,
                rates=self._rates(stratum.sums),
            )
            for name, stratum in self._strata.items()
        )

    def overall(self) -> dict[str, Rate]:
        """Every metric over all cases: sums of the strata's sums, never a mean of means."""
        total: dict[str, _Sums] = {}
        for stratum in self._strata.values():
            for metric, sums in stratum.sums.items():
                into = total.setdefault(metric, [0] * 6)
                for i, part in enumerate(sums):
                    into[i] += part
        return self._rates(total)

    def _rates(self, sums: Mapping[str, _Sums]) -> dict[str, Rate]:
        # A grader that could grade nothing still has its row, undefined: a missing row would look like no grader.
        named = {grader: [0] * 6 for grader in self._graders}
        return {metric: rate(counted) for metric, counted in (named | dict(sums)).items()}

    def balance(self) -> dict[str, Balance]:
        """Per grader, in trials: what was attempted, graded, and not graded by reason."""
        return {
            name: Balance(
                attempted=self._graded[name] + self._ungraded[name].total(),
                graded=self._graded[name],
                ungraded=dict(sorted(self._ungraded[name].items())),
            )
            for name in self._graders
        }

    def repeats(self) -> Repeats | None:
        """What repeated trials say, or None for a run of single trials or without a primary grader."""
        if self._trials < 2 or self._primary is None:
            return None
        cases = self._repeats.total()
        every = sum(n for (passes, of), n in self._repeats.items() if passes == of)
        none = sum(n for (passes, _), n in self._repeats.items() if passes == 0)
        hats: dict[str, float | None] = {}
        for k in range(1, self._trials + 1):
            # All of a case's trials were graded here, so pass^k is defined for each of them.
            parts = [n * (pass_hat(passes, of, k) or 0.0) for (passes, of), n in sorted(self._repeats.items())]
            hats[str(k)] = math.fsum(parts) / cases if cases else None
        counts = [pair for pair, n in sorted(self._repeats.items()) for _ in range(n)]
        return Repeats(
            metric=self._primary,
            trials=self._trials,
            cases=cases,
            every=_plain(every, cases),
            any=_plain(cases - none, cases),
            flaky=_plain(cases - none - every, cases),
            pass_hat=hats,
            discordance=discordance(counts),
        )


def rate(sums: Sequence[int]) -> Rate:
    """The rate behind a ratio's sums, its interval widened where several counts come from one case."""
    clusters, hits, of, squares, cross, sizes = sums
    if of == sizes:
        return _plain(hits, of)
    interval, deff = clustered_wilson(
        ClusterSums(clusters=clusters, hits=hits, of=of, hits_squared=squares, hits_times_of=cross, of_squared=sizes)
    )
    return Rate(
        numerator=hits,
        denominator=of,
        value=hits / of if of else None,
        interval=interval,
        clusters=clusters,
        deff=deff,
    )


def _count(counts: dict[str, list[int]], metric: str, hits: int, of: int) -> None:
    count = counts.get(metric)
    if count is None:
        counts[metric] = [hits, of]
    else:
        count[0] += hits
        count[1] += of


def _plain(hits: int, of: int) -> Rate:
    if not of:
        return Rate(numerator=0, denominator=0, value=None, interval=None)
    return Rate(numerator=hits, denominator=of, value=hits / of, interval=wilson(hits, of))


def _add(sums: dict[str, Any], metric: str, clusters: int, hits: int, of: int) -> None:
    if not of:
        return
    into = sums.get(metric)
    if into is None:
        into = sums[metric] = [0] * 6
    into[0] += clusters
    into[1] += hits
    into[2] += of
    into[3] += hits * hits
    into[4] += hits * of
    into[5] += of * of
