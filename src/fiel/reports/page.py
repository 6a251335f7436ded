"""A page is what a format is given: a report, a decision or a diff, and how it should look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fiel.core.decision import Decision
from fiel.core.report import Report
from fiel.reports import decision_outline, diff_outline, report_outline
from fiel.reports.outline import Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What to show and how.

    ``subject`` is a report, a decision, or the plain document of a diff. ``decision`` goes with a report.
    ``metric`` is what strata and cases are shown by (None: ``success``, else the first). ``width`` is in
    columns, ``colour`` asks for ANSI colour, ``full`` for the parts that are otherwise only named; these three only
    matter in a terminal.
    """

    subject: Report | Decision | Mapping[str, Any]
    decision: Decision | None = None
    metric: str | None = None
    width: int = 100
    colour: bool = False
    full: bool = False

    def outline(self, failures_shown: int = report_outline.FAILURES_SHOWN) -> Outline:
        """What the page says."""
        if isinstance(self.subject, Report):
            return report_outline.outline_of(
                self.subject, self.decision, metric=self.metric, failures_shown=failures_shown
            )
        if isinstance(self.subject, Decision):
            return decision_outline.outline_of(self.subject)
        return diff_outline.outline_of(self.subject)
