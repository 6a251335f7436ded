"""Graders ask; the harness answers, once per item, live or from a recording."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from fiel.core.case import Case
from fiel.core.errors import Refused
from fiel.core.grader import Message, ModelReply, ModelRequest, VerdictRequest, ask, ask_all
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict
from fiel.harness.content import Recording, question_key
from fiel.harness.drive import drive_all, grade_rules, live, replay

ITEM = Item(case=Case(id="a", input="q", expected="yes"), output="yes")


def request(text: str, repeat: int = 0) -> ModelRequest:
    return ModelRequest(messages=(Message(role="user", content=text),), repeat=repeat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Asks for a list of claims, then about each of them."""

    name: str = "judge"
    version: str = "1"

    def grade(self, item: Item) -> Any:
        claims = yield from ask(request("list"))
        answers = yield from ask_all([request(f"is {claim} so?") for claim in claims.text.split()])
        supported = sum(answer.text == "yes" for answer in answers)
        return Verdict(passed=supported == len(answers), label=f"{supported} of {len(answers)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """A rule that counts how often it was asked."""

    asked: list[int]
    name: str = "counting"
    version: str = "1"

    def grade(self, item: Item) -> Verdict:
        self.asked.append(1)
        return Verdict(passed=True, label="ok")


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Asks for another grader's verdict twice."""

    part: Any
    name: str = "both"
    version: str = "1"

    def grade(self, item: Item) -> Any:
        verdicts = yield from ask_all([VerdictRequest(grader=self.part), VerdictRequest(grader=self.part)])
        return Verdict(passed=all(v.passed for v in verdicts), label="both")


def answers(question: Any) -> ModelReply:
    text = question.messages[0].content
    return ModelReply(text="a b c" if text == "list" else "no" if " b " in text else "yes")


def test_a_judge_is_replayed_with_any_function_as_the_model():
    assert replay(Judge(), ITEM, answers) == Verdict(passed=False, label="2 of 3")


def test_a_judge_is_driven_live_each_group_at_once():
    groups = []

    async def answer_all(questions: Any) -> Any:
        groups.append(len(questions))
        return tuple(answers(question) for question in questions)

    assert asyncio.run(live(Judge(), ITEM, answer_all)).label == "2 of 3"
    assert groups == [1, 3]


def test_a_recording_answers_what_was_asked_and_refuses_a_changed_question():
    asked: dict[str, ModelReply] = {}

    def record(question: Any) -> ModelReply:
        asked[question_key(question)] = answers(question)
        return asked[question_key(question)]

    first = replay(Judge(), ITEM, record)
    recording = Recording(asked)
    assert replay(Judge(), ITEM, recording) == first
    with pytest.raises(Refused, match="no answer to this ModelRequest"):
        recording(request("list them"))


def test_a_repeat_is_another_question():
    assert question_key(request("x")) == question_key(request("x"))
    assert question_key(request("x")) != question_key(request("x", repeat=1))


def test_a_part_is_graded_once_however_many_ask():
    asked: list[int] = []
    part = Counting(asked=asked)
    results = grade_rules([part, Both(part=part)], ITEM)
    assert results["both"] == Verdict(passed=True, label="both")
    assert asked == [1]


def test_a_judge_without_a_model_is_ungraded_never_failed():
    def nobody(question: Any) -> Ungraded:
        return Ungraded(reason="no_model")

    result = grade_rules([Judge()], ITEM)["judge"]
    assert isinstance(result, Ungraded)
    assert isinstance(replay(Judge(), ITEM, nobody), Ungraded)


def test_results_come_in_the_order_of_the_graders():
    outside = drive_all([Judge(), Counting(asked=[])], ITEM)
    questions = next(outside)
    with pytest.raises(StopIteration) as end:  # noqa: PT012 - the end of a generator carries what it returned
        while True:
            questions = outside.send(tuple(answers(question) for question in questions))
    assert list(end.value.value) == ["judge", "counting"]


def test_a_crash_names_its_type_and_place_and_nothing_else():
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Crashing:
        name: str = "crashing"
        version: str = "1"

        def grade(self, item: Item) -> Verdict:
            raise ValueError(f"secret of {item.case.id}")

    result = grade_rules([Crashing()], ITEM)["crashing"]
    assert isinstance(result, Ungraded)
    assert result.reason == "grader_crash"
    assert result.detail.startswith("ValueError at test_drive.py:")
    assert "secret" not in result.detail
