"""Graders ask: a grader returns a verdict, or yields its questions first and gets the answers sent back.

A rule is a plain method. A grader that needs a model, a library's metric or another grader's verdict is a
generator; the harness answers its questions live, from a cache or from a recording, and the grader stays pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, TypeAlias

from fiel.core.item import Item
from fiel.core.trial import Usage
from fiel.core.verdict import Ungraded, Verdict

Result: TypeAlias = Verdict | Ungraded


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to a model; ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A question to a model. ``repeat`` sets apart the answers of one question that is asked several times."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    model: str = ""
    max_output_tokens: int = 512
    temperature: float | None = None
    repeat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """What a model answered, as text; ``usage`` is None where the provider did not say."""

    text: str
    model: str = ""
    finish: str = "stop"
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRequest:
    """A library's metric to run on ``arguments`` (JSON values), for libraries that call a model themselves."""

    metric: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricReply:
    """What a library's metric said: its value and its own explanation."""

    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRequest:
    """Another grader's verdict on the same item; graded once however many ask."""

    grader: Grader


Question: TypeAlias = ModelRequest | MetricRequest | VerdictRequest
Answer: TypeAlias = ModelReply | MetricReply | Verdict | Ungraded
Asking: TypeAlias = Generator[tuple[Question, ...], tuple[Answer, ...], Result]
Grading: TypeAlias = Verdict | Ungraded | Asking


class Grader(Protocol):
    """A frozen value with a name, a version and one pure method."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def grade(self, item: Item) -> Grading:
        """Say of ``item`` what this grader says; raise nothing on purpose: what cannot be said is Ungraded."""
        ...


def ask(question: Question) -> Generator[tuple[Question, ...], tuple[Answer, ...], Answer]:
    """The answer to one question, for ``yield from`` inside a grader."""
    answers = yield (question,)
    return answers[0]


def ask_all(
    questions: Sequence[Question],
) -> Generator[tuple[Question, ...], tuple[Answer, ...], tuple[Answer, ...]]:
    """The answers to several questions, in their order; the harness may ask them at once."""
    if not questions:
        return ()
    answers = yield tuple(questions)
    return answers


def fingerprint(grader: Grader) -> str:
    """``name@version#hash``: what a report records of a grader; the hash covers its settings (8 hex digits).

    Settings are the dataclass's fields, so a changed comparison or limit is a changed grader.
    """
    digest = hashlib.sha256(json.dumps(_plain(grader), sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    return f"{grader.name}@{grader.version}#{digest[:8]}"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.compare}
        return {"": type(value).__name__, **named}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    return str(getattr(value, "__qualname__", type(value).__qualname__))
