"""The report of a run: one pass over dataset and journal in the dataset's order, written as it goes."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from fiel.core.case import stratum_name
from fiel.core.errors import DatasetError, Problem, StorageError
from fiel.core.grader import Result
from fiel.core.report import FAILED, NOT_GRADED, Cost, Latency, Report
from fiel.core.report_document import encode_failure, encode_head
from fiel.core.verdict import Ungraded
from fiel.harness.budget import Budget
from fiel.offline.book import Places
from fiel.offline.dataset import Checked, Row, as_case, parse_row
from fiel.offline.failures import failures_of
from fiel.offline.ranks import Ranks
from fiel.offline.records import Gist, decode_gist, decode_trial, decode_verdicts
from fiel.offline.tally import Tally
from fiel.ports import Journal, Spool

_encode = msgspec.json.Encoder().encode
_FLUSH_LINES: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a report is made from: the dataset, the journal, where each trial's lines stand, and the head."""

    dataset: Checked
    journal: Journal
    trials: Places
    verdicts: Places
    graders: tuple[str, ...]
    fingerprints: tuple[str, ...]
    head: Report
    primary: str | None = None
    cost_note: str = ""


def write_report(sources: Sources, budget: Budget, timing: Mapping[str, Any], skipped: str | None) -> Report:
    """Write ``report.json`` into the journal; gives the report without failures and outcomes.

    A trial that was not made counts as Ungraded with the reason ``skipped`` (``budget``...). The result depends
    on the dataset and the finished trials alone, in the dataset's order: not on the order in which they finished.
    Raises DatasetError when the dataset is not the one the run began with.
    """
    head = sources.head
    tally = Tally(
        strata=sources.dataset.info.strata,
        graders=sources.graders,
        trials=head.trials,
        primary=sources.primary,
    )
    spending = _Spending()
    failures, outcomes = _Rows(sources.journal.spool()), _Rows(sources.journal.spool())
    try:
        for index, (row, trials, results) in enumerate(_cases(sources, skipped or "not_run")):
            stratum, marks = tally.add(row.tags, row.critical, results)
            outcomes.add([row.id, stratum, marks])
            for trial in trials:
                if trial is not None:
                    spending.add(trial)
            every_mark = "".join(marks)
            if FAILED in every_mark or NOT_GRADED in every_mark:
                case, name = as_case(row), stratum_name(row.tags, sources.dataset.info.strata)
                for number, (trial, verdicts) in enumerate(zip(trials, results, strict=True)):
                    output = None if trial is None or trial.failed else _output(sources, index, number)
                    why = _why_not(trial, verdicts)
                    for failure in failures_of(case, number, name, why, output, verdicts):
                        failures.add(encode_failure(failure))
        missing = len(sources.trials) - sources.trials.count()
        report = replace(
            head,
            overall=tally.overall(),
            strata=tally.strata(),
            graders=sources.fingerprints,
            attempted=tally.cases * head.trials,
            balance=tally.balance(),
            outcome_graders=sources.graders,
            repeats=tally.repeats(),
            cost=spending.cost(sources.cost_note),
            latency=spending.latency(),
            budget=budget.document(skipped=missing),
            flagged=dict(sorted(tally.flagged.items())),
            timing=timing,
        )
        sources.journal.put("report.json", _document(report, failures, outcomes))
    finally:
        failures.close()
        outcomes.close()
    return report


