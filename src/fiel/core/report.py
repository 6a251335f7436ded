"""A report is the results of one run: rates by stratum, each with its n, and the balance behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

REPORT_FORMAT: Final = 1
"""The version of ``report.json``; a higher one was written by a newer fiel and is refused."""

PASSED, FAILED, NOT_GRADED, NOT_APPLICABLE = "1", "0", "-", "."
"""One character a trial in :class:`CaseOutcome`; ``.`` is a verdict that only describes."""


UNGRADED: Final = "ungraded"
"""The label of a :class:`Failure` that could not be graded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A sum over a sum with its 95 % interval, as fractions of 1.

    ``value`` and ``interval`` are None where ``denominator`` is 0: undefined is undefined. The interval is None too
    where all counts come from a single case, which says nothing of other cases. ``clusters`` is the
    number of cases behind the counts, and ``deff`` the design effect that widened the interval, where several
    counts come from one case (fields of a document, trials); both None where each case counts once.
    """

    numerator: int
    denominator: int
    value: float | None
    interval: tuple[float, float] | None
    clusters: int | None = None
    deff: float | None = None

    @property
    def fraction(self) -> Fraction | None:
        """The exact value, or None where undefined."""
        return Fraction(self.numerator, self.denominator) if self.denominator else None

    @property
    def cases(self) -> int:
        """How many cases the counts come from: its clusters where several counts share a case."""
        return self.denominator if self.clusters is None else self.clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The rates of the cases that share the dataset's chosen tags. Critical when any of its cases is."""

    name: str
    tags: Mapping[str, str]
    critical: bool
    cases: int
    rates: Mapping[str, Rate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Per grader: ``attempted == graded + sum(ungraded.values())``, counted in trials."""

    attempted: int
    graded: int
    ungraded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One trial that failed a grader or could not be graded, with personal data masked in both values.

    ``label`` is the verdict's, or :data:`UNGRADED`; ``grader`` is ``target`` where there was no output to grade.
    """

    case: str
    trial: int
    stratum: str
    grader: str
    label: str
    reason: str
    detail: str = ""
    expected: Any = None
    got: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """Per grader one character a trial (``1`` passed, ``0`` failed, ``-`` ungraded, ``.`` descriptive)."""

    id: str
    stratum: int
    outcomes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money and tokens. ``known_usd`` sums ``known`` trials; ``unknown`` trials did not say, and are not zero."""

    known_usd: float = 0.0
    known: int = 0
    unknown: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_unknown: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Wall time of the target's answers in seconds (nearest-rank percentiles); all None where n is 0."""

    n: int = 0
    p50_s: float | None = None
    p90_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None
    max_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What repeated trials say of steadiness, for one metric.

    ``every`` counts the cases that passed all of their trials and ``any`` those that passed at least one, among
    the ``cases`` whose trials were all graded. ``pass_hat`` maps k to the estimate of pass^k: the chance that k
    independent trials of a case all pass, averaged over cases (unbiased, C(passes, k) / C(trials, k); Yao et al.
    2024). ``flaky`` cases have both outcomes. ``discordance`` is the chance that two trials of one case differ.
    """

    metric: str
    trials: int
    cases: int
    every: Rate
    any: Rate
    flaky: Rate
    pass_hat: Mapping[str, float | None]
    discordance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run's results, as ``report.json`` holds them.

    ``attempted`` counts trials: cases times trials a case. ``outcomes`` is None in a report without per-case outcomes
    (written by hand): it can still be gated by its strata, without paired statistics. ``thin_below`` is the n under
    which a stratum is said to be thin.
    """

    split: str
    manifest: Mapping[str, Any]
    overall: Mapping[str, Rate]
    strata: tuple[Stratum, ...] = ()
    format: int = REPORT_FORMAT
    fiel_version: str = ""
    run_id: str = ""
    target: Mapping[str, Any] = field(default_factory=dict)
    dataset: Mapping[str, Any] = field(default_factory=dict)
    graders: tuple[str, ...] = ()
    trials: int = 1
    attempted: int | None = None
    balance: Mapping[str, Balance] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    outcome_graders: tuple[str, ...] = ()
    outcomes: tuple[CaseOutcome, ...] | None = None
    repeats: Repeats | None = None
    cost: Cost = Cost()
    latency: Latency = Latency()
    budget: Mapping[str, Any] = field(default_factory=dict)
    judge: str = "disabled"
    flagged: Mapping[str, int] = field(default_factory=dict)
    thin_below: int = 30
    timing: Mapping[str, Any] = field(default_factory=dict)
