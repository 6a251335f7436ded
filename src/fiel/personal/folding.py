"""Folding turns the many ways of writing one character into a single one, and remembers where it stood.

Two foldings, both character by character, so that offsets can be traced back:

- ``SHAPES`` keeps case. Digits of any script become ASCII digits, every space becomes a space and every dash a
  hyphen, compatibility forms become what they stand for (full-width letters, ligatures), marks and invisible
  characters vanish. Superscripts and the like become a space: a footnote sign is not part of a number.
- ``LITERALS`` also casefolds and spells superscripts out: it is for comparing text with text.

Neither folds look-alikes of other alphabets (a Cyrillic ``а`` stays one).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

MOST_KEPT: Final = 20_000
"""How many characters a table remembers; hostile text must not make it grow without end."""

_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and symbols that Unicode counts as visible and fonts draw as nothing."""
_DOTS: Final = {"\u3002": ".", "\uff61": ".", "\u2215": "/", "\u29f8": "/", "\u2044": "/"}


def _plain(char: str) -> str:
    """``char`` without compatibility form, marks and invisible parts."""
    if char in _FILLERS:
        return ""
    if char in _DOTS:
        return _DOTS[char]
    kept = []
    for part in unicodedata.normalize("NFKD", char):
        kind = unicodedata.category(part)
        if kind == "Nd":
            kept.append(str(unicodedata.decimal(part)))
        elif kind == "Pd" or part == "\u2212":
            kept.append("-")
        elif kind == "Zs":
            kept.append(" ")
        elif part in _DOTS:
            kept.append(_DOTS[part])
        elif kind not in ("Mn", "Me", "Cf") and part not in _FILLERS:
            kept.append(part)
    return "".join(kept)


def _shape(char: str) -> str:
    return " " if unicodedata.category(char) == "No" else _plain(char)


def _literal(char: str) -> str:
    # casefold may bring marks back (a Turkish dotted I), so they are dropped again.
    return _plain_all(_plain(char).casefold())


def _plain_all(text: str) -> str:
    return text if text.isascii() else "".join(map(_plain, text))


class Table(dict[int, str]):
    """What each character folds to, worked out when it is first met; for ``str.translate``."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self._fold(chr(code))
        if len(self) < MOST_KEPT:
            self[code] = folded
        return folded

    def ends(self, text: str) -> list[int]:
        """Where each character of ``text`` ends once folded, behind a 0: one entry more than characters."""
        return list(accumulate((len(self[ord(char)]) for char in text), initial=0))


SHAPES: Final = Table(_shape)
LITERALS: Final = Table(_literal)


def shapes(text: str) -> str:
    """``text`` folded for recognising shapes; ASCII text is returned as it is."""
    return text if text.isascii() else text.translate(SHAPES)


def literals(text: str) -> str:
    """``text`` folded for comparing it with other text, case and all."""
    return text.lower() if text.isascii() else text.translate(LITERALS)


def unfold(text: str, spans: list[tuple[int, int]], table: Table) -> list[tuple[int, int]]:
    """Spans of the folded ``text`` as offsets of ``text`` itself.

    Invisible characters inside a span belong to it, those around it do not; marks on its last letter do.
    """
    if text.isascii() or not spans:
        return spans
    ends = table.ends(text)
    return [(bisect_right(ends, start) - 1, _past_marks(text, bisect_right(ends, end - 1))) for start, end in spans]


def _past_marks(text: str, end: int) -> int:
    while end < len(text) and unicodedata.category(text[end]) in ("Mn", "Me"):
        end += 1
    return end