def _cases(sources: Sources, missing: str) -> Iterator[tuple[Row, list[Gist | None], list[Mapping[str, Result]]]]:
    per_case = sources.head.trials
    absent: Mapping[str, Result] = {name: Ungraded(reason=missing) for name in sources.graders}
    sha = hashlib.sha256()
    index, size = -1, len(sources.trials)
    label = sources.dataset.source.label
    trial_places, trial_log = sources.trials, sources.journal.trials
    verdict_places, verdict_log = sources.verdicts, sources.journal.verdicts
    for number, line in sources.dataset.source.lines(sha.update):
        if not line or line.isspace():
            continue
        index += 1
        row = parse_row(line, where=label, number=number)
        trials: list[Gist | None] = []
        results: list[Mapping[str, Result]] = []
        for slot in range(index * per_case, index * per_case + per_case):
            place = trial_places.get(slot) if slot < size else None
            if place is None:
                trials.append(None)
                results.append(absent)
                continue
            trial = decode_gist(trial_log.read(place), "trials.jsonl")
            if trial.case != row.id:
                raise StorageError(f"trials.jsonl: {trial.case!r} stands where {row.id!r} should be")
            trials.append(trial)
            results.append(decode_verdicts(verdict_log.read(verdict_places[slot]), "verdicts.jsonl")[2])
        yield row, trials, results
    if sha.hexdigest() != sources.dataset.sha256:
        changed = Problem(where=label, what="the dataset changed while it was being run", right="run it again")
        raise DatasetError([changed])


def _output(sources: Sources, index: int, number: int) -> Any:
    place = sources.trials[index * sources.head.trials + number]
    return decode_trial(sources.journal.trials.read(place), "trials.jsonl").output


def _why_not(trial: Gist | None, results: Mapping[str, Result]) -> Ungraded | None:
    """Why there was no output to grade, or None where there was one."""
    if trial is not None:
        return trial.failed
    absent = next(iter(results.values()), None)
    return absent if isinstance(absent, Ungraded) else Ungraded(reason="not_run")


def _document(report: Report, failures: _Rows, outcomes: _Rows) -> Iterator[bytes]:
    head = msgspec.json.format(_encode(encode_head(report)), indent=2)
    yield head.removesuffix(b"\n}")
    yield b',\n  "failures": ['
    yield from failures.chunks()
    yield b'],\n  "outcomes": {"graders": ' + _encode(list(report.outcome_graders)) + b', "cases": ['
    yield from outcomes.chunks()
    yield b"]}\n}\n"


class _Rows:
    """JSON values put aside one a line, with commas between them."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._waiting: list[bytes] = []
        self._begun = False

    def add(self, row: Any) -> None:
        self._waiting.append(_encode(row))
        if len(self._waiting) >= _FLUSH_LINES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            lead = b",\n    " if self._begun else b"\n    "
            self._spool.write(lead + b",\n    ".join(self._waiting))
            self._waiting.clear()
            self._begun = True

    def chunks(self) -> Iterator[bytes]:
        self._flush()
        yield from self._spool.chunks()
        if self._begun:
            yield b"\n  "

    def close(self) -> None:
        self._spool.close()


class _Spending:
    """Money, tokens and time of all trials, added so that the order in which they finished cannot matter."""

    def __init__(self) -> None:
        self._usd = array("d")
        self._unknown = self._input = self._output = self._tokens_unknown = 0
        self._microseconds = Ranks()

    def add(self, trial: Gist) -> None:
        if trial.failed is None and not trial.cached:
            self._microseconds.add(int(trial.latency_s * 1e6 + 0.5))
        if trial.cached:
            return
        if trial.cost_usd is None:
            self._unknown += 1
        else:
            self._usd.append(trial.cost_usd)
        if trial.usage is None:
            self._tokens_unknown += 1
        else:
            self._input += trial.usage.input_tokens
            self._output += trial.usage.output_tokens

    def cost(self, note: str) -> Cost:
        """What is known and what is not. Trials that were never made, or came from the cache, cost nothing."""
        return Cost(
            known_usd=math.fsum(self._usd),
            known=len(self._usd),
            unknown=self._unknown,
            input_tokens=self._input,
            output_tokens=self._output,
            tokens_unknown=self._tokens_unknown,
            note=note,
        )

    def latency(self) -> Latency:
        """Nearest-rank percentiles of the trials that answered and were not recalled from the cache."""
        count = len(self._microseconds)
        if not count:
            return Latency()

        def at(share: float) -> float:
            return self._microseconds.at(max(1, math.ceil(share * count))) / 1e6

        return Latency(n=count, p50_s=at(0.5), p90_s=at(0.9), p95_s=at(0.95), p99_s=at(0.99), max_s=at(1.0))
