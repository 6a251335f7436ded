"""Masking: personal data and declared values replaced by a word in brackets, so that a text may be shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any, Final

from fiel.personal.declared import number_text
from fiel.personal.finding import KINDS, find
from fiel.personal.literals import ready

DECLARED: Final = "personal"
"""What stands in the brackets for a declared value; a found one shows its kind."""
DEEPEST: Final = 200
"""Levels of a JSON value that are looked into; what lies deeper is replaced whole."""

_PLACEHOLDER: Final = re.compile(rf"\[(?:{'|'.join((*KINDS, DECLARED))})\]")


def mask(text: str, *, kinds: Collection[str] | None = None, values: Iterable[str] = (), name: str = "") -> str:
    """``text`` with the personal data found in it as ``[cpf]`` and the declared ``values`` as ``[personal]``.

    ``kinds`` and ``name`` as in :func:`find`; ``values`` as in :func:`contains`. Masking twice is masking once.
    """
    values = tuple(values)
    # Each round shortens the text, which may bring a word near a number that it was too far from. Every round
    # replaces something that is no placeholder and adds none of that, so they end; in practice after one or two.
    while (masked := _round(text, kinds, values, name)) != text:
        text = masked
    return text


def _round(text: str, kinds: Collection[str] | None, values: tuple[str, ...], name: str) -> str:
    spans = [(match.start, match.end, match.kind) for match in find(text, kinds, name=name)]
    if values:
        spans += [(start, end, DECLARED) for start, end, _ in ready(values).spans(text)]
    if not spans:
        return text
    pieces: list[str] = []
    reached = 0
    for start, end, word in _joined(spans, [match.span() for match in _PLACEHOLDER.finditer(text)]):
        pieces += [text[reached:start], f"[{word}]"]
        reached = end
    return "".join([*pieces, text[reached:]])


def _joined(spans: list[tuple[int, int, str]], placeholders: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """The spans in order, overlapping ones made one; none lies in a placeholder, none cuts one in two."""
    joined: list[tuple[int, int, str]] = []
    place = 0
    for start, end, word in sorted(spans, key=lambda span: (span[0], -span[1])):
        while place < len(placeholders) and placeholders[place][1] <= start:
            place += 1
        if place < len(placeholders) and placeholders[place][0] <= start and end <= placeholders[place][1]:
            continue
        for left, right in placeholders[place:]:
            if left >= end:
                break
            start, end = min(start, left), max(end, right)
        if joined and start < joined[-1][1]:
            before = joined.pop()
            start, end, word = before[0], max(before[1], end), before[2]
        joined.append((start, end, word))
    return joined


def mask_value(value: Any, *, kinds: Collection[str] | None = None, values: Iterable[str] = (), name: str = "") -> Any:
    """A JSON value with every text in it masked, keys and numbers too; a new value, the given one is not touched.

    A key counts as a word near its value, ``name`` as the key of the whole. A number that is personal data becomes
    its placeholder. Keys that become alike get a number behind them, so that no entry is lost. What lies deeper than
    200 levels becomes ``"[deep]"``, what is no JSON value the name of its type in brackets.
    """
    values = tuple(values)

    def text_of(text: str, names: tuple[str, ...]) -> str:
        for each in names:
            text = mask(text, kinds=kinds, values=values, name=each)
        return text

    def leaf(value: Any, names: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return text_of(value, names)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            written = number_text(value, names[0])
            masked = text_of(written, names)
            return value if masked == written else masked
        return f"[{type(value).__name__}]"

    def walk(value: Any, names: tuple[str, ...], depth: int) -> Any:
        if not isinstance(value, (dict, list, tuple)):
            return leaf(value, names)
        if depth == DEEPEST:
            return "[deep]"
        if not isinstance(value, dict):
            return [walk(each, names, depth + 1) for each in value]
        masked: dict[str, Any] = {}
        for each, below in value.items():
            key = str(each)
            shown = text_of(key, names)
            # A masked key is shorter, and may say of its value what the whole one was too long to say.
            inner = (key,) if shown == key else (key, shown)
            masked[_free(shown, masked)] = walk(below, inner, depth + 1)
        return masked

    return walk(value, (name,), 0)


def _free(key: str, taken: dict[str, Any]) -> str:
    if key not in taken:
        return key
    return next(named for count in range(2, len(taken) + 3) if (named := f"{key} {count}") not in taken)
