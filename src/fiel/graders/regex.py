"""``regex`` says whether a pattern occurs in a text, in time that grows only linearly with the text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.contains import NOT_TEXT
from fiel.graders.settings import brief, check_counts, check_flags, check_names, check_pointers
from fiel.graders.values import NO_EXPECTED, expectation, printable, resolve, shown

LABELS: Final[tuple[str, ...]] = ("matches", "does_not_match")

_MAX_PATTERN: Final = 10_000
_COMPILED_BYTES: Final = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """Whether ``pattern`` (or the case's expected text, at ``expected_at``) occurs in the output.

    The dialect is JSON Schema's (ECMA 262) without look-around and back-references, run by an engine without
    backtracking, so no output can make it slow; ``\\d``, ``\\w`` and ``\\s`` are ASCII's, ``\\p{L}`` is any letter.
    ``full`` asks for the whole text, ``ignore_case`` folds case. Texts above ``max_chars`` characters are
    Ungraded("text_too_long"); an output that is no text is Ungraded("not_text"), under ``negate`` too. Lone
    surrogates are read as U+FFFD. Ungraded also: ``no_expected``, ``pattern_malformed`` (the case's own).
    """

    name: str = "regex"
    version: str = "1"
    pattern: str = ""
    full: bool = False
    ignore_case: bool = False
    negate: bool = False
    max_chars: int = 1_000_000
    expected_at: str = ""
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at, output_at=self.output_at)
        check_flags(full=self.full, ignore_case=self.ignore_case, negate=self.negate)
        check_counts(max_chars=self.max_chars)
        if not isinstance(self.pattern, str):
            raise ConfigError(f"pattern is {brief(self.pattern)}, expected a text")
        if self.pattern:
            _matcher(self.pattern, self.full, self.ignore_case)

    def grade(self, item: Item) -> Verdict | Ungraded:
        pattern = self.pattern or expectation(item.case, ABSENT, self.expected_at)
        if pattern is ABSENT:
            return NO_EXPECTED
        if not isinstance(pattern, str) or not pattern:
            return Ungraded(reason="pattern_malformed", detail="the case's pattern is no text, or empty")
        output = resolve(item.output, self.output_at)
        if not isinstance(output, str):
            return NOT_TEXT
        if len(output) > self.max_chars:
            return Ungraded(reason="text_too_long", detail=f"{len(output)} characters, at most {self.max_chars}")
        try:
            matcher = _matcher(pattern, self.full, self.ignore_case)
        except ConfigError:
            return Ungraded(reason="pattern_malformed", detail="the case's pattern does not compile")
        matches = matcher.is_valid(printable(output))
        label = "matches" if matches else "does_not_match"
        if matches is not self.negate:
            return Verdict(passed=True, label=label)
        finding = Finding(path=self.output_at, outcome=label, expected=shown(pattern), got=shown(output))
        return Verdict(passed=False, label=label, reason=label, findings=(finding,))


@lru_cache(maxsize=256)
def _matcher(pattern: str, full: bool, ignore_case: bool) -> Any:
    """A validator whose ``is_valid`` says whether the pattern occurs; raises ConfigError for one it cannot run."""
    import jsonschema_rs  # Costs 50 ms, which a command that grades nothing should not pay.

    if len(pattern) > _MAX_PATTERN:
        raise ConfigError(f"pattern is {len(pattern)} characters long, at most {_MAX_PATTERN} are read")
    wrapped = f"^(?:{pattern})$" if full else pattern
    engine = jsonschema_rs.RegexOptions(size_limit=_COMPILED_BYTES, dfa_size_limit=_COMPILED_BYTES)
    try:
        # The bare pattern is tried first: wrapped, "a)|(b" would compile and mean something else.
        for text in (pattern, wrapped):
            folded = f"(?i){text}" if ignore_case else text
            matcher = jsonschema_rs.validator_for({"pattern": folded}, pattern_options=engine)
    except ValueError:
        raise ConfigError(
            f"pattern {brief(pattern)} does not compile, expected ECMA 262 without look-around or back-references"
        ) from None
    return matcher
