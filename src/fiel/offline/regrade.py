"""Grading again: the stored outputs of a run meet today's graders, and the target is asked nothing."""

from __future__ import annotations

from collections.abc import Callable

from fiel.core.errors import Refused
from fiel.core.grader import fingerprint
from fiel.core.manifest import require_complete
from fiel.core.report import Report
from fiel.harness.budget import Budget
from fiel.offline.book import Book, Places, find_trials, verdict_header
from fiel.offline.records import decode_trial
from fiel.offline.reporting import write_report
from fiel.offline.run import (
    Plan,
    Progress,
    grade,
    plan_sources,
    read_manifest,
    refuse_other_dataset,
    verdict_line,
    write_manifest,
)
from fiel.ports import Clock, Journal


def regrade(
    plan: Plan, *, journal: Journal, clock: Clock, progress: Callable[[Progress], None] | None = None
) -> Report:
    """Grade the stored outputs of a finished run again with the graders of ``plan``; the target is asked nothing.

    Trials that were never made stay Ungraded. The old verdicts stay in place until the new ones are complete.
    """
    require_complete(plan.manifest)
    began_s = clock.monotonic_s()
    before = read_manifest(journal)
    if before is None:
        raise Refused("this directory holds no run: there is no manifest.json")
    refuse_other_dataset(before, plan)
    prints = [fingerprint(grader) for grader in plan.graders]
    trials = find_trials(journal.trials, cases=plan.dataset.cases, trials=plan.trials, where="trials.jsonl")
    verdicts = Places(len(trials))
    fresh = journal.begin_verdicts()
    fresh.append(verdict_header(prints))
    for index, case in enumerate(plan.dataset):
        for number in range(plan.trials):
            slot = index * plan.trials + number
            if slot in trials:
                trial = decode_trial(journal.trials.read(trials[slot]), "trials.jsonl")
                verdicts[slot] = fresh.append(verdict_line(trial, grade(plan.graders, case, trial)))
        if progress is not None and index % 1000 == 0:
            progress(Progress(finished=index * plan.trials, of=len(trials), failed=0))
    document = dict(before) | {"manifest": dict(plan.manifest)}
    write_manifest(journal, document)
    journal.adopt_verdicts()
    timing = {
        "started_unix_s": before.get("started_unix_s"),
        "finished_unix_s": clock.unix_s(),
        "last_stretch_s": clock.monotonic_s() - began_s,
    }
    book = Book(trials=trials, verdicts=verdicts)
    budget = Budget(usd=plan.budget_usd, tokens=plan.budget_tokens)
    missing = len(trials) - trials.count()
    reason = "not_run" if missing else None
    return write_report(plan_sources(plan, book, journal, before["run_id"]), budget, timing, reason)
