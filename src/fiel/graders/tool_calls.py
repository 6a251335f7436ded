"""``tool_calls`` says whether the target called the tools that it should, with the arguments that it should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.trial import ToolCall
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import brief, check_choice, check_flags, check_names, check_pointers
from fiel.graders.values import NO_EXPECTED, TOO_DEEP, equal, expectation, shown

LABELS: Final[tuple[str, ...]] = ("as_expected", "missing_call", "wrong_arguments", "wrong_order", "unexpected_call")
_AS_EXPECTED: Final = Verdict(passed=True, label="as_expected")
_MAX_CALLS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalls:
    """Whether the calls made are the calls expected: a list of names, or of ``{name, arguments}``.

    The list is ``value`` if declared, else the case's, by default at ``/tool_calls`` of what it expects. Omitted
    (or null) is Ungraded("no_expected"); an empty list is a check that nothing was called. ``order`` is ``free``
    or ``strict``; arguments that were not declared are not looked at, declared ones must be ``equal``, or with
    ``arguments = "subset"`` be among those given. Further calls are refused unless ``extra_allowed``. When the
    target did not say what it called, the item is Ungraded("tool_calls_unknown"): unknown is not none. Ungraded
    also: ``expected_unreadable``, ``too_many_calls`` (above 500), ``too_deep``.
    """

    name: str = "tool_calls"
    version: str = "1"
    value: Any = ABSENT
    order: str = "free"
    arguments: str = "equal"
    extra_allowed: bool = False
    expected_at: str = "/tool_calls"

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_pointers(expected_at=self.expected_at)
        check_choice("order", self.order, ("free", "strict"))
        check_choice("arguments", self.arguments, ("equal", "subset"))
        check_flags(extra_allowed=self.extra_allowed)
        if self.value is not ABSENT and _expected(self.value) is None:
            raise ConfigError(f"value is {brief(self.value)}, expected a list of names or of {{name, arguments}}")

    def grade(self, item: Item) -> Verdict | Ungraded:
        declared = expectation(item.case, self.value, self.expected_at)
        if declared is ABSENT or declared is None:
            return NO_EXPECTED
        wanted, made = _expected(declared), item.tool_calls
        if wanted is None:
            return Ungraded(reason="expected_unreadable", detail="a list of names or of {name, arguments} is expected")
        if made is None:
            return Ungraded(reason="tool_calls_unknown", detail="the target did not say what it called")
        if max(len(made), len(wanted)) > _MAX_CALLS:
            return Ungraded(reason="too_many_calls", detail=f"at most {_MAX_CALLS} calls are compared")
        try:
            return self._verdict(wanted, made)
        except RecursionError:
            return TOO_DEEP

    def _verdict(self, wanted: Sequence[ToolCall], made: Sequence[ToolCall]) -> Verdict:
        fits = [[j for j, call in enumerate(made) if self._fits(want, call)] for want in wanted]
        taken = _matched(fits)
        for i, want in enumerate(wanted):
            if i not in taken:
                named = [call for call in made if call.name == want.name]
                label = "wrong_arguments" if len(named) >= sum(w.name == want.name for w in wanted) else "missing_call"
                return _failed(label, f"{label}:{want.name}", want, named[0] if named else None)
        extra = [call for j, call in enumerate(made) if j not in taken.values()]
        if extra and not self.extra_allowed:
            return _failed("unexpected_call", "unexpected_call", None, extra[0])
        if self.order == "strict" and not _in_order(fits):
            return _failed("wrong_order", "wrong_order", None, None)
        return _AS_EXPECTED

    def _fits(self, want: ToolCall, call: ToolCall) -> bool:
        if want.name != call.name or want.arguments is ABSENT:
            return want.name == call.name
        if self.arguments == "equal":
            return equal(want.arguments, call.arguments)
        return _among(want.arguments, call.arguments)


def _expected(value: Any) -> list[ToolCall] | None:
    """The declared calls, ABSENT standing for arguments that were not declared; None when it is no such list."""
    if not isinstance(value, (list, tuple)):
        return None
    calls = []
    for entry in value:
        table = {"name": entry} if isinstance(entry, str) else entry
        if not isinstance(table, Mapping) or not isinstance(table.get("name"), str) or not table["name"]:
            return None
        if set(table) - {"name", "arguments"}:
            return None
        calls.append(ToolCall(name=table["name"], arguments=table.get("arguments", ABSENT)))
    return calls


def _among(wanted: Any, given: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(given, dict):
        return all(key in given and _among(value, given[key]) for key, value in wanted.items())
    return equal(wanted, given)


def _matched(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest pairing of expected calls with made ones (Kuhn's augmenting paths), as expected -> made.

    A call declared by name alone must not take the only one that fits a stricter expectation.
    """
    owner: dict[int, int] = {}
    partner: dict[int, int] = {}
    for start in range(len(fits)):
        came_from: dict[int, int] = {}
        free = _free(start, fits, owner, came_from)
        while free is not None:
            i = came_from[free]
            before = partner.get(i)
            owner[free], partner[i] = i, free
            free = before
    return partner


def _free(start: int, fits: Sequence[Sequence[int]], owner: dict[int, int], came_from: dict[int, int]) -> int | None:
    """A made call that nobody has, reached from ``start`` over calls that others could give up; or None."""
    pending = [start]
    while pending:
        i = pending.pop()
        for j in fits[i]:
            if j in came_from:
                continue
            came_from[j] = i
            if j not in owner:
                return j
            pending.append(owner[j])
    return None


def _in_order(fits: Sequence[Sequence[int]]) -> bool:
    """Whether the expected calls occur in their order: each takes the first that fits after the one before."""
    last = -1
    for options in fits:
        following = [j for j in options if j > last]
        if not following:
            return False
        last = following[0]
    return True


def _failed(label: str, reason: str, want: ToolCall | None, got: ToolCall | None) -> Verdict:
    finding = Finding(path="/tool_calls", outcome=label, expected=_shown(want), got=_shown(got))
    return Verdict(passed=False, label=label, reason=reason, findings=(finding,))


def _shown(call: ToolCall | None) -> Any:
    if call is None:
        return None
    named = {"name": shown(call.name)}
    return named if call.arguments is ABSENT else {**named, "arguments": shown(call.arguments)}
