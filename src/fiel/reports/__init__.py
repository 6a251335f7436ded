"""Reports for people and for other tools: one file a format, all saying the same.

:data:`FORMATS` is the whole catalogue; a format is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from fiel.core.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from fiel.core.decision import Decision
    from fiel.core.report import Report
    from fiel.reports.page import Page

__all__ = ["FORMATS", "render", "render_decision", "render_diff"]

FORMATS: Final[Mapping[str, str]] = {
    "terminal": "fiel.reports.terminal:render",
    "md": "fiel.reports.markdown:render",
    "html": "fiel.reports.html:render",
    "junit": "fiel.reports.junit:render",
    "github": "fiel.reports.github:render",
    "annotations": "fiel.reports.github:render_annotations",
    "json": "fiel.reports.plain_json:render",
}
"""Format name -> where the function from a :class:`~fiel.reports.page.Page` to text lives."""


def render(
    report: Report,
    format: str,  # noqa: A002 - the word of the command line
    *,
    decision: Decision | None = None,
    metric: str | None = None,
    width: int = 100,
    colour: bool = False,
    full: bool = False,
) -> str:
    """A report in one of :data:`FORMATS`; raises :class:`ConfigError` for another format.

    With ``decision`` the gate's ruling comes first. ``metric`` is what strata and JUnit cases are shown by
    (None: ``success``, else the report's first). ``width`` (columns), ``colour`` (ANSI) and ``full`` (nothing
    folded away) are for ``terminal``.
    """
    from fiel.reports.page import Page

    page = Page(subject=report, decision=decision, metric=metric, width=width, colour=colour, full=full)
    return _written(page, format)


def render_decision(
    decision: Decision,
    format: str,  # noqa: A002 - the word of the command line
    *,
    width: int = 100,
    colour: bool = False,
    full: bool = False,
) -> str:
    """A decision in any of :data:`FORMATS` but ``json``, which is the gate's own document."""
    from fiel.reports.page import Page

    return _written(Page(subject=decision, width=width, colour=colour, full=full), format)


def render_diff(diff: Mapping[str, Any], format: str, *, width: int = 100, colour: bool = False) -> str:  # noqa: A002
    """The document of a diff in any of :data:`FORMATS` but ``junit`` and ``annotations``, which have no diff."""
    from fiel.reports.page import Page

    return _written(Page(subject=diff, width=width, colour=colour, full=True), format)


def _written(page: Page, name: str) -> str:
    where = FORMATS.get(name)
    if where is None:
        raise ConfigError(f"no report format {name[:80]!r}: {did_you_mean(name[:80], FORMATS)}")
    module, _, function = where.partition(":")
    text = getattr(import_module(module), function)(page)
    assert isinstance(text, str)
    return text
