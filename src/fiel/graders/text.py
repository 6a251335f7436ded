"""Declared ways in which two texts may differ and still be the same text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, Final, Literal

FORMS: Final[tuple[str, ...]] = ("nfc", "nfkc", "quotes", "casefold", "punctuation", "squeeze", "whitespace")
"""The names that ``normalise`` takes, in the order in which they act, whatever the order they are written in.

``nfc`` composes accents; ``nfkc`` also folds full-width digits, ligatures and the like (Unicode Annex 15);
``quotes`` makes typographic quotes and apostrophes plain; ``casefold`` is Unicode's caseless matching;
``punctuation`` turns punctuation (categories P*) into a space; ``squeeze`` drops punctuation and white space
altogether, for lines that were joined differently; ``whitespace`` folds runs to one space and trims the ends.
"""

_QUOTES: Final = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\u301f", '"')
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u00b4\u02bc", "'")
)

_MOST_ROUNDS: Final = 8


def normalise(text: str, forms: Sequence[str]) -> str:
    """``text`` in the declared ``forms``; doing it twice is doing it once. Nothing that was not declared is touched."""
    # One form can make room for another: what squeezing brings together may compose. Each round only folds or joins,
    # so a few of them settle any text; most are settled by the first.
    for _ in range(_MOST_ROUNDS):
        before, text = text, _round(text, forms)
        if text == before:
            break
    return text


def _round(text: str, forms: Sequence[str]) -> str:
    composed: Literal["NFKC", "NFC", ""] = "NFKC" if "nfkc" in forms else "NFC" if "nfc" in forms else ""
    if composed:
        text = unicodedata.normalize(composed, text)
    if "quotes" in forms:
        text = text.translate(_QUOTES)
    if "casefold" in forms:
        text = text.casefold()
    if "squeeze" in forms:
        return "".join("".join(" " if _is_punctuation(char) else char for char in text).split())
    if "punctuation" in forms:
        text = "".join(" " if _is_punctuation(char) else char for char in text)
    if "whitespace" in forms:
        text = " ".join(text.split())
    return text


def normalise_all(value: Any, forms: Sequence[str]) -> Any:
    """A JSON value with every text in it normalised, names of members aside. Raises RecursionError when too deep."""
    if isinstance(value, str):
        return normalise(value, forms)
    if isinstance(value, dict):
        return {key: normalise_all(item, forms) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [normalise_all(item, forms) for item in value]
    return value


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] == "P"
