"""JSON values as graders see them: what stands at a pointer, strict equality, and a bounded copy safe to show."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from fiel.core.case import ABSENT, Case
from fiel.core.pointer import at, pointer_steps
from fiel.core.verdict import Ungraded

MAX_DEPTH: Final = 200
"""Levels of nesting that graders follow; deeper values are Ungraded("too_deep")."""

TOO_DEEP: Final = Ungraded(reason="too_deep", detail="a value is nested too deeply to be compared")
NO_EXPECTED: Final = Ungraded(reason="no_expected", detail="the case expects nothing here")

_SHOWN_TEXT: Final = 500
_SHOWN_NODES: Final = 64


def resolve(value: Any, pointer: str) -> Any:
    """What ``pointer`` leads to inside ``value``, or ABSENT where there is nothing."""
    return at(value, pointer_steps(pointer)) if pointer else value


def expectation(case: Case, declared: Any, expected_at: str) -> Any:
    """What a rule expects: the value declared in its settings, else the case's, at ``expected_at``; or ABSENT."""
    if declared is not ABSENT:
        return declared
    if case.expected is ABSENT or not expected_at:
        return case.expected
    return resolve(case.expected, expected_at)


def equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same: 1 and 1.0 are one number, ``true`` is never 1, NaN equals nothing.

    Strings are compared code point by code point: composed and decomposed accents differ. The order of an
    object's members says nothing. Raises RecursionError on values nested too deeply for the interpreter.
    """
    if left.__class__ is str and right.__class__ is str:
        return bool(left == right)
    # The interpreter's comparison is laxer (True == 1), so what it tells apart is different for us too.
    return bool(left == right) and _alike(left, right)


def _alike(left: Any, right: Any) -> bool:
    """Strictness over two values that the interpreter already holds for equal."""
    pairs = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        kind = a.__class__
        if kind is str:
            continue
        if kind is dict:
            for key, value in a.items():
                other = b[key]
                if value.__class__ is not str:
                    pairs.append((value, other))
        elif kind is list or kind is tuple:
            pairs.extend(zip(a, b, strict=True))
        elif (kind is bool) is not (b.__class__ is bool) or a != b:
            return False
    return True


def unfit(value: Any) -> str:
    """Why ``value`` is no JSON document that can be checked: ``too_deep``, ``not_json``, or ``""`` when it is one."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            kind = node.__class__
            if kind is str or kind is int or kind is bool or node is None:
                continue
            if kind is float:
                if not isfinite(node):
                    return "not_json"
            elif kind is dict:
                if not all(key.__class__ is str for key in node):
                    return "not_json"
                below.extend(node.values())
            elif kind is list or kind is tuple:
                below.extend(node)
            else:
                return "not_json"
        if not below:
            return ""
        level = below
    return "too_deep"


def printable(text: str) -> str:
    """``text`` with lone surrogates, which no encoding can write, replaced by U+FFFD."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def shown(value: Any) -> Any:
    """A JSON value for a finding: small, finite and writable, whatever ``value`` was; ABSENT becomes None."""
    if isinstance(value, str):
        if len(value) <= _SHOWN_TEXT and value.isascii():
            return value
        return printable(value) if len(value) <= _SHOWN_TEXT else printable(value[:_SHOWN_TEXT]) + "…"
    if value is None or value is ABSENT or isinstance(value, bool):
        return None if value is ABSENT else value
    if isinstance(value, int):
        return value if value.bit_length() <= 64 else "<a whole number of more than 64 bits>"
    if isinstance(value, float):
        return value if isfinite(value) else f"<{value}>"
    if isinstance(value, (dict, list, tuple)):
        if _small(value):
            return _copied(value)
        kind = "object" if isinstance(value, dict) else "list"
        return f"<{kind} of {len(value)}>"
    return f"<{type(value).__name__}>"


def _small(value: Any) -> bool:
    """Whether a container has few enough nodes, and short enough texts, to be shown whole."""
    left, pending = _SHOWN_NODES, [(value, 0)]
    while pending:
        node, depth = pending.pop()
        left -= 1
        if left < 0 or depth > 8:
            return False
        if isinstance(node, dict):
            if len(node) > left or not all(isinstance(key, str) and len(key) <= _SHOWN_TEXT for key in node):
                return False
            pending.extend((item, depth + 1) for item in node.values())
        elif isinstance(node, (list, tuple)):
            if len(node) > left:
                return False
            pending.extend((item, depth + 1) for item in node)
    return True


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {printable(key): _copied(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copied(item) for item in value]
    return shown(value)
