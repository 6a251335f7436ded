"""A Python target: found in the workspace, given its options, called without harm to the run."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fiel.adapters.targets.python import PythonTarget
from fiel.core.errors import ConfigError, TargetFailure
from fiel.core.trial import Output
from fiel.ports import Call
from fiel.testing.target_contract import MAX_OUTPUT_BYTES, OPTIONS, TargetContract

AGENT = """
    import asyncio, time

    def play(asked, case_id, trial, tone):
        match asked["do"]:
            case "echo": return asked["value"]
            case "who": return {"case_id": case_id, "trial": trial, "tone": tone}
            case "crash": raise ValueError("asked to\\ncrash")
            case "garbage": return {"now": object()}
            case "large": return "é" * 40_000

    def blocking(asked, case_id, trial, tone="plain"):
        if asked["do"] in ("hang", "sleep"):
            time.sleep(asked.get("s", 3))
            return "late"
        return play(asked, case_id, trial, tone)

    async def waiting(asked, case_id, trial, tone="plain"):
        if asked["do"] in ("hang", "sleep"):
            await asyncio.sleep(asked.get("s", 3600))
            return "late"
        return play(asked, case_id, trial, tone)
"""


def write(workspace: Path, source: str, name: str = "targets.py") -> None:
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / name).write_text(textwrap.dedent(source))


async def ask(workspace: Path, source: str, asked: Any = "in", *, entry: str = "targets:run", **options: Any) -> Output:
    write(workspace, source)
    target = PythonTarget(name="t", entry=entry, workspace=workspace, options=options, max_output_bytes=20_000)
    await target.open()
    try:
        return await target.call(Call(case_id="c1", input=asked, options=options, timeout_s=5))
    finally:
        await target.close()


async def refused(workspace: Path, source: str, *, entry: str = "targets:run", **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        await ask(workspace, source, entry=entry, **options)
    assert str(workspace) not in sys.path
    return str(caught.value)


async def failed(workspace: Path, source: str) -> TargetFailure:
    with pytest.raises(TargetFailure) as caught:
        await ask(workspace, source)
    return caught.value


class TestBlockingCallable(TargetContract):
    @pytest.fixture(autouse=True)
    def _workspace(self, tmp_path: Path) -> None:
        write(tmp_path, AGENT, "contract_agent.py")
        self.workspace = tmp_path

    def make(self) -> PythonTarget:
        return PythonTarget(
            name=self.name, entry="contract_agent:blocking", workspace=self.workspace, options=OPTIONS,
            max_output_bytes=MAX_OUTPUT_BYTES,
        )  # fmt: skip


class TestAsyncCallable(TestBlockingCallable):
    def make(self) -> PythonTarget:
        return PythonTarget(
            name=self.name, entry="contract_agent:waiting", workspace=self.workspace, options=OPTIONS,
            max_output_bytes=MAX_OUTPUT_BYTES,
        )  # fmt: skip


async def test_a_module_that_is_not_there_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    message = await refused(tmp_path, "def run(x): return x", entry="tragets:run")
    assert 'no module "tragets"' in message
    assert 'did you mean "targets"?' in message


async def test_a_file_name_in_place_of_a_module_is_answered_with_the_module(tmp_path: Path) -> None:
    assert 'did you mean "targets"?' in await refused(tmp_path, "def run(x): return x", entry="targets.py:run")


async def test_an_attribute_that_is_not_there_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    message = await refused(tmp_path, "def baseline(x): return x", entry="targets:basline")
    assert 'has no "basline"; did you mean "baseline"?' in message


@pytest.mark.parametrize("entry", ["targets", "targets:", ":run", "a b:run", "targets:run()"])
def test_an_entry_that_is_not_module_and_attribute_is_refused(tmp_path: Path, entry: str) -> None:
    with pytest.raises(ConfigError, match='write it as "module:attribute"'):
        PythonTarget(name="t", entry=entry, workspace=tmp_path)


async def test_what_cannot_be_called_is_refused(tmp_path: Path) -> None:
    assert "is a int, not a callable" in await refused(tmp_path, "run = 3")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os\nimport nowhere_at_all\n", "No module named 'nowhere_at_all' (targets.py:2)"),
        ("def run(x:\n  pass\n", "(targets.py:1)"),
        ("\n\n1 / 0\n", "ZeroDivisionError: division by zero (targets.py:3)"),
        ("raise SystemExit(3)\n", "SystemExit: 3 (targets.py:1)"),
    ],
)
async def test_a_module_that_fails_at_import_says_why_and_where(tmp_path: Path, source: str, said: str) -> None:
    message = await refused(tmp_path, source)
    assert 'cannot import "targets"' in message
    assert said in message


async def test_two_workspaces_with_a_module_of_one_name_do_not_meet(tmp_path: Path) -> None:
    for word in ("first", "second"):
        write(tmp_path / word, f"WORD = {word!r}", "rules.py")
        output = await ask(tmp_path / word, "from rules import WORD\ndef run(x): return WORD")
        assert output.value == word
    assert "targets" not in sys.modules
    assert "rules" not in sys.modules


async def test_a_package_of_the_workspace_is_a_source_too(tmp_path: Path) -> None:
    write(tmp_path / "agents", "", "__init__.py")
    write(tmp_path / "agents", "class Flow:\n    @staticmethod\n    def run(x):\n        return [x]\n", "flow.py")
    assert (await ask(tmp_path, "", entry="agents.flow:Flow.run")).value == ["in"]


async def test_an_installed_callable_needs_nothing_of_the_workspace(tmp_path: Path) -> None:
    assert (await ask(tmp_path, "", entry="textwrap:dedent")).value == "in"


async def test_a_callable_of_the_program_itself_is_not_imported_a_second_time() -> None:
    import fiel.core.errors

    sources = Path(fiel.core.errors.__file__).parents[2]
    target = PythonTarget(name="t", entry="fiel.core.errors:did_you_mean", workspace=sources, options={"known": ["in"]})
    await target.open()
    await target.close()
    assert sys.modules["fiel.core.errors"] is fiel.core.errors


async def test_options_go_in_by_name_and_defaults_stay(tmp_path: Path) -> None:
    source = "def run(text, *, inject=False, tone='plain'): return [text, inject, tone]"
    assert (await ask(tmp_path, source, inject=True)).value == ["in", True, "plain"]


async def test_an_unknown_option_is_refused_before_the_first_call(tmp_path: Path) -> None:
    message = await refused(tmp_path, "def run(text, case_id, inject_regression=False): pass", inject_regresion=True)
    assert 'no option "inject_regresion"; did you mean "inject_regression"?' in message
    assert "it accepts: inject_regression" in message


async def test_an_option_that_is_needed_and_not_given_is_refused(tmp_path: Path) -> None:
    assert 'needs the option "mode"' in await refused(tmp_path, "def run(text, mode): pass")


@pytest.mark.parametrize("option", ["text", "case_id", "trial"])
async def test_an_option_cannot_replace_what_the_run_itself_fills(tmp_path: Path, option: str) -> None:
    message = await refused(tmp_path, "def run(text, **anything): pass", **{option: 1})
    assert f'option "{option}" of "targets:run" is filled by the run itself' in message


async def test_a_callable_without_an_input_is_refused(tmp_path: Path) -> None:
    assert "takes no input" in await refused(tmp_path, "def run(): pass")


async def test_a_call_with_other_options_than_the_run_is_checked_too(tmp_path: Path) -> None:
    write(tmp_path, "def run(text, tone='a'): return tone")
    target = PythonTarget(name="t", entry="targets:run", workspace=tmp_path)
    await target.open()
    assert (await target.call(Call(case_id="c", input=0, options={"tone": "b"}))).value == "b"
    with pytest.raises(TargetFailure, match='no option "tune"'):
        await target.call(Call(case_id="c", input=0, options={"tune": "b"}))
    await target.close()


async def test_a_crash_tells_type_and_the_deepest_line_of_the_users_own(tmp_path: Path) -> None:
    source = """
        import json

        def helper(text):
            secret_local = "never shown"
            return json.loads(text)

        def run(text):
            return helper(text)
    """
    failure = await failed(tmp_path, source)
    assert failure.code == "crash"
    assert str(failure) == "JSONDecodeError"
    assert failure.place == "targets.py:6"
    assert not failure.retriable


async def test_a_crash_never_repeats_the_text_that_the_target_was_given(tmp_path: Path) -> None:
    failure = await failed(tmp_path, "async def run(text): raise RuntimeError('cannot read ' + text * 10_000)")
    assert str(failure) == "RuntimeError"
    assert str(await failed(tmp_path, "def run(text): int('Jane Roe ' + text)")) == "ValueError"
    assert str(await failed(tmp_path, "import sys\ndef run(text): sys.exit('Jane Roe')")) == "SystemExit"
    unreadable = "class Odd(Exception):\n    def __str__(self): raise KeyError\ndef run(text): raise Odd"
    assert str(await failed(tmp_path, unreadable)) == "Odd"


@pytest.mark.parametrize("prefix", ["", "async "])
@pytest.mark.parametrize("ending", ["return 'child'", "raise SystemExit(0)"])
async def test_a_forked_child_that_comes_back_never_goes_on_with_the_run(
    tmp_path: Path, prefix: str, ending: str
) -> None:
    source = f"""
        import os

        {prefix}def run(text):
            child = os.fork()
            if child == 0:
                {ending}
            os.waitpid(child, 0)
            return "parent"
    """
    assert (await ask(tmp_path, source)).value == "parent"


@pytest.mark.parametrize("prefix", ["", "async "])
@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("SystemExit(1)", "SystemExit: 1"),
        ("asyncio.CancelledError", "CancelledError"),
        ("RecursionError", "RecursionError"),
        ("StopIteration(2)", "StopIteration"),
        ("BaseException('odd')", "BaseException"),
    ],
)
async def test_nothing_that_a_target_raises_ends_the_run(tmp_path: Path, prefix: str, raised: str, told: str) -> None:
    failure = await failed(tmp_path, f"import asyncio\n{prefix}def run(text): raise {raised}")
    assert failure.code == "crash"
    assert told in str(failure)
    assert failure.place == "targets.py:2"


def test_keyboard_interrupt_passes(tmp_path: Path) -> None:
    for prefix in ("", "async "):
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(ask(tmp_path, f"{prefix}def run(text): raise KeyboardInterrupt"))


async def test_a_target_may_say_itself_how_it_failed(tmp_path: Path) -> None:
    source = """
        from fiel.core.errors import TargetFailure
        def run(text): raise TargetFailure("http_status", "busy", retriable=True, retry_after_s=3.0)
    """
    failure = await failed(tmp_path, source)
    assert (failure.code, failure.retriable, failure.retry_after_s) == ("http_status", True, 3.0)


async def test_a_plain_callable_may_give_an_awaitable(tmp_path: Path) -> None:
    source = """
        import functools
        async def slow(text, n): return text * n
        run = functools.partial(slow, n=2)
        def indirect(text): return slow(text, 3)
        class Agent:
            async def __call__(self, text): return text
        agent = Agent()
    """
    assert (await ask(tmp_path, source)).value == "inin"
    assert (await ask(tmp_path, source, entry="targets:indirect")).value == "ininin"
    assert (await ask(tmp_path, source, entry="targets:agent")).value == "in"


async def test_what_a_target_does_to_its_input_changes_no_case(tmp_path: Path) -> None:
    case = {"lines": [1, 2]}
    output = await ask(tmp_path, "def run(case):\n    case['lines'].append(3)\n    return case", case)
    assert output.value == {"lines": [1, 2, 3]}
    assert case == {"lines": [1, 2]}


async def test_a_hung_call_is_left_behind_on_its_thread(tmp_path: Path) -> None:
    source = "import time\ndef run(asked):\n    time.sleep(1.5 if asked else 0)\n    return asked"
    write(tmp_path, source)
    target = PythonTarget(name="stuck", entry="targets:run", workspace=tmp_path)
    await target.open()
    with pytest.raises(TargetFailure, match=r"no answer within 0\.1 s") as caught:
        await target.call(Call(case_id="c", input=True, timeout_s=0.1))
    assert caught.value.code == "timeout"
    started = time.monotonic()
    for _ in range(20):
        assert (await target.call(Call(case_id="c", input=False, timeout_s=5))).value is False
    assert time.monotonic() - started < 1
    stuck = [thread for thread in threading.enumerate() if thread.name == "fiel target stuck"]
    assert len(stuck) == 2
    assert all(thread.daemon for thread in stuck)
    await target.close()
    await asyncio.sleep(1.6)
    assert not [thread for thread in threading.enumerate() if thread.name == "fiel target stuck"]


def test_a_hung_call_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    write(tmp_path, "import time\ndef run(text): time.sleep(3600)")
    script = f"""
        import asyncio
        from pathlib import Path
        from fiel.adapters.targets.python import PythonTarget
        from fiel.ports import Call

        async def main():
            target = PythonTarget(name="t", entry="targets:run", workspace=Path({str(tmp_path)!r}))
            await target.open()
            try:
                await target.call(Call(case_id="c", input=0, timeout_s=0.1))
            finally:
                await target.close()
        asyncio.run(main())
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], timeout=20, capture_output=True, text=True,
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)}, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert "no answer within 0.1 s" in ended.stderr


REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("REQUEST", default="none")


async def test_the_callers_context_reaches_a_blocking_target(tmp_path: Path) -> None:
    source = """
        import contextvars, threading
        def run(text):
            held = {one.name: value for one, value in contextvars.copy_context().items()}
            return [held.get("REQUEST"), threading.current_thread() is threading.main_thread()]
    """
    REQUEST.set("r-1")
    assert (await ask(tmp_path, source)).value == ["r-1", False]


async def test_an_async_call_costs_next_to_nothing(tmp_path: Path) -> None:
    write(tmp_path, "async def run(text): return 'answer'")
    target = PythonTarget(name="t", entry="targets:run", workspace=tmp_path)
    await target.open()
    call = Call(case_id="c", input="text")

    async def best(times: int = 2_000) -> float:
        spent = []
        for _ in range(5):
            started = time.process_time()
            for _ in range(times):
                await target.call(call)
            spent.append((time.process_time() - started) / times)
        return min(spent)

    assert await best() < 10e-6  # five times what it takes on a quiet machine
    await target.close()
