"""Numbers that prove themselves: CPF, CNPJ, RUT, SSN, payment cards and IBAN, by shape and check digits.

Each recogniser reads text folded by ``folding.shapes`` in the ``windows`` where digits stand close together, and
yields ``(start, end)`` spans of the text, in order and apart. Every shape has a bounded length, so the work is
linear in the text. ``outside`` is what the text's surroundings call a number in it (``context.label_in``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from fiel.personal.context import label_near, may_be

Span = tuple[int, int]
Windows = Sequence[Span]
Recogniser = Callable[[str, str, Windows], Iterator[Span]]

# A separator: a dot, dash or slash with a space at most on either side, or a space alone.
_S: Final = r"(?: ?[./-] ?| )"
_FREE: Final = r"(?<![0-9A-Za-z])"
_END: Final = r"(?![0-9A-Za-z])"


def _shape(pattern: str) -> re.Pattern[str]:
    # Inside a lookahead every start is tried, also one that lies in a longer number that proved to be nothing.
    return re.compile(f"(?=({pattern}))")


_CPF: Final = _shape(
    rf"(?<![0-9])(?:[0-9]{{3}}{_S}[0-9]{{3}}{_S}[0-9]{{3}}{_S}?[0-9]{{2}}|[0-9]{{9}} ?[-/] ?[0-9]{{2}}|[0-9]{{11}})"
    r"(?![0-9])"
)
_CNPJ: Final = _shape(
    rf"(?:{_FREE}|(?<=[Cc][Nn][Pp][Jj]))(?:[0-9]{{2}}{_S}[0-9]{{3}}{_S}[0-9]{{3}}{_S}[0-9]{{4}}{_S}[0-9]{{2}}"
    r"|[0-9A-Za-z]{2} ?\. ?[0-9A-Za-z]{3} ?\. ?[0-9A-Za-z]{3} ?/ ?[0-9A-Za-z]{4} ?- ?[0-9]{2}"
    rf"|[0-9A-Za-z]{{8}} ?/ ?[0-9A-Za-z]{{4}} ?- ?[0-9]{{2}}|[0-9A-Za-z]{{12}}[0-9]{{2}}){_END}"
)
_RUT: Final = _shape(
    rf"(?<![0-9])(?<![0-9]\.)(?:[0-9]{{1,2}}\.[0-9]{{3}}\.[0-9]{{3}} ?- ?[0-9Kk]|[0-9]{{7,8}} ?-? ?[0-9Kk]){_END}"
)
_SSN: Final = _shape(r"(?<![0-9-])(?:[0-9]{3}([ -])[0-9]{2}\2[0-9]{4}|[0-9]{9})(?![0-9-])")
_CARD: Final = _shape(
    r"(?<![0-9])(?<![0-9]\.)(?:[0-9]{4}(?:[ -][0-9]{4}){3}(?:[ -][0-9]{1,3})?|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}"
    r"|[0-9]{13,19})(?![0-9]|\.[0-9])"
)
_IBAN: Final = _shape(rf"{_FREE}[A-Za-z]{{2}}[0-9]{{2}}(?: ?[0-9A-Za-z]){{11,30}}")
_CLUSTER: Final = re.compile(r"[0-9](?:[ ./()-]{0,3}[0-9])+")
_LETTERED_CNPJ: Final = re.compile(r"/ ?[0-9A-Za-z]{4} ?- ?[0-9]{2}|(?i:cnpj)")
_IBAN_HEAD: Final = re.compile(r"[A-Za-z]{2}[0-9]{2} ?[0-9A-Za-z]{4}")
_BEFORE_FRACTION: Final = re.compile(r"(?<=[0-9]\.)")
_FRACTION: Final = re.compile(r"\.[0-9]")
_NOT_DIGIT: Final = re.compile(r"[^0-9]")
_NOT_PLAIN: Final = re.compile(r"[^0-9A-Za-z]")
_PUNCTUATED: Final = re.compile(r"[./-]")


def _compact(text: str) -> str:
    return _NOT_PLAIN.sub("", text).upper()


def clusters(text: str, least: int) -> list[tuple[int, int, int]]:
    """Where at least ``least`` digits stand with at most three separators between two: ``(start, end, digits)``.

    Eight characters around them belong to the place: a plus, a bracket, the K of a RUT, what a boundary looks at.
    """
    found = []
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        if end - start >= least:
            digits = end - start - len(_NOT_DIGIT.findall(text, start, end))
            if digits >= least:
                found.append((max(0, start - 8), end + 8, digits))
    return found


def windows_for(kind: str, text: str, places: Sequence[tuple[int, int, int]]) -> Windows:
    """Where a number of ``kind`` can stand at all, given the ``clusters`` of the text."""
    if (kind == "cnpj" and _LETTERED_CNPJ.search(text)) or (kind == "iban" and _IBAN_HEAD.search(text)):
        return ((0, len(text)),)
    least = _LEAST_DIGITS[kind]
    return [(start, end) for start, end, digits in places if digits >= least]


def _spans(shape: re.Pattern[str], text: str, windows: Windows, accept: Callable[[int, int], int]) -> Iterator[Span]:
    """Spans of ``shape`` that ``accept(start, end)`` confirms by giving their end (0: it is none)."""
    reached = 0
    for begin, stop in windows:
        for match in shape.finditer(text, max(begin, reached), stop):
            start, end = match.span(1)
            if start >= reached and (true_end := accept(start, end)):
                yield start, true_end
                reached = true_end


def _named(kind: str, text: str, start: int, end: int, outside: str) -> bool:
    """Whether a word nearby calls the bare number so, and it is not a piece of an amount."""
    decimal = _BEFORE_FRACTION.match(text, start) or _FRACTION.match(text, end)
    return decimal is None and may_be(kind, label_near(text, start, end, outside))


def _checked(
    kind: str, shape: re.Pattern[str], is_valid: Callable[[str], bool], text: str, outside: str, windows: Windows
) -> Iterator[Span]:
    """Numbers with two check digits: they need punctuation besides, or a word that calls them so."""

    def accept(start: int, end: int) -> int:
        number = _compact(text[start:end])
        if len(set(number)) == 1 or not is_valid(number):  # 111.111.111-11 has the right check digits
            return 0
        return end if _PUNCTUATED.search(text, start, end) or _named(kind, text, start, end, outside) else 0

    return _spans(shape, text, windows, accept)


def cpf(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Brazilian natural persons: ``390.533.447-05``; without punctuation only where a word calls it so."""
    from stdnum.br.cpf import is_valid

    return _checked("cpf", _CPF, is_valid, text, outside, windows)


