"""Calendar dates read from texts in declared formats, in ISO 8601, or by a declared order; never by guessing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

from fiel.graders.unreadable import Unreadable

ORDERS: Final[tuple[str, ...]] = ("dmy", "mdy", "ymd")
"""What ``order`` can declare of dates written in numbers: day first, month first, year first."""

_MAX_TEXT: Final = 64
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(
    r"[T\s,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s*(?:[ap]\.?m\.?)?\s*(?:Z|[+-]\d{2}:?\d{2})?$", re.IGNORECASE
)
_NUMBERS: Final = re.compile(r"(\d{1,4})\s?[./\-\s]\s?(\d{1,2})\s?[./\-\s]\s?(\d{1,4})")
_NAMED: Final = re.compile(
    r"(?P<first>\d{1,4})(?:st|nd|rd|th|º)?[\s.,/\-]*(?:de\s+)?(?P<name>[^\W\d_]{3,10})\.?[\s.,/\-']*(?:de\s+)?(?P<last>\d{1,4})"
    r"|(?P<name2>[^\W\d_]{3,10})\.?\s*(?P<day>\d{1,2})(?:st|nd|rd|th)?[\s.,/\-']+(?P<year>\d{2}|\d{4})",
    re.IGNORECASE,
)
_MONTHS: Final[tuple[tuple[str, ...], ...]] = (
    ("january", "janeiro", "enero"),
    ("february", "fevereiro", "febrero"),
    ("march", "março", "marco", "marzo"),
    ("april", "abril"),
    ("may", "maio", "mayo"),
    ("june", "junho", "junio"),
    ("july", "julho", "julio"),
    ("august", "agosto"),
    ("september", "setembro", "septiembre", "setiembre"),
    ("october", "outubro", "octubre"),
    ("november", "novembro", "noviembre"),
    ("december", "dezembro", "diciembre"),
)


def check_format(form: str) -> None:
    """Raise ValueError unless ``form`` (as ``datetime.strptime`` reads it) settles a whole date."""
    sample = date(2031, 12, 25)
    # A format without a year is refused before it is tried: trying it is an error of its own in newer Pythons.
    settled = bool(re.search(r"%[YyGcxD]", form))
    if not settled or datetime.strptime(sample.strftime(form), form).date() != sample:  # noqa: DTZ007 - a day has no zone
        raise ValueError("a date format needs a day, a month and a year, such as %d/%m/%Y")


def read_date(value: Any, formats: Sequence[str] = (), order: str = "") -> date:
    """The date that a text says; a time of day after it is left out.

    Read are ISO 8601 (``2026-09-28``), every declared format, a month by its name with a year of four digits
    (English, Portuguese, Spanish), and numbers in the declared ``order`` (a year of four digits in front is
    followed by month and day under every order). A year of two digits means 1969 to 2068 (POSIX). Raises
    Unreadable where nothing fits, and where two declared readings give two dates.
    """
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise Unreadable("not a date")
    text = unicodedata.normalize("NFKC", value).strip()
    bare = _TIME.sub("", text).strip()
    found = {day for form in formats for words in {text, bare} if (day := _by_format(words, form)) is not None}
    if _ISO.fullmatch(bare):
        found.add(_made(bare[:4], bare[5:7], bare[8:]))
    elif not found:
        found = {_by_shape(bare, order)}
    if len(found) != 1:
        raise Unreadable("two declared formats read two dates")
    return found.pop()


def _by_format(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


def _by_shape(text: str, order: str) -> date:
    if named := _NAMED.fullmatch(text):
        return _by_name(named, order)
    numbers = _NUMBERS.fullmatch(text)
    if numbers is None or not order:
        raise Unreadable("not a date in a declared form")
    # Year first is written in one order only (ISO 8601's), whatever was declared for the others.
    part = dict(zip("ymd" if len(numbers[1]) == 4 else order, numbers.groups(), strict=True))
    return _made(part["y"], part["m"], part["d"])


def _by_name(found: re.Match[str], order: str) -> date:
    if found["name2"]:
        if len(found["year"]) == 2 and order != "mdy":
            raise Unreadable("a year of two digits without a declared order")
        return _made(found["year"], _month(found["name2"]), found["day"])
    first, last = found["first"], found["last"]
    if len(first) == 4 or (len(last) < 3 and order == "ymd"):
        return _made(first, _month(found["name"]), last)
    if len(last) == 4 or order in ("dmy", "mdy"):
        return _made(last, _month(found["name"]), first)
    raise Unreadable("a year of two digits without a declared order")


def _month(name: str) -> str:
    word = name.casefold()
    for number, names in enumerate(_MONTHS, start=1):
        if any(full.startswith(word) for full in names) or (number == 9 and word == "sept"):
            return str(number)
    raise Unreadable("no month of that name")


def _made(year: str, month: str, day: str) -> date:
    if len(year) not in (2, 4) or len(day) > 2:
        raise Unreadable("not a year")
    full = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 69 else 2000)
    try:
        return date(full, int(month), int(day))
    except ValueError:
        raise Unreadable("no such day") from None
