"""Driving a grader: its questions go out, the answers go back in, and out comes a verdict or an Ungraded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, MutableMapping, Sequence
from inspect import isgenerator
from typing import TypeAlias, cast

from fiel.core.grader import Answer, Asking, Grader, Question, Result, VerdictRequest
from fiel.core.item import Item
from fiel.core.verdict import Ungraded, Verdict

Outside: TypeAlias = Generator[tuple[Question, ...], tuple[Answer, ...], Result]
Memo: TypeAlias = MutableMapping[str, Result]


def drive(grader: Grader, item: Item, memo: Memo | None = None) -> Outside:
    """A generator of the questions that only the outside can answer; it returns the verdict.

    Questions for another grader's verdict are answered here, once per item: ``memo`` maps a grader's name to
    its result and is filled on the way. What a grader raises becomes ``Ungraded("grader_crash")`` with the
    exception's type and place, and nothing of its text, which may quote the case.
    """
    memo = {} if memo is None else memo
    if grader.name in memo:
        return memo[grader.name]
    result: Result
    try:
        grading = grader.grade(item)
        if isinstance(grading, (Verdict, Ungraded)):
            result = grading
        elif isgenerator(grading):
            result = yield from _converse(cast(Asking, grading), item, memo)
        else:
            result = _checked(grading)
    except Exception as error:
        result = _crashed(error)
    memo[grader.name] = result
    return result


def drive_all(graders: Sequence[Grader], item: Item) -> Generator[tuple[Question, ...], tuple[Answer, ...], Memo]:
    """Like :func:`drive` for several graders; returns their results by name, in the order given."""
    memo: dict[str, Result] = {}
    for grader in graders:
        yield from drive(grader, item, memo)
    return {grader.name: memo[grader.name] for grader in graders}


def grade_rules(graders: Sequence[Grader], item: Item) -> dict[str, Result]:
    """The results of graders that ask nothing outside; one that does is ``Ungraded("no_model")``."""
    memo: dict[str, Result] = {}
    plain = True
    for grader in graders:
        # Most graders are plain rules; a generator for each of them would cost more than the rule itself.
        try:
            grading = grader.grade(item)
        except Exception as error:
            memo[grader.name] = _crashed(error)
            continue
        if isinstance(grading, (Verdict, Ungraded)):
            memo[grader.name] = grading
        else:
            plain = False
            if isgenerator(grading):
                grading.close()
            memo[grader.name] = replay(grader, item, _nobody, memo)
    # Only a grader that asked another one can have put results out of order.
    return memo if plain else {grader.name: memo[grader.name] for grader in graders}


def replay(grader: Grader, item: Item, answer: Callable[[Question], Answer], memo: Memo | None = None) -> Result:
    """The verdict with every outside question answered by ``answer``: a recording, or a test's own function."""
    outside = drive(grader, item, memo)
    try:
        questions = next(outside)
        while True:
            questions = outside.send(tuple(answer(question) for question in questions))
    except StopIteration as stop:
        result: Result = stop.value
        return result


async def live(
    grader: Grader, item: Item, answer_all: Callable[[tuple[Question, ...]], Awaitable[tuple[Answer, ...]]]
) -> Result:
    """The verdict with questions answered as they come, each group at once."""
    outside = drive(grader, item)
    try:
        questions = next(outside)
        while True:
            questions = outside.send(await answer_all(questions))
    except StopIteration as stop:
        result: Result = stop.value
        return result


def place_of(error: BaseException) -> str:
    """File name and line of the deepest frame of an exception, without directories: ``targets.py:12``."""
    trace = error.__traceback__
    if trace is None:
        return "unknown place"
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{trace.tb_lineno}"


def _crashed(error: Exception) -> Ungraded:
    return Ungraded(reason="grader_crash", detail=f"{type(error).__name__} at {place_of(error)}")


def _converse(grading: Asking, item: Item, memo: Memo) -> Outside:
    try:
        questions = next(grading)
        while True:
            answers = yield from _answers(questions, item, memo)
            questions = grading.send(answers)
    except StopIteration as stop:
        return _checked(stop.value)


def _answers(
    questions: tuple[Question, ...], item: Item, memo: Memo
) -> Generator[tuple[Question, ...], tuple[Answer, ...], tuple[Answer, ...]]:
    outside = tuple(question for question in questions if not isinstance(question, VerdictRequest))
    told = iter((yield outside) if outside else ())
    answers: list[Answer] = []
    for question in questions:
        if isinstance(question, VerdictRequest):
            answers.append((yield from drive(question.grader, item, memo)))
        else:
            answers.append(next(told))
    return tuple(answers)


def _checked(result: object) -> Result:
    if isinstance(result, (Verdict, Ungraded)):
        return result
    raise TypeError(f"a grader returned {type(result).__name__}, expected Verdict or Ungraded")


def _nobody(_: Question) -> Answer:
    return Ungraded(reason="no_model", detail="this grader asks a model and none is configured")
