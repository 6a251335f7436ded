"""Every rule of the catalogue keeps the contract of graders, whatever the target gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from fiel.core.case import ABSENT, Case
from fiel.core.grader import Grader
from fiel.core.item import Item
from fiel.core.trial import ToolCall
from fiel.core.verdict import Finding, Measure, Ungraded, Verdict
from fiel.graders import KINDS, build
from fiel.testing.grader_contract import check_grader

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "exact": [{}, {"normalise": ["nfkc", "casefold", "squeeze"]}, {"output_at": "/a/0"}],
    "fields": [
        {"compare": {"a": "money", "b": "date", "c": {"as": "set", "of": "number"}, "d": "text", "e": {"as": "list"}}},
        {"output_at": "/x", "empty_is_null": True},
    ],
    "contains": [{}, {"negate": True, "normalise": ["nfkc", "casefold"]}],
    "regex": [{"pattern": "(a|b)*c"}, {"pattern": "x", "negate": True, "full": True}],
    "numeric": [{}, {"negate": True}],
    "latency": [{"max_s": 1}],
    "cost": [{"max_usd": 1}],
    "policy": [{"tenants": {"a": ["AAA-"]}, "canaries": ["never to be seen"]}],
}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^c": False}}


def graders() -> Iterator[Grader]:
    for kind in KINDS:
        for settings in SETTINGS.get(kind, [{}]):
            yield build(kind, kind, settings)


ITEMS = tuple(
    Item(case=Case(id="c", input="", expected=expected, schema=schema), output=output, cost_usd=0.1, tool_calls=calls)
    for expected, output, schema, calls in [
        (
            {"a": "5.00", "b": "2026-01-01", "c": [1], "d": "x", "e": None},
            {"a": "$5", "b": "not a date at all"},
            SCHEMA,
            None,
        ),
        ({"a": 1, "tool_calls": ["f"]}, {"a": 1}, "absent", (ToolCall(name="some tool of theirs"),)),
        ("forty-two is the answer", "the answer is something else", None, ()),
        (42, 42.0, {"type": "number"}, ()),
        (ABSENT, "x", None, None),
    ]
)


@pytest.mark.parametrize("grader", tuple(graders()), ids=lambda grader: grader.name)
def test_the_catalogue_keeps_the_contract(grader: Grader) -> None:
    assert len(check_grader(grader, ITEMS)) == len(ITEMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulty:
    """A grader with one fault."""

    fault: str
    name: str = "faulty"
    version: str = "1"

    def grade(self, item: Item) -> Any:
        text = str(item.output) if isinstance(item.output, str) else ""
        faults: dict[str, Any] = {
            "quotes": Verdict(passed=False, label="wrong", reason=f"got:{text[:60]}"),
            "counts": Verdict(passed=True, label="right", measures=(Measure(hits=2, of=1),)),
            "twice": Verdict(passed=True, label="right", measures=(Measure(hits=1, of=1), Measure(hits=1, of=1))),
            "label": Verdict(passed=True, label=f"length {len(text)}"),
            "silent": Verdict(passed=False, label="wrong"),
            "unsaid": Ungraded(reason=""),
            "unwritable": Verdict(
                passed=False, label="wrong", reason="wrong", findings=(Finding(path="", outcome="wrong", got={1}),)
            ),
        }
        if self.fault not in faults:
            raise ValueError(self.fault)
        return faults[self.fault]


@pytest.mark.parametrize("fault", ["quotes", "counts", "twice", "label", "silent", "unsaid", "unwritable", "crash"])
def test_the_contract_catches_each_fault(fault: str) -> None:
    with pytest.raises(AssertionError):
        check_grader(Faulty(fault=fault), [Item(case=Case(id="c", input=""), output="a text of the output")])


def test_the_contract_catches_a_grader_that_changes_or_wavers() -> None:
    class Loose:
        name, version = "loose", "1"
        calls = 0

        def grade(self, item: Item) -> Verdict:
            self.calls += 1
            return Verdict(passed=True, label="odd" if self.calls % 2 else "even")

    with pytest.raises(AssertionError, match="frozen"):
        check_grader(Loose())

    class Waverer(Loose):
        __slots__ = ()
        name = property(lambda _: "waverer")  # type: ignore[assignment]

    with pytest.raises(AssertionError, match="differ"):
        check_grader(Waverer(), [Item(case=Case(id="c", input=""), output="x")])
