"""A target that is a Python callable in the user's workspace, plain or async."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from fiel.adapters.targets.answers import output_of
from fiel.adapters.targets.crashes import crash
from fiel.adapters.targets.loading import Source
from fiel.adapters.targets.workers import Workers, end_if_forked
from fiel.core.errors import ConfigError, TargetFailure, did_you_mean
from fiel.core.trial import Output
from fiel.ports import Call

_TOLD: Final = ("case_id", "trial")


class PythonTarget:
    """Calls ``module:attribute`` as ``target(input, **options)`` and takes what it returns.

    A parameter named ``case_id`` or ``trial`` is filled with the call's own. An async callable is awaited on the event
    loop, and it is the caller who ends it in time, by cancelling; any other callable runs on a daemon thread, and one
    that is beyond ``Call.timeout_s`` is left behind on its thread. The value must be JSON (see ``answers.plain``) or an
    ``Output`` whose value is.
    """

    kind: Final = "python"

    def __init__(
        self,
        *,
        name: str,
        entry: str,
        workspace: Path,
        options: Mapping[str, Any] | None = None,
        max_output_bytes: int = 262_144,
    ) -> None:
        """``options`` are the run's: ``open`` checks them against the callable. Raises ConfigError for a bad entry."""
        self._name = name
        self._source = Source(entry, workspace)
        self._entry = entry
        self._options = options or {}
        self._max_bytes = max_output_bytes
        self._function: Callable[..., Any] | None = None
        self._signature: _Signature | None = None
        self._checked: Mapping[str, Any] | None = None
        self._is_async = False
        self._pid = os.getpid()
        self._told: tuple[str, ...] = ()
        self._workers = Workers(name)

    @property
    def name(self) -> str:
        return self._name

    async def open(self) -> None:
        """Import the callable and check the run's options; raises ConfigError that names what is accepted."""
        try:
            function = self._source.load()
            signature = _Signature(self._entry, function)
            signature.check(self._options)
        except BaseException:
            self._source.release()
            raise
        self._checked = self._options
        self._signature, self._told = signature, signature.told
        self._is_async = _is_async(function)
        self._workers = Workers(self._name)
        self._function = function

    async def call(self, call: Call) -> Output:
        function = self._function
        if function is None:
            raise TargetFailure("crash", f'the target "{self._name}" is not open')
        options = call.options
        if options is not self._checked:
            self._check(options)
        if self._told:
            options = {**options, **{word: getattr(call, word) for word in self._told}}
        try:
            if self._is_async:
                try:
                    value = await function(_own_copy(call.input), **options)
                finally:
                    end_if_forked(self._pid)
            else:
                value = await self._run(function, call, options)
            return output_of(value, self._max_bytes)
        except TargetFailure:
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | GeneratorExit) or _was_cancelled(error):
                raise
            raise crash(error, self._source.roots) from error

    async def close(self) -> None:
        self._function = None
        self._workers.close()
        self._source.release()

    async def _run(self, function: Callable[..., Any], call: Call, options: Mapping[str, Any]) -> Any:
        """What a callable that blocks returns, from a thread; an awaitable that it made is awaited here."""
        asked = _own_copy(call.input)

        def job() -> tuple[Any, BaseException | None]:
            try:
                return function(asked, **options), None
            except BaseException as error:
                return None, error

        try:
            value, error = await self._workers.run(job, call.timeout_s)
        except TimeoutError:
            message = f"no answer within {call.timeout_s:g} s; its thread was left behind"
            raise TargetFailure("timeout", message) from None
        if isinstance(error, TargetFailure | KeyboardInterrupt):
            raise error
        if error is not None:
            raise crash(error, self._source.roots) from error
        return await value if inspect.isawaitable(value) else value

    def _check(self, options: Mapping[str, Any]) -> None:
        try:
            if self._signature is not None:
                self._signature.check(options)
        except ConfigError as error:
            raise TargetFailure("crash", str(error)) from error
        self._checked = options


class _Signature:
    """Which options a callable takes, and whether it wants to be told the case and the trial."""

    def __init__(self, entry: str, function: Callable[..., Any]) -> None:
        self._entry = entry
        self.told: tuple[str, ...] = ()
        self._any = True
        self._accepted: tuple[str, ...] = ()
        self._needed: tuple[str, ...] = ()
        self._first = ""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return  # written in C without a signature: it checks its own arguments
        kinds = inspect.Parameter
        takes_input = parameters and parameters[0].kind is not kinds.KEYWORD_ONLY
        if not takes_input or parameters[0].kind is kinds.VAR_KEYWORD:
            raise ConfigError(f'"{entry}" takes no input; its first parameter must be the case\'s input')
        named = [one for one in parameters[1:] if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)]
        self.told = tuple(one.name for one in named if one.name in _TOLD)
        options = [one for one in named if one.name not in _TOLD]
        self._any = any(one.kind is kinds.VAR_KEYWORD for one in parameters)
        self._accepted = tuple(one.name for one in options)
        self._needed = tuple(one.name for one in options if one.default is kinds.empty)
        self._first = parameters[0].name if parameters[0].kind is kinds.POSITIONAL_OR_KEYWORD else ""

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise ConfigError for an option that the callable does not take, or one that it needs and is not given."""
        accepted = f"it accepts: {', '.join(self._accepted) or 'none'}"
        for name in options:
            if name in _TOLD or name == self._first:
                raise ConfigError(f'option "{name}" of "{self._entry}" is filled by the run itself; {accepted}')
            if not self._any and name not in self._accepted:
                near = did_you_mean(name, self._accepted)
                hint = f"{near} " if near.startswith("did") else ""
                raise ConfigError(f'"{self._entry}" takes no option "{name}"; {hint}{accepted}')
        missing = [name for name in self._needed if name not in options]
        if missing:
            raise ConfigError(f'"{self._entry}" needs the option "{missing[0]}"; {accepted}')


def _own_copy(value: Any) -> Any:
    """The input for the target to keep: what it changes there changes no case."""
    if type(value) is dict:
        return {key: _own_copy(inside) for key, inside in value.items()}
    if type(value) is list:
        return [_own_copy(inside) for inside in value]
    return value


def _is_async(function: Callable[..., Any]) -> bool:
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _was_cancelled(error: BaseException) -> bool:
    """Whether it is the caller who cancelled this task: a target may also raise CancelledError of its own."""
    if not isinstance(error, asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
