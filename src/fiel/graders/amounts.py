"""Numbers and amounts of money read from JSON numbers and from texts, exactly, and never by guessing a separator."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from fiel.graders.unreadable import Unreadable

_MAX_TEXT: Final = 64
_MAX_EXPONENT: Final = 400

_DOLLARS: Final = frozenset(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "CLP", "COP", "ARS", "UYU", "DOP"])
_SIGNS: Final[dict[str, frozenset[str]]] = {
    "$": _DOLLARS,
    "US$": frozenset({"USD"}),
    "A$": frozenset({"AUD"}),
    "C$": frozenset({"CAD"}),
    "S$": frozenset({"SGD"}),
    "HK$": frozenset({"HKD"}),
    "NT$": frozenset({"TWD"}),
    "R$": frozenset({"BRL"}),
    "RM": frozenset({"MYR"}),
    "RP": frozenset({"IDR"}),
    "RS": frozenset({"INR", "PKR", "LKR", "NPR"}),
    "S/": frozenset({"PEN"}),
    "S/.": frozenset({"PEN"}),
    "BS": frozenset({"BOB", "VES"}),
    "KR": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "ZŁ": frozenset({"PLN"}),
    "€": frozenset({"EUR"}),
    "£": frozenset({"GBP", "EGP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "円": frozenset({"JPY"}),
    "元": frozenset({"CNY"}),
    "₹": frozenset({"INR"}),
    "₩": frozenset({"KRW"}),
    "₺": frozenset({"TRY"}),
    "₽": frozenset({"RUB"}),
    "₫": frozenset({"VND"}),
    "฿": frozenset({"THB"}),
    "₱": frozenset({"PHP"}),
    "₦": frozenset({"NGN"}),
    "₪": frozenset({"ILS"}),
    "₴": frozenset({"UAH"}),
    "₲": frozenset({"PYG"}),
    "₡": frozenset({"CRC"}),
}
_CODE: Final = re.compile(r"[A-Z]{3}")
_AMOUNT: Final = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[-+])?\s*(?P<before>[^\d\s.,()+-][^\d()+-]*?)?\s*(?P<sign2>[-+])?\s*"
    r"(?P<body>[.,]?\d[\d.,' ]*?)"
    r"\s*(?P<sign3>-)?\s*(?P<after>[^\d\s.,()'+-][^\d()+-]*)?\s*(?P<close>\))?"
)
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:(?P<mark>[.,' ])\d{3})(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An exact amount, and the ISO 4217 codes that its sign can stand for (empty where it has none)."""

    amount: Fraction
    currencies: frozenset[str] = frozenset()


def read_number(value: Any, decimal: str = "") -> Fraction:
    """The exact number that ``value`` says, a JSON number or a text that is a number and nothing else.

    ``decimal`` declares the decimal mark (``.`` or ``,``); without it a text is read only where one reading
    is possible: ``1,234`` could be two numbers and raises Unreadable, as do NaN, infinities, booleans, and
    magnitudes beyond 10^±400. Full-width and other scripts' digits are digits.
    """
    exact = _from_number(value)
    if exact is not None:
        return exact
    text = _plain(value)
    try:
        return _from_decimal(Decimal(text)) if decimal != "," and _is_decimal(text, decimal) else _signed(text, decimal)
    except InvalidOperation:
        raise Unreadable("not a number") from None


def read_money(value: Any, decimal: str = "") -> Money:
    """The amount that ``value`` says: a JSON number, or a text with at most one currency sign or code.

    ``(5.00)``, ``-5.00`` and ``5.00-`` are negative. Separators are read as :func:`read_number` does. Raises
    Unreadable for anything else.
    """
    exact = _from_number(value)
    if exact is not None:
        return Money(amount=exact)
    found = _AMOUNT.fullmatch(_plain(value))
    if found is None or bool(found["open"]) is not bool(found["close"]):
        raise Unreadable("not an amount of money")
    signs = [sign for sign in (found["sign"], found["sign2"], found["sign3"]) if sign] + ["-"] * bool(found["open"])
    marks = [mark.strip() for mark in (found["before"], found["after"]) if mark and mark.strip()]
    if len(signs) > 1 or len(marks) > 2:
        raise Unreadable("not an amount of money")
    amount = _magnitude(found["body"], decimal)
    currencies: frozenset[str] = frozenset()
    for mark in marks:
        told = _currency(mark)
        currencies = currencies & told if currencies else told
        if not currencies:
            raise Unreadable("two currencies in one amount")
    return Money(amount=-amount if "-" in signs else amount, currencies=currencies)


