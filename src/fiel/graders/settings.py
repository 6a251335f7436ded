"""The checks that every grader makes of its own settings, with errors that say what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

from fiel.core.errors import ConfigError, did_you_mean
from fiel.core.pointer import pointer_steps


def brief(value: Any) -> str:
    """``value`` for an error message, at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def check_names(name: Any, version: Any) -> None:
    """Raise ConfigError unless a grader's name and version are non-blank texts."""
    for label, value in (("name", name), ("version", version)):
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(f"{label} is {brief(value)}, expected a text that is not blank")


def check_pointers(**pointers: Any) -> None:
    """Raise ConfigError for the first setting that is not a JSON pointer."""
    for label, value in pointers.items():
        if not isinstance(value, str):
            raise ConfigError(f"{label} is {brief(value)}, expected a JSON pointer such as /answer")
        try:
            pointer_steps(value)
        except ValueError as error:
            raise ConfigError(f"{label} is {brief(value)}: {error}, such as /answer") from None


def check_flags(**flags: Any) -> None:
    """Raise ConfigError for the first setting that is not true or false."""
    for label, value in flags.items():
        if not isinstance(value, bool):
            raise ConfigError(f"{label} is {brief(value)}, expected true or false")


def check_counts(**counts: Any) -> None:
    """Raise ConfigError for the first setting that is not a whole number from 1."""
    for label, value in counts.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(f"{label} is {brief(value)}, expected a whole number from 1")


def check_choice(label: str, value: Any, known: Iterable[str]) -> None:
    """Raise ConfigError unless ``value`` is one of the ``known`` words."""
    names = tuple(known)
    if value not in names or not isinstance(value, str):
        hint = did_you_mean(value, (name for name in names if name)) if isinstance(value, str) else "expected a text"
        raise ConfigError(f"{label} is {brief(value)}: {hint}")


def texts(label: str, value: Any, known: Iterable[str] | None = None) -> tuple[str, ...]:
    """A tuple of texts from a list of them; raises ConfigError for anything else, or for a word not ``known``."""
    if isinstance(value, str) or not isinstance(value, (list, tuple)):
        raise ConfigError(f"{label} is {brief(value)}, expected a list of texts")
    for i, word in enumerate(value):
        if not isinstance(word, str):
            raise ConfigError(f"{label}[{i}] is {brief(word)}, expected a text")
        if known is not None:
            check_choice(f"{label}[{i}]", word, known)
    return tuple(value)


def limit(label: str, value: Any) -> float:
    """A finite number from 0; raises ConfigError for anything else."""
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and value >= 0
    if not fits:
        raise ConfigError(f"{label} is {brief(value)}, expected a number from 0")
    return float(value)


def tolerance(label: str, value: Any) -> str:
    """An exact decimal from 0, as text; 0.1 is one tenth, not the float nearest to it. Raises ConfigError."""
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            number = Decimal(-1)
        if number.is_finite() and number >= 0 and abs(number.adjusted()) <= 100:
            return str(number)
    raise ConfigError(f'{label} is {brief(value)}, expected a number from 0 such as 0.01 or "0.01"')
