"""A request with holes in it, written in fiel.toml and filled for each call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from fiel.adapters.targets.answers import short
from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError, TargetFailure, did_you_mean
from fiel.core.pointer import at, pointer_steps
from fiel.ports import Call

_HOLE: Final = re.compile(r"\$?\$\{([^{}]*)\}")
_KNOWN: Final = ("input", "case_id", "trial", "option.NAME", "input/FIELD")
_Fill = Callable[[Call], Any]


class Template:
    """Any JSON value whose text may have holes in it.

    The holes are ``${input}``, ``${input/field}``, ``${case_id}``, ``${trial}`` and ``${option.NAME}``.
    Text that is one hole and nothing else becomes the whole value (an object stays an object, a number a number);
    a hole inside other text becomes text, JSON where the value is not text. What follows ``input`` is a JSON pointer
    (RFC 6901). ``$${`` stands for ``${`` itself. What is filled in is never looked at for holes again.
    """

    def __init__(self, template: Any, where: str) -> None:
        """Raises ConfigError for a hole of an unknown name; ``where`` names the template in that message."""
        self._where = where
        self.options: set[str] = set()
        self._fill = self._compiled(template)

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise ConfigError for an option without a hole, or a hole without its option."""
        accepted = f"it uses: {', '.join(sorted(self.options)) or 'none'}"
        for name in options:
            if name not in self.options:
                near = did_you_mean(name, self.options)
                hint = f"{near} " if near.startswith("did") else ""
                raise ConfigError(
                    f'{self._where} has no ${{option.{name}}}, so the option "{name}"'
                    f" would change nothing; {hint}{accepted}"
                )
        for name in sorted(self.options):
            if name not in options:
                raise ConfigError(
                    f'{self._where} needs the option "{name}"; give --option {name}=VALUE or options = {{…}}'
                )

    def filled(self, call: Call) -> Any:
        """The request for one call; raises TargetFailure ``bad_input`` where the input has no such field."""
        return self._fill(call)

    def _compiled(self, template: Any) -> _Fill:
        if isinstance(template, str):
            return self._text(template)
        if isinstance(template, Mapping):
            fields = [(str(key), self._compiled(inside)) for key, inside in template.items()]
            return lambda call: {key: fill(call) for key, fill in fields}
        if isinstance(template, list | tuple):
            parts = [self._compiled(inside) for inside in template]
            return lambda call: [fill(call) for fill in parts]
        return lambda call: template

    def _text(self, template: str) -> _Fill:
        whole = _HOLE.fullmatch(template)
        if whole and not template.startswith("$$"):
            return self._hole(whole[1])
        parts: list[str | _Fill] = []
        end = 0
        for match in _HOLE.finditer(template):
            parts.append(template[end : match.start()])
            parts.append(match[0][1:] if match[0].startswith("$$") else self._hole(match[1]))
            end = match.end()
        parts.append(template[end:])
        return lambda call: "".join(part if isinstance(part, str) else as_text(part(call)) for part in parts)

    def _hole(self, name: str) -> _Fill:
        if name == "case_id":
            return lambda call: call.case_id
        if name == "trial":
            return lambda call: call.trial
        if name == "input":
            return lambda call: call.input
        if name.startswith("input/"):
            steps = pointer(name.removeprefix("input"), self._where)
            return lambda call: _field(call, name, steps)
        if name.startswith("option.") and name != "option.":
            option = name.removeprefix("option.")
            self.options.add(option)
            return lambda call: _option(call, option)
        raise ConfigError(f'{self._where}: nothing is called "${{{name}}}"; {did_you_mean(name, _KNOWN)}')


def pointer(text: str, where: str) -> tuple[str, ...]:
    """The steps of a JSON pointer (RFC 6901); raises ConfigError for text that is none."""
    if text and not text.startswith("/"):
        raise ConfigError(f'{where} = "{text}" is no JSON pointer; it starts with a slash: "/{text}"')
    if re.search(r"~(?![01])", text):
        raise ConfigError(
            f'{where} = "{text}" is no JSON pointer; a "~" in a key is written ~0 and a "/" is written ~1'
        )
    return pointer_steps(text)


def _field(call: Call, name: str, steps: tuple[str, ...]) -> Any:
    value = at(call.input, steps)
    if value is ABSENT:
        raise TargetFailure("bad_input", f"the request asks for ${{{name}}}, which this case's input does not have")
    return value


def _option(call: Call, name: str) -> Any:
    if name not in call.options:
        raise TargetFailure("bad_input", f"the request needs the option {short(name)}, which this run does not have")
    return call.options[name]


def as_text(value: Any) -> str:
    """A value where only text can stand: text as it is, all else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
