"""Content keys: what is asked decides where its answer is kept, so a changed question is never answered from memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from fiel.core.errors import Refused
from fiel.core.grader import Answer, MetricRequest, ModelRequest, Question


def digest(value: Any) -> str:
    """SHA-256 (hex) of a JSON value's canonical form: keys sorted, no spaces, UTF-8."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def question_key(question: Question) -> str:
    """The key of an outside question: everything in it counts, its ``repeat`` too."""
    if not isinstance(question, (ModelRequest, MetricRequest)):
        raise TypeError("only questions to the outside have a key")
    return digest([type(question).__name__, asdict(question)])


class Recording:
    """Answers that were given before, by the question's key; what was never asked is refused, not guessed."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = dict(answers)

    def __call__(self, question: Question) -> Answer:
        """The recorded answer; raises Refused when this exact question is not in the recording."""
        try:
            return self._answers[question_key(question)]
        except KeyError:
            raise Refused(
                f"the recording has no answer to this {type(question).__name__} "
                f"(key {question_key(question)[:12]}): the prompt, the model or the case changed since; record again"
            ) from None
