"""What a diff of two reports says, in the order that matters: flipped cases first, then strata, then means.

A diff is given as the plain document that ``fiel diff --json`` prints, so this room need not know the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fiel.core.decision import Comparison
from fiel.reports.decision_outline import (
    ROWS_SHOWN,
    change,
    flips,
    left_out,
    notices_of,
    provenance,
    side,
    side_by_side,
    statistics_section,
)
from fiel.reports.outline import Cell, Headline, Line, Outline, Section, Table

_SIDES: Final = ("First", "Second")


def outline_of(diff: Mapping[str, Any]) -> Outline:
    """The page of one diff; what its document does not hold is not shown."""
    first, second = (_mapping(diff.get(name)) for name in ("a", "b"))
    summary = str(diff.get("summary", ""))
    return Outline(
        title=f"fiel diff on {diff.get('metric', 'success')}",
        headlines=(Headline(word=_flipped(diff), about=summary),),
        notices=tuple(notices_of([first, second], _list(diff.get("overrides")))),
        facts=(("First", provenance(first)), ("Second", provenance(second))),
        sections=tuple(_sections(diff)),
        footer="Differences are second minus first.",
    )


def _sections(diff: Mapping[str, Any]) -> Iterator[Section]:
    yield from flips(fixed=_list(diff.get("fixed")), broken=_list(diff.get("broken")))
    for name, title in (("only_a", "Attempted only in the first"), ("only_b", "Attempted only in the second")):
        if ids := _list(diff.get(name)):
            lines = tuple(Line(text=str(case)) for case in ids[:ROWS_SHOWN])
            yield Section(
                title=f"{title} ({len(ids):,})", lines=(*lines, *left_out(len(ids), ROWS_SHOWN, "cases")), folded=True
            )
    compared = [_comparison(one) for one in (diff.get("overall"), *_list(diff.get("strata"))) if one is not None]
    if compared:
        yield side_by_side(compared, _SIDES, tuple(_worse(diff)))
    if means := _list(diff.get("means")):
        yield _means(means)
    if notes := _list(diff.get("notes")):
        yield Section(title="Also said", lines=tuple(Line(text=str(note)) for note in notes[:ROWS_SHOWN]))
    yield from statistics_section(_mapping(diff.get("statistics")))


def _means(means: Sequence[Any]) -> Section:
    rows = []
    for mean in map(_mapping, means[:ROWS_SHOWN]):
        difference = mean.get("difference")
        rows.append(
            (
                Cell(text=str(mean.get("metric", "")), code=True),
                side(mean.get("a")),
                side(mean.get("b")),
                change(None if difference is None else -float(difference)),
            )
        )
    table = Table(columns=("Metric", *_SIDES, "Difference"), rows=tuple(rows), numeric=frozenset({"Difference"}))
    return Section(title="Means over all cases", table=table)


def _worse(diff: Mapping[str, Any]) -> Iterator[Line]:
    for name in _list(diff.get("worse"))[:ROWS_SHOWN]:
        yield Line(text=f"Shown worse, corrected for the number of strata (Holm): {name}", tone="bad")


def _flipped(diff: Mapping[str, Any]) -> str:
    fixed, broken = (len(_list(diff.get(name))) for name in ("fixed", "broken"))
    return f"{fixed:,} fixed, {broken:,} broken"


def _comparison(document: Any) -> Comparison:
    found = _mapping(document)
    drop = found.get("drop")
    return Comparison(
        name=str(found.get("name", "")),
        critical=bool(found.get("critical")),
        baseline=found.get("baseline"),
        candidate=found.get("candidate"),
        drop=None if drop is None else float(drop),
        pairs=found.get("pairs"),
    )


def _mapping(document: Any) -> Mapping[str, Any]:
    return document if isinstance(document, Mapping) else {}


def _list(document: Any) -> Sequence[Any]:
    return document if isinstance(document, list | tuple) else ()
