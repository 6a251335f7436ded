"""A line that a number over the whole corpus must hold, such as faithfulness at least 0.85."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

from fiel.core.decision import Kind, Reason
from fiel.core.policy import Threshold
from fiel.core.report import Rate, Report
from fiel.gate.weigh import Weighed
from fiel.gate.wording import interval, short, trimmed

JUDGED: Final = ("groundedness", "faithfulness", "hallucination")
"""Metrics that a judge stands behind; names that start with ``judge:`` are others."""


def corpus(weighed: Weighed) -> Iterator[Reason]:
    """A blocking reason for each line that does not hold; what could not be measured leaves the matter open.

    Without a judge the lines of judged metrics are not applied, and it is said.
    """
    report = weighed.evidence.candidate
    for metric, line in weighed.policy.corpus.items():
        rate = report.overall.get(metric)
        if rate is not None and rate.fraction is not None:
            yield from _judge(report, metric, line, rate, rate.fraction)
        elif rate is None and report.judge == "disabled" and is_judged(metric):
            yield _say(Kind.NOTE, "corpus_not_applied", metric, f"{metric}: not applied (judge: disabled)")
        else:
            why = "is not in the report" if rate is None else "is undefined: nothing was measured (0 of 0)"
            yield _say(Kind.INCONCLUSIVE, "corpus_unmeasured", metric, f"{short(metric)} has a line, but it {why}")


def is_judged(metric: str) -> bool:
    """Whether a judge stands behind a metric, by its name."""
    return metric.startswith("judge:") or metric.partition(".")[0] in JUDGED


def _judge(report: Report, metric: str, line: Threshold, rate: Rate, value: Fraction) -> Iterator[Reason]:
    around = "" if rate.interval is None else f", interval {interval(rate.interval)}"
    evidence = f"({rate.numerator}/{rate.denominator}{around})"
    facts = {
        "value": float(value),
        "n": rate.cases,
        "at_least": None if line.at_least is None else float(line.at_least),
        "at_most": None if line.at_most is None else float(line.at_most),
    }
    if line.at_least is not None and value < line.at_least:
        text = f"{short(metric)} {_apart(value, line.at_least)} is under at_least {trimmed(line.at_least)} {evidence}"
        yield _say(Kind.BLOCK, "corpus", metric, text, facts)
    if line.at_most is not None and value > line.at_most:
        text = f"{short(metric)} {_apart(value, line.at_most)} is over at_most {trimmed(line.at_most)} {evidence}"
        yield _say(Kind.BLOCK, "corpus", metric, text, facts)
    if report.judge != "disabled" and is_judged(metric):
        text = f"{short(metric)}: calibration skipped, no calibration corpus is pinned for its judge"
        yield _say(Kind.NOTE, "calibration_skipped", metric, text)


def _apart(value: Fraction, line: Fraction) -> str:
    """Four decimals, or the exact fraction where four decimals would hide the difference."""
    return f"{trimmed(value)} (exactly {value})" if trimmed(value) == trimmed(line) else trimmed(value)


def _say(kind: Kind, rule: str, metric: str, text: str, facts: dict[str, Any] | None = None) -> Reason:
    return Reason(kind=kind, rule=rule, text=text, facts={"metric": metric, **(facts or {})})