def cnpj(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Brazilian legal entities, letters included: ``16.727.230/0001-97``, ``12.ABC.345/01DE-35``."""
    from stdnum.br.cnpj import is_valid

    return _checked("cnpj", _CNPJ, is_valid, text, outside, windows)


def rut(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Chilean persons and companies: ``12.531.909-2``; without dots only where a word calls it so.

    One check digit of eleven lets one order number such as ``20260928-1`` in eleven through, so a dash is not
    enough.
    """
    from stdnum.cl.rut import is_valid

    def accept(start: int, end: int) -> int:
        number = _compact(text[start:end])
        if not number.strip("0") or not is_valid(number):
            return 0
        return end if "." in text[start:end] or _named("rut", text, start, end, outside) else 0

    return _spans(_RUT, text, windows, accept)


def ssn(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """US social security numbers: ``536-90-4399``; they have no check digit, so area and group must be issued ones.

    Without dashes only where a word calls it so.
    """
    from stdnum.us.ssn import is_valid

    def accept(start: int, end: int) -> int:
        digits = _compact(text[start:end])
        if not is_valid(f"{digits[:3]}-{digits[3:5]}-{digits[5:]}"):
            return 0
        return end if "-" in text[start:end] or _named("ssn", text, start, end, outside) else 0

    return _spans(_SSN, text, windows, accept)


# Issuers' number ranges as published by the schemes: (first, last) over as many digits, and the lengths in use.
_ISSUERS: Final = (
    ("4", "4", (13, 16, 19)),  # Visa, and the Elo ranges inside it
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("300", "305", (14, 16)),  # Diners Club
    ("36", "36", (14, 16)),
    ("38", "39", (14, 16)),
    ("6011", "6011", (16, 19)),  # Discover
    ("644", "659", (16, 19)),  # Discover, Elo, RuPay
    ("3528", "3589", (16, 19)),  # JCB
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    ("5018", "5018", (13, 16, 19)),  # Maestro
    ("5020", "5020", (13, 16, 19)),
    ("5038", "5038", (13, 16, 19)),
    ("5893", "5893", (13, 16, 19)),
    ("6304", "6304", (13, 16, 19)),
    ("6759", "6763", (13, 16, 19)),
    ("504175", "504175", (16,)),  # Elo
    ("506699", "506778", (16,)),
    ("509000", "509999", (16,)),
    ("627780", "627780", (16,)),
    ("636297", "636368", (16,)),
    ("606282", "606282", (13, 16, 19)),  # Hipercard
    ("384100", "384160", (13, 16, 19)),
    ("2200", "2204", (16, 19)),  # Mir
)


def issued(digits: str) -> bool:
    """Whether a card issuer uses this beginning with this length."""
    return any(first <= digits[: len(first)] <= last and len(digits) in lengths for first, last, lengths in _ISSUERS)


def card(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Payment cards: an issuer's prefix, its length and Luhn (ISO/IEC 7812-1).

    Grouped, or in one run of 15 or 16 digits; runs of other lengths (barcodes, millisecond times, database keys)
    only where a word calls it so.
    """
    from stdnum.luhn import is_valid

    def accept(start: int, end: int) -> int:
        for stop in (end, start + 19):  # what follows four groups may be the card's own tail or another number
            digits = _compact(text[start:stop])
            if stop <= end and issued(digits) and is_valid(digits) and (stop == end or not text[stop].isdigit()):
                grouped = len(digits) < stop - start
                if grouped or len(digits) in (15, 16) or _named("card", text, start, stop, outside):
                    return stop
        return 0

    return _spans(_CARD, text, windows, accept)


# The length of an IBAN by country, as the SWIFT registry lists them.
_REGISTRY: Final = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28
EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26
IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28
NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25
SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
"""
_IBAN_LENGTHS: Final = {entry[:2]: int(entry[2:]) for entry in _REGISTRY.split()}


def iban(text: str, outside: str, windows: Windows) -> Iterator[Span]:
    """Bank accounts (ISO 13616): a country, its length and structure, and mod 97."""
    from stdnum.iban import is_valid

    def accept(start: int, end: int) -> int:
        length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
        stop = start
        while stop < end and length:
            length -= text[stop] != " "
            stop += 1
        # Words may follow the number, but no letter may touch it.
        whole = not length and stop > start and not text[stop : stop + 1].isalnum()
        return stop if whole and is_valid(_compact(text[start:stop])) else 0

    return _spans(_IBAN, text, windows, accept)


RECOGNISERS: Final[dict[str, Recogniser]] = {
    "cpf": cpf,
    "cnpj": cnpj,
    "rut": rut,
    "ssn": ssn,
    "card": card,
    "iban": iban,
}
_LEAST_DIGITS: Final = {"cpf": 11, "cnpj": 14, "rut": 7, "ssn": 9, "card": 13, "iban": 99, "phone": 8}
FEWEST_DIGITS: Final = min(_LEAST_DIGITS.values())
