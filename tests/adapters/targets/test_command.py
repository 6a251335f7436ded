"""A command target: real processes that answer, print garbage, hang, die and leave children behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from fiel.adapters.targets.command import CommandTarget
from fiel.core.errors import ConfigError, TargetFailure
from fiel.core.trial import Output, ToolCall, Usage
from fiel.ports import Call
from fiel.testing.target_contract import MAX_OUTPUT_BYTES, OPTIONS, TargetContract

AGENT = """
    import json, sys, time

    for line in sys.stdin:
        call = json.loads(line)
        asked = call["input"]
        match asked["do"]:
            case "echo": answer = asked["value"]
            case "who": answer = {"case_id": call["case_id"], "trial": call["trial"], **call["options"]}
            case "sleep":
                time.sleep(asked["s"])
                answer = "late"
            case "hang": time.sleep(3600)
            case "crash":
                print("Traceback\\nValueError: asked to crash", file=sys.stderr)
                sys.exit(3)
            case "garbage":
                print("Hello, I am an agent", flush=True)
                continue
            case "large": answer = "x" * 1_000_000
        print(json.dumps(answer), flush=True)
"""

ENVIRON = {"PATH": os.environ["PATH"], "API_KEY": "sk-very-secret-1"}


def make(workspace: Path, source: str, **how: Any) -> CommandTarget:
    (workspace / "agent.py").write_text(textwrap.dedent(source))
    how = {"argv": [sys.executable, "agent.py"], "environ": ENVIRON, "max_output_bytes": 20_000, **how}
    return CommandTarget(name="t", workspace=workspace, **how)


async def ask(target: CommandTarget, *inputs: Any, timeout_s: float | None = 20) -> list[Output | TargetFailure]:
    """What each input, asked one after the other, came to."""
    await target.open()
    ends: list[Output | TargetFailure] = []
    try:
        for value in inputs:
            try:
                call = Call(case_id="c1", input=value, trial=1, options={"tone": "dry"}, timeout_s=timeout_s)
                ends.append(await target.call(call))
            except TargetFailure as failure:
                ends.append(failure)
    finally:
        await target.close()
    return ends


async def fails(target: CommandTarget, value: Any = "in", *, timeout_s: float | None = 20) -> TargetFailure:
    (end,) = await ask(target, value, timeout_s=timeout_s)
    assert isinstance(end, TargetFailure), end
    return end


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "?"


def _pids(path: Path) -> list[int]:
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


async def appeared(path: Path) -> list[int]:
    """The process numbers in a file, as soon as it is there."""
    for _ in range(200):
        if pids := _pids(path):
            return pids
        await asyncio.sleep(0.05)
    raise AssertionError(f"{path} never appeared")


async def gone(pid: int) -> bool:
    """Whether a process has ended, waited for as long as five seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if _state(pid) == "Z":
            return True
        await asyncio.sleep(0.05)
    return False


class TestOnce(TargetContract):
    mode = "once"

    @pytest.fixture(autouse=True)
    def _workspace(self, tmp_path: Path) -> None:
        (tmp_path / "agent.py").write_text(textwrap.dedent(AGENT))
        self.workspace = tmp_path

    def make(self) -> CommandTarget:
        return CommandTarget(
            name=self.name, argv=[sys.executable, "-S", "agent.py"], workspace=self.workspace, environ=ENVIRON,
            mode=self.mode, options=OPTIONS, concurrency=8, max_output_bytes=MAX_OUTPUT_BYTES,
        )  # fmt: skip


class TestLines(TestOnce):
    mode = "lines"


ECHO_ONCE = "import json, sys\ncall = json.load(sys.stdin)\nprint(json.dumps(call))"
MODES = pytest.mark.parametrize("mode", ["once", "lines"])


async def test_the_command_is_told_input_case_trial_and_options_and_nothing_else(tmp_path: Path) -> None:
    (end,) = await ask(make(tmp_path, ECHO_ONCE), {"q": "ação"})
    assert isinstance(end, Output)
    assert end.value == {"input": {"q": "ação"}, "case_id": "c1", "trial": 1, "options": {"tone": "dry"}}


