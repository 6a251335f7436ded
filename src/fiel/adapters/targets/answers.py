"""What a target said, checked to be JSON of a bounded size before anything else sees it."""

from __future__ import annotations

import math
from typing import Any, Final, NoReturn

import msgspec

from fiel.core.errors import TargetFailure, did_you_mean
from fiel.core.pointer import pointer_of
from fiel.core.trial import Output, ToolCall, Usage

MAX_DEPTH: Final = 100
"""How many lists and objects may lie inside each other."""

LONG_FORM: Final = ("output", "cost_usd", "usage", "tool_calls", "model", "case_id", "trial")
"""The keys of an answer that says more than its value."""

_MAX_INT_BITS: Final = 4096
_MAX_USD: Final = 1e12
_MAX_TOKENS: Final = 2**53
_WIDEST: Final = 25  # bytes that one counted unit may take once written: a float's 24 digits and a comma
_BOM: Final = b"\xef\xbb\xbf"


def plain(value: Any, max_bytes: int) -> Any:
    """The same JSON value made of dict, list, str, int, float, bool and None alone, sharing nothing with the target.

    Tuples become lists and subclasses (an enum of text, an ordered mapping) the plain type they extend. Raises
    TargetFailure ``garbage``, with a JSON pointer to the place, for what JSON cannot say: NaN and infinities, other
    objects, keys that are not text, lone surrogates, a value inside itself, more than 100 levels. Raises
    ``output_too_large`` when the value takes more than ``max_bytes`` as UTF-8 JSON.
    """
    kind = type(value)
    if value is None or kind is bool or (kind is str and len(value) * 6 + 2 <= max_bytes and value.isascii()):
        return value
    try:
        made = _quick(value, [max_bytes], 0)
        if len(msgspec.json.encode(made)) <= max_bytes:
            return made
    except (_Odd, UnicodeEncodeError):
        pass  # the slow walk says what it is and where
    walk = _Walk(max_bytes)
    made = walk.copy(value)
    if walk.least * _WIDEST > max_bytes and len(msgspec.json.encode(made)) > max_bytes:
        walk.too_large()
    return made


def decoded(body: bytes | bytearray, *, what: str) -> Any:
    """The JSON value in ``body``; raises TargetFailure ``garbage`` that gives its length and never its text.

    ``what`` names the body in the message ("the answer"). A UTF-8 byte order mark is forgiven.
    """
    if body.startswith(_BOM):
        body = body[len(_BOM) :]
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        # ValueError: a wrong UTF-8 sequence in some places; the error's own text holds positions, no content.
        fault = "it is nested too deep" if isinstance(error, RecursionError) else type(error).__name__
        if isinstance(error, msgspec.MsgspecError):
            fault = str(error)
        message = f"{what} is not JSON: {fault} ({len(body)} bytes); print one JSON value in UTF-8"
    raise TargetFailure("garbage", message)


def output_of(value: Any, max_bytes: int) -> Output:
    """The Output that a Python target returned, or that a bare JSON value stands for, checked by ``plain``."""
    if type(value) is not Output:
        return Output(value=plain(value, max_bytes))
    calls = value.tool_calls
    if calls is not None:
        if not isinstance(calls, tuple | list) or not all(isinstance(call, ToolCall) for call in calls):
            garbage("tool_calls", f"is {kind_of(calls)}", "give a tuple of ToolCall")
        calls = tool_calls_of([{"name": call.name, "arguments": call.arguments} for call in calls], max_bytes)
    usage = value.usage
    if usage is not None:
        if not isinstance(usage, Usage):
            garbage("usage", f"is {kind_of(usage)}", "give a Usage")
        usage = Usage(
            input_tokens=tokens_of(usage.input_tokens, "usage.input_tokens"),
            output_tokens=tokens_of(usage.output_tokens, "usage.output_tokens"),
        )
    return Output(
        value=plain(value.value, max_bytes),
        cost_usd=cost_of(value.cost_usd, "cost_usd"),
        usage=usage,
        tool_calls=calls,
        model=model_of(value.model, "model"),
    )


