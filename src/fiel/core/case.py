"""A case is one input with what a good answer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

SPLITS: Final[tuple[str, ...]] = ("dev", "holdout")


class _Absent:
    """The type of :data:`ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final[Any] = _Absent()
"""Stands for "the case has no expected value", which is not the same as expecting ``null``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of a dataset.

    ``input`` and ``expected`` are any JSON value; ``tags`` is a flat string map; ``critical`` marks a case whose
    stratum may never get worse; ``pii`` names the expected fields (a top-level name or a JSON pointer) that hold
    personal data; ``schema`` is a JSON Schema or the name of one in the dataset's folder.
    """

    id: str
    input: Any
    expected: Any = ABSENT
    tags: Mapping[str, str] = field(default_factory=dict)
    critical: bool = False
    pii: tuple[str, ...] = ()
    schema: Any = None
    notes: str = ""

    @property
    def has_expected(self) -> bool:
        """Whether an expected value was given, ``null`` included."""
        return self.expected is not ABSENT


NO_STRATUM: Final = "all"


def stratum_name(tags: Mapping[str, str], keys: Sequence[str]) -> str:
    """The name of the stratum that ``tags`` fall into, by the declared ``keys`` in their order.

    It joins the values with ``|``, which is written ``\\|`` where it stands in a value, so that two strata never
    share a name; a case without one of the tags is in the stratum ``-`` of that tag. Without keys every case is in
    the stratum ``all``.
    """
    values = [tags.get(key, "-") for key in keys]
    name = "|".join(values)
    if name.count("|") >= len(values) > 0:
        name = "|".join([value.replace("\\", "\\\\").replace("|", "\\|") for value in values])
    return name or NO_STRATUM


def stratum_of(tags: Mapping[str, str], keys: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The name of a stratum, as :func:`stratum_name` gives it, and the tags that make it."""
    return stratum_name(tags, keys), {key: tags.get(key, "-") for key in keys}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetInfo:
    """What ``dataset.toml`` says of a dataset, and what was found when it was read.

    ``strata`` are the tags that make a stratum, in order. ``sha256`` is the pin (hex of the JSONL file's bytes),
    empty where the dataset has not been pinned yet.
    """

    name: str
    version: str
    split: str
    strata: tuple[str, ...] = ()
    licence: str = ""
    source: str = ""
    sha256: str = ""
    cases: int = 0
