"""What a decision says: the ruling, every reason by kind, the strata side by side, the cases that flipped."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fiel.core.decision import Comparison, Decision, Kind, Outcome
from fiel.core.report import Rate
from fiel.reports import wording
from fiel.reports.outline import Cell, Headline, Line, Outline, Section, Table, Tone

CASES_SHOWN: Final = 50
ROWS_SHOWN: Final = 200
TONES: Final[Mapping[str, Tone]] = {
    Outcome.PASS: "good",
    Outcome.BLOCK: "bad",
    Outcome.INCONCLUSIVE: "warn",
    Kind.NOTE: "plain",
}
_TITLES: Final = {
    Kind.BLOCK: "What blocks",
    Kind.INCONCLUSIVE: "What could not be settled",
    Kind.NOTE: "Also said",
}
_RULINGS: Final = {
    Outcome.PASS: "all that the policy asks could be measured, and none of it blocks",
    Outcome.BLOCK: "the candidate must not be released",
    Outcome.INCONCLUSIVE: "what was measured does not settle it, so it is not a pass",
}


def outline_of(decision: Decision) -> Outline:
    """The page of one decision."""
    return Outline(
        title="fiel gate",
        headlines=(ruling(decision),),
        notices=tuple(notices_of([decision.candidate, decision.baseline or {}], decision.overrides)),
        facts=tuple(_facts(decision)),
        sections=tuple(sections_of(decision)),
        footer=f"Ruled by fiel {decision.fiel_version or '(unknown version)'}.",
    )


def ruling(decision: Decision) -> Headline:
    """The outcome and what it means."""
    return Headline(word=decision.outcome.value.upper(), about=_RULINGS[decision.outcome], tone=TONES[decision.outcome])


def sections_of(decision: Decision) -> Iterator[Section]:
    """Reasons by kind, then flipped cases, then the strata side by side."""
    for kind, title in _TITLES.items():
        reasons = [reason for reason in decision.reasons if reason.kind is kind]
        if reasons:
            lines = tuple(
                Line(text=f"{reason.text} ({reason.rule})", tone=TONES[kind.value]) for reason in reasons[:ROWS_SHOWN]
            )
            yield Section(title=title, lines=(*lines, *left_out(len(reasons), ROWS_SHOWN, "reasons")))
    yield from flips(fixed=decision.fixed, broken=decision.broken)
    if decision.comparisons:
        yield side_by_side(decision.comparisons)
    yield from statistics_section(decision.statistics)


def statistics_section(statistics: Mapping[str, Any]) -> Iterator[Section]:
    """All figures, folded, to four decimals (the JSON has them whole); nothing where there are none."""
    rows = tuple((Cell(text=name), Cell(text=text, code=True)) for name, text in wording.flat(_rounded(statistics)))
    if rows:
        yield Section(title="Statistics", folded=True, table=Table(columns=("What", "Is"), rows=rows[:ROWS_SHOWN]))


def _rounded(part: Any) -> Any:
    """The same with every number that has a fraction cut to four decimals, but never to 0."""
    if isinstance(part, Mapping):
        return {name: _rounded(inner) for name, inner in part.items()}
    if isinstance(part, list | tuple):
        return [_rounded(inner) for inner in part]
    if isinstance(part, float) and math.isfinite(part):
        return round(part, 4) or float(f"{part:.1g}")
    return part


def flips(*, fixed: Sequence[Any], broken: Sequence[Any]) -> Iterator[Section]:
    """The cases that changed sides, by id; nothing where none did."""
    both: tuple[tuple[str, Sequence[Any], Tone], ...] = (("Fixed", fixed, "good"), ("Broken", broken, "bad"))
    for title, cases, tone in both:
        if cases:
            lines = tuple(Line(text=str(case), tone=tone) for case in cases[:CASES_SHOWN])
            yield Section(
                title=f"{title} cases ({len(cases):,})", lines=(*lines, *left_out(len(cases), CASES_SHOWN, "cases"))
            )


def side_by_side(
    comparisons: Sequence[Comparison],
    sides: tuple[str, str] = ("Baseline", "Candidate"),
    lines: tuple[Line, ...] = (),
) -> Section:
    """Both sides of each stratum: overall, then critical ones, then the rest. One side alone where there is one."""
    ordered = sorted(comparisons, key=lambda one: (one.name != "overall", not one.critical))
    shown = ordered[:ROWS_SHOWN]
    more = f"{len(ordered) - ROWS_SHOWN:,} more strata are in the JSON file." if len(ordered) > ROWS_SHOWN else ""
    if all(one.baseline is None for one in ordered):
        columns: tuple[str, ...] = ("Stratum", "Critical", sides[1])
        rows = tuple((*_named(one), side(one.candidate)) for one in shown)
    else:
        columns = ("Stratum", "Critical", *sides, "Difference", "Pairs")
        rows = tuple(_row(one) for one in shown)
    table = Table(columns=columns, rows=rows, numeric=frozenset({"Difference"}), more=more)
    return Section(title="Strata side by side", lines=lines, table=table)


def _named(one: Comparison) -> tuple[Cell, ...]:
    return Cell(text=one.name, code=True), Cell(text="critical" if one.critical else "", tone="warn")


def _row(one: Comparison) -> tuple[Cell, ...]:
    return (
        *_named(one),
        side(one.baseline),
        side(one.candidate),
        change(one.drop),
        Cell(text=pairs_text(one.pairs), tone="quiet"),
    )


def side(document: Mapping[str, Any] | None) -> Cell:
    """One side's rate with its counts, from a plain mapping as a decision or a diff holds it."""
    if document is None:
        return Cell(text="not there", tone="quiet")
    hits, of, bounds = document.get("numerator"), document.get("denominator"), document.get("interval")
    if not isinstance(hits, int) or not isinstance(of, int):
        return Cell(text="not measured", tone="quiet")
    interval = (float(bounds[0]), float(bounds[1])) if isinstance(bounds, Sequence) and len(bounds) == 2 else None
    rate = Rate(numerator=hits, denominator=of, value=hits / of if of else None, interval=interval)
    return Cell(text=wording.rate(rate), rate=rate, tone="plain" if of else "quiet")


