"""``contains`` says whether a text holds the phrases that it should, or none of those that it should not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import brief, check_choice, check_flags, check_names, check_pointers, texts
from fiel.graders.text import FORMS, normalise
from fiel.graders.values import NO_EXPECTED, expectation, resolve, shown

LABELS: Final[tuple[str, ...]] = ("contains", "does_not_contain")
NOT_TEXT: Final = Ungraded(reason="not_text", detail="the output is no text, so nothing can be said of what it holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """Whether the output holds the expected phrases (one text or a list): ``all`` of them or ``any``.

    Phrases come from ``value`` if declared, else from the case, at ``expected_at``. ``negate`` turns the rule
    round: no phrase may occur (``any``, the default then) or not all together (``all``). An output that is no
    text is Ungraded("not_text") under both, so negation never makes a pass of it. The default of ``match`` is
    ``all``, and ``any`` under ``negate``. Ungraded also: ``no_expected``, ``expected_not_text`` (an empty phrase
    would be in everything).
    """

    name: str = "contains"
    version: str = "1"
    value: Any = ABSENT
    match: str = ""
    negate: bool = False
    normalise: tuple[str, ...] = ()
    expected_at: str = ""
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at, output_at=self.output_at)
        check_flags(negate=self.negate)
        check_choice("match", self.match, ("", "all", "any"))
        object.__setattr__(self, "normalise", texts("normalise", self.normalise, FORMS))
        if self.value is not ABSENT and not _phrases(self.value):
            raise ConfigError(f"value is {brief(self.value)}, expected a text or a list of texts, none of them empty")

    def grade(self, item: Item) -> Verdict | Ungraded:
        expected = expectation(item.case, self.value, self.expected_at)
        if expected is ABSENT:
            return NO_EXPECTED
        phrases = [normalise(phrase, self.normalise) for phrase in _phrases(expected)]
        if not phrases or not all(phrases):
            return Ungraded(reason="expected_not_text", detail="a text or a list of texts is expected, none empty")
        output = resolve(item.output, self.output_at)
        if not isinstance(output, str):
            return NOT_TEXT
        text = normalise(output, self.normalise)
        held = [phrase for phrase in phrases if phrase in text]
        every = (self.match or ("any" if self.negate else "all")) == "all"
        holds = len(held) == len(phrases) if every else bool(held)
        label = "contains" if holds else "does_not_contain"
        if holds is not self.negate:
            return Verdict(passed=True, label=label)
        blamed = held if self.negate else [phrase for phrase in phrases if phrase not in text]
        findings = tuple(Finding(path=self.output_at, outcome=label, expected=shown(word)) for word in blamed[:20])
        return Verdict(passed=False, label=label, reason=label, findings=findings)


def _phrases(value: Any) -> list[str]:
    """The phrases that a value declares; none when it is not a text or a list of texts, or one is empty."""
    phrases = [value] if isinstance(value, str) else list(value) if isinstance(value, (list, tuple)) else []
    return phrases if all(isinstance(phrase, str) and phrase for phrase in phrases) else []
