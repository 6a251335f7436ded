"""A target that is a command: a JSON call on its standard input, a JSON answer on its standard output."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from fiel.adapters.targets.answers import decoded, long_form, short
from fiel.adapters.targets.processes import STDERR_TAIL, Process
from fiel.core.errors import ConfigError, TargetFailure, did_you_mean
from fiel.core.trial import Output
from fiel.ports import Call

_MODES: Final = ("once", "lines")
_ENVELOPE_BYTES: Final = 65_536
_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)


class CommandTarget:
    """Runs ``argv`` without a shell, in the workspace, in a process group of its own.

    It reads one JSON object, ``{"input": …, "case_id": "…", "trial": 0, "options": {…}}``, and answers with one JSON
    value: the output itself, or an object with the key ``output`` that says more (see ``answers.long_form``).
    ``once``: a process for each call; its input is closed after the object, its exit status must be 0.
    ``lines``: up to ``concurrency`` processes that live through the run; one line in, one line out, in turn. One that
    dies, answers garbage or is late is killed, and the next call starts another; the call that saw it fails, and is
    never silently asked again. An answer that repeats ``case_id`` and ``trial`` is checked to be this call's: a program
    that may print more than it was asked for should. Timeouts, cancellation and an answer beyond the limit kill the
    whole group.
    """

    kind: Final = "command"

    def __init__(
        self,
        *,
        name: str,
        argv: Sequence[str],
        workspace: Path,
        environ: Mapping[str, str],
        mode: str = "once",
        options: Mapping[str, Any] | None = None,
        concurrency: int = 8,
        max_output_bytes: int = 262_144,
    ) -> None:
        """``environ`` is given to the command as it is. ``options`` are not checked: only the command knows them."""
        where = f"targets.{name}.command"
        if isinstance(argv, str) or not argv or not all(isinstance(part, str) and "\0" not in part for part in argv):
            raise ConfigError(f'{where}.argv is no list of texts; write it like ["python", "agent.py"]')
        if mode not in _MODES:
            raise ConfigError(f'{where}.mode = "{mode}"; {did_you_mean(mode, _MODES)}')
        self._name = name
        self._where = where
        self._argv = tuple(argv)
        self._program = argv[0]
        self._workspace = workspace.resolve()
        self._environ = environ
        self._mode: Literal["once", "lines"] = "lines" if mode == "lines" else "once"
        self._max_bytes = max_output_bytes
        self._places = asyncio.Semaphore(concurrency)
        self._idle: list[Process] = []
        self._living: set[Process] = set()
        self._is_open = False

    def __repr__(self) -> str:
        return f"CommandTarget({self._name!r}, {self._mode}, {self._argv[0]!r})"

    @property
    def name(self) -> str:
        return self._name

    async def open(self) -> None:
        """Find the program; raises ConfigError when there is none. No process is started yet."""
        program = self._argv[0]
        if not self._workspace.is_dir():
            raise ConfigError(f"{self._where}: the workspace {self._workspace} is no directory")
        if "/" in program:
            found = shutil.which(str(self._workspace / program))
            place = str(self._workspace)
        else:
            found = shutil.which(program, path=self._environ.get("PATH"))
            place = "the directories of PATH"
        if found is None:
            raise ConfigError(f'{self._where}.argv: no program "{program}" that can be run in {place}')
        self._program = str(found)
        self._is_open = True

    async def call(self, call: Call) -> Output:
        if not self._is_open:
            raise TargetFailure("crash", f'the target "{self._name}" is not open')
        asked = {"input": call.input, "case_id": call.case_id, "trial": call.trial, "options": dict(call.options)}
        line = msgspec.json.encode(asked) + b"\n"
        try:
            async with asyncio.timeout(call.timeout_s):
                answer = await (self._once(line) if self._mode == "once" else self._in_turn(line, call))
        except TimeoutError:
            message = f"no answer within {call.timeout_s:g} s; its processes were killed"
            raise TargetFailure("timeout", message) from None
        return answer if isinstance(answer, Output) else self._output(answer, call)

    async def close(self) -> None:
        """End every process: its input is closed, and what still runs half a second later is killed."""
        self._is_open = False
        self._idle.clear()
        await asyncio.gather(*(self._end(process, politely=True) for process in tuple(self._living)))

    async def _once(self, line: bytes) -> bytes:
        process = await self._start()
        try:
            process.write(line, last=True)
            while not process.exited:
                await process.changed()
            await process.settle()
            self._refuse_too_large(process)
            if process.code:
                raise self._exit(process, retriable=False)
            return bytes(process.output)
        finally:
            await self._end(process)

    async def _in_turn(self, line: bytes, call: Call) -> Output:
        """The answer of the first free process; one that is not fit to be asked again does not go back."""
        async with self._places:
            process = await self._free()
            fit = False
            try:
                process.write(line)
                output = self._output(await self._line(process), call)
                fit = self._is_open
            finally:
                if fit:
                    self._idle.append(process)
                else:
                    await self._end(process)
            return output

    async def _free(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            await asyncio.sleep(0)  # what it has printed since its last answer is read now
            if not process.exited and not process.stdin_closed and not process.output:
                return process
            said = bool(process.output)
            await self._end(process)
            if said:
                raise TargetFailure("garbage", "it printed a line that no call had asked for; answer one line a call")
        return await self._start()

    async def _line(self, process: Process) -> bytes:
        while b"\n" not in process.output:
            self._refuse_too_large(process)
            if process.exited or process.stdout_closed:
                await process.settle()
                if b"\n" in process.output:
                    break
                self._refuse_too_large(process)
                if process.exited:
                    raise self._exit(process, retriable=True)
                raise TargetFailure("garbage", "it closed its standard output without an answer", retriable=True)
            await process.changed()
        line, _, rest = bytes(process.output).partition(b"\n")
        if rest:
            raise TargetFailure("garbage", "it printed more than one line for one call; answer one line a call")
        process.output.clear()
        return line

    def _output(self, body: bytes, call: Call) -> Output:
        return long_form(decoded(body, what="the answer"), self._max_bytes, case_id=call.case_id, trial=call.trial)

    async def _start(self) -> Process:
        limit = self._max_bytes + _ENVELOPE_BYTES
        try:
            argv = (self._program, *self._argv[1:])
            process = await Process.start(argv, cwd=self._workspace, environ=self._environ, max_bytes=limit)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise TargetFailure("unreachable", f"cannot start {short(self._argv[0])}: {reason}") from error
        self._living.add(process)
        return process

    async def _end(self, process: Process, *, politely: bool = False) -> None:
        try:
            await process.end(politely=politely)
        finally:
            self._living.discard(process)

    def _refuse_too_large(self, process: Process) -> None:
        if process.too_large:
            message = f"the answer is larger than {self._max_bytes} bytes (max_output_bytes); it was killed"
            raise TargetFailure("output_too_large", message)

    def _exit(self, process: Process, *, retriable: bool) -> TargetFailure:
        """How it ended, with the last line of its standard error, in which secrets of the environment are covered."""
        code = process.code
        if code == 0:
            ending = "exited 0 before it answered"
        elif code is None or code < 0:
            ending = f"was killed by signal {-code} ({_signal(-code)})" if code else "ended"
        else:
            ending = f"exited {code}" + (
                f" (killed by signal {code - 128}, {_signal(code - 128)})" if code > 128 else ""
            )
        lines = process.stderr_tail.decode(errors="replace").strip().splitlines()
        said = lines[-1] if lines else ""
        if len(lines) == 1 and len(process.stderr_tail) == STDERR_TAIL:
            said = "a line too long to show"  # cut, maybe in the middle of a secret
        for name, value in self._environ.items():
            if len(value) >= 6 and _SECRET.search(name):
                said = said.replace(value, f"[{name}]")
        message = f"{ending}: {short(said, 300)[1:-1]}" if said else f"{ending} without a word on standard error"
        return TargetFailure("exit_status", message, retriable=retriable)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