def change(drop: float | None) -> Cell:
    """``-100.0 points`` for a drop of 1; a rise has a plus."""
    if drop is None:
        return Cell(text="–", tone="quiet")
    if not drop:
        return Cell(text="0 points", tone="quiet")
    return Cell(text=f"{-drop * 100:+.1f} points", tone="bad" if drop > 0 else "good")


def pairs_text(pairs: Mapping[str, Any] | None) -> str:
    """What pairing says, in one line: ``9 pairs: 1 broken, 2 fixed; two-sided exact McNemar p 1.0000; …``."""
    if pairs is None:
        return ""
    n, broken, fixed = (pairs.get(name) for name in ("n", "broken", "fixed"))
    if not all(isinstance(count, int) for count in (n, broken, fixed)):
        return wording.plain_facts(pairs)
    parts = [f"{wording.counted(n, 'pair')}: {broken:,} broken, {fixed:,} fixed"]
    p, bounds, level = (pairs.get(name) for name in ("p_different", "interval", "level"))
    if isinstance(p, int | float):
        parts.append(f"two-sided exact McNemar p {p:.4f}" if p >= 0.0001 else "two-sided exact McNemar p <0.0001")
    if isinstance(bounds, Sequence) and len(bounds) == 2 and isinstance(level, int | float):
        low, high = (float(bound) * 100 for bound in bounds)
        parts.append(f"{level * 100:.0f} % interval {low:+.1f} to {high:+.1f} points")
    return "; ".join(parts)


def left_out(total: int, shown: int, noun: str) -> tuple[Line, ...]:
    """A sentence about what a bounded list does not show, or nothing."""
    return (Line(text=f"{total - shown:,} more {noun} are in the JSON file.", tone="quiet"),) if total > shown else ()


def notices_of(sources: Sequence[Mapping[str, Any]], overrides: Sequence[Any]) -> Iterator[Line]:
    """What must be said beside any number of these reports: a stub took part, a difference was waved through."""
    stubs = [text for source in sources if (text := wording.stub_notice(_manifest(source)))]
    if stubs:
        yield Line(text=stubs[0], tone="warn")
    for override in overrides:
        yield Line(text=f"Allowed to differ: {override}.", tone="warn")


def provenance(source: Mapping[str, Any]) -> str:
    """Where a report came from, in one line, without the mappings it carries."""
    model = _manifest(source).get("model_identifier", "")
    plain = {name: part for name, part in source.items() if not isinstance(part, Mapping)}
    options = {"options": source.get("options")}
    return wording.plain_facts(plain | options | {"model_identifier": model}) or "not said"


def _manifest(source: Mapping[str, Any]) -> Mapping[str, Any]:
    found = source.get("manifest")
    return found if isinstance(found, Mapping) else source


def _facts(decision: Decision) -> Iterator[tuple[str, str]]:
    alone = "none: the absolute rules alone decide"
    yield "Baseline", alone if decision.baseline is None else provenance(decision.baseline)
    yield "Candidate", provenance(decision.candidate)
    yield "Policy", wording.plain_facts(_stated(decision.policy)) or "not said"
    if decision.policy_sha256:
        yield "Policy SHA-256", decision.policy_sha256


def _stated(policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """The policy with the corpus lines that it draws, without the ends that a line leaves open."""
    corpus = policy.get("corpus")
    if not isinstance(corpus, Mapping):
        return policy
    lines = {
        metric: {end: bound for end, bound in line.items() if bound is not None} if isinstance(line, Mapping) else line
        for metric, line in corpus.items()
    }
    return {**policy, "corpus": lines}
