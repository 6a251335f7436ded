"""The contract suite of graders: what every grader must keep to, whoever wrote it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.grader import Answer, Grader, Question, Result, fingerprint
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.harness.drive import replay

CANARY: Final = "canary-7f3a91c2"
"""A text that the hostile outputs carry and that no reason may repeat."""

_REASON: Final = re.compile(r"[^\s\x00-\x1f](?:[^\x00-\x1f\ud800-\udfff]{0,199})?")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def hostile_outputs() -> Iterator[Any]:
    """Outputs that no target should give and that any may: each time made anew."""
    deep: Any = CANARY
    for _ in range(50_000):
        deep = [deep]
    yield None
    yield True
    yield 10**5000
    yield float("nan")
    yield float("inf")
    yield ""
    yield CANARY
    yield CANARY * 20_000
    yield f"\ud800{CANARY}\udfff\x00\u202e\ufeff"
    yield deep
    yield []
    yield [CANARY, float("nan"), {CANARY: [None]}]
    yield {}
    yield {CANARY: CANARY, "": {"/~": CANARY}, "\ud83d": "\ude00"}
    yield {str(n): CANARY for n in range(5_000)}


def check_grader(
    grader: Grader, items: Sequence[Item] = (), *, answer: Callable[[Question], Answer] | None = None
) -> tuple[Result, ...]:
    """Assert that ``grader`` keeps the contract on ``items``, and on each of them with every hostile output.

    The contract: it is a value (an id that stays, attributes that cannot be set); it returns a Verdict or an
    Ungraded and never raises; it says the same of the same item twice; labels and reasons are short words that
    carry nothing of the output; findings can be written as JSON; measures count ``0 <= hits <= of``, one a
    name. ``answer`` answers the questions of a grader that asks a model. Gives back the results for ``items``,
    in order.
    """
    _check_identity(grader)
    results = tuple(_checked(grader, item, answer) for item in items)
    for item in items:
        for output in hostile_outputs():
            _checked(grader, replace(item, output=output), answer)
    return results


def _check_identity(grader: Grader) -> None:
    assert isinstance(grader.name, str), f"name is {grader.name!r}, expected a text"
    assert grader.name.strip(), "a grader needs a name"
    assert isinstance(grader.version, str), f"version is {grader.version!r}, expected a text"
    assert grader.version.strip(), f"{grader.name} needs a version"
    assert fingerprint(grader) == fingerprint(grader), f"{grader.name}: its fingerprint changes by itself"
    try:
        grader.name = grader.name  # type: ignore[misc]
    except (AttributeError, TypeError):
        return
    raise AssertionError(f"{grader.name} can be changed after it was made; a grader is frozen")


def _checked(grader: Grader, item: Item, answer: Callable[[Question], Answer] | None) -> Result:
    first = replay(grader, item, answer or _nobody)
    again = replay(grader, item, answer or _nobody)
    where = f"{grader.name} on case {item.case.id}"
    assert first == again, f"{where}: two gradings of one item differ"
    assert isinstance(first, (Verdict, Ungraded)), f"{where}: gave {type(first).__name__}"
    said = _said(first)
    texts = _texts_of(item)
    for text in said:
        assert len(text) <= 400, f"{where}: says {len(text)} characters where a short word is due"
        for quoted in texts:
            assert quoted not in text, f"{where}: its reason or label carries text of the output"
    if isinstance(first, Ungraded):
        assert first.reason != "grader_crash", f"{where}: raised {first.detail}"
        assert _REASON.fullmatch(first.reason), f"{where}: ungraded without a usable reason: {first.reason!r}"
    else:
        _check_verdict(first, where)
    return first


def _check_verdict(verdict: Verdict, where: str) -> None:
    assert verdict.passed in (True, False, None), f"{where}: passed is {verdict.passed!r}"
    assert _WORD.fullmatch(verdict.label), f"{where}: label {verdict.label!r} is not one word of a closed set"
    assert not verdict.reason or _REASON.fullmatch(verdict.reason), f"{where}: reason {verdict.reason!r} is no word"
    assert verdict.passed is not False or verdict.reason, f"{where}: failed without a reason"
    names = [measure.name for measure in verdict.measures]
    assert len(names) == len(set(names)), f"{where}: two measures of one name"
    for measure in verdict.measures:
        counts = (measure.hits, measure.of)
        assert all(type(count) is int for count in counts), f"{where}: measure {measure.name!r} counts {counts}"
        assert 0 <= measure.hits <= measure.of, f"{where}: measure {measure.name!r} counts {counts}"
    for finding in verdict.findings:
        try:
            values = [finding.path, finding.outcome, finding.expected, finding.got]
            json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise AssertionError(f"{where}: a finding cannot be written as JSON: {type(error).__name__}") from None


def _said(result: Result) -> list[str]:
    if isinstance(result, Ungraded):
        return [result.reason, result.detail]
    return [result.label, result.reason, *result.flags, *(measure.name for measure in result.measures)]


def _texts_of(item: Item) -> list[str]:
    """Texts of the output that a reason must not repeat; short ones, and those the case itself has, say nothing."""
    known = str([item.case.id, item.case.tags]) + ("" if item.case.expected is ABSENT else repr(item.case.expected))
    found: list[str] = []
    pending = [item.output]
    while pending and len(found) < 100:
        value = pending.pop()
        if isinstance(value, str) and len(value) >= 12 and value not in known:
            found.append(value)
        elif isinstance(value, dict):
            pending.extend(value.values())
            pending.extend(value)
        elif isinstance(value, (list, tuple)):
            pending.extend(value)
    return [*found, CANARY]


def _nobody(_: Question) -> Answer:
    return Ungraded(reason="no_model")