async def test_the_long_form_carries_cost_tokens_tools_and_model(tmp_path: Path) -> None:
    source = """
        import json
        print(json.dumps({"output": [1], "cost_usd": 0.25, "usage": {"input_tokens": 3, "output_tokens": 4},
                          "tool_calls": [{"name": "look", "arguments": {"q": 1}}], "model": "m-1"}))
    """
    (end,) = await ask(make(tmp_path, source), 0)
    assert end == Output(
        value=[1], cost_usd=0.25, usage=Usage(input_tokens=3, output_tokens=4),
        tool_calls=(ToolCall(name="look", arguments={"q": 1}),), model="m-1",
    )  # fmt: skip


async def test_a_relative_program_is_found_in_the_workspace(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "agent"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\nls agent.py > /dev/null && echo 7\n")
    script.chmod(0o755)
    (end,) = await ask(make(tmp_path, "", argv=["bin/agent"]), 0)
    assert isinstance(end, Output)
    assert end.value == 7


@pytest.mark.parametrize("argv", [["no-such-program-at-all"], ["./nowhere"], ["agent.txt"]])
async def test_a_program_that_is_not_there_is_refused_at_open(tmp_path: Path, argv: list[str]) -> None:
    target = make(tmp_path, "", argv=argv)
    with pytest.raises(ConfigError, match=f'targets.t.command.argv: no program "{argv[0]}" that can be run'):
        await target.open()
    await target.close()


@pytest.mark.parametrize("argv", ["python agent.py", [], ["python", 3], ["a\0b"]])
def test_argv_is_a_list_of_texts(tmp_path: Path, argv: Any) -> None:
    with pytest.raises(ConfigError, match="is no list of texts"):
        make(tmp_path, "", argv=argv)


def test_an_unknown_mode_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='did you mean "lines"'):
        make(tmp_path, "", mode="line")


async def test_nothing_of_argv_passes_through_a_shell(tmp_path: Path) -> None:
    source = "import json, sys\nprint(json.dumps(sys.argv[1:]))"
    (end,) = await ask(make(tmp_path, source, argv=[sys.executable, "agent.py", "$HOME", "; rm -rf x", "*"]), 0)
    assert isinstance(end, Output)
    assert end.value == ["$HOME", "; rm -rf x", "*"]


@pytest.mark.parametrize(
    ("death", "said"),
    [
        ("sys.exit(137)", "exited 137 (killed by signal 9, SIGKILL) without a word on standard error"),
        ("os.kill(os.getpid(), 9)", "was killed by signal 9 (SIGKILL) without a word on standard error"),
        ("sys.exit(2)", "exited 2 without a word on standard error"),
        ("sys.exit('no such order')", "exited 1: no such order"),
    ],
)
@MODES
async def test_an_exit_says_its_status_and_its_last_words(tmp_path: Path, mode: str, death: str, said: str) -> None:
    failure = await fails(make(tmp_path, f"import os, sys\nsys.stdin.readline()\n{death}", mode=mode))
    assert failure.code == "exit_status"
    assert str(failure) == said
    assert failure.retriable is (mode == "lines")


async def test_the_last_words_are_bounded_one_line_and_without_the_environments_secrets(tmp_path: Path) -> None:
    source = """
        import os, sys
        sys.stderr.buffer.write(b"\\xff" * 500_000 + b"\\n\\x1b[31mkey " + os.environb[b"API_KEY"] + b"y" * 5_000)
        sys.exit(1)
    """
    failure = await fails(make(tmp_path, source))
    assert "sk-very-secret-1" not in str(failure)
    assert len(str(failure)) < 400
    endless = "import sys\nsys.stderr.write('x' * 100_000)\nsys.exit(1)"
    assert str(await fails(make(tmp_path, endless))) == "exited 1: a line too long to show"
    source = "import os, sys\nsys.exit('bad key ' + os.environ['API_KEY'])"
    assert str(await fails(make(tmp_path, source))) == "exited 1: bad key [API_KEY]"
    assert "sk-very-secret-1" not in repr(make(tmp_path, ""))


