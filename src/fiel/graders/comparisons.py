"""A comparison is how one field was declared to be compared: what may differ between two values that are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from fiel.core.errors import ConfigError, did_you_mean
from fiel.graders.amounts import Money, read_money, read_number
from fiel.graders.dates import ORDERS, check_format, read_date
from fiel.graders.settings import brief, check_choice, texts, tolerance
from fiel.graders.text import FORMS, normalise_all
from fiel.graders.unreadable import Unreadable
from fiel.graders.values import equal

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "exact": (),
    "nfc": (),
    "casefold": (),
    "text": ("normalise",),
    "number": ("tolerance", "relative", "decimal"),
    "date": ("formats", "order"),
    "money": ("tolerance", "decimal", "currency"),
    "set": ("of",),
    "list": ("of",),
}
"""The kinds of comparison, each with the settings it takes."""

TEXT_FORMS: Final[tuple[str, ...]] = ("nfkc", "quotes", "casefold", "punctuation", "whitespace")
CURRENCY: Final[tuple[str, ...]] = ("where_both", "require", "ignore")
_MAX_MEMBERS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One declared comparison; made by :func:`comparison`, which checks it.

    ``tolerance`` (absolute) and ``relative`` (to the expected value) are exact decimals as text: a number within
    either is the same. ``currency`` says when two currencies are compared: ``where_both`` name one, ``require``
    (both must), or ``ignore``. ``of`` compares the members of a list (in order) or a set (order and repetition
    say nothing).
    """

    kind: str
    normalise: tuple[str, ...] = ()
    tolerance: str = "0"
    relative: str = "0"
    decimal: str = ""
    currency: str = "where_both"
    formats: tuple[str, ...] = ()
    order: str = ""
    of: Comparison | None = None


EXACT: Final = Comparison(kind="exact")


def comparison(declared: Any, where: str) -> Comparison:
    """The comparison that a setting declares: a kind's name, or a table with ``as`` and the kind's settings.

    Raises ConfigError, naming ``where``, for an unknown kind or setting and for a value that cannot be one.
    """
    if isinstance(declared, Comparison):
        return declared
    table = {"as": declared} if isinstance(declared, str) else declared
    if not isinstance(table, Mapping) or "as" not in table:
        raise ConfigError(f'{where} is {brief(declared)}, expected a kind such as "money" or {{ as = "money", ... }}')
    kind = table["as"]
    check_choice(f"{where}.as", kind, SETTINGS)
    for key in table:
        if key != "as" and key not in SETTINGS[kind]:
            raise ConfigError(f'{where}: "{key}" is no setting of {kind}: {did_you_mean(str(key), SETTINGS[kind])}')
    default = {"text": TEXT_FORMS, "nfc": ("nfc",), "casefold": ("nfc", "casefold")}.get(kind, ())
    made = Comparison(
        kind=kind,
        normalise=texts(f"{where}.normalise", table.get("normalise", default), FORMS),
        tolerance=tolerance(f"{where}.tolerance", table.get("tolerance", 0)),
        relative=tolerance(f"{where}.relative", table.get("relative", 0)),
        decimal=table.get("decimal", ""),
        currency=table.get("currency", "where_both"),
        formats=texts(f"{where}.formats", table.get("formats", ())),
        order=table.get("order", ""),
        of=comparison(table.get("of", "exact"), f"{where}.of") if kind in ("set", "list") else None,
    )
    check_choice(f"{where}.decimal", made.decimal, ("", ".", ","))
    check_choice(f"{where}.currency", made.currency, CURRENCY)
    check_choice(f"{where}.order", made.order, ("", *ORDERS))
    for i, form in enumerate(made.formats):
        try:
            check_format(form)
        except ValueError as error:
            raise ConfigError(f"{where}.formats[{i}] is {brief(form)}: {error}") from None
    return made


def read(how: Comparison, value: Any) -> Any:
    """``value`` as :func:`same` takes it; raises Unreadable when it is not of the declared kind."""
    return _READERS[how.kind](how, value)


def same(how: Comparison, expected: Any, got: Any) -> bool:
    """Whether two values, both as :func:`read` gave them, are the same under the declared comparison."""
    if how.kind == "number":
        return bool(abs(got - expected) <= max(Fraction(how.tolerance), Fraction(how.relative) * abs(expected)))
    if how.kind == "money":
        return _same_money(how, expected, got)
    if how.kind == "date":
        return bool(expected == got)
    if how.kind in ("list", "set"):
        of = how.of or EXACT
        if how.kind == "list":
            return len(expected) == len(got) and all(same(of, a, b) for a, b in zip(expected, got, strict=True))
        return all(any(same(of, a, b) for b in got) for a in expected) and all(
            any(same(of, a, b) for a in expected) for b in got
        )
    return equal(expected, got)


def _same_money(how: Comparison, expected: Money, got: Money) -> bool:
    if abs(got.amount - expected.amount) > Fraction(how.tolerance):
        return False
    if how.currency == "ignore":
        return True
    if expected.currencies and got.currencies:
        return bool(expected.currencies & got.currencies)
    return how.currency == "where_both"


def _members(how: Comparison, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)) or len(value) > _MAX_MEMBERS:
        raise Unreadable("not a list of a usual length")
    return tuple(read(how.of or EXACT, member) for member in value)


def _text(how: Comparison, value: Any) -> Any:
    return normalise_all(value, how.normalise)


_READERS: Final[Mapping[str, Callable[[Comparison, Any], Any]]] = {
    "exact": lambda _, value: value,
    "nfc": _text,
    "casefold": _text,
    "text": _text,
    "number": lambda how, value: read_number(value, how.decimal),
    "money": lambda how, value: read_money(value, how.decimal),
    "date": lambda how, value: read_date(value, how.formats, how.order),
    "list": _members,
    "set": _members,
}
