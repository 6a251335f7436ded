"""How a report is written down: between :class:`Report` and the JSON object in ``report.json``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from math import inf
from typing import Any, Final, TypeVar

from fiel.core.errors import ReportError
from fiel.core.report import REPORT_FORMAT, Balance, CaseOutcome, Cost, Failure, Latency, Rate, Repeats, Report, Stratum

_STRATUM_OWN: Final = ("name", "tags", "critical", "cases")
_PLAIN: Final = {
    "fiel_version": str,
    "run_id": str,
    "target": Mapping,
    "dataset": Mapping,
    "trials": int,
    "budget": Mapping,
    "judge": str,
    "thin_below": int,
    "timing": Mapping,
}
T = TypeVar("T")


def encode_head(report: Report) -> dict[str, Any]:
    """The JSON object of a report without its two long lists, ``failures`` and ``outcomes``."""
    return {
        "format": report.format,
        "fiel_version": report.fiel_version,
        "run_id": report.run_id,
        "target": dict(report.target),
        "split": report.split,
        "dataset": dict(report.dataset),
        "manifest": dict(report.manifest),
        "graders": list(report.graders),
        "trials": report.trials,
        "attempted": report.attempted,
        "overall": {name: encode_rate(rate) for name, rate in report.overall.items()},
        "strata": [encode_stratum(stratum) for stratum in report.strata],
        "balance": {name: asdict(balance) for name, balance in report.balance.items()},
        "repeats": None if report.repeats is None else _encode_repeats(report.repeats),
        "cost": asdict(report.cost),
        "latency": asdict(report.latency),
        "budget": dict(report.budget),
        "judge": report.judge,
        "flagged": dict(report.flagged),
        "thin_below": report.thin_below,
        "timing": dict(report.timing),
    }


def encode(report: Report) -> dict[str, Any]:
    """The whole JSON object of a report."""
    document = encode_head(report)
    document["failures"] = [encode_failure(failure) for failure in report.failures]
    if report.outcomes is not None:
        document["outcomes"] = {
            "graders": list(report.outcome_graders),
            "cases": [[case.id, case.stratum, list(case.outcomes)] for case in report.outcomes],
        }
    return document


def encode_failure(failure: Failure) -> dict[str, Any]:
    """One entry of ``failures``."""
    return {
        "case": failure.case,
        "trial": failure.trial,
        "stratum": failure.stratum,
        "grader": failure.grader,
        "label": failure.label,
        "reason": failure.reason,
        "detail": failure.detail,
        "expected": failure.expected,
        "got": failure.got,
    }


def encode_rate(rate: Rate) -> dict[str, Any]:
    """``{numerator, denominator, value, interval}``, with ``clusters`` and ``deff`` only where they say something."""
    plain: dict[str, Any] = {
        "numerator": rate.numerator,
        "denominator": rate.denominator,
        "value": rate.value,
        "interval": None if rate.interval is None else list(rate.interval),
    }
    if rate.clusters is not None:
        plain["clusters"] = rate.clusters
        plain["deff"] = rate.deff
    return plain


def encode_stratum(stratum: Stratum) -> dict[str, Any]:
    """The stratum's own four names, then one key a metric."""
    own = {"name": stratum.name, "tags": dict(stratum.tags), "critical": stratum.critical, "cases": stratum.cases}
    return own | {name: encode_rate(rate) for name, rate in stratum.rates.items()}


