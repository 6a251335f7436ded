"""Declared fields: which places of a JSON value somebody said may hold personal data, and what stands there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any, Final

from fiel.core.pointer import at, pointer_steps
from fiel.personal.context import label_of

LEAST_LETTERS: Final = 2
LEAST_DIGITS: Final = 5
MOST_VALUES: Final = 1_000

_WHOLE: Final = {"cpf": 11, "cnpj": 14}
_ZEROS_LOST: Final = (9, 10, 12, 13)
"""Digits that are left of a CPF or CNPJ which was kept as a number and began with one or two zeros."""


def steps_of(name: str) -> tuple[str, ...]:
    """The steps that a declared name leads down: ``cpf`` is one step, ``/customer/cpf`` (RFC 6901) two, ``""`` none."""
    return pointer_steps(name) if not name or name.startswith("/") else (name,)


def declared_values(expected: Any, pii: Iterable[str]) -> tuple[str, ...]:
    """The personal values that stand in ``expected`` at the declared places, as text, each once.

    Values too short to say anything of a person are left out: fewer than two letters or, without letters, fewer
    than five digits; ``true``, ``false`` and ``null`` always. At most 1,000 come back.
    """
    found: dict[str, None] = {}
    for name in pii:
        for leaf in _leaves(at(expected, steps_of(name)), most_steps=10 * MOST_VALUES):
            if _telling(leaf):
                found[leaf] = None
                if len(found) == MOST_VALUES:
                    return tuple(found)
    return tuple(found)


def texts_at(document: Any, pii: Iterable[str]) -> Iterator[str]:
    """Every text that stands in ``document`` at the declared places or under them, to be masked wherever it is shown.

    Short ones too, which :func:`declared_values` leaves out; a number also with each count of leading zeros that
    :func:`number_text` may have put back. One may come several times.
    """
    for name in pii:
        for text in _leaves(at(document, steps_of(name))):
            yield text
            if text.isdecimal() and len(text) in _ZEROS_LOST:
                yield from (text.zfill(length) for length in _WHOLE.values() if length > len(text))


def number_text(number: int | float, name: str = "") -> str:
    """A JSON number as a person would write it: ``39053344705.0`` is ``39053344705``.

    Where the field's ``name`` calls it a CPF or CNPJ, the zeros that a number cannot begin with are put back.
    Numbers of over 900 digits, which identify nothing, give ``""``.
    """
    if isinstance(number, float):
        if not number.is_integer() or abs(number) >= 1e16:
            return repr(number)
        number = int(number)
    text = str(number) if number.bit_length() < 3_000 else ""
    if name and len(text) in _ZEROS_LOST:
        return text.zfill(_WHOLE.get(label_of(name), 0))
    return text


def _leaves(value: Any, *, most_steps: float = inf) -> Iterator[str]:
    waiting = [value]
    steps = 0
    while waiting and steps < most_steps:
        steps += 1
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, (list, tuple)):
            waiting.extend(reversed(value))
        elif isinstance(value, str):
            yield value
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield number_text(value)


def _telling(text: str) -> bool:
    letters = sum(map(str.isalpha, text[:200]))
    return letters >= LEAST_LETTERS or (not letters and sum(map(str.isdigit, text[:200])) >= LEAST_DIGITS)
