"""The rules of the gate, in the order in which their reasons are read; adding one is a line here and a file beside.

A rule looks at what was weighed and yields reasons; it never sees another rule, and never a tenant's or a document
type's name, only strata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from fiel.core.decision import Reason
from fiel.gate.rules.balance import (
    attempted_differs,
    balance_unknown,
    critical_cases_moved,
    nothing_attempted,
    trials_differ,
    ungraded,
)
from fiel.gate.rules.corpus import corpus
from fiel.gate.rules.critical import critical_stratum_fell
from fiel.gate.rules.money import budget, mean_cost
from fiel.gate.rules.non_inferior import non_inferior
from fiel.gate.rules.overall import detectable, exclusions, overall, ties
from fiel.gate.rules.per_case import per_case
from fiel.gate.rules.small import sentinels, too_small
from fiel.gate.rules.strata import listed_drops, missing_or_thinner, new_strata
from fiel.gate.weigh import Weighed

Rule = Callable[[Weighed], Iterator[Reason]]

RULES: Final[tuple[Rule, ...]] = (
    critical_stratum_fell,
    per_case,
    corpus,
    mean_cost,
    nothing_attempted,
    missing_or_thinner,
    ungraded,
    attempted_differs,
    critical_cases_moved,
    budget,
    non_inferior,
    overall,
    listed_drops,
    sentinels,
    exclusions,
    ties,
    new_strata,
    trials_differ,
    balance_unknown,
    too_small,
    detectable,
)