def decode(document: Any, *, where: str = "report") -> Report:
    """The report in a JSON object; ``where`` names it in errors.

    Only ``split``, ``manifest`` and ``overall`` are required, so that a report can be written by hand. Keys that
    this version does not know are passed over. Raises :class:`ReportError` with the place of the first problem,
    or when the report was written by a newer fiel.
    """
    top = _mapping(document, where)
    written = top.get("format", REPORT_FORMAT)
    if not isinstance(written, int) or isinstance(written, bool) or written < 1:
        raise ReportError(f"{where}: format is {written!r}, expected a whole number from 1 to {REPORT_FORMAT}")
    if written > REPORT_FORMAT:
        raise ReportError(
            f"{where}: written in report format {written} by a newer fiel ({top.get('fiel_version', 'unknown')}); "
            f"this fiel reads up to {REPORT_FORMAT}: upgrade fiel, or run the target again with this one"
        )
    for name in ("split", "manifest", "overall"):
        if name not in top:
            raise ReportError(f"{where}: no {name!r}: this is not a fiel report")
    plain: dict[str, Any] = {
        name: _kind(top[name], kind, f"{where}: {name}") for name, kind in _PLAIN.items() if name in top
    }
    outcome_graders, outcomes = _outcomes(top.get("outcomes"), f"{where}: outcomes")
    attempted = top.get("attempted")
    return Report(
        format=written,
        split=_kind(top["split"], str, f"{where}: split"),
        manifest=_mapping(top["manifest"], f"{where}: manifest"),
        overall=_rates(top["overall"], f"{where}: overall"),
        strata=tuple(
            _stratum(item, f"{where}: strata[{i}]") for i, item in enumerate(_list(top.get("strata", []), where))
        ),
        graders=tuple(str(item) for item in _list(top.get("graders", []), f"{where}: graders")),
        attempted=None if attempted is None else _count(attempted, f"{where}: attempted"),
        balance={
            name: Balance(
                attempted=_count(item.get("attempted", 0), f"{where}: balance.{name}.attempted"),
                graded=_count(item.get("graded", 0), f"{where}: balance.{name}.graded"),
                ungraded={
                    why: _count(count, f"{where}: balance.{name}.ungraded.{why}")
                    for why, count in _mapping(item.get("ungraded", {}), f"{where}: balance.{name}.ungraded").items()
                },
            )
            for name, item in (
                (name, _mapping(item, f"{where}: balance.{name}"))
                for name, item in _mapping(top.get("balance", {}), f"{where}: balance").items()
            )
        },
        failures=tuple(
            _known(Failure, item, f"{where}: failures[{i}]")
            for i, item in enumerate(_list(top.get("failures", []), f"{where}: failures"))
        ),
        outcome_graders=outcome_graders,
        outcomes=outcomes,
        repeats=_repeats(top.get("repeats"), f"{where}: repeats"),
        cost=_known(Cost, top.get("cost", {}), f"{where}: cost"),
        latency=_known(Latency, top.get("latency", {}), f"{where}: latency"),
        flagged={
            flag: _count(count, f"{where}: flagged.{flag}")
            for flag, count in _mapping(top.get("flagged", {}), f"{where}: flagged").items()
        },
        **plain,
    )


def _encode_repeats(repeats: Repeats) -> dict[str, Any]:
    rates = {name: encode_rate(getattr(repeats, name)) for name in ("every", "any", "flaky")}
    own = {"metric": repeats.metric, "trials": repeats.trials, "cases": repeats.cases}
    return own | rates | {"pass_hat": dict(repeats.pass_hat), "discordance": repeats.discordance}


def _repeats(value: Any, where: str) -> Repeats | None:
    if value is None:
        return None
    item = dict(_mapping(value, where))
    for name in ("every", "any", "flaky"):
        item[name] = _rate(item.get(name), f"{where}.{name}")
    return _known(Repeats, item, where)


def _stratum(value: Any, where: str) -> Stratum:
    item = _mapping(value, where)
    tags = {str(key): str(tag) for key, tag in _mapping(item.get("tags", {}), f"{where}.tags").items()}
    rates = {name: rate for name, rate in item.items() if name not in _STRATUM_OWN and isinstance(rate, Mapping)}
    name = item.get("name") or "|".join(tags.values())
    if not name:
        raise ReportError(f"{where}: a stratum needs a name or tags")
    decoded = _rates(rates, where)
    biggest = max((rate.denominator for rate in decoded.values()), default=0)
    return Stratum(
        name=_kind(name, str, f"{where}.name"),
        tags=tags,
        critical=_kind(item.get("critical", False), bool, f"{where}.critical"),
        cases=_count(item.get("cases", biggest), f"{where}.cases"),
        rates=decoded,
    )


