"""The ruling: refuse what cannot be compared, then block, then leave open, then pass, with every reason told."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import Any, Final

from fiel.core.decision import Decision, Kind, Outcome, Reason
from fiel.core.errors import ConfigError
from fiel.core.policy import GatePolicy
from fiel.core.report import Report
from fiel.gate.comparable import (
    Compared,
    check_allowed,
    differing_versions,
    require_holdout,
    require_manifests,
    require_same,
)
from fiel.gate.evidence import gather
from fiel.gate.rules import RULES
from fiel.gate.side_by_side import comparisons, provenance, statistics
from fiel.gate.weigh import Weighed, weigh
from fiel.gate.wording import listed

_ORDER: Final = (Kind.BLOCK, Kind.INCONCLUSIVE, Kind.NOTE)


def decide(
    *,
    candidate: Report,
    baseline: Report | None,
    policy: GatePolicy,
    allow: Collection[str] = (),
    fiel_version: str = "",
) -> Decision:
    """What the gate rules on ``candidate``, beside ``baseline`` or by the absolute rules alone.

    ``allow`` names manifest fields that may differ; those that do are in the decision's ``overrides``. Reasons come
    blocking ones first, then those that leave the matter open, then notes. Pure: the same reports and policy give
    the same decision. Raises before anything is compared: :class:`Refused` for a split that is not holdout,
    :class:`ManifestIncomplete`, :class:`Mismatch`, :class:`ConfigError` for a name in ``allow`` or a level in
    ``policy`` that cannot be, :class:`ReportError` for a report that holds a case or a stratum twice.
    """
    compared = _refuse(candidate, baseline, policy, allow)
    evidence = gather(metric=policy.metric, candidate=candidate, baseline=baseline)
    weighed = weigh(evidence, policy)
    reasons = [reason for rule in RULES for reason in rule(weighed)]
    reasons += _notes(weighed, compared)
    reasons.sort(key=lambda reason: _ORDER.index(reason.kind))
    paired = evidence.paired
    return Decision(
        outcome=_outcome(reasons),
        reasons=tuple(reasons),
        comparisons=tuple(comparisons(weighed)),
        broken=() if paired is None else paired.broken,
        fixed=() if paired is None else paired.fixed,
        policy=policy_document(policy),
        policy_sha256=policy.sha256,
        baseline=None if baseline is None else provenance(baseline),
        candidate=provenance(candidate),
        overrides=compared.overrides,
        statistics=statistics(weighed),
        fiel_version=fiel_version,
    )


def policy_document(policy: GatePolicy) -> dict[str, Any]:
    """The policy as JSON values; fractions as floats, the exact ones are behind its hash."""

    def plain(value: Fraction | None) -> float | None:
        return None if value is None else float(value)

    return {
        "version": policy.version,
        "metric": policy.metric,
        "epsilon": float(policy.epsilon),
        "evidence": policy.evidence,
        "per_case": None if policy.per_case is None else list(policy.per_case),
        "corpus": {
            name: {"at_least": plain(line.at_least), "at_most": plain(line.at_most)}
            for name, line in policy.corpus.items()
        },
        "max_ungraded": policy.max_ungraded,
        "min_stratum": policy.min_stratum,
        "margin": plain(policy.margin),
        "alpha": float(policy.alpha),
        "max_mean_cost_usd": plain(policy.max_mean_cost_usd),
    }


def _refuse(candidate: Report, baseline: Report | None, policy: GatePolicy, allow: Collection[str]) -> Compared:
    check_policy(policy)
    check_allowed(allow)
    require_holdout(candidate, baseline)
    if baseline is None:
        require_manifests(("candidate", candidate))
        return Compared()
    require_manifests(("baseline", baseline), ("candidate", candidate))
    return require_same(baseline, candidate, allow=allow)


def check_policy(policy: GatePolicy) -> None:
    """Raise :class:`ConfigError` for a level, an epsilon or an evidence that no gate can use."""
    if not 0 < policy.alpha < Fraction(1, 2):
        raise ConfigError(f"gate.alpha is {float(policy.alpha):g}; a one-sided level is above 0 and below 0.5")
    for name, value in (("epsilon", policy.epsilon), ("margin", policy.margin)):
        if value is not None and not 0 <= value <= 1:
            raise ConfigError(
                f"gate.{name} is {float(value):g}; it is a fall in a rate, from 0 to 1 (0.05 is 5 points)"
            )
    if policy.evidence not in ("rule", "non-inferior"):
        raise ConfigError(f'gate.evidence is {policy.evidence!r}; it is "rule" or "non-inferior"')
    if policy.max_ungraded < 0:
        raise ConfigError(f"gate.max_ungraded is {policy.max_ungraded}; it is a count from 0")


def _outcome(reasons: list[Reason]) -> Outcome:
    kinds = {reason.kind for reason in reasons}
    if Kind.BLOCK in kinds:
        return Outcome.BLOCK
    return Outcome.INCONCLUSIVE if Kind.INCONCLUSIVE in kinds else Outcome.PASS


def _notes(weighed: Weighed, compared: Compared) -> Iterator[Reason]:
    for text in compared.notes:
        yield Reason(kind=Kind.NOTE, rule="manifest", text=text)
    baseline = weighed.evidence.baseline
    if baseline is None:
        text = f"no baseline: the absolute rules alone decide (lines: {listed(list(weighed.policy.corpus)) or 'none'})"
        yield Reason(kind=Kind.NOTE, rule="absolute_alone", text=text)
        return
    versions = differing_versions(baseline, weighed.evidence.candidate)
    if versions:
        text = f"versions that differ: {'; '.join(versions)}"
        yield Reason(kind=Kind.NOTE, rule="versions", text=text, facts={"fields": versions})