def long_form(answer: Any, max_bytes: int, *, case_id: str, trial: int) -> Output:
    """The Output in a decoded answer.

    One rule: an object with the key ``output`` is in the long form, and its other keys may only be ``cost_usd``
    (number or null), ``usage`` (``{"input_tokens": 1, "output_tokens": 2}``), ``tool_calls`` (list of ``{"name": …,
    "arguments": …}``), ``model`` (text), ``case_id`` and ``trial``, which must then be the call's own. Everything else
    is itself the value. So a value that has a key ``output`` of its own must be wrapped: ``{"output": {"output": …}}``.
    """
    if not isinstance(answer, dict) or "output" not in answer:
        return Output(value=plain(answer, max_bytes))
    for key in answer:
        if key not in LONG_FORM:
            wrap = 'an object with the key "output" holds nothing else than these; wrap yours in {"output": …}'
            garbage(f"key {short(key)}", "is not part of an answer", f"{did_you_mean(key, LONG_FORM)} {wrap}")
    for key, own in (("case_id", case_id), ("trial", trial)):
        if key in answer and answer[key] != own:
            garbage(key, "is another call's", "answer the calls in the order in which they came, one line each")
    usage = answer.get("usage")
    calls = answer.get("tool_calls")
    return Output(
        value=plain(answer["output"], max_bytes),
        cost_usd=cost_of(answer.get("cost_usd"), "cost_usd"),
        usage=None if usage is None else _usage_of(usage),
        tool_calls=None if calls is None else tool_calls_of(calls, max_bytes),
        model=model_of(answer.get("model"), "model"),
    )


def _usage_of(usage: Any) -> Usage:
    known = ("input_tokens", "output_tokens")
    if not isinstance(usage, dict):
        garbage("usage", f"is {kind_of(usage)}", 'give {"input_tokens": 1, "output_tokens": 2}')
    for key in usage:
        if key not in known:
            garbage(f"usage key {short(key)}", "is not known", did_you_mean(key, known))
    return Usage(**{key: tokens_of(usage.get(key, 0), f"usage.{key}") for key in known})


def cost_of(cost: Any, where: str) -> float | None:
    """US dollars as a finite number from 0 up, or None where there is none: unknown is not 0."""
    if cost is None:
        return None
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= _MAX_USD:
        garbage(where, f"is {kind_of(cost)}", "a cost is a finite number of US dollars from 0 up, or null for unknown")
    return float(cost)


def tokens_of(count: Any, where: str) -> int:
    """A whole number of tokens from 0 up."""
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MAX_TOKENS:
        garbage(where, f"is {kind_of(count)}", "tokens are a whole number from 0 up")
    return int(count)


def tool_calls_of(calls: Any, max_bytes: int) -> tuple[ToolCall, ...]:
    """Tool calls in the order made, from a list of objects with ``name`` and ``arguments``; other keys are ignored."""
    if not isinstance(calls, list):
        garbage("tool_calls", f"is {kind_of(calls)}", 'give a list of {"name": …, "arguments": {…}}')
    made = []
    for place, call in enumerate(calls):
        name = call.get("name") if isinstance(call, dict) else None
        if not isinstance(name, str) or not name:
            garbage(f"tool_calls/{place}", "has no name", 'each is {"name": …, "arguments": {…}}')
        made.append({"name": name, "arguments": call.get("arguments")})
    return tuple(ToolCall(name=call["name"], arguments=call["arguments"]) for call in plain(made, max_bytes))


def model_of(model: Any, where: str) -> str | None:
    """The name of the model that answered, or None."""
    if model is None:
        return None
    if not isinstance(model, str) or not 0 < len(model) <= 200:
        garbage(where, f"is {kind_of(model)}", "a model's name is text of 1 to 200 characters, or null")
    return str(plain(model, 2000))


def garbage(where: str, what: str, right: str) -> NoReturn:
    """Raise TargetFailure ``garbage`` that says where in the answer, what was found there and what would be right."""
    raise TargetFailure("garbage", f"{where} {what}; {right}")


