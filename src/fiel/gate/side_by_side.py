"""Both reports beside each other as plain values: every stratum, every mean, and where each report came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fiel.core.decision import Comparison
from fiel.core.report import Rate, Report, Stratum
from fiel.core.report_document import encode_rate
from fiel.gate.evidence import StratumPair
from fiel.gate.weigh import Figures, Weighed, as_facts, margin_of, smallest_drop, standing

PRICED_STRATA: Final = 200


def comparisons(weighed: Weighed) -> Iterator[Comparison]:
    """``overall`` first, then the strata in the baseline's order, then those that only the candidate has."""
    evidence = weighed.evidence
    before, after = evidence.rates
    yield Comparison(
        name="overall",
        critical=False,
        baseline=None if evidence.baseline is None else _rate(before),
        candidate=_rate(after),
        drop=drop_of(before, after),
        pairs=None if weighed.overall is None else _pairs(weighed, weighed.overall, weighed.detectable),
    )
    for stratum in evidence.strata:
        yield _stratum(weighed, stratum)


def statistics(weighed: Weighed) -> dict[str, Any]:
    """The pooled figures and what they could have shown, as JSON values; why not, where there are none."""
    if weighed.overall is None:
        return {"unavailable": weighed.evidence.unavailable or "no case was graded on both sides"}
    return as_facts(weighed.overall) | {
        "metric": weighed.evidence.metric,
        "trials": weighed.evidence.trials,
        "minimum_detectable_drop": weighed.detectable,
        "discordance_of_noise": weighed.noise,
        "noise_from": weighed.noise_source,
        "holm": dict(weighed.holm),
    }


def provenance(report: Report) -> dict[str, Any]:
    """Where a report came from: run, target and its options, split, dataset and the whole manifest."""
    return {
        "run_id": report.run_id,
        "target": report.target.get("name", ""),
        "options": report.target.get("options") or {},
        "split": report.split,
        "trials": report.trials,
        "attempted": report.attempted,
        "judge": report.judge,
        "dataset": dict(report.dataset),
        "manifest": dict(report.manifest),
        "fiel_version": report.fiel_version,
    }


def drop_of(before: Rate | None, after: Rate | None) -> float | None:
    """Baseline minus candidate as a float of the exact fraction; None where either is undefined."""
    was, now = (None if rate is None else rate.fraction for rate in (before, after))
    return None if was is None or now is None else float(was - now)


def _stratum(weighed: Weighed, stratum: StratumPair) -> Comparison:
    before, after = stratum.rates(weighed.evidence.metric)
    found = weighed.strata.get(stratum.name)
    pairs = None
    if found is not None:
        pairs = _pairs(weighed, found, _detectable(weighed, found))
        if stratum.name in weighed.holm:
            pairs["p_holm"] = weighed.holm[stratum.name]
    return Comparison(
        name=stratum.name,
        critical=stratum.critical,
        baseline=_side(stratum.baseline, before),
        candidate=_side(stratum.candidate, after),
        drop=drop_of(before, after),
        pairs=pairs,
    )


def _pairs(weighed: Weighed, found: Figures, detectable: float | None) -> dict[str, Any]:
    policy = weighed.policy
    return as_facts(found) | {
        "margin": float(margin_of(policy)),
        "standing": standing(found, policy),
        "minimum_detectable_drop": detectable,
    }


def _detectable(weighed: Weighed, found: Figures) -> float | None:
    """A stratum's own, by its own discordance; past the strata that anybody reads one by one, not computed."""
    if len(weighed.strata) > PRICED_STRATA:
        return None
    return smallest_drop(found.n, float(found.discordance), weighed.policy.alpha)


def _side(stratum: Stratum | None, rate: Rate | None) -> Mapping[str, Any] | None:
    return None if stratum is None else {"cases": stratum.cases, **_rate(rate)}


def _rate(rate: Rate | None) -> dict[str, Any]:
    return {} if rate is None else encode_rate(rate)
