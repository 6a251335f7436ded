"""Whether two reports may be compared at all: complete manifests first, then the same data, schema and graders."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fiel.core.errors import ConfigError, ManifestIncomplete, Mismatch, Refused, ReportError, did_you_mean
from fiel.core.manifest import COMPARED, REQUIRED, require_complete
from fiel.core.report import Report
from fiel.gate.wording import short

NEVER_ALLOWED: Final = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What was waived (``overrides``: field names) and what should be said beside the result (``notes``)."""

    overrides: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def require_holdout(candidate: Report, baseline: Report | None) -> None:
    """Return if every report is of the holdout split; raise :class:`Refused` naming the splits otherwise."""
    sides = [candidate] if baseline is None else [baseline, candidate]
    if all(report.split == "holdout" for report in sides):
        for report in sides:
            _require_one_story(report)
        return
    splits = "/".join(_quoted(report.split) for report in sides)
    raise Refused(
        f"refusing to gate on a {splits} split: only reports of the holdout split decide a release; "
        "tuning has the dev split, and `fiel diff` compares dev reports"
    )


def _require_one_story(report: Report) -> None:
    """Raise :class:`ReportError` where a report and its own manifest name two splits or two datasets."""
    for name, said in (("split", report.split), ("dataset_sha256", report.dataset.get("sha256"))):
        written = report.manifest.get(name)
        if written and said and written != said:
            raise ReportError(
                f"the report contradicts itself: {name} is {_quoted(str(written))} in its manifest and "
                f"{_quoted(str(said))} beside it"
            )


def require_manifests(*sides: tuple[str, Report]) -> None:
    """Return if all manifests are complete; raise :class:`ManifestIncomplete`, with a note of which report."""
    for name, report in sides:
        try:
            require_complete(report.manifest)
        except ManifestIncomplete as incomplete:
            incomplete.add_note(f"in the report of the {name}")
            raise


def check_allowed(allow: Collection[str], fields: Sequence[str] = COMPARED) -> None:
    """Raise :class:`ConfigError` for a name in ``allow`` that is not a compared field, or that may never differ."""
    allowable = [field for field in fields if field != NEVER_ALLOWED]
    for name in allow:
        if name == NEVER_ALLOWED:
            raise ConfigError(
                "split cannot be allowed to differ: a dev report and a holdout report answer two questions"
            )
        if name not in allowable:
            raise ConfigError(f"{_quoted(name)} is not a field that is compared: {did_you_mean(name, allowable)}")


def require_same(
    a: Report,
    b: Report,
    *,
    allow: Collection[str] = (),
    names: tuple[str, str] = ("baseline", "candidate"),
    fields: Sequence[str] = COMPARED,
) -> Compared:
    """Return what was waived if ``fields`` are equal in both or named in ``allow``; raise :class:`Mismatch` if not.

    A field that both reports lack is noted; one that a single report lacks is a mismatch.
    """
    check_allowed(allow, fields)
    notes: list[str] = []
    differing: dict[str, str] = {}
    for field in fields:
        ours, theirs = value_of(a, field), value_of(b, field)
        if ours is None and theirs is None:
            notes.append(f"{field} is in neither report, so it could not be compared")
        elif ours != theirs:
            differing[field] = f"{field} is {_said(ours)} in the {names[0]} and {_said(theirs)} in the {names[1]}"
    refused = [field for field in differing if field not in allow]
    if refused:
        raise Mismatch(_message(refused, differing), refused)
    notes += [f"allowed to differ: {text}" for text in differing.values()]
    notes += [f"{name} was allowed to differ, but it is equal" for name in sorted(set(allow) - set(differing))]
    return Compared(overrides=tuple(differing), notes=tuple(notes))


def differing_versions(a: Report, b: Report) -> list[str]:
    """``prompt_version "v1" -> "v2"`` for each required version that is not compared and differs."""
    return [
        f"{name} {_said(value_of(a, name))} -> {_said(value_of(b, name))}"
        for name in REQUIRED
        if name not in COMPARED and value_of(a, name) != value_of(b, name)
    ]


def value_of(report: Report, field: str) -> str | None:
    """What the report says of a manifest field, as text; None where it says nothing."""
    found: Any = report.manifest.get(field)
    if field == "split":
        found = report.split
    elif field == "dataset_sha256" and not found:
        found = report.dataset.get("sha256")
    if found is None or found == "":
        return None
    return found if isinstance(found, str) else json.dumps(found, sort_keys=True, default=str)


def _message(refused: Sequence[str], differing: dict[str, str]) -> str:
    told = "; ".join(differing[field] for field in refused)
    allowable = [field for field in refused if field != NEVER_ALLOWED]
    way_out = f". `--allow-mismatch {allowable[0]}` compares all the same and is written down" if allowable else ""
    again = ". `fiel grade RUN` grades stored outputs with today's graders" if "grader_version" in refused else ""
    return f"these reports must not be compared: {told}{again}{way_out}"


def _said(value: str | None) -> str:
    return "missing" if value is None else _quoted(value)


def _quoted(text: str) -> str:
    return f'"{short(text)}"'
