"""``numeric`` says whether the output is the expected number, within a declared tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.amounts import read_number
from fiel.graders.settings import brief, check_choice, check_flags, check_names, check_pointers, tolerance
from fiel.graders.unreadable import Unreadable
from fiel.graders.values import NO_EXPECTED, expectation, resolve, shown

LABELS: Final[tuple[str, ...]] = ("within", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeric:
    """Whether ``|output - expected|`` is at most ``tolerance``, or ``relative`` times ``|expected|``; in exact numbers.

    Numbers are JSON numbers or texts that are a number and nothing else, with ``decimal`` as the declared decimal
    mark. What cannot be read as one number is Ungraded("not_a_number"), under ``negate`` too: it is neither
    near nor far. Ungraded also: ``no_expected``, ``expected_unreadable``.
    """

    name: str = "numeric"
    version: str = "1"
    value: Any = ABSENT
    tolerance: str = "0"
    relative: str = "0"
    decimal: str = ""
    negate: bool = False
    expected_at: str = ""
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at, output_at=self.output_at)
        check_flags(negate=self.negate)
        check_choice("decimal", self.decimal, ("", ".", ","))
        object.__setattr__(self, "tolerance", tolerance("tolerance", self.tolerance))
        object.__setattr__(self, "relative", tolerance("relative", self.relative))
        if self.value is not ABSENT:
            try:
                read_number(self.value, self.decimal)
            except Unreadable as problem:
                raise ConfigError(f"value is {brief(self.value)}, expected a number ({problem})") from None

    def grade(self, item: Item) -> Verdict | Ungraded:
        expected = expectation(item.case, self.value, self.expected_at)
        if expected is ABSENT:
            return NO_EXPECTED
        try:
            wanted = read_number(expected, self.decimal)
        except Unreadable as problem:
            return Ungraded(reason="expected_unreadable", detail=str(problem))
        output = resolve(item.output, self.output_at)
        try:
            got = read_number(output, self.decimal)
        except Unreadable as problem:
            return Ungraded(reason="not_a_number", detail=str(problem))
        within = abs(got - wanted) <= max(Fraction(self.tolerance), Fraction(self.relative) * abs(wanted))
        label = "within" if within else "outside"
        if within is not self.negate:
            return Verdict(passed=True, label=label)
        finding = Finding(path=self.output_at, outcome=label, expected=shown(expected), got=shown(output))
        return Verdict(passed=False, label=label, reason=label, findings=(finding,))
