"""A page as the JSON that programs read: the same object as ``report.json``, or a diff's own document."""

from __future__ import annotations

import json

from fiel.core.decision import Decision
from fiel.core.errors import ConfigError
from fiel.core.report import Report
from fiel.core.report_document import encode
from fiel.reports.page import Page


def render(page: Page) -> str:
    """Indented JSON in ASCII, so that no terminal or build server finds a command in it."""
    subject = page.subject
    if isinstance(subject, Decision):
        raise ConfigError("a decision has one JSON form, decision.json, which `fiel gate --json` prints: read that")
    document = encode(subject) if isinstance(subject, Report) else dict(subject)
    # Only a string can hold "##[", and "\u005b" there is the same bracket.
    return json.dumps(document, indent=2, allow_nan=False).replace("##", "#\\u0023") + "\n"
