"""Reports as a run would write them, from a table of outcomes, for the tests of the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from fiel.core.report import Balance, CaseOutcome, Cost, Rate, Report, Stratum
from fiel.stats.intervals import wilson

MANIFEST = {
    "dataset_version": "3",
    "dataset_sha256": "ab" * 32,
    "code_version": "0f3c",
    "prompt_version": "v1",
    "model_identifier": "rules-v1 (deterministic rules, no model)",
    "tool_schema_version": "none",
    "policy_version": "2026-09",
    "grader_version": "success@1#00000000",
}

Row = tuple[str, str, bool, str]
"""Case id, stratum, critical, one character a trial."""

RELAYOPS = {
    "hd-0001": ("tenant-alder|invoice|simple", "1111"),
    "hd-0002": ("tenant-alder|invoice|multi_page", "0111"),
    "hd-0003": ("tenant-birch|receipt|simple", "1111"),
    "hd-0004": ("tenant-birch|receipt|adversarial", "0100"),
    "hd-0005": ("tenant-crux|contract-notice|adversarial", "1110"),
    "hd-0006": ("tenant-crux|contract-notice|simple", "1111"),
    "hd-0007": ("tenant-dune|intake-id|simple", "1111"),
    "hd-0008": ("tenant-dune|intake-id|adversarial", "0100"),
    "hd-0009": ("tenant-crux|invoice|multi_page", "0111"),
}


def rate(hits: int, of: int, clusters: int | None = None) -> Rate:
    """A rate with Wilson's interval, undefined for 0 of 0."""
    value, interval = (hits / of, wilson(hits, of)) if of else (None, None)
    return Rate(numerator=hits, denominator=of, value=value, interval=interval, clusters=clusters)


def build(rows: Sequence[Row], *, graders: Mapping[str, Mapping[str, str]] | None = None, **others: Any) -> Report:
    """A holdout report of ``success`` and ``policy``; every case is policy-clean unless ``graders`` says otherwise.

    ``graders`` maps a grader to the outcomes of single cases; cases it does not name passed in every trial.
    """
    extra = {"policy": {}, **(graders or {})}
    names = ["success", *extra]
    trials = max((len(row[3]) for row in rows), default=1)
    strata = {name: at for at, name in enumerate(dict.fromkeys(row[1] for row in rows))}
    cases = [
        CaseOutcome(
            id=case,
            stratum=strata[stratum],
            outcomes=(marks, *(given.get(case, "1" * len(marks)) for given in extra.values())),
        )
        for case, stratum, _, marks in rows
    ]
    grouped: dict[str, list[tuple[Row, CaseOutcome]]] = {name: [] for name in strata}
    for row, case in zip(rows, cases, strict=True):
        grouped[row[1]].append((row, case))
    settings: dict[str, Any] = {
        "split": "holdout",
        "manifest": MANIFEST,
        "overall": {name: _over([case.outcomes[at] for case in cases], trials) for at, name in enumerate(names)},
        "strata": tuple(
            Stratum(
                name=name,
                tags={"kind": name},
                critical=any(row[2] for row, _ in members),
                cases=len(members),
                rates={
                    grader: _over([case.outcomes[at] for _, case in members], trials) for at, grader in enumerate(names)
                },
            )
            for name, members in grouped.items()
        ),
        "run_id": "run-1",
        "trials": trials,
        "attempted": sum(len(row[3]) for row in rows),
        "balance": {name: _balance([case.outcomes[at] for case in cases]) for at, name in enumerate(names)},
        "outcome_graders": tuple(names),
        "outcomes": tuple(cases),
        "cost": Cost(known_usd=0.0, known=len(rows)),
    }
    return Report(**(settings | others))


def _over(marks: Sequence[str], trials: int) -> Rate:
    counts = Counter("".join(marks))
    measured = sum("1" in mark or "0" in mark for mark in marks)
    return rate(counts["1"], counts["1"] + counts["0"], measured if trials > 1 else None)


def _balance(marks: Sequence[str]) -> Balance:
    counts = Counter("".join(marks))
    total, left = sum(counts.values()), counts["-"]
    return Balance(attempted=total, graded=total - left, ungraded={"target_crash": left} if left else {})


@pytest.fixture
def make() -> Callable[..., Report]:
    """Builds a report from rows of (case, stratum, critical, outcomes)."""
    return build


@pytest.fixture
def relayops() -> Callable[[str], Report]:
    """The nine holdout documents under one of four targets: B baseline, W workflow, R runner, J runner regressed."""

    def made(target: str) -> Report:
        at = "BWRJ".index(target)
        return build(
            [
                (case, stratum, stratum.startswith("tenant-crux"), outcomes[at])
                for case, (stratum, outcomes) in RELAYOPS.items()
            ],
            run_id=f"run-{target}",
            target={"name": target},
        )

    return made


@pytest.fixture
def make_rate() -> Callable[..., Rate]:
    """Builds a rate from hits and of."""
    return rate