def _from_number(value: Any) -> Fraction | None:
    """The exact value of a JSON number (a float's is its shortest decimal), or None for a text."""
    if isinstance(value, str):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable("neither a number nor a text")
    if isinstance(value, int):
        if value.bit_length() > _MAX_EXPONENT * 3:
            raise Unreadable("too large")
        return Fraction(value)
    if not isfinite(value):
        raise Unreadable("not a finite number")
    return Fraction(Decimal(repr(value)))


def _from_decimal(number: Decimal) -> Fraction:
    if not number.is_finite() or abs(number.adjusted()) > _MAX_EXPONENT:
        raise Unreadable("not a finite number of a usual size")
    return Fraction(number)


def _plain(value: str) -> str:
    if len(value) > _MAX_TEXT:
        raise Unreadable("too long for a number")
    text = " ".join(unicodedata.normalize("NFKC", value).split())
    return text.replace("\u2212", "-").replace("\u2019", "'").replace("\u2018", "'")


def _is_decimal(text: str, decimal: str) -> bool:
    """Whether a text is a number as programs write it, and no group of thousands could be meant by its point."""
    head, point, tail = text.lstrip("+-").partition(".")
    if not re.fullmatch(r"\d*", head) or not re.fullmatch(r"\d*(?:[eE][-+]?\d{1,4})?", tail if point else ""):
        return bool(re.fullmatch(r"[-+]?\d+[eE][-+]?\d{1,4}", text))
    return (
        not point or decimal == "." or len(tail) != 3 or not tail.isdigit() or not re.fullmatch(r"[1-9]\d{0,2}", head)
    )


def _signed(text: str, decimal: str) -> Fraction:
    sign = text[:1] if text[:1] in ("-", "+") else ""
    amount = _magnitude(text[len(sign) :].strip(), decimal)
    return -amount if sign == "-" else amount


def _magnitude(body: str, decimal: str) -> Fraction:
    """A number without sign, its separators read by the declared mark or where they allow one reading only."""
    mark = decimal or _decimal_mark(body)
    whole, point, part = body.rpartition(mark) if mark and mark in body else (body, "", "")
    if whole and not whole.isdecimal():
        used = _THOUSANDS.fullmatch(whole)
        if used is None or (mark and mark in whole):
            raise Unreadable("separators in unusual places")
    if (point and not part.isdecimal()) or not (whole or part):
        raise Unreadable("not a number")
    digits = re.sub(r"[.,' ]", "", whole) or "0"
    return _from_decimal(Decimal(f"{digits}.{part or '0'}"))


def _decimal_mark(body: str) -> str:
    """The decimal mark, where only one is possible; ``""`` where there is none. Raises Unreadable in doubt."""
    points, commas = body.count("."), body.count(",")
    if points and commas:
        last = "." if body.rindex(".") > body.rindex(",") else ","
        if body.count(last) > 1:
            raise Unreadable("separators in unusual places")
        return last
    if points + commas != 1:
        return ""
    mark = "." if points else ","
    whole, _, part = body.partition(mark)
    if len(part) == 3 and re.fullmatch(r"[1-9]\d{0,2}", whole):
        raise Unreadable("a decimal or a group of thousands; declare which")
    return mark


def _currency(mark: str) -> frozenset[str]:
    word = mark.upper().strip()
    if word in _SIGNS:
        return _SIGNS[word]
    if word.rstrip(".:") in _SIGNS:
        return _SIGNS[word.rstrip(".:")]
    if _CODE.fullmatch(word):
        return frozenset({word})
    parts = word.split()
    if len(parts) == 2:
        both = _currency(parts[0]) & _currency(parts[1])
        if both:
            return both
    raise Unreadable("words around an amount")
