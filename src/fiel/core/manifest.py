"""The manifest is the list of versions that produced a report; without it a number cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fiel.core.errors import ManifestIncomplete

REQUIRED: Final[tuple[str, ...]] = (
    "dataset_version",
    "code_version",
    "prompt_version",
    "model_identifier",
    "tool_schema_version",
    "policy_version",
    "grader_version",
)

COMPARED: Final[tuple[str, ...]] = ("dataset_sha256", "split", "tool_schema_version", "grader_version")
"""What must be equal in two reports before a diff or a gate may compare them."""


def missing(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The required names that are absent, not text, or blank, in canonical order."""
    return tuple(name for name in REQUIRED if not _said(manifest.get(name)))


def require_complete(manifest: Mapping[str, Any]) -> None:
    """Return if all seven versions are there; raise :class:`ManifestIncomplete` naming those that are not."""
    absent = missing(manifest)
    if absent:
        raise ManifestIncomplete(absent)


def _said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