@pytest.mark.parametrize(
    "body", [b"hello\n", b"\n", b'"\xff"\n', b"NaN\n", b'{"a": 1\n', b"1\n2\n", b'{"output": 1, "x": 2}\n']
)
@MODES
async def test_garbage_is_told_without_its_text(tmp_path: Path, mode: str, body: bytes) -> None:
    source = f"import sys, time\nsys.stdin.readline()\nsys.stdout.buffer.write({body!r})\nsys.stdout.flush()\n"
    source += "time.sleep(60)" if mode == "lines" else ""
    failure = await fails(make(tmp_path, source, mode=mode))
    assert failure.code == "garbage"
    assert "hello" not in str(failure)


@MODES
async def test_a_program_that_prints_nothing_is_a_failure(tmp_path: Path, mode: str) -> None:
    failure = await fails(make(tmp_path, "", mode=mode))
    assert failure.code == ("garbage" if mode == "once" else "exit_status")


@MODES
async def test_an_endless_answer_is_cut_at_the_limit(tmp_path: Path, mode: str) -> None:
    source = """
        import os, sys
        open("pid", "w").write(str(os.getpid()))
        while True: sys.stdout.write("x" * 65536)
    """
    started = time.monotonic()
    failure = await fails(make(tmp_path, source, mode=mode))
    assert failure.code == "output_too_large"
    assert "larger than 20000 bytes" in str(failure)
    assert time.monotonic() - started < 10
    assert await gone(int((tmp_path / "pid").read_text()))


async def test_a_megabyte_of_input_reaches_it_and_may_be_ignored(tmp_path: Path) -> None:
    (end,) = await ask(make(tmp_path, "import json, sys\nprint(len(json.load(sys.stdin)['input']))"), "x" * 1_000_000)
    assert isinstance(end, Output)
    assert end.value == 1_000_000
    (end,) = await ask(make(tmp_path, "print(1)"), "x" * 1_000_000)
    assert isinstance(end, Output)
    assert end.value == 1


FAMILY = """
    import os, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    with open("pids.part", "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.rename("pids.part", "pids")
    time.sleep(600)
"""


@MODES
async def test_a_timeout_kills_the_whole_family(tmp_path: Path, mode: str) -> None:
    failure = await fails(make(tmp_path, FAMILY, mode=mode), timeout_s=2)
    assert failure.code == "timeout"
    assert "no answer within 2 s" in str(failure)
    for pid in (tmp_path / "pids").read_text().split():
        assert await gone(int(pid))


@MODES
async def test_cancelling_a_call_kills_the_whole_family(tmp_path: Path, mode: str) -> None:
    target = make(tmp_path, FAMILY, mode=mode)
    await target.open()
    task = asyncio.create_task(target.call(Call(case_id="c", input=0)))
    family = await appeared(tmp_path / "pids")
    task.cancel()
    await asyncio.wait([task], timeout=5)
    assert task.cancelled()
    for pid in family:
        assert await gone(pid)
    await target.close()


@MODES
async def test_closing_kills_what_still_runs_and_fails_its_call(tmp_path: Path, mode: str) -> None:
    target = make(tmp_path, FAMILY, mode=mode)
    await target.open()
    task = asyncio.create_task(target.call(Call(case_id="c", input=0)))
    family = await appeared(tmp_path / "pids")
    await target.close()
    with pytest.raises(TargetFailure):
        await task
    for pid in family:
        assert await gone(pid)


async def test_a_child_left_behind_with_the_output_open_does_not_hold_the_call(tmp_path: Path) -> None:
    source = """
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        print(child.pid)
    """
    started = time.monotonic()
    (end,) = await ask(make(tmp_path, source), 0)
    assert isinstance(end, Output)
    assert time.monotonic() - started < 5
    assert await gone(end.value)


async def test_a_call_after_closing_is_a_failure(tmp_path: Path) -> None:
    target = make(tmp_path, "")
    with pytest.raises(TargetFailure, match="is not open"):
        await target.call(Call(case_id="c", input=1))
    assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL
