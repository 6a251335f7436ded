"""``fields`` compares an output with what was expected field by field, and tells a wrong value from an invented one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.pointer import pointer_of, pointer_steps
from fiel.core.verdict import Finding, Measure, Ungraded, Verdict
from fiel.graders.comparisons import EXACT, Comparison, comparison, read, same
from fiel.graders.settings import brief, check_flags, check_names, check_pointers, texts
from fiel.graders.unreadable import Unreadable
from fiel.graders.values import (
    NO_EXPECTED,
    TOO_DEEP,
    equal,
    expectation,
    resolve,
    shown,
)

OUTCOMES: Final[tuple[str, ...]] = ("match", "mismatch", "missed", "invented", "abstained")
LABELS: Final[tuple[str, ...]] = ("match", "field_mismatch", "output_not_object")

_MATCH, _MISMATCH, _MISSED, _INVENTED, _ABSTAINED = range(5)
_FIELD_MEASURES: Final = 32
_FIELD_NAME: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Each expected field is a ``match``, a ``mismatch``, ``missed`` (null or absent though a value was expected),
    ``invented`` (a value though null was expected) or ``abstained`` (null where null was expected).

    A field is named by its key, or by a JSON pointer when it lies deeper. The expected object's own keys are the
    fields; an object inside it is opened into fields of their own where ``compare`` points into it. ``fields``
    chooses others (those that the case expects nothing of are left out). What the output has beyond them is not
    looked at: whether it may be there is for ``schema`` to say. ``compare`` maps a field to its comparison
    (exact where none is declared); ``empty_is_null`` reads ``""`` as null on both sides.

    The verdict passes when every field is a match or abstained. Otherwise its reason is
    ``field_mismatch:<field>``, for the first field in expected order that is a mismatch, missed or invented
    alike, and the findings are those fields. A flag ``unreadable:<field>`` marks a mismatch whose value is not
    of the declared kind. An output that is no object has no fields: each counts as null and the verdict fails
    with ``output_not_object``, but for null itself, which abstains from everything.

    Measures, as sums over fields: the own name is accuracy, match / (match + mismatch + missed + invented);
    ``coverage`` is the share of all fields that were answered, and ``selective_accuracy`` the share of those
    answers that match (El-Yaniv and Wiener 2010); ``invention_rate`` is invented / (invented + abstained);
    ``abstained`` is its share of all fields; ``field:<name>`` is one field's accuracy, for the first 32 fields
    and none when ``per_field`` is false.

    Ungraded: ``no_expected``, ``expected_not_object``, ``no_expected_fields``, ``too_deep``, and
    ``expected_unreadable`` when the case's own value is not of the kind that was declared for it.
    """

    name: str = "fields"
    version: str = "1"
    compare: Mapping[str, Comparison] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    empty_is_null: bool = False
    per_field: bool = True
    expected_at: str = ""
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at, output_at=self.output_at)
        check_flags(empty_is_null=self.empty_is_null, per_field=self.per_field)
        if not isinstance(self.compare, Mapping):
            raise ConfigError(f"compare is {brief(self.compare)}, expected a table from fields to comparisons")
        declared = {_canonical(key): comparison(how, f"compare.{key}") for key, how in self.compare.items()}
        object.__setattr__(self, "compare", declared)
        object.__setattr__(self, "fields", tuple(map(_canonical, texts("fields", self.fields))))

    def grade(self, item: Item) -> Verdict | Ungraded:
        expected = expectation(item.case, ABSENT, self.expected_at)
        if expected is ABSENT:
            return NO_EXPECTED
        if not isinstance(expected, dict):
            return Ungraded(reason="expected_not_object", detail="fields are the members of an expected object")
        output = resolve(item.output, self.output_at)
        try:
            wanted = list(self._wanted(expected))
            if not wanted:
                return Ungraded(reason="no_expected_fields", detail="the case expects none of the declared fields")
            return self._verdict(wanted, None if output is ABSENT else output)
        except _ExpectedUnreadable as problem:
            return Ungraded(reason="expected_unreadable", detail=f"field {problem}")
        except RecursionError:
            return TOO_DEEP

    def _wanted(self, expected: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        if not self.fields:
            pointed = {pointer_steps(name) for name in self.compare if name.startswith("/")}
            opened = {steps[:n] for steps in pointed for n in range(1, len(steps))} - pointed
            yield from _members((), expected, opened)
            return
        for name in self.fields:
            value = _at(expected, name)
            if value is not ABSENT:
                yield name, value

    def _verdict(self, wanted: list[tuple[str, Any]], output: Any) -> Verdict:
        counts = [0] * len(OUTCOMES)
        findings: list[Finding] = []
        flags: list[str] = []
        own: list[Measure] = []
        for name, value in wanted:
            got = _at(output, name)
            got = None if got is ABSENT else got
            outcome, unreadable = self._outcome(name, value, got)
            counts[outcome] += 1
            if outcome in (_MISMATCH, _MISSED, _INVENTED):
                findings.append(Finding(path=name, outcome=OUTCOMES[outcome], expected=shown(value), got=shown(got)))
            if unreadable:
                flags.append(f"unreadable:{name}")
            if self.per_field and outcome != _ABSTAINED and len(own) < _FIELD_MEASURES and len(name) <= _FIELD_NAME:
                own.append(Measure(name=f"field:{name}", hits=int(outcome == _MATCH), of=1))
        is_object = output is None or isinstance(output, dict)
        if not is_object:
            label = reason = "output_not_object"
        else:
            label = "field_mismatch" if findings else "match"
            reason = f"field_mismatch:{findings[0].path}" if findings else ""
        return Verdict(
            passed=is_object and not findings,
            label=label,
            reason=reason,
            measures=(*_measures(*counts), *own),
            findings=tuple(findings),
            flags=tuple(flags),
        )

    def _outcome(self, name: str, expected: Any, got: Any) -> tuple[int, bool]:
        """The outcome of one field, and whether what was given is not of the declared kind."""
        if self.empty_is_null:
            expected, got = expected if expected != "" else None, got if got != "" else None
        if got is None:
            return (_ABSTAINED if expected is None else _MISSED), False
        if expected is None:
            return _INVENTED, False
        # The same JSON value is the same under every comparison, readable or not.
        if equal(expected, got):
            return _MATCH, False
        how = self.compare.get(name, EXACT)
        try:
            wanted = read(how, expected)
        except Unreadable as problem:
            raise _ExpectedUnreadable(f"{name}, declared {how.kind}: {problem}") from None
        try:
            return (_MATCH if same(how, wanted, read(how, got)) else _MISMATCH), False
        except Unreadable:
            return _MISMATCH, True


class _ExpectedUnreadable(Exception):
    """The dataset's own value is not of the kind that was declared: the target is not to blame."""


def _canonical(name: str) -> str:
    """A field's one name: its key at the top, its JSON pointer below. Raises ConfigError for a blank name."""
    if not isinstance(name, str) or not name:
        raise ConfigError(f"a field is named {brief(name)}, expected its key or a JSON pointer")
    if not name.startswith("/"):
        return name
    return _name(pointer_steps(name))


def _name(steps: tuple[str, ...]) -> str:
    return steps[0] if len(steps) == 1 and steps[0] and not steps[0].startswith("/") else pointer_of(steps)


def _members(prefix: tuple[str, ...], value: dict[str, Any], opened: set[tuple[str, ...]]) -> Iterator[tuple[str, Any]]:
    for key, member in value.items():
        steps = (*prefix, str(key))
        if steps in opened and isinstance(member, dict):
            yield from _members(steps, member, opened)
        else:
            yield _name(steps), member


def _at(value: Any, name: str) -> Any:
    if not name.startswith("/"):
        return value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return resolve(value, name)


def _measures(match: int, mismatch: int, missed: int, invented: int, abstained: int) -> tuple[Measure, ...]:
    answered, total = match + mismatch + invented, match + mismatch + missed + invented + abstained
    found = (
        Measure(name="coverage", hits=answered, of=total),
        Measure(name="selective_accuracy", hits=match, of=answered),
        Measure(name="invention_rate", hits=invented, of=invented + abstained),
        Measure(name="abstained", hits=abstained, of=total),
    )
    # The own-name measure stays even when it counts nothing: without it the verdict itself would be counted.
    own = Measure(hits=match, of=match + mismatch + missed + invented)
    return (own, *(measure for measure in found if measure.of))
