"""How numbers are put into words, the same in every format: with their counts, never a zero for an unknown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from fiel.core.report import Cost, Latency, Rate, Report
from fiel.reports.escape import value

UNDEFINED: Final = "undefined (0 of 0)"

_STUB: Final = re.compile(r"(?<![a-z])stub(?![a-z])", re.IGNORECASE)


def percent(share: Fraction | float) -> str:
    """``66.7 %``; only what is exactly none or all reads ``0 %`` or ``100 %``."""
    if share in (0, 1):
        return f"{int(share) * 100} %"
    shown = f"{float(share) * 100:.1f}"
    if shown in ("0.0", "-0.0"):
        return "<0.1 %" if share > 0 else ">-0.1 %"
    return ">99.9 %" if shown == "100.0" else f"{shown} %"


def rate(of: Rate) -> str:
    """``66.7 % (6 of 9)``, or ``undefined (0 of 0)``."""
    share = of.fraction
    return UNDEFINED if share is None else f"{percent(share)} ({of.numerator:,} of {of.denominator:,})"


def interval(of: Rate) -> str:
    """``35.4 to 87.9 %``, or a dash where there is none."""
    if of.interval is None or not of.denominator:
        return "–"
    low, high = of.interval
    return f"{low * 100:.1f} to {high * 100:.1f} %"


def weight(of: Rate, thin_below: int) -> str:
    """``thin: 1 case = 100 points`` where fewer than ``thin_below`` cases stand behind the rate, else ``""``."""
    cases = of.cases
    if not 0 < cases < thin_below:
        return ""
    points = 100 / cases
    return f"thin: 1 case = {points:.0f} points" if points >= 10 else f"thin: 1 case = {points:.1f} points"


def width_note(of: Rate) -> str:
    """What widened the interval, where something did: ``from 12 cases, design effect 1.62``."""
    if of.clusters is None or not of.denominator:
        return ""
    effect = "" if of.deff is None else f", design effect {of.deff:.2f}"
    return f"from {counted(of.clusters, 'case')}{effect}"


def money(cost: Cost) -> str:
    """The known sum, and of how many trials it is unknown; unknown is never 0."""
    trials = cost.known + cost.unknown
    if not trials:
        return "unknown (no trial)"
    if not cost.known:
        return f"unknown for {cost.unknown:,} of {trials:,} trials"
    known = f"{usd(cost.known_usd)} over {counted(cost.known, 'trial')}"
    return f"{known}; unknown for {cost.unknown:,} of {trials:,} trials" if cost.unknown else known


def tokens(cost: Cost) -> str:
    """Tokens in and out of the trials that said so."""
    trials = cost.known + cost.unknown
    if cost.tokens_unknown >= trials:
        return f"unknown for {cost.tokens_unknown:,} of {trials:,} trials" if trials else "unknown (no trial)"
    known = f"{cost.input_tokens:,} in, {cost.output_tokens:,} out"
    return f"{known}; unknown for {cost.tokens_unknown:,} of {trials:,} trials" if cost.tokens_unknown else known


def usd(amount: float) -> str:
    """Dollars with four decimals below one, two above: ``0.0344 USD``."""
    return f"{amount:.4f} USD" if 0 < abs(amount) < 1 else f"{amount:,.2f} USD"


def seconds(duration: float | None) -> str:
    """``850 ms``, ``1.20 s``, or ``unknown``."""
    if duration is None or not math.isfinite(duration):
        return "unknown"
    if duration < 0.01:
        return f"{duration * 1000:.2f} ms"
    return f"{duration * 1000:.0f} ms" if duration < 1 else f"{duration:,.2f} s"


def latency(of: Latency) -> str:
    """Percentiles over the answers that were timed."""
    if not of.n:
        return "unknown (0 answers timed)"
    parts = (("p50", of.p50_s), ("p90", of.p90_s), ("p95", of.p95_s), ("p99", of.p99_s), ("max", of.max_s))
    return ", ".join(f"{name} {seconds(part)}" for name, part in parts) + f" (n = {of.n:,})"


def stub_notice(manifest: Mapping[str, Any]) -> str:
    """The sentence that goes beside a stub's numbers, or ``""`` where the model says to be none."""
    model = str(manifest.get("model_identifier", ""))
    return "Numbers of a stub: no claim about a model." if _STUB.search(model) else ""


def plain_facts(facts: Mapping[str, Any]) -> str:
    """A small mapping in one line, ``name=relayops, version=3``; empty values are left out."""
    return ", ".join(f"{name}={scalar(part)}" for name, part in facts.items() if part not in (None, "", {}, []))


def budget(facts: Mapping[str, Any]) -> str:
    """What a run might spend, what it is known to have spent, and what was not run for want of it."""
    said = dict(facts)
    parts = [str(said.pop("status", "not said"))]
    for unit, word in (("usd", "USD"), ("tokens", "tokens")):
        limit, spent = said.pop(f"limit_{unit}", None), said.pop(f"spent_{unit}", None)
        if isinstance(limit, (int, float)):
            known = f"{spent:,.6g}" if isinstance(spent, (int, float)) else "an unknown part"
            parts.append(f"{known} of {limit:,.6g} {word} spent")
    skipped = said.pop("skipped", 0)
    if isinstance(skipped, int) and skipped:
        parts.append(f"{counted(skipped, 'trial')} not run")
    return ", ".join([*parts, *([plain_facts(said)] if said else [])])


def times(timing: Mapping[str, Any]) -> str:
    """When a run began and ended in UTC, and how long its last stretch took (a resumed run has several)."""
    said = dict(timing)
    parts = []
    for name, word in (("started_unix_s", "started"), ("finished_unix_s", "finished")):
        at = said.get(name)
        if isinstance(at, (int, float)) and not isinstance(at, bool) and 0 <= at < 253_402_300_800:
            parts.append(f"{word} {datetime.fromtimestamp(said.pop(name), UTC):%Y-%m-%d %H:%M:%S} UTC")
    stretch = said.get("last_stretch_s")
    if isinstance(stretch, (int, float)) and not isinstance(stretch, bool):
        del said["last_stretch_s"]
        parts.append(f"last stretch {stretch:,.2f} s")
    return ", ".join([*parts, *([plain_facts(said)] if said else [])])


def flat(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and texts of a mapping; a mapping inside is opened once, as ``outer.inner``."""
    for name, part in facts.items():
        if isinstance(part, Mapping):
            yield from ((f"{name}.{inner}", scalar(deep)) for inner, deep in part.items())
        else:
            yield name, scalar(part)


def scalar(part: Any) -> str:
    """Text as it is, everything else as JSON."""
    return part if isinstance(part, str) else value(part)


def primary_metric(report: Report, metric: str | None = None) -> str:
    """The metric asked for, else ``success`` where the report has it, else its first; ``""`` where it has none."""
    if metric is not None and metric in report.overall:
        return metric
    return "success" if "success" in report.overall else next(iter(report.overall), "")


def counted(count: Any, noun: str) -> str:
    """``1 run``, ``3 runs``; anything but a whole number as it is."""
    if not isinstance(count, int) or isinstance(count, bool):
        return f"{scalar(count)} {noun}s"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
