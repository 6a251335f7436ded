"""A JSON pointer (RFC 6901) is a place in a JSON value: ``/customer/tax_id``, ``/lines/0``, ``""`` for all of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from fiel.core.case import ABSENT


@lru_cache(maxsize=4096)
def pointer_steps(pointer: str) -> tuple[str, ...]:
    """The unescaped steps of a pointer; raises ValueError unless it is ``""`` or begins with ``/``."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError('a JSON pointer is "" or begins with "/"')
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))


def pointer_of(steps: Iterable[str | int]) -> str:
    """The pointer that goes through ``steps``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def below(value: Any, step: str) -> Any:
    """What stands one step down in a JSON value, or ABSENT where nothing does."""
    if isinstance(value, dict):
        return value.get(step, ABSENT)
    if isinstance(value, (list, tuple)):
        is_index = step.isascii() and step.isdigit() and (step == "0" or step[0] != "0") and len(step) < 10
        return value[int(step)] if is_index and int(step) < len(value) else ABSENT
    return ABSENT


def at(value: Any, steps: Iterable[str]) -> Any:
    """What stands at the end of ``steps`` inside ``value``, or ABSENT where nothing does."""
    for step in steps:
        value = below(value, step)
    return value
