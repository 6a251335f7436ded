"""How the gate writes numbers and lists, so that every reason reads alike."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fiel.core.report import Rate

SHOWN = 10
"""How many names a sentence lists before it says how many more there are; facts always hold all of them."""


def trimmed(value: float | Fraction) -> str:
    """Four decimals without trailing zeros: ``0.5556``, ``0.05``, ``1``."""
    text = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def rate_value(rate: Rate | None) -> str:
    """The rate in four decimals, or ``undefined`` where nothing was measured."""
    value = None if rate is None else rate.fraction
    return "undefined" if value is None else trimmed(value)


def compared(value: Fraction, sign: str, line: Fraction) -> str:
    """``0.1000 > epsilon 0.05``; exact fractions follow where four decimals would hide the difference."""
    text = f"{float(value):.4f} {sign} epsilon {trimmed(line)}"
    if trimmed(value) == trimmed(line) and value != line:
        text += f", exactly {value} {sign} {line}"
    return text


def p_value(p: float) -> str:
    """``=0.0312``, or ``<0.0001``."""
    return "<0.0001" if p < 0.0001 else f"={trimmed(p)}"


def interval(bounds: tuple[float, float]) -> str:
    """``[-0.2311, 0.0102]``."""
    return f"[{trimmed(bounds[0])}, {trimmed(bounds[1])}]"


def size(cases: int, counts: int, thin_below: int) -> str:
    """``n=40``; for few cases also the weight of one: ``n=3 (1 case = 33 points)``.

    ``counts`` is said where several counts come from one case.
    """
    text = f"n={cases}" if counts == cases else f"n={cases} ({counts} counts)"
    if 0 < cases < thin_below:
        points = Fraction(100, cases)
        text += f" (1 case = {round(points) if points >= 1 else trimmed(points)} points)"
    return text


def listed(names: Sequence[str], shown: int = SHOWN) -> str:
    """Names joined by commas, cut after ``shown`` with the number of the rest; each at most 80 characters."""
    head = ", ".join(short(name) for name in names[:shown])
    rest = len(names) - shown
    return f"{head} and {rest} more" if rest > 0 else head


def short(text: str, limit: int = 80) -> str:
    """One printable line of at most ``limit`` characters; text from a report never spreads over a message."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return line if len(line) <= limit else line[: limit - 3] + "..."


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 case``, ``3 cases``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
