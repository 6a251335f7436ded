"""Literal values: texts that somebody declared to be personal, secret or another tenant's, found however written.

Case, accents, compatibility forms, invisible characters and the width of spaces do not matter (``JOSÉ  silva`` is
``jose silva``), nor does the punctuation of a value that is a number of seven digits or more (``390.533.447-05``
is ``39053344705``). A value is found as a whole token: where it begins or ends with a letter or digit, no other
letter or digit may touch it, so ``CRX-1`` is not in ``CRX-10`` while ``CRX-``, which ends in a dash, is. Scripts
that write without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) have no such edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from fiel.personal.folding import LITERALS, literals, unfold
from fiel.personal.numbers import Span

_SPACELESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_JOINING: Final = rf"[^\W_{_SPACELESS}]"
_NUMERIC: Final = re.compile(r"\+?[0-9][0-9 ./()+-]*")
_SIGNS: Final = re.compile(r"[\W_]+")
LEAST_DIGITS: Final = 7


class Literals:
    """Values made ready to be looked for; ``values`` are those that were given, without the blank ones."""

    __slots__ = ("_needles", "values")

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(dict.fromkeys(value for value in values if literals(value).strip()))
        self._needles = tuple(_needle(value) for value in self.values)

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Every place of every value in ``text`` as ``(start, end, value)``, sorted; places may overlap."""
        if not self._needles:
            return []
        found = sorted(self._places(literals(text)))
        spans = unfold(text, [(start, end) for start, end, _ in found], LITERALS)
        return [(start, end, value) for (start, end), (_, _, value) in zip(spans, found, strict=True)]

    def within(self, text: str) -> bool:
        """Whether any value stands in ``text``."""
        return bool(self._needles) and next(self._places(literals(text)), None) is not None

    def _places(self, folded: str) -> Iterator[tuple[int, int, str]]:
        for value, (first, pattern) in zip(self.values, self._needles, strict=True):
            if first in folded:
                for match in pattern.finditer(folded):
                    yield match.start(), match.end(), value


def contains(text: str, values: Iterable[str]) -> bool:
    """Whether any of the literal ``values`` stands in ``text`` as a whole token, however it is written."""
    return ready(tuple(values)).within(text)


def spans_of(text: str, values: Iterable[str]) -> list[Span]:
    """Where the literal ``values`` stand in ``text``, as offsets of it, sorted; places may overlap."""
    return [(start, end) for start, end, _ in ready(tuple(values)).spans(text)]


@lru_cache(maxsize=64)
def ready(values: tuple[str, ...]) -> Literals:
    """``Literals(values)``, kept for the next text."""
    return Literals(values)


def squeezed(text: str) -> str:
    """``text`` as its letters and digits alone, folded: what is left when spacing, case and signs are taken away."""
    return _SIGNS.sub("", literals(text))


def _needle(value: str) -> tuple[str, re.Pattern[str]]:
    """What must be in a folded text for the value to be there, and the pattern that finds it."""
    folded = literals(value).strip()
    digits = re.sub(r"[^0-9]", "", folded)
    if len(digits) >= LEAST_DIGITS and _NUMERIC.fullmatch(folded):
        return digits[0], re.compile(r"(?<![0-9])" + r"[ ./()+-]{0,3}".join(digits) + r"(?![0-9])")
    words = folded.split()
    before = rf"(?<!{_JOINING})" if re.match(_JOINING, folded) else ""
    after = rf"(?!{_JOINING})" if re.match(_JOINING, folded[-1]) else ""
    return words[0], re.compile(before + r"\s+".join(map(re.escape, words)) + after)
