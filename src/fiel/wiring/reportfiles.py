"""Finding reports on disk: a run directory or a report.json, read and decoded."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from fiel.core.errors import ConfigError, ReportError, StorageError, did_you_mean
from fiel.core.report import Report
from fiel.core.report_document import decode


def report_path(path: Path) -> Path:
    """The report.json meant by ``path``: the file itself, or the one in that run directory."""
    found = path / "report.json" if path.is_dir() else path
    if not path.exists():
        raise ReportError(f"{path}: no such file or directory; name a run directory or a report.json")
    if not found.is_file():
        begun = (path / "manifest.json").exists()
        hint = f"the run was not finished: go on with --resume {path}" if begun else "name a run directory"
        raise ReportError(f"{path}: holds no report.json; {hint}")
    return found


def load_report(path: str | Path) -> Report:
    """The report of a run directory or of a report.json.

    Raises ReportError for what is not a report or was written by a newer fiel, StorageError for what cannot be
    read.
    """
    found = report_path(Path(path))
    return decode(load_json(found), where=str(found))


def load_page(path: str | Path) -> Report:
    """The same without the outcomes of each case, which no page for people shows and which a large run has many of."""
    found = report_path(Path(path))
    page = _decoded(found, _PAGE)
    said = {name: getattr(page, name) for name in page.__struct_fields__}
    return decode({name: value for name, value in said.items() if value is not msgspec.UNSET}, where=str(found))


def require_metric(metric: str | None, *reports: Report) -> None:
    """Return for None, or for a metric that one of the reports has; raise ConfigError with the nearest one if not."""
    known = {name for report in reports for name in report.overall}
    if metric is not None and metric not in known:
        raise ConfigError(f"no metric {metric!r} in what was given; {did_you_mean(metric, known)}")


def load_json(path: Path) -> Any:
    """A JSON file's value; raises ReportError where it is not JSON."""
    return _decoded(path, _ANYTHING)


# What a struct does not name is passed over by the decoder without being made.
_PAGE: Final = msgspec.json.Decoder(
    msgspec.defstruct("Page", [(each.name, Any, msgspec.UNSET) for each in fields(Report) if each.name != "outcomes"])
)
_ANYTHING: Final = msgspec.json.Decoder()


def _decoded(path: Path, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ReportError(f"{path}: not JSON: {error}") from None