def _rates(value: Any, where: str) -> dict[str, Rate]:
    return {name: _rate(item, f"{where}.{name}") for name, item in _mapping(value, where).items()}


def _rate(value: Any, where: str) -> Rate:
    item = _mapping(value, where)
    hits = _count(item.get("numerator"), f"{where}.numerator")
    of = _count(item.get("denominator"), f"{where}.denominator")
    if hits > of:
        raise ReportError(f"{where}: numerator {hits} is above denominator {of}")
    interval = item.get("interval")
    if interval is not None:
        bounds = _list(interval, f"{where}.interval")
        if len(bounds) != 2 or not all(isinstance(b, (int, float)) and 0 <= b <= 1 for b in bounds):
            raise ReportError(f"{where}.interval is {interval!r}, expected two fractions from 0 to 1, or null")
        interval = (float(bounds[0]), float(bounds[1]))
    clusters = item.get("clusters")
    # The counts are the truth; a written value is only their display.
    return Rate(
        numerator=hits,
        denominator=of,
        value=hits / of if of else None,
        interval=interval,
        clusters=None if clusters is None else _count(clusters, f"{where}.clusters"),
        deff=_number_or_none(item.get("deff"), f"{where}.deff"),
    )


def _outcomes(value: Any, where: str) -> tuple[tuple[str, ...], tuple[CaseOutcome, ...] | None]:
    if value is None:
        return (), None
    item = _mapping(value, where)
    graders = tuple(str(name) for name in _list(item.get("graders", []), f"{where}.graders"))
    cases = []
    for i, row in enumerate(_list(item.get("cases", []), f"{where}.cases")):
        if not isinstance(row, (list, tuple)) or len(row) != 3 or not _marks(row[2], len(graders)):
            raise ReportError(f"{where}.cases[{i}] is not [id, stratum, one outcome a grader]")
        case = _kind(row[0], str, f"{where}.cases[{i}][0]")
        cases.append(CaseOutcome(id=case, stratum=_count(row[1], where), outcomes=tuple(row[2])))
    return graders, tuple(cases)


def _marks(value: Any, graders: int) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == graders and all(isinstance(one, str) for one in value)


def _known(kind: type[T], value: Any, where: str) -> T:
    item = _mapping(value, where)
    known = {
        name: item[name] if read is None else read(item[name], f"{where}.{name}")
        for name, read in _readers_of(kind)  # type: ignore[arg-type]
        if name in item
    }
    try:
        return kind(**known)
    except TypeError as error:
        raise ReportError(f"{where}: {error}") from None


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    return _kind(value, Mapping, where)  # type: ignore[type-abstract]


def _list(value: Any, where: str) -> Sequence[Any]:
    if isinstance(value, (list, tuple)):
        return value
    raise ReportError(f"{where} is {_brief(value)}, expected a list")


def _kind(value: Any, kind: type[T], where: str) -> T:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise ReportError(f"{where} is {_brief(value)}, expected {kind.__name__.lower()}")


def _count(value: Any, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise ReportError(f"{where} is {_brief(value)}, expected a whole number from 0")


def _text(value: Any, where: str) -> str:
    return _kind(value, str, where)


def _number(value: Any, where: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < inf:
        return value
    raise ReportError(f"{where} is {_brief(value)}, expected a number from 0")


def _number_or_none(value: Any, where: str) -> float | None:
    return None if value is None else _number(value, where)


def _shares(value: Any, where: str) -> Mapping[str, float | None]:
    return {name: _number_or_none(share, f"{where}.{name}") for name, share in _mapping(value, where).items()}


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


_READERS: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "str": _text,
    "int": _count,
    "float": _number,
    "float | None": _number_or_none,
    "Mapping[str, float | None]": _shares,
}
"""How a dataclass's field is read, by the type that it is annotated with; other types are taken as they are."""


@lru_cache(maxsize=8)
def _readers_of(kind: type) -> tuple[tuple[str, Callable[[Any, str], Any] | None], ...]:
    return tuple((own.name, _READERS.get(str(own.type))) for own in fields(kind))
