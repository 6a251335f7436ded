"""What a GitHub workflow shows: a step summary that is never too large to be shown, and annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from fiel.core.decision import Decision, Kind
from fiel.core.errors import ConfigError
from fiel.core.report import UNGRADED, Report
from fiel.reports import markdown, wording
from fiel.reports.escape import plain, stdout, workflow_data, workflow_property
from fiel.reports.outline import Outline
from fiel.reports.page import Page

SUMMARY_BYTES: Final = 1024 * 1024
"""A step summary above this size is not shown at all."""

ANNOTATIONS: Final = 10
"""GitHub shows this many annotations of a type a step."""

Level = Literal["error", "warning", "notice"]
_LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "notice")
_LEVEL_OF: Final[dict[Kind, Level]] = {Kind.BLOCK: "error", Kind.INCONCLUSIVE: "warning", Kind.NOTE: "notice"}


def render(page: Page) -> str:
    """The step summary: Markdown, folded where long; the page's ``width`` and ``colour`` have no meaning here."""
    return summary(page.outline())


def render_annotations(page: Page) -> str:
    """The annotations of a report or a decision (of the decision, where a report comes with one)."""
    subject = page.subject if page.decision is None else page.decision
    if not isinstance(subject, Report | Decision):
        raise ConfigError("a diff has no annotations: they are of a report or a decision; for a diff take github or md")
    return commands(subject)


def summary(outline: Outline, limit: int = SUMMARY_BYTES) -> str:
    """Markdown of at most ``limit`` bytes in UTF-8; where it was cut, its last line says so and how much."""
    blocks = ["\n".join(markdown.head(outline))]
    blocks += ["\n".join(markdown.part(section, fold=True)) for section in outline.sections]
    blocks.append("\n".join(markdown.foot(outline)))
    whole = "\n".join(blocks)
    return whole if len(whole.encode()) <= limit else _cut(whole, limit)


def commands(subject: Report | Decision) -> str:
    """Workflow commands, one a line: at most ten errors, ten warnings and ten notices, and a line for the rest.

    Of a decision: its reasons (blocking ones as errors, open ones as warnings, notes as notices). Of a report:
    failed cases as errors, ungraded ones as warnings, one a case, critical strata first.
    """
    found = list(_of_decision(subject) if isinstance(subject, Decision) else _of_report(subject))
    lines, left = [], []
    for level in _LEVELS:
        texts = [(title, text) for of, title, text in found if of == level]
        lines += [
            f"::{level} title={workflow_property(title)}::{workflow_data(text)}" for title, text in texts[:ANNOTATIONS]
        ]
        if len(texts) > ANNOTATIONS:
            left.append(wording.counted(len(texts) - ANNOTATIONS, f"more {level}"))
    if left:
        lines.append(stdout(f"fiel: {', '.join(left)} left out here (GitHub shows {ANNOTATIONS} of a type)."))
    return "".join(f"{line}\n" for line in lines)


def _of_decision(decision: Decision) -> Iterator[tuple[Level, str, str]]:
    for reason in decision.reasons:
        yield _LEVEL_OF[reason.kind], f"fiel gate: {reason.rule}", reason.text


def _of_report(report: Report) -> Iterator[tuple[Level, str, str]]:
    critical = {stratum.name for stratum in report.strata if stratum.critical}
    by_case: dict[str, list[tuple[str, str, str]]] = {}
    for failure in report.failures:
        said = f"{failure.grader}: {failure.reason or failure.label or 'failed'}"
        by_case.setdefault(failure.case, []).append((failure.label, said, failure.stratum))
    for case, rows in sorted(by_case.items(), key=lambda item: item[1][0][2] not in critical):
        stratum = rows[0][2]
        level: Level = "warning" if all(label == UNGRADED for label, _, _ in rows) else "error"
        mark = f"{plain(stratum)}, critical" if stratum in critical else plain(stratum)
        yield (
            level,
            f"fiel: {plain(case, 80)}",
            f"{plain(case)} ({mark}): {'; '.join(_unique(said for _, said, _ in rows))}",
        )


def _unique(texts: Iterable[str]) -> Iterator[str]:
    yield from (plain(text) for text in dict.fromkeys(texts))


def _cut(whole: str, limit: int) -> str:
    size = len(whole.encode())
    room = limit - 200
    kept = whole.encode()[: max(0, room)].decode(errors="ignore")
    kept = kept[: kept.rfind("\n") + 1]
    if kept.count("<details>") > kept.count("</details>"):
        kept += "\n</details>\n"
    left = size - len(kept.encode())
    return f"{kept}\nCut here: {left:,} of {size:,} bytes did not fit; the whole is in the run's directory.\n"
