"""What a report says: its versions, its rates by stratum, its balance, its failures, its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from fiel.core.decision import Decision
from fiel.core.report import UNGRADED, Balance, Failure, Rate, Report, Stratum
from fiel.reports import wording
from fiel.reports.decision_outline import ruling, sections_of
from fiel.reports.escape import value
from fiel.reports.outline import Cell, Headline, Line, Outline, Section, Table, cells

FAILURES_SHOWN: Final = 50
STRATA_SHOWN: Final = 200
ROWS_SHOWN: Final = 400


def outline_of(
    report: Report,
    decision: Decision | None = None,
    *,
    metric: str | None = None,
    failures_shown: int = FAILURES_SHOWN,
) -> Outline:
    """The page of one run; with a decision, what the gate ruled on it comes first."""
    chosen = wording.primary_metric(report, metric)
    sections = [
        *(() if decision is None else sections_of(decision)),
        _overall(report),
        _strata(report, chosen),
        _other_strata(report, chosen),
        _failures(report, failures_shown),
        _balance(report),
        _repeats(report),
        _flagged(report),
        _spending(report),
        _manifest(report),
    ]
    return Outline(
        title=f"fiel report: {report.target.get('name') or 'unnamed target'} on {report.split}",
        headlines=tuple(_headlines(report, chosen, decision)),
        notices=tuple(_notices(report, chosen)),
        facts=tuple(_facts(report)),
        sections=tuple(section for section in sections if section is not None),
        footer=f"Written by fiel {report.fiel_version or '(unknown version)'}. Intervals are 95 %.",
    )


def _headlines(report: Report, metric: str, decision: Decision | None) -> Iterator[Headline]:
    if decision is not None:
        yield ruling(decision)
    rate = report.overall.get(metric)
    if rate is not None:
        share = rate.fraction
        word = "undefined" if share is None else wording.percent(share)
        about = f"{rate.numerator:,} of {rate.denominator:,} for {metric}"
        # A rate over what was left must not stand alone in the largest type of the page.
        lost = _ungraded(report, metric)
        yield Headline(word=word, about=f"{about}, {lost:,} more ungraded" if lost else about, rate=rate)


def _ungraded(report: Report, metric: str) -> int:
    """How many trials the metric's grader could not grade; a metric is its grader's name, or ``name.measure``."""
    balance = report.balance.get(metric) or report.balance.get(metric.partition(".")[0])
    return sum(balance.ungraded.values()) if balance else 0


def _notices(report: Report, metric: str) -> Iterator[Line]:
    if stub := wording.stub_notice(report.manifest):
        yield Line(text=stub, tone="warn")
    use = report.dataset.get("holdout_use")
    if use is not None:
        yield Line(text=f"This run is use number {wording.scalar(use)} of this version of the holdout.")
    why = {"spent": "it was spent", "unmeasured": "a call did not say what it cost, and unknown is not zero"}
    if (status := str(report.budget.get("status"))) in why:
        yield Line(text=f"The budget ended this run early: {why[status]}. Trials not run are ungraded.", tone="warn")
    lost = sum(sum(balance.ungraded.values()) for balance in report.balance.values())
    if lost:
        verdicts = sum(balance.attempted for balance in report.balance.values())
        yield Line(
            text=f"{lost:,} of {verdicts:,} verdicts are ungraded: they are in no rate; the balance below says why.",
            tone="warn",
        )
    thin = [stratum for stratum in report.strata if _weight(stratum.rates.get(metric), report)]
    if thin:
        yield Line(
            text=f"{len(thin):,} of {len(report.strata):,} strata are thin (fewer than {report.thin_below} cases): "
            "one case moves their rate by what is said beside it.",
            tone="quiet",
        )


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    yield "Target", _target(report) or "unnamed"
    yield "Model", str(report.manifest.get("model_identifier", "")) or "not said"
    yield "Split", report.split
    yield "Dataset", _dataset(report) or "not said"
    if report.run_id:
        yield "Run", report.run_id
    if report.attempted is not None:
        trials = "1 trial each" if report.trials == 1 else f"{report.trials:,} trials each"
        # What was attempted is counted in trials; people think in cases.
        yield "Attempted", f"{wording.counted(report.attempted // max(1, report.trials), 'case')}, {trials}"
    yield "Judge", report.judge


def _target(report: Report) -> str:
    said = {name: part for name, part in report.target.items() if name != "definition"}
    name, kind, options = said.pop("name", ""), said.pop("kind", ""), said.pop("options", None)
    parts = [f"{name} ({kind})" if name and kind else str(name or kind)]
    parts += [wording.plain_facts(facts) for facts in (options, said) if facts]
    return ", ".join(part for part in parts if part)


def _dataset(report: Report) -> str:
    said = {name: part for name, part in report.dataset.items() if name not in ("split", "holdout_use", "strata")}
    name, version, sha256 = said.pop("name", ""), said.pop("version", ""), said.pop("sha256", "")
    cases, path = said.pop("cases", None), said.pop("path", "")
    parts = [f"{name} {version}".strip()]
    if isinstance(cases, int):
        parts.append(wording.counted(cases, "case"))
    # The whole digest stands in the manifest.
    parts += [f"SHA-256 {str(sha256)[:12]}" if sha256 else "", str(path), wording.plain_facts(said) if said else ""]
    return ", ".join(part for part in parts if part)


def _overall(report: Report) -> Section:
    rows = tuple((Cell(text=name, code=True), *_rate_cells(rate, report)) for name, rate in report.overall.items())
    return Section(title="Overall", table=Table(columns=("Metric", "Rate", "95 % interval", "Note"), rows=rows))


def _strata(report: Report, metric: str) -> Section | None:
    if not report.strata or not metric:
        return None
    ordered = _critical_first(report.strata)
    rows = tuple(
        (
            Cell(text=stratum.name, code=True),
            Cell(text="critical" if stratum.critical else "", tone="warn"),
            Cell(text=f"{stratum.cases:,}"),
            *_rate_cells(stratum.rates.get(metric), report),
        )
        for stratum in ordered[:STRATA_SHOWN]
    )
    return Section(
        title=f"Strata by {metric}",
        table=Table(
            columns=("Stratum", "Critical", "Cases", "Rate", "95 % interval", "Note"),
            rows=rows,
            numeric=frozenset({"Cases"}),
            more=_more(len(ordered), STRATA_SHOWN, "strata"),
        ),
    )


def _other_strata(report: Report, metric: str) -> Section | None:
    pairs = [
        (stratum, name, rate)
        for stratum in _critical_first(report.strata)
        for name, rate in stratum.rates.items()
        if name != metric
    ]
    if not pairs:
        return None
    rows = tuple(
        (Cell(text=stratum.name, code=True), Cell(text=name, code=True), *_rate_cells(rate, report))
        for stratum, name, rate in pairs[:ROWS_SHOWN]
    )
    return Section(
        title="Strata by every other metric",
        folded=True,
        table=Table(
            columns=("Stratum", "Metric", "Rate", "95 % interval", "Note"),
            rows=rows,
            more=_more(len(pairs), ROWS_SHOWN, "rows"),
        ),
    )


def _rate_cells(rate: Rate | None, report: Report) -> tuple[Cell, Cell, Cell]:
    if rate is None:
        return Cell(text="not measured", tone="quiet"), Cell(text="–", tone="quiet"), Cell(text="")
    return (
        Cell(text=wording.rate(rate), tone="quiet" if rate.fraction is None else "plain"),
        Cell(text=wording.interval(rate), rate=rate, thin=bool(_weight(rate, report))),
        Cell(text=_joined(_weight(rate, report), wording.width_note(rate)), tone="quiet"),
    )


def _failures(report: Report, shown: int) -> Section:
    if not report.failures:
        return Section(title="Failures", lines=(Line(text="No trial failed and none was ungraded.", tone="good"),))
    critical = {stratum.name for stratum in report.strata if stratum.critical}
    ordered = sorted(report.failures, key=lambda failure: failure.stratum not in critical)
    rows: list[tuple[Cell, ...]] = []
    told = 0
    for alike in _alike(ordered, shown) if report.trials > 1 else ([failure] for failure in ordered):
        if len(rows) == shown:
            break
        told += len(alike)
        rows.append(_failure_row(alike, alike[0].stratum in critical, report.trials > 1))
    return Section(
        title=f"Failures ({len(ordered):,})",
        lines=(Line(text="Critical strata first. Personal data is masked.", tone="quiet"),),
        table=Table(
            columns=("Case", "Stratum", "Grader", "Reason", "Expected", "Got"),
            rows=tuple(rows),
            more=_more(len(ordered), told, "failures"),
        ),
    )


def _alike(failures: Sequence[Failure], most: int) -> Iterable[list[Failure]]:
    """Failures of several trials of a case that read the same, together, of at least the first ``most`` cases."""
    cases = set(islice(dict.fromkeys(one.case for one in failures), most))
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for one in failures:
        if one.case in cases:
            said = (one.case, one.grader, one.label, one.reason, one.detail, value(one.expected), value(one.got))
            groups.setdefault(said, []).append(one)
    return groups.values()


def _failure_row(alike: Sequence[Failure], critical: bool, repeated: bool) -> tuple[Cell, ...]:
    failure = alike[0]
    case = failure.case
    if repeated:
        # The trials go first: a long id is cut at its end.
        trials = ", ".join(str(one.trial) for one in alike)
        case = f"trial{'s' if len(alike) > 1 else ''} {trials} of {case}"
    ungraded = failure.label == UNGRADED
    reason = _joined(failure.reason or failure.label, failure.detail, by=": ")
    # Without both there is nothing to show: a grader of graders leaves the values to the part that failed.
    bare = ungraded or (failure.expected is None and failure.got is None)
    return (
        Cell(text=case, code=True),
        Cell(text=failure.stratum, code=True, tone="warn" if critical else "plain"),
        Cell(text=failure.grader, code=True),
        Cell(text=f"ungraded: {reason}" if ungraded else reason, tone="warn" if ungraded else "bad"),
        Cell(text="" if bare else value(failure.expected), code=True),
        Cell(text="" if bare else value(failure.got), code=True),
    )


def _balance(report: Report) -> Section | None:
    if not report.balance:
        return None
    return Section(
        title="Balance",
        lines=(Line(text="attempted = graded + ungraded, counted in trials", tone="quiet"),),
        table=Table(
            columns=("Grader", "Attempted", "Graded", "Ungraded", "Why"),
            rows=tuple(_balance_row(name, balance) for name, balance in report.balance.items()),
            numeric=frozenset({"Attempted", "Graded", "Ungraded"}),
        ),
    )


def _balance_row(name: str, balance: Balance) -> tuple[Cell, ...]:
    lost = sum(balance.ungraded.values())
    why = ", ".join(f"{reason}: {count:,}" for reason, count in balance.ungraded.items())
    if balance.attempted != balance.graded + lost:
        why = _joined(why, f"does not add up: {balance.attempted:,} is not {balance.graded:,} + {lost:,}")
    tone: Any = "warn" if lost or balance.attempted != balance.graded else "plain"
    return (
        Cell(text=name, code=True),
        Cell(text=f"{balance.attempted:,}"),
        Cell(text=f"{balance.graded:,}"),
        Cell(text=f"{lost:,}", tone=tone),
        Cell(text=why, tone=tone),
    )


def _repeats(report: Report) -> Section | None:
    repeats = report.repeats
    if repeats is None:
        return None
    rows = [
        _repeat_row("all trials passed", repeats.every),
        _repeat_row("at least one trial passed", repeats.any),
        _repeat_row("flaky: both outcomes seen", repeats.flaky),
    ]
    for k, share in repeats.pass_hat.items():
        text = "undefined" if share is None else wording.percent(share)
        rows.append((Cell(text=f"pass^{k}: {k} independent trials all pass"), Cell(text=text), Cell(text="")))
    differ = "undefined" if repeats.discordance is None else wording.percent(repeats.discordance)
    rows.append((Cell(text="discordance: two trials of one case differ"), Cell(text=differ), Cell(text="")))
    about = (
        f"{repeats.metric}, {wording.counted(repeats.trials, 'trial')} of each case, "
        f"{wording.counted(repeats.cases, 'case')} with every trial graded"
    )
    return Section(
        title="Repeated trials",
        lines=(Line(text=about, tone="quiet"),),
        table=Table(columns=("Measure", "Share", "95 % interval"), rows=tuple(rows)),
    )


def _repeat_row(name: str, rate: Rate) -> tuple[Cell, ...]:
    return Cell(text=name), Cell(text=wording.rate(rate)), Cell(text=wording.interval(rate), rate=rate)


def _flagged(report: Report) -> Section | None:
    if not report.flagged:
        return None
    rows = tuple((Cell(text=flag, code=True), Cell(text=f"{count:,}")) for flag, count in report.flagged.items())
    return Section(
        title="Flagged",
        lines=(Line(text="Verdicts marked for a person to look at; a flag changes no rate."),),
        table=Table(columns=("Flag", "Verdicts"), rows=rows[:STRATA_SHOWN], numeric=frozenset({"Verdicts"})),
    )


def _spending(report: Report) -> Section:
    rows = [cells("Cost", wording.money(report.cost)), cells("Tokens", wording.tokens(report.cost))]
    if report.cost.note:
        rows.append(cells("Note on cost", report.cost.note))
    if report.budget:
        rows.append(cells("Budget", wording.budget(report.budget)))
    rows.append(cells("Latency", wording.latency(report.latency)))
    if report.timing:
        rows.append(cells("Time", wording.times(report.timing)))
    return Section(title="Cost and time", table=Table(columns=("What", "How much"), rows=tuple(rows)))


def _manifest(report: Report) -> Section:
    rows = tuple(
        (Cell(text=name), Cell(text=text, code=True)) for name, text in wording.flat(report.manifest) if len(text) > 0
    )
    return Section(title="Manifest", folded=True, table=Table(columns=("Version of", "Is"), rows=rows[:ROWS_SHOWN]))


def _critical_first(strata: Iterable[Stratum]) -> list[Stratum]:
    return sorted(strata, key=lambda stratum: not stratum.critical)


def _weight(rate: Rate | None, report: Report) -> str:
    return "" if rate is None else wording.weight(rate, report.thin_below)


def _more(total: int, shown: int, noun: str) -> str:
    return f"{total - shown:,} more {noun} are in report.json." if total > shown else ""


def _joined(*parts: str, by: str = "; ") -> str:
    return by.join(part for part in parts if part)
