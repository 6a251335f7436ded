"""An HTTP target's table in fiel.toml: what cannot be right is refused before anything is sent."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fiel.adapters.targets.http import HTTPTarget, retry_after_s
from fiel.adapters.targets.template import Template, pointer
from fiel.core.errors import ConfigError, TargetFailure
from fiel.ports import Call


def make(url: str, **how: Any) -> HTTPTarget:
    return HTTPTarget(name="api", url=url, **{"environ": {}, **how})


def filled(template: Any, asked: Any = "in", **options: Any) -> Any:
    return Template(template, "request").filled(Call(case_id="c1", input=asked, trial=2, options=options))


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(ConfigError, match=r"Authorization needs the environment variable API_KEY, which is not set"):
        make("http://x.example", headers={"Authorization": "Bearer ${API_KEY}"})


@pytest.mark.parametrize("value", ["sk-secret\n", "sk-secrét", "sk\r\nX-Evil: 1", " sk-secret"])
def test_a_secret_that_no_header_can_hold_is_refused_by_its_name_alone(value: str) -> None:
    with pytest.raises(ConfigError, match="the environment variable API_KEY holds what a header cannot") as caught:
        make("http://x.example", headers={"Authorization": "${API_KEY}"}, environ={"API_KEY": value})
    assert value.strip() not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"url": "ftp://x.example"}, "is no URL to call"),
        ({"url": "localhost:80/a"}, "is no URL to call"),
        ({"url": "http://[::1"}, "is no URL to call"),
        ({"url": "http://x.example:99999"}, "is no URL to call"),
        ({"method": "PSOT"}, 'did you mean "POST"'),
        ({"method": "GET", "request": "${input}"}, "must be a table"),
        ({"output": "answer"}, 'starts with a slash: "/answer"'),
        ({"cost_usd": "/a~2"}, "is no JSON pointer"),
        ({"headers": {"Bad Header": "x"}}, "has a header named 'Bad Header'"),
        ({"request": {"q": "${inptu}"}}, 'nothing is called "${inptu}"; did you mean "input"'),
        ({"request": {"q": "${env.HOME}"}}, 'nothing is called "${env.HOME}"'),
        ({"request": {"q": "${option.tone}"}}, 'needs the option "tone"'),
        ({"request": {"q": "${option.tone}"}, "options": {"tune": 1}}, 'did you mean "tone"?'),
    ],
)
def test_a_table_that_cannot_be_right_is_refused_before_the_first_call(how: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make(**{"url": "http://x.example", **how})
    assert said in str(caught.value)
    assert "targets.api.http" in str(caught.value)


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [("120", 120.0), (" 1.5 ", 1.5), ("-1", None), ("inf", None), ("1e3", None), ("", None), ("9" * 400, None),
     ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Foo, 99 Bar 2026", None)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(header: str, wait_s: float | None) -> None:
    assert retry_after_s(header, 100.0) == wait_s


@pytest.mark.parametrize("asked", [None, 0, "text", ["a"], {"b": {"c": 1}}])
def test_a_hole_that_is_the_whole_text_becomes_the_whole_value(asked: Any) -> None:
    assert filled({"q": ["${input}"]}, asked) == {"q": [asked]}


def test_a_hole_inside_other_text_becomes_text() -> None:
    assert filled("Case ${case_id}, ${trial}: ${input}", {"a": "é"}) == 'Case c1, 2: {"a":"é"}'
    assert filled("<${input/a/0}>", {"a": ["x"]}) == "<x>"
    assert filled("${option.tone}${option.n}", tone="dry", n=None) == "drynull"


def test_case_trial_and_options_keep_their_types() -> None:
    assert filled(["${case_id}", "${trial}", "${option.x}", True, None, 1.5], x=[1]) == ["c1", 2, [1], True, None, 1.5]


def test_what_is_filled_in_is_never_looked_at_for_holes_again() -> None:
    assert filled("${input} and ${input}", "${case_id}") == "${case_id} and ${case_id}"


def test_two_dollars_write_a_hole_that_is_none() -> None:
    assert filled("$${input} costs $5 {x}") == "${input} costs $5 {x}"
    assert filled("$${input}") == "${input}"


def test_a_pointer_is_unescaped_as_its_standard_says() -> None:
    assert filled("${input/a~1b/m~0n/1}", {"a/b": {"m~n": [0, "here"]}}) == "here"
    assert pointer("", "output") == ()
    assert pointer("/", "output") == ("",)


def test_a_field_that_the_input_does_not_have_fails_the_call() -> None:
    for asked in ({"b": 1}, "text", [1], None):
        with pytest.raises(TargetFailure, match="which this case's input does not have"):
            filled("${input/a}", asked)


def test_a_date_far_away_is_still_a_finite_wait() -> None:
    wait_s = retry_after_s("Fri, 31 Dec 9999 23:59:59 GMT", 0.0)
    assert wait_s is not None
    assert math.isfinite(wait_s)


async def test_a_call_before_opening_is_a_failure() -> None:
    with pytest.raises(TargetFailure, match="is not open"):
        await make("http://127.0.0.1:1").call(Call(case_id="c", input=1))
