"""Every error that fiel raises on purpose says what was wrong, where, and what would be right.

FielError
|-- Refused                 what was given cannot be used (exit code 2)
|   |-- ConfigError         fiel.toml, an option, a policy
|   |-- DatasetError        a case, a pin, a split
|   |   `-- HoldoutProtected
|   |-- ManifestIncomplete  a version is missing
|   |-- Mismatch            two reports that must not be compared
|   `-- ReportError         a report that cannot be read
`-- Broken                  something outside failed (exit code 4)
    |-- TargetFailure       one call of the system under test
    `-- StorageError        a disk, a file, a lock
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches


class FielError(Exception):
    """The root of the tree. ``str()`` of it is one readable message without a traceback."""


class Refused(FielError):
    """What was given cannot be used; nothing was changed."""


class ConfigError(Refused):
    """A configuration, an option or a policy that cannot be read as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: ``where`` (file and line), ``what`` it is, and what would be ``right``."""

    where: str
    what: str
    right: str = ""

    def __str__(self) -> str:
        tail = f" ({self.right})" if self.right else ""
        return f"{self.where}: {self.what}{tail}"


class DatasetError(Refused):
    """A dataset that must not be loaded; ``problems`` lists what was found, in file order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class HoldoutProtected(DatasetError):
    """An attempt to add to the holdout split."""


class ManifestIncomplete(Refused):
    """A manifest in which required versions are missing or empty; ``missing`` names them in canonical order."""

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(f"version manifest is incomplete (missing: {', '.join(self.missing)})")


class Mismatch(Refused):
    """Two reports whose versions differ where a comparison needs them equal; ``fields`` names where."""

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        self.fields = tuple(fields)
        super().__init__(message)


class ReportError(Refused):
    """A report that cannot be read: not JSON, not a report, or written by a newer fiel."""


class Broken(FielError):
    """Something outside fiel failed."""


class StorageError(Broken):
    """A file, a disk or a lock did not do what was asked; what had been accepted before is still there."""


class TargetFailure(Broken):
    """One call of the target that gave no output.

    ``code`` is a short stable word (``timeout``, ``http_status``, ``crash``, ``garbage``, ``exit_status``,
    ``output_too_large``, ``unreachable``); ``place`` is the file and line of a crash, without any text of
    the case. ``retry_after_s`` is what the target asked for, in seconds, or None.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: str = "",
        retriable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        self.code = code
        self.place = place
        self.retriable = retriable
        self.retry_after_s = retry_after_s
        super().__init__(message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean "x"?`` for the nearest known word, else the sorted list of known ones."""
    names = sorted(known)
    near = get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f'did you mean "{near[0]}"?'
    return f"known: {', '.join(names)}" if names else "none is known here"
