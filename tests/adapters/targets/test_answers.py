"""What a target may say: JSON of a bounded size, and nothing that only looks like it."""

from __future__ import annotations

import collections
import enum
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.adapters.targets.answers import decoded, long_form, output_of, plain
from fiel.core.errors import TargetFailure
from fiel.core.trial import Output, ToolCall, Usage

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
)


class Tone(enum.StrEnum):
    DRY = "dry"


class Colour(str, enum.Enum):  # noqa: UP042 - its str() is its name, which is what is tested
    RED = "red"


def failure_of(value: Any, max_bytes: int = 1_000_000) -> TargetFailure:
    with pytest.raises(TargetFailure) as caught:
        plain(value, max_bytes)
    return caught.value


@given(JSON)
def test_every_json_value_is_taken_as_it_is_and_shares_nothing(value: Any) -> None:
    made = plain(value, 10_000_000)
    assert made == value
    assert json.dumps(made) == json.dumps(value)
    if value and isinstance(value, dict | list):
        assert made is not value


@given(JSON, st.integers(1, 60))
def test_a_value_is_refused_for_its_size_exactly_when_its_json_is_longer(value: Any, limit: int) -> None:
    import msgspec

    size = len(msgspec.json.encode(value))
    if value is None or isinstance(value, bool):
        assert plain(value, limit) is value
    elif size > limit:
        assert failure_of(value, limit).code == "output_too_large"
    else:
        assert plain(value, limit) == value


def test_what_extends_a_plain_type_becomes_it() -> None:
    made = plain({"a": (1, Tone.DRY), "b": Colour.RED, "c": collections.OrderedDict(x=1), "d": True}, 1000)
    assert made == {"a": [1, "dry"], "b": "red", "c": {"x": 1}, "d": True}
    assert [type(one) for one in (made["a"], made["a"][1], made["b"], made["c"])] == [list, str, str, dict]


class Thing:
    pass


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "the answer is NaN or infinite"),
        ({"total": [1, math.inf]}, "the answer at '/total/1' is NaN or infinite"),
        ({"when": Thing()}, "the answer at '/when' is a"),
        ({1, 2}, "the answer is a builtins.set"),
        (b"bytes", "the answer is a builtins.bytes"),
        ([{"a/b~c": {3: 1}}], "the answer at '/0/a~1b~0c' has a key that is a int, not text"),
        ({"name": "half \ud83d"}, "the answer at '/name' holds half of a surrogate pair at character 5"),
        ({"\udc00": 1}, "holds half of a surrogate pair"),
        ("\ud800", "holds half of a surrogate pair at character 0"),
        (10**2000, "whole number of more than 1,200 digits"),
        (Output(value=Output(value=1)).value, "fiel.core.trial.Output"),
    ],
)
def test_what_json_cannot_say_is_garbage_at_its_place(value: Any, said: str) -> None:
    failure = failure_of(value)
    assert failure.code == "garbage"
    assert said in str(failure)


def test_a_value_inside_itself_is_told_from_one_that_is_too_deep() -> None:
    circle: list[Any] = []
    circle.append({"again": circle})
    assert "holds itself" in str(failure_of(circle))
    deep: Any = 0
    for _ in range(101):
        deep = [deep]
    assert "nested more than 100 levels deep" in str(failure_of(deep))
    assert plain(deep[0], 1000) == deep[0]


def test_a_small_value_that_unfolds_without_end_is_too_large_and_not_a_hang() -> None:
    value: Any = "x"
    for _ in range(80):
        value = [value, value]
    assert failure_of(value).code == "output_too_large"


@pytest.mark.parametrize(
    ("limit", "text"), [(10, "x" * 8), (10, "é" * 4), (14, "\x01\x02"), (10, "👩👩"), (10, '""""')]
)
def test_the_limit_counts_bytes_of_utf8_json(limit: int, text: str) -> None:
    assert plain(text, limit) == text
    assert plain([text], limit + 2) == [text]
    assert failure_of(text, limit - 1).code == "output_too_large"
    assert failure_of([text], limit + 1).code == "output_too_large"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello secret",
        b"NaN",
        b"Infinity",
        b'{"a":',
        b'"\xff secret"',
        b"1 2",
        b"[" * 100_000,
        b'"\\ud800"',
        b"1e999",
    ],
)
def test_a_body_that_is_not_json_is_garbage_that_never_quotes_it(body: bytes) -> None:
    with pytest.raises(TargetFailure) as caught:
        decoded(body, what="the answer")
    assert caught.value.code == "garbage"
    assert str(caught.value).startswith("the answer is not JSON")
    assert f"({len(body)} bytes)" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_byte_order_mark_is_forgiven() -> None:
    assert decoded("\ufeff[1]".encode(), what="the answer") == [1]


