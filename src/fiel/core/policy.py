"""A policy is what a team froze before it looked: which falls block a release and which numbers must hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

Evidence = Literal["rule", "non-inferior"]

DEFAULT_EPSILON: Final = Fraction(1, 20)
"""A didactic default, 5 points; not calibrated on anybody's history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A line on an overall metric, as exact fractions of 1; ``at_least`` and ``at_most`` are both inclusive."""

    at_least: Fraction | None = None
    at_most: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """The ``[gate]`` table of ``fiel.toml``.

    ``metric`` is what strata are compared on. ``epsilon`` is the largest fall of a critical stratum that does
    not block. ``per_case`` names graders of which a single failing case blocks; None means the default
    ``("policy",)``, applied where the report has that grader. ``corpus`` maps a metric to its threshold.
    ``max_ungraded`` is how many ungraded trials a pass may carry. ``min_stratum`` is the n under which a
    stratum is called thin. ``margin`` is the non-inferiority margin used by ``evidence = "non-inferior"``
    (None: epsilon). ``alpha`` is the one-sided level of tests and intervals.
    """

    version: str = ""
    metric: str = "success"
    epsilon: Fraction = DEFAULT_EPSILON
    evidence: Evidence = "rule"
    per_case: tuple[str, ...] | None = None
    corpus: Mapping[str, Threshold] = field(default_factory=dict)
    max_ungraded: int = 0
    min_stratum: int = 30
    margin: Fraction | None = None
    alpha: Fraction = DEFAULT_EPSILON
    max_mean_cost_usd: Fraction | None = None

    @property
    def sha256(self) -> str:
        """Hex digest over every setting, in canonical order; a changed line is a changed hash."""
        plain = {
            "version": self.version,
            "metric": self.metric,
            "epsilon": str(self.epsilon),
            "evidence": self.evidence,
            "per_case": None if self.per_case is None else list(self.per_case),
            "corpus": {name: [str(line.at_least), str(line.at_most)] for name, line in self.corpus.items()},
            "max_ungraded": self.max_ungraded,
            "min_stratum": self.min_stratum,
            "margin": str(self.margin),
            "alpha": str(self.alpha),
            "max_mean_cost_usd": str(self.max_mean_cost_usd),
        }
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
