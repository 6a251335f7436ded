"""``exact`` says whether the output is the expected JSON value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import check_names, check_pointers, texts
from fiel.graders.text import FORMS, normalise_all
from fiel.graders.values import NO_EXPECTED, TOO_DEEP, equal, expectation, resolve, shown

LABELS: Final[tuple[str, ...]] = ("equal", "different")
_EQUAL: Final = Verdict(passed=True, label="equal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Whether the output equals the expected value: ``value`` if declared, else the case's, each at its pointer.

    JSON equality, nothing folded: 1 and 1.0 are one number, ``true`` is never 1, NaN equals nothing, and composed
    and decomposed accents are two texts. ``normalise`` declares what may differ inside texts (see
    :data:`fiel.graders.text.FORMS`). An absent output differs from everything, null included. Ungraded:
    ``no_expected``, ``too_deep``.
    """

    name: str = "exact"
    version: str = "1"
    normalise: tuple[str, ...] = ()
    value: Any = ABSENT
    expected_at: str = ""
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at, output_at=self.output_at)
        object.__setattr__(self, "normalise", texts("normalise", self.normalise, FORMS))

    def grade(self, item: Item) -> Verdict | Ungraded:
        output, case = item.output, item.case
        plain = self.value is ABSENT and not self.expected_at
        expected = case.expected if plain else expectation(case, self.value, self.expected_at)
        if expected is ABSENT:
            return NO_EXPECTED
        if self.output_at:
            output = resolve(output, self.output_at)
        try:
            if equal(expected, output):
                return _EQUAL
            if self.normalise and equal(normalise_all(expected, self.normalise), normalise_all(output, self.normalise)):
                return _EQUAL
        except RecursionError:
            return TOO_DEEP
        finding = Finding(path=self.output_at, outcome="different", expected=shown(expected), got=shown(output))
        return Verdict(passed=False, label="different", reason="different", findings=(finding,))