def told(answer: Any) -> Output:
    return long_form(answer, 1000, case_id="c1", trial=2)


def test_an_object_without_output_is_itself_the_value() -> None:
    assert told({"answer": 1, "cost_usd": 5}) == Output(value={"answer": 1, "cost_usd": 5})
    assert told(None) == Output(value=None)
    assert told({"output": {"output": 1}}) == Output(value={"output": 1})


def test_the_long_form_says_cost_tokens_tools_and_model() -> None:
    answer = {
        "output": None, "cost_usd": 0, "usage": {"input_tokens": 3}, "model": "m-1", "case_id": "c1", "trial": 2,
        "tool_calls": [{"name": "search", "arguments": {"q": "x"}, "id": "7"}, {"name": "stop"}],
    }  # fmt: skip
    assert told(answer) == Output(
        value=None, cost_usd=0.0, usage=Usage(input_tokens=3), model="m-1",
        tool_calls=(ToolCall(name="search", arguments={"q": "x"}), ToolCall(name="stop")),
    )  # fmt: skip
    assert told({"output": 1, "tool_calls": []}).tool_calls == ()
    assert told({"output": 1, "cost_usd": None, "usage": None, "tool_calls": None}) == Output(value=1)


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"cost_us": 1}, 'did you mean "cost_usd"?'),
        ({"cost_usd": "0.1"}, "cost_usd is text"),
        ({"cost_usd": -1}, "cost_usd is a number below 0"),
        ({"cost_usd": True}, "cost_usd is true or false"),
        ({"cost_usd": 10**400}, "cost_usd is a number"),
        ({"usage": 12}, "usage is a number"),
        ({"usage": {"prompt_tokens": 1}}, "usage key 'prompt_tokens' is not known"),
        ({"usage": {"input_tokens": 1.5}}, "usage.input_tokens is a number"),
        ({"tool_calls": {"name": "x"}}, "tool_calls is an object"),
        ({"tool_calls": [{"name": "x"}, {"arguments": 1}]}, "tool_calls/1 has no name"),
        ({"model": ""}, "model is text"),
        ({"case_id": "c2"}, "case_id is another call's"),
        ({"trial": 1}, "trial is another call's"),
    ],
)
def test_a_long_form_that_is_wrong_is_garbage_that_says_what_would_be_right(extra: dict[str, Any], said: str) -> None:
    with pytest.raises(TargetFailure) as caught:
        told({"output": 1, **extra})
    assert caught.value.code == "garbage"
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (Output(value=math.nan), "NaN"),
        (Output(value=1, cost_usd=math.nan), "cost_usd is a float"),
        (Output(value=1, usage={"input_tokens": 1}), "usage is an object"),  # type: ignore[arg-type]
        (Output(value=1, usage=Usage(input_tokens=-1)), "usage.input_tokens is a number below 0"),
        (Output(value=1, tool_calls=({"name": "x"},)), "tool_calls is a tuple"),  # type: ignore[arg-type]
        (Output(value=1, tool_calls=(ToolCall(name="x", arguments=Thing()),)), "Thing"),
        (Output(value=1, model=3), "model is a number"),  # type: ignore[arg-type]
    ],
)
def test_an_output_object_is_checked_in_every_part(output: Output, said: str) -> None:
    with pytest.raises(TargetFailure) as caught:
        output_of(output, 1000)
    assert caught.value.code == "garbage"
    assert said in str(caught.value)


def test_an_output_object_is_taken_with_all_that_it_says() -> None:
    output = Output(
        value={"a": (1,)}, cost_usd=1, usage=Usage(output_tokens=2), tool_calls=(ToolCall(name="x"),), model="m"
    )
    assert output_of(output, 1000) == Output(
        value={"a": [1]}, cost_usd=1.0, usage=Usage(output_tokens=2), tool_calls=(ToolCall(name="x"),), model="m"
    )
