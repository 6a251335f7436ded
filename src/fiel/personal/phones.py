"""Telephone numbers: written as one (a plus, an area code in brackets) or called one by a word nearby.

What libphonenumber holds for a valid number of some region decides; a bare run of digits is never enough, since
about a third of random ten-digit order numbers would pass. A number without its area code is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fiel.personal.context import label_near
from fiel.personal.numbers import Span, Windows

# Whose national numbers are tried where no country code is written: calling code, and a coarse shape (trunk prefix
# apart) that spares most questions to libphonenumber, which has the last word.
_REGIONS: Final[dict[str, tuple[int, re.Pattern[str]]]] = {
    region: (code, re.compile(shape))
    for region, code, shape in (
        ("BR", 55, r"0?([1-9]{2}(?:9[0-9]{8}|[2-5][0-9]{7}))"),
        ("US", 1, r"1?([2-9][0-9]{2}[2-9][0-9]{6})"),
        ("MX", 52, r"([2-9][0-9]{9})"),
        ("CL", 56, r"([2-9][0-9]{8})"),
        ("AR", 54, r"0?([1-3][0-9]{9})"),
        ("CO", 57, r"(3[0-9]{9}|60[0-9]{8})"),
        ("PE", 51, r"0?(9[0-9]{8}|[1-8][0-9]{7})"),
        ("ES", 34, r"([6-9][0-9]{8})"),
        ("PT", 351, r"([29][0-9]{8})"),
        ("GB", 44, r"0([1-37][0-9]{8,9})"),
    )
}
_ALL: Final = tuple(_REGIONS)
_MOST_CUTS: Final = 3

_INTERNATIONAL: Final = re.compile(r"(?<![0-9A-Za-z+])\+(?:[0-9][ ./()-]{0,3}){6,14}[0-9](?![0-9])")
_NATIONAL: Final = re.compile(
    r"(?<![0-9])\([0-9]{2,4}\)[ .-]?[0-9]{3,5}[ .-]?[0-9]{3,4}(?![0-9])"  # (11) 91234-5678, (212) 555-0123
    r"|(?<![0-9.-])[0-9]{2} ?9[0-9]{4}-[0-9]{4}(?![0-9-])"  # 11 91234-5678
    r"|(?<![0-9.-])(?:1[ .-])?[0-9]{3}([.-])[0-9]{3}\1[0-9]{4}(?![0-9-])"  # 212-555-0123
)
_RUN: Final = re.compile(r"(?<![0-9])(?<![0-9]\.)\(?[0-9](?:[ ./()-]{0,2}[0-9]){7,14}(?![0-9]|\.[0-9])")
_FIRST_GROUP: Final = re.compile(r"\(?[0-9]{1,4}[ ./()-]+")
_NOT_DIGIT: Final = re.compile(r"[^0-9]")


def phone(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Spans of telephone numbers in folded ``text``, in order and apart."""
    found = {span for window in windows for span in (*_written(text, *window), *_called(text, *window, outside))}
    reached = 0
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= reached:
            yield start, end
            reached = end


def _written(text: str, begin: int, stop: int) -> Iterator[Span]:
    for match in _INTERNATIONAL.finditer(text, begin, stop):
        if end := _longest(text, match.start(), match.end()):
            yield match.start(), end
    for match in _NATIONAL.finditer(text, begin, stop):
        regions = ("US",) if match[1] else ("BR",) if text[match.start()] != "(" else _ALL
        if _national(_NOT_DIGIT.sub("", match[0]), regions):
            yield match.span()


def _called(text: str, begin: int, stop: int, outside: str) -> Iterator[Span]:
    for match in _RUN.finditer(text, begin, stop):
        start, end = match.span()
        if label_near(text, start, end, outside) != "phone":
            continue
        # A short group in front may be something else: "tel 2: 1191234-5678", "ramal 1234 11912345678".
        group = _FIRST_GROUP.match(text, start, end)
        for first in (start, group.end()) if group is not None else (start,):
            if kept := _longest(text, first, end):
                yield first, kept
                break


def _longest(text: str, start: int, end: int) -> int:
    """The end of the longest valid number that starts at ``start``, cut at separators; 0 when none is.

    What follows a telephone number on its line (an extension, a year) is often digits as well.
    """
    for _ in range(_MOST_CUTS + 1):
        digits = _NOT_DIGIT.sub("", text[start:end])
        if len(digits) < 8:
            return 0
        if _international(text[start:end]) if text[start] == "+" else _national(digits, _ALL) or _coded(digits):
            return end
        end = max(0, *(text.rfind(sign, start, end) for sign in " ./()-"))
        while end > start and not text[end - 1].isdigit():
            end -= 1
    return 0


def _coded(digits: str) -> bool:
    """Whether ``digits`` are a number with its country code, written without the plus (also behind 00)."""
    digits = digits.removeprefix("00")
    return 11 <= len(digits) <= 13 and digits[0] != "0" and _international("+" + digits)


def _national(digits: str, regions: tuple[str, ...]) -> bool:
    for region in regions:
        code, shape = _REGIONS[region]
        match = shape.fullmatch(digits)
        if match is not None:
            from phonenumbers import PhoneNumber, is_valid_number

            if is_valid_number(PhoneNumber(country_code=code, national_number=int(match[1]))):
                return True
    return False


def _international(written: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(written))
    except phonenumbers.NumberParseException:
        return False