def kind_of(value: Any) -> str:
    """What a value is, without its text."""
    names = {str: "text", dict: "an object", list: "a list", bool: "true or false", type(None): "null"}
    kind = type(value)
    if kind in names:
        return names[kind]
    if kind is int or (kind is float and math.isfinite(value)):
        return "a number below 0" if value < 0 else "a number"
    return f"a {kind.__name__}"[:80]


def short(text: object, limit: int = 60) -> str:
    """Text from outside made fit for one line of a message: bounded, and its control characters escaped."""
    shown = text if isinstance(text, str) else str(text)
    if len(shown) > limit:
        shown = shown[: limit - 1] + "…"
    return repr(shown)


class _Odd(Exception):
    """A value that is not plain JSON of a moderate size."""


def _quick(value: Any, left: list[int], depth: int) -> Any:
    """A copy of what is made of exactly the plain types; raises _Odd for all else, without saying where."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict or kind is list:
        left[0] -= len(value)
        if depth == MAX_DEPTH or left[0] < 0:
            raise _Odd
        depth += 1
        if kind is list:
            return [_quick(inside, left, depth) for inside in value]
        for key in value:
            if type(key) is not str:
                raise _Odd
        return {key: _quick(inside, left, depth) for key, inside in value.items()}
    if (kind is float and math.isfinite(value)) or (kind is int and value.bit_length() <= 64):
        return value
    raise _Odd


class _Walk:
    """One pass over a value: copies it, counts the least bytes that it takes, and knows where it stands."""

    __slots__ = ("least", "max_bytes", "path")

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.least = 0
        self.path: list[tuple[int, str]] = []

    def copy(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or isinstance(value, str):
            return self._text(value)
        if value is None or kind is bool:
            self._count(1)
            return value
        if isinstance(value, int):
            if value.bit_length() > _MAX_INT_BITS:
                self._refuse("is a whole number of more than 1,200 digits")
            self._count(1 + value.bit_length() // 8)
            return int(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                self._refuse("is NaN or infinite, which JSON cannot say; use null")
            self._count(1)
            return float(value)
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            return self._sequence(value)
        named = f"{kind.__module__}.{kind.__qualname__}"[:120]
        return self._refuse(f"is a {named}; return text, numbers, lists and dicts")

    def _text(self, value: str) -> str:
        self._count(len(value) + 2)
        if not value.isascii():
            try:
                # Counted in bytes: a page of Thai takes three times its characters.
                self.least += len(value.encode()) - len(value)
            except UnicodeEncodeError as error:
                self._refuse(f"holds half of a surrogate pair at character {error.start}")
            self._count(0)
        return str.__str__(value)  # an enum's own str() is its name

    def _mapping(self, value: dict[Any, Any]) -> dict[str, Any]:
        made = {}
        self._count(2)
        for key, inside in dict.items(value):
            if not isinstance(key, str):
                self._refuse(f"has a key that is a {type(key).__name__}, not text")
            self._enter(value, key)
            made[self._text(key)] = self.copy(inside)
            self.path.pop()
        return made

    def _sequence(self, value: list[Any] | tuple[Any, ...]) -> list[Any]:
        made = []
        self._count(2)
        for place, inside in enumerate(value):
            self._enter(value, str(place))
            made.append(self.copy(inside))
            self.path.pop()
        return made

    def _enter(self, holder: Any, step: str) -> None:
        if len(self.path) >= MAX_DEPTH:
            ids = [known for known, _ in self.path]
            self._refuse("holds itself" if id(holder) in ids else f"is nested more than {MAX_DEPTH} levels deep")
        self.path.append((id(holder), step))

    def _count(self, size: int) -> None:
        self.least += size
        if self.least > self.max_bytes:
            self.too_large()

    def _refuse(self, what: str) -> NoReturn:
        pointer = pointer_of(step[:40] for _, step in self.path[:12])
        place = f"the answer at {short(pointer, 160)}" if pointer else "the answer"
        raise TargetFailure("garbage", f"{place} {what}")

    def too_large(self) -> NoReturn:
        raise TargetFailure("output_too_large", f"the answer is larger than {self.max_bytes} bytes (max_output_bytes)")
