"""The noise floor: two runs of the same thing also disagree, and no smaller difference may be believed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

from fiel.core.errors import Refused
from fiel.core.manifest import COMPARED, REQUIRED
from fiel.core.policy import DEFAULT_EPSILON, GatePolicy
from fiel.core.report import Report
from fiel.core.report_document import encode_rate
from fiel.gate.comparable import require_manifests, require_same
from fiel.gate.diff import common_metric
from fiel.gate.evidence import gather
from fiel.gate.side_by_side import provenance
from fiel.gate.weigh import POWER, at_most, weigh
from fiel.gate.wording import counted, rate_value, trimmed
from fiel.stats.power import minimum_detectable_drop, pairs_for_non_inferiority, pairs_to_detect, pairs_without_flip

SAME: Final = tuple(dict.fromkeys([*COMPARED, *REQUIRED]))
"""What must be equal for two runs to be runs of the same thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What two runs of the same thing disagree on.

    ``psi`` is the share of the ``n`` paired cases that flipped; ``passed_first`` and ``passed_second`` are the ids
    that passed in that run alone. ``minimum_detectable_drop`` is the smallest true drop that ``n`` pairs would show
    with 80 % power at this psi, None where no drop could be shown. ``pairs_to_detect`` is how many pairs a drop of
    ``epsilon`` needs, ``pairs_to_show_non_inferior`` how many it takes to show that nothing fell by more than it;
    None where the question has no answer (nothing flips, or epsilon is above psi). ``unlikely`` says that the two
    runs differ significantly: they may not be runs of the same thing.
    """

    metric: str
    n: int
    discordant: int
    psi: float
    passed_first: tuple[str, ...]
    passed_second: tuple[str, ...]
    first: Mapping[str, Any] | None
    second: Mapping[str, Any] | None
    epsilon: float
    minimum_detectable_drop: float | None
    pairs_to_detect: int | None
    pairs_to_show_non_inferior: int | None
    unlikely: bool
    p_different: float
    summary: str
    notes: tuple[str, ...]
    overrides: tuple[str, ...]
    a1: Mapping[str, Any]
    a2: Mapping[str, Any]


def noise(
    a1: Report,
    a2: Report,
    *,
    metric: str | None = None,
    epsilon: Fraction = DEFAULT_EPSILON,
    alpha: Fraction = DEFAULT_EPSILON,
    allow: Collection[str] = (),
) -> Noise:
    """How much two runs of the same thing differ by chance, from reports of either split.

    ``epsilon`` is the fall that one wants to be able to see, ``alpha`` the one-sided level. Raises
    :class:`ManifestIncomplete`; :class:`Mismatch` where any version differs, for then it is not the same thing
    (``allow`` names fields that may); :class:`Refused` where no case can be paired.
    """
    require_manifests(("first run", a1), ("second run", a2))
    compared = require_same(a1, a2, allow=allow, names=("first run", "second run"), fields=SAME)
    chosen = common_metric(a1, a2) if metric is None else metric
    evidence = gather(metric=chosen, candidate=a2, baseline=a1)
    weighed = weigh(evidence, GatePolicy(metric=chosen, epsilon=epsilon, alpha=alpha))
    paired, found = evidence.paired, weighed.overall
    if paired is None or found is None:
        why = evidence.unavailable or "no case was graded in both runs"
        raise Refused(f"the noise of {chosen} cannot be told from these reports: {why}")
    psi = found.discordance
    before, after = evidence.rates
    detectable = minimum_detectable_drop(found.n, float(psi), float(alpha), POWER)
    means = f"{rate_value(before)} and {rate_value(after)}"
    return Noise(
        metric=chosen,
        n=found.n,
        discordant=len(paired.broken) + len(paired.fixed),
        psi=float(psi),
        passed_first=paired.broken,
        passed_second=paired.fixed,
        first=None if before is None else encode_rate(before),
        second=None if after is None else encode_rate(after),
        epsilon=float(epsilon),
        minimum_detectable_drop=detectable,
        pairs_to_detect=_to_detect(epsilon, psi, alpha),
        pairs_to_show_non_inferior=_to_show(epsilon, psi, alpha),
        unlikely=at_most(found.p_different, alpha),
        p_different=found.p_different,
        summary=_summary(chosen, found.n, psi, means, detectable),
        notes=(*compared.notes, *_priced(epsilon, psi, alpha), *_notes(a1, a2, paired.ties, found.ungraded)),
        overrides=compared.overrides,
        a1=provenance(a1),
        a2=provenance(a2),
    )


def noise_document(found: Noise) -> dict[str, Any]:
    """The noise as one JSON object."""
    return asdict(found)


def _to_detect(epsilon: Fraction, psi: Fraction, alpha: Fraction) -> int | None:
    return pairs_to_detect(float(epsilon), float(psi), float(alpha), POWER) if 0 < epsilon <= psi else None


def _to_show(epsilon: Fraction, psi: Fraction, alpha: Fraction) -> int | None:
    if not 0 < epsilon <= 1:
        return None
    if not psi:
        return pairs_without_flip(float(epsilon), float(alpha))
    return pairs_for_non_inferiority(float(epsilon), float(psi), float(alpha), POWER)


def _summary(metric: str, n: int, psi: Fraction, means: str, detectable: float | None) -> str:
    shown = "no drop can be shown" if detectable is None else f"drops under {trimmed(detectable)} are lost in the noise"
    flips = f"{psi * n} of {counted(n, 'case')} (psi {trimmed(psi)}; {means})"
    return f"{metric}: two runs of the same thing disagree on {flips}; {shown}"


def _priced(epsilon: Fraction, psi: Fraction, alpha: Fraction) -> list[str]:
    detect, show = _to_detect(epsilon, psi, alpha), _to_show(epsilon, psi, alpha)
    power, notes = f"{trimmed(100 * POWER)}% power", []
    if detect is not None:
        notes.append(f"at this noise a drop of {trimmed(epsilon)} takes {detect} pairs to see with {power}")
    if show is not None:
        notes.append(f"to show that nothing fell by more than {trimmed(epsilon)} takes {show} pairs")
    return notes


def _notes(a1: Report, a2: Report, ties: int, ungraded: tuple[int, int]) -> list[str]:
    notes = []
    if a1.run_id and a1.run_id == a2.run_id:
        notes.append(f"both reports are of run {a1.run_id}: a run beside itself has no noise to show")
    if a1.trials != a2.trials:
        notes.append(f"each case was tried {a1.trials} and {a2.trials} times")
    if ties:
        notes.append(f"{counted(ties, 'case')} left out: an even vote of trials was a tie in a run")
    if any(ungraded):
        notes.append(f"ungraded and left out: {ungraded[0]} in the first run, {ungraded[1]} in the second")
    return notes
