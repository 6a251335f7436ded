"""Finding: which stretches of a text are personal data, and of what kind."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from fiel.core.errors import ConfigError, did_you_mean
from fiel.personal import numbers, phones
from fiel.personal.context import label_of
from fiel.personal.emails import email
from fiel.personal.folding import SHAPES, shapes, unfold
from fiel.personal.numbers import Recogniser

KINDS: Final = ("email", "cpf", "cnpj", "rut", "ssn", "card", "iban", "phone")
"""Every kind, in the order in which they claim a stretch that could be several."""

_RECOGNISERS: Final[dict[str, Recogniser]] = {"email": email, **numbers.RECOGNISERS, "phone": phones.phone}
# Two digits in a row stand in every number that is recognised; in other scripts one digit is reason to fold.
_WORTH_ASCII: Final = re.compile(r"[0-9][0-9]")
_WORTH_FOLDING: Final = re.compile(r"[@\uff20\ufe6b]|\d")


@dataclass(frozen=True, slots=True)
class Match:
    """``text[start:end]`` is personal data of ``kind``; offsets are those of the text as it was given."""

    kind: str
    start: int
    end: int


def find(
    text: str, kinds: Collection[str] | None = None, *, limit: int | None = None, name: str = ""
) -> tuple[Match, ...]:
    """The personal data in ``text``, in order and apart; ``kinds`` is a choice of :data:`KINDS` (None: all).

    ``limit`` bounds how many come back (None: all); fewer than ``limit`` means there are no more. ``name`` is the
    name of the field that holds the text: it counts as a word nearby. Takes time linear in the text, and about a
    microsecond where it has neither an at sign nor two digits in a row. Raises ConfigError for an unknown kind.
    """
    chosen = KINDS if kinds is None else _ordered(frozenset(kinds))
    if text.isascii():
        if "@" not in text and _WORTH_ASCII.search(text) is None:
            return ()
        folded = text
    elif _WORTH_FOLDING.search(text) is None:
        return ()
    else:
        folded = shapes(text)
    found = _claim(folded, chosen, name)
    if limit is not None:
        del found[limit:]
    spans = unfold(text, [(start, end) for start, end, _ in found], SHAPES)
    return tuple(Match(kind, start, end) for (start, end), (_, _, kind) in zip(spans, found, strict=True))


def _claim(folded: str, chosen: tuple[str, ...], name: str) -> list[tuple[int, int, str]]:
    """Spans by kind, sorted; where two overlap the kind that stands first in :data:`KINDS` keeps its own."""
    taken: list[tuple[int, int, str]] = []
    places = numbers.clusters(folded, numbers.FEWEST_DIGITS)
    outside = label_of(name)
    for kind in chosen:
        windows = () if kind == "email" else numbers.windows_for(kind, folded, places)
        if not windows and (kind != "email" or ("@" not in folded and "%40" not in folded)):
            continue
        fresh = [(start, end, kind) for start, end in _RECOGNISERS[kind](folded, outside, windows)]
        if fresh:
            taken = _merge(taken, fresh)
    return taken


def _merge(taken: list[tuple[int, int, str]], fresh: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Both lists in order, without the fresh spans that overlap a taken one."""
    merged = list(taken)
    place = 0
    for span in fresh:
        while place < len(taken) and taken[place][1] <= span[0]:
            place += 1
        if place == len(taken) or taken[place][0] >= span[1]:
            merged.append(span)
    return sorted(merged)


@lru_cache(maxsize=64)
def _ordered(kinds: frozenset[str]) -> tuple[str, ...]:
    for kind in sorted(kinds):
        if kind not in KINDS:
            raise ConfigError(f'unknown kind of personal data "{kind}" ({did_you_mean(kind, KINDS)})')
    return tuple(kind for kind in KINDS if kind in kinds)
