"""One run: every case and trial is asked of the target, graded and journalled as it finishes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from fiel.core.case import Case
from fiel.core.errors import Refused, StorageError
from fiel.core.grader import Grader, Result, fingerprint
from fiel.core.item import Item
from fiel.core.manifest import require_complete
from fiel.core.report import Report
from fiel.core.verdict import Ungraded
from fiel.harness.budget import Budget
from fiel.harness.content import digest
from fiel.harness.drive import grade_rules
from fiel.offline.attempt import Attempting
from fiel.offline.book import Book, Places, find_trials, find_verdicts, verdict_header
from fiel.offline.dataset import Checked
from fiel.offline.records import decode_trial, encode_span, encode_trial, encode_verdicts
from fiel.offline.reporting import Sources, write_report
from fiel.offline.trial import Trial
from fiel.ports import Cache, Journal

SYNC_EVERY: Final = 100
"""Finished trials between two flushes to the disk itself; a kill loses none of them, a power cut at most these."""

MOST_UNGRADED: Final = 64
"""Finished trials that may wait to be graded until the event loop has nothing more urgent to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run is to do.

    ``manifest`` must be complete; ``target`` and ``dataset_facts`` go into the report as they are (name, kind,
    options; path, holdout uses). ``primary`` names the grader on which repeated trials are judged. ``cache_key``
    identifies the target with all its versions; without it nothing is cached.
    """

    run_id: str
    dataset: Checked
    graders: tuple[Grader, ...]
    manifest: Mapping[str, Any]
    target: Mapping[str, Any]
    dataset_facts: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 1
    concurrency: int = 8
    primary: str | None = None
    thin_below: int = 30
    budget_usd: float | None = None
    budget_tokens: int | None = None
    cost_note: str = ""
    cache_key: str | None = None
    fiel_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, in trials."""

    finished: int
    of: int
    failed: int


async def run(
    plan: Plan,
    *,
    attempting: Attempting,
    journal: Journal,
    cache: Cache | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Run what is missing of ``plan`` and write the report; gives the report without its long lists.

    A fresh journal gets the manifest before the first call. A journal with a manifest is resumed: its finished
    trials are kept, those without verdicts are graded again from their stored outputs, and only the rest is asked
    of the target. Raises ManifestIncomplete, Refused (a resume with other versions), StorageError.
    """
    require_complete(plan.manifest)
    began_unix_s, began_s = attempting.clock.unix_s(), attempting.clock.monotonic_s()
    manifest = _settle_manifest(plan, journal, began_unix_s)
    work = _Work(plan, attempting, journal, cache, progress, run_id=manifest["run_id"])
    work.take_up()
    await work.finish_trials()
    work.sync()
    timing = {
        "started_unix_s": manifest["started_unix_s"],
        "finished_unix_s": attempting.clock.unix_s(),
        "last_stretch_s": attempting.clock.monotonic_s() - began_s,
    }
    return write_report(plan_sources(plan, work.book, journal, manifest["run_id"]), work.budget, timing, work.skipped)


def grade(graders: Sequence[Grader], case: Case, trial: Trial) -> dict[str, Result]:
    """Every grader's result on one trial; a trial without an output is Ungraded for all of them."""
    if trial.failed is not None:
        return {grader.name: trial.failed for grader in graders}
    item = Item(
        case=case,
        output=trial.output,
        trial=trial.trial,
        latency_s=trial.latency_s,
        cost_usd=trial.cost_usd,
        usage=trial.usage,
        tool_calls=trial.tool_calls,
    )
    return grade_rules(graders, item)


def plan_sources(plan: Plan, book: Book, journal: Journal, run_id: str) -> Sources:
    """What a report is made from."""
    return Sources(
        dataset=plan.dataset,
        journal=journal,
        trials=book.trials,
        verdicts=book.verdicts,
        graders=tuple(grader.name for grader in plan.graders),
        fingerprints=tuple(fingerprint(grader) for grader in plan.graders),
        head=Report(
            split=plan.dataset.info.split,
            manifest=plan.manifest,
            overall={},
            fiel_version=plan.fiel_version,
            run_id=run_id,
            target=plan.target,
            dataset=plan.dataset_facts,
            trials=plan.trials,
            thin_below=plan.thin_below,
        ),
        primary=plan.primary,
        cost_note=plan.cost_note,
    )


class _Work:
    """One run in progress."""

    def __init__(
        self,
        plan: Plan,
        attempting: Attempting,
        journal: Journal,
        cache: Cache | None,
        progress: Callable[[Progress], None] | None,
        *,
        run_id: str,
    ) -> None:
        self.plan, self.attempting, self.journal = plan, attempting, journal
        self.run_id = run_id
        self.cache = cache if plan.cache_key is not None else None
        self.progress = progress
        self.budget = Budget(usd=plan.budget_usd, tokens=plan.budget_tokens)
        self.skipped: str | None = None
        size = plan.dataset.cases * plan.trials
        self.book = Book(trials=Places(size), verdicts=Places(size))
        self.finished = self.failed = 0
        self._syncing: asyncio.Future[None] | None = None
        self._ungraded: list[tuple[Case, Trial, int]] = []
        self._some_ungraded = asyncio.Event()

    def take_up(self) -> None:
        """Read what an earlier, broken-off run has finished, and grade what it had no time to grade."""
        plan, journal = self.plan, self.journal
        book, cases = self.book, plan.dataset.cases
        book.trials = find_trials(journal.trials, cases=cases, trials=plan.trials, where="trials.jsonl")
        prints = [fingerprint(grader) for grader in plan.graders]
        # A kill may have caught verdicts and spans at different lines; what only one of them has is made again.
        verdict_lines = sum(1 for _ in journal.verdicts.scan())
        both = max(0, min(sum(1 for _ in journal.traces.scan()), verdict_lines - 1))
        journal.verdicts.keep(both + 1)
        journal.traces.keep(both)
        known = find_verdicts(
            journal.verdicts, graders=prints, trials=plan.trials, size=len(book.trials), where="verdicts.jsonl"
        )
        if known is None:
            journal.verdicts.keep(0)
            journal.traces.keep(0)
            journal.verdicts.append(verdict_header(prints))
            known = Places(len(book.trials))
        book.verdicts = known
        self.finished = book.trials.count()
        if not self.finished:
            return
        for index, case in enumerate(plan.dataset):
            for number in range(plan.trials):
                slot = index * plan.trials + number
                if slot not in book.trials:
                    continue
                if slot in known and not self.budget.limited:
                    continue
                trial = decode_trial(journal.trials.read(book.trials[slot]), "trials.jsonl")
                self._spend(trial)
                if slot not in known:
                    self._write_verdicts(case, trial, slot)

    async def finish_trials(self) -> None:
        """Make every missing trial, ``concurrency`` at a time, until done or until the budget ends it."""
        pending = self._pending()
        try:
            async with asyncio.TaskGroup() as group:
                grading = group.create_task(self._grade_aside())
                workers = max(1, min(self.plan.concurrency, len(self.book.trials)))
                await asyncio.wait([group.create_task(self._worker(pending)) for _ in range(workers)])
                grading.cancel()
            self._grade_waiting()
        except BaseExceptionGroup as errors:
            # The first reason is the one to tell; the others are its echoes.
            raise errors.exceptions[0] from None
        finally:
            if self._syncing is not None:
                with contextlib.suppress(StorageError):
                    await self._syncing

    def sync(self) -> None:
        """Flush all three logs to the disk itself."""
        for log in (self.journal.trials, self.journal.verdicts, self.journal.traces):
            log.sync()

    def _pending(self) -> Iterator[tuple[Case, int, int]]:
        trials, done = self.plan.trials, self.book.trials
        for index, case in enumerate(self.plan.dataset):
            slot = index * trials
            for number in range(trials):
                if slot + number not in done:
                    yield case, index, number

    async def _worker(self, pending: Iterator[tuple[Case, int, int]]) -> None:
        limited = self.budget.limited
        for case, index, number in pending:
            if limited and (stop := self.budget.stop):
                self.skipped = stop
                return
            trial = None if self.cache is None else self._recall(self.cache, case, index, number)
            if trial is None:
                trial = await self.attempting.make(case, index, number)
                if limited:
                    self._spend(trial)
                if self.cache is not None and trial.failed is None:
                    self.cache.put(self._key(case, number), encode_trial(trial))
            self._keep(case, trial)
            if self.finished % SYNC_EVERY == 0:
                self._sync_aside()
                # Targets that answer at once would otherwise never let signals and other workers in.
                await asyncio.sleep(0)
            if self.progress is not None:
                self.progress(Progress(finished=self.finished, of=len(self.book.trials), failed=self.failed))

    def _keep(self, case: Case, trial: Trial) -> None:
        slot = trial.index * self.plan.trials + trial.trial
        self.book.trials[slot] = self.journal.trials.append(encode_trial(trial))
        self._ungraded.append((case, trial, slot))
        if len(self._ungraded) == MOST_UNGRADED:
            self._grade_waiting()
        else:
            self._some_ungraded.set()
        self.finished += 1
        if trial.failed is not None:
            self.failed += 1

    async def _grade_aside(self) -> None:
        """Grade when those who wait for a target have been served: they should wait for the target alone."""
        while True:
            await self._some_ungraded.wait()
            # Those who were served at the same moment ask their next questions first.
            await asyncio.sleep(0)
            self._some_ungraded.clear()
            self._grade_waiting()

    def _grade_waiting(self) -> None:
        waiting, self._ungraded = self._ungraded, []
        for case, trial, slot in waiting:
            self._write_verdicts(case, trial, slot)

    def _write_verdicts(self, case: Case, trial: Trial, slot: int) -> None:
        results = grade(self.plan.graders, case, trial)
        self.book.verdicts[slot] = self.journal.verdicts.append(verdict_line(trial, results))
        self.journal.traces.append(encode_span(self.run_id, slot, case, trial, results))

    def _sync_aside(self) -> None:
        if self._syncing is not None and not self._syncing.done():
            return
        if self._syncing is not None:
            self._syncing.result()
        self._syncing = asyncio.get_running_loop().run_in_executor(None, self.journal.trials.sync)

    def _spend(self, trial: Trial) -> None:
        if self.budget.limited and not trial.cached:
            failed_free = trial.failed is not None and trial.cost_usd is None
            # A call that failed says nothing of its cost; that is no reason to stop, and it is no zero either.
            if not failed_free:
                self.budget.add(trial.cost_usd, None if trial.usage is None else trial.usage.total_tokens)

    def _key(self, case: Case, number: int) -> str:
        # A target may be told the case's id, so two cases with one input are two questions.
        return digest([self.plan.cache_key, case.id, case.input, number])

    def _recall(self, cache: Cache, case: Case, index: int, number: int) -> Trial | None:
        kept = cache.get(self._key(case, number))
        if kept is None:
            return None
        known = decode_trial(kept, "the output cache")
        return msgspec.structs.replace(known, case=case.id, index=index, trial=number, cached=True)


def verdict_line(trial: Trial, results: Mapping[str, Result]) -> bytes:
    """The line of a trial's verdicts; a verdict that is not JSON becomes Ungraded."""
    try:
        return encode_verdicts(trial, results)
    except (TypeError, ValueError, RecursionError):
        # A grader of the team's own put something in its verdict that is not JSON.
        return encode_verdicts(trial, {name: _encodable(trial, name, result) for name, result in results.items()})


def _encodable(trial: Trial, name: str, result: Result) -> Result:
    try:
        encode_verdicts(trial, {name: result})
    except (TypeError, ValueError, RecursionError) as error:
        return Ungraded(reason="grader_garbage", detail=f"the verdict is not JSON: {type(error).__name__}")
    return result


def read_manifest(journal: Journal) -> Mapping[str, Any] | None:
    """The ``manifest.json`` of a run, or None where none was begun."""
    raw = journal.get("manifest.json")
    if raw is None:
        return None
    try:
        document = msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise StorageError(f"manifest.json cannot be read ({error}): the run cannot be continued") from None
    return document


def begin_journal(plan: Plan, journal: Journal, now: float) -> Mapping[str, Any]:
    """Write the ``manifest.json`` of a new run, before its first call; gives its document."""
    document = {
        "run_id": plan.run_id,
        "started_unix_s": now,
        "split": plan.dataset.info.split,
        "target": dict(plan.target),
        "trials": plan.trials,
        "manifest": dict(plan.manifest),
    }
    write_manifest(journal, document)
    return document


def write_manifest(journal: Journal, document: Mapping[str, Any]) -> None:
    """Put the ``manifest.json`` of a run in its place, indented for people."""
    journal.put("manifest.json", [msgspec.json.format(msgspec.json.encode(document), indent=2), b"\n"])


def _settle_manifest(plan: Plan, journal: Journal, now: float) -> Mapping[str, Any]:
    before = read_manifest(journal)
    if before is None:
        return begin_journal(plan, journal, now)
    refuse_other_dataset(before, plan)
    now_said = {"target": dict(plan.target), **plan.manifest}
    then_said = {"target": before.get("target"), **before["manifest"]}
    differing = sorted(name for name in now_said.keys() | then_said.keys() if now_said.get(name) != then_said.get(name))
    if differing:
        raise Refused(
            f"cannot resume: {', '.join(differing)} changed since this run began, and one report must not mix them; "
            "start a new run, or use `fiel grade` if only graders changed"
        )
    return before


def refuse_other_dataset(before: Mapping[str, Any], plan: Plan) -> None:
    """Raise Refused when the plan is not for the dataset and the trials that the run began with."""
    then, now = before["manifest"].get("dataset_sha256"), plan.manifest.get("dataset_sha256")
    if then != now:
        raise Refused(f"the dataset is not the one of this run (SHA-256 {str(now)[:12]}..., then {str(then)[:12]}...)")
    if before.get("trials") != plan.trials:
        raise Refused(f"this run has {before.get('trials')} trials a case, asked for {plan.trials}")
