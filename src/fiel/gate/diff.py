"""A diff says what two reports of the same data disagree on: flipped cases first, then strata, then means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from fiel.core.decision import Comparison
from fiel.core.policy import GatePolicy
from fiel.core.report import Report
from fiel.core.report_document import encode_rate
from fiel.gate.comparable import differing_versions, require_manifests, require_same
from fiel.gate.evidence import gather
from fiel.gate.rules.overall import called
from fiel.gate.side_by_side import comparisons, drop_of, provenance, statistics
from fiel.gate.weigh import Weighed, weigh
from fiel.gate.wording import counted, listed, rate_value, short, trimmed

PREFERRED: Final = "success"
_NAMES: Final = ("first", "second")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """One metric over all cases in both reports; ``difference`` is second minus first, None where undefined."""

    metric: str
    a: Mapping[str, Any] | None
    b: Mapping[str, Any] | None
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Report ``b`` beside report ``a``.

    ``fixed`` and ``broken`` are the ids that flipped on ``metric``; ``only_a`` and ``only_b`` those that one side
    attempted alone. ``summary`` is one sentence, which says "change" only of a significant difference. ``strata``
    are as in a decision, ``overall`` included as its own field; ``worse`` names the strata shown worse after Holm.
    """

    metric: str
    summary: str
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    overall: Comparison
    strata: tuple[Comparison, ...]
    worse: tuple[str, ...]
    means: tuple[Mean, ...]
    notes: tuple[str, ...]
    a: Mapping[str, Any]
    b: Mapping[str, Any]
    overrides: tuple[str, ...] = ()
    statistics: Mapping[str, Any] = field(default_factory=dict)


def diff(a: Report, b: Report, *, allow: Collection[str] = (), metric: str | None = None) -> Diff:
    """What ``b`` does differently from ``a``, of any split, on ``metric``.

    Without ``metric`` it is ``success`` where both have it, else the first grader with outcomes of single cases in
    both. Raises as :func:`fiel.gate.decide` does: manifests are compared before anything else.
    """
    require_manifests(("first report", a), ("second report", b))
    compared = require_same(a, b, allow=allow, names=("first", "second"))
    chosen = common_metric(a, b) if metric is None else metric
    evidence = gather(metric=chosen, candidate=b, baseline=a)
    weighed = weigh(evidence, GatePolicy(metric=chosen))
    overall, *strata = comparisons(weighed)
    fallen = [stratum for stratum in strata if stratum.critical and stratum.drop is not None and stratum.drop > 0]
    paired = evidence.paired
    versions = differing_versions(a, b)
    return Diff(
        metric=chosen,
        summary="; ".join([_summary(weighed), *_fallen(fallen)]),
        fixed=() if paired is None else paired.fixed,
        broken=() if paired is None else paired.broken,
        only_a=evidence.only_baseline,
        only_b=evidence.only_candidate,
        overall=overall,
        strata=tuple(strata),
        worse=weighed.worse,
        means=tuple(_mean(name, a, b) for name in dict.fromkeys([*a.overall, *b.overall])),
        notes=(*compared.notes, *(f"versions that differ: {text}" for text in versions), *_unpaired(weighed)),
        a=provenance(a),
        b=provenance(b),
        overrides=compared.overrides,
        statistics=statistics(weighed),
    )


def common_metric(a: Report, b: Report) -> str:
    """``success`` where both reports have it, else the first metric that both can be paired on, or both have."""
    paired = [name for name in a.outcome_graders if name in b.outcome_graders]
    measured = [name for name in a.overall if name in b.overall]
    if PREFERRED in paired or PREFERRED in measured:
        return PREFERRED
    return next(iter([*paired, *measured]), PREFERRED)


def diff_document(found: Diff) -> dict[str, Any]:
    """The diff as one JSON object, in the order in which it is read."""
    return asdict(found)


def _mean(name: str, a: Report, b: Report) -> Mean:
    before, after = a.overall.get(name), b.overall.get(name)
    drop = drop_of(before, after)
    return Mean(
        metric=name,
        a=None if before is None else encode_rate(before),
        b=None if after is None else encode_rate(after),
        difference=None if drop is None else 0.0 - drop,
    )


def _summary(weighed: Weighed) -> str:
    before, after = weighed.evidence.rates
    means = f"{weighed.evidence.metric} {rate_value(before)} -> {rate_value(after)}"
    found = weighed.overall
    if found is None:
        return f"{means}; statistics unavailable: {weighed.evidence.unavailable or 'no case was graded on both sides'}"
    flips = f"{found.pairs.fixed} fixed and {found.pairs.broken} broken of {counted(found.n, 'case')}"
    return f"{means}: {called(found, weighed)}, {flips}"


def _fallen(strata: Sequence[Comparison]) -> list[str]:
    """A sentence that names the critical strata that are lower: whoever reads one line must not miss them."""
    if not strata:
        return []
    named = [f"{short(each.name)} by {trimmed(each.drop or 0.0)}" for each in strata]
    return [f"critical strata that are lower: {listed(named)}"]


def _unpaired(weighed: Weighed) -> list[str]:
    evidence, notes = weighed.evidence, []
    for name, ids in zip(_NAMES, (evidence.only_baseline, evidence.only_candidate), strict=True):
        if ids:
            notes.append(f"{counted(len(ids), 'case')} attempted only in the {name} report")
    if evidence.paired is not None and evidence.paired.ties:
        notes.append(f"{counted(evidence.paired.ties, 'case')} left out: an even vote of trials was a tie on a side")
    for name, count in zip(_NAMES, (0, 0) if weighed.overall is None else weighed.overall.ungraded, strict=True):
        if count:
            notes.append(f"{counted(count, 'case')} ungraded in the {name} report, left out of the pairs")
    return notes
