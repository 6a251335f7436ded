"""What a terminal, a build server, a pipe and a program each get to see, and how fast help comes."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from fiel.cli import COMMANDS, run, screen
from fiel.offline.run import Progress

HEAVY = (
    "asyncio",
    "httpx2",
    "jsonschema_rs",
    "msgspec",
    "phonenumbers",
    "rich",
    "stdnum",
    "tomlkit",
    "tomllib",
    "fiel.wiring",
)


def test_help_loads_nothing_heavy_and_names_every_command(shell):
    program = (
        "import sys; from fiel.cli import run; code = run(['--help']);"
        f"sys.stderr.write(repr([name for name in {HEAVY!r} if name in sys.modules])); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=shell.environment(), capture_output=True, text=True, check=True
    )
    assert done.stderr == "[]"
    for name, says in COMMANDS.items():
        assert name in done.stdout
        assert says.split(".")[0][:30] in done.stdout
    assert "Exit codes: 0 pass, 1 block, 2 refused or misused, 3 inconclusive, 4" in " ".join(done.stdout.split())


@pytest.mark.parametrize("command", [*COMMANDS, "dataset add-case", "dataset check", "dataset pin", "dataset stats"])
def test_each_command_has_help_and_takes_json(command):
    out = io.StringIO()
    with redirect_stdout(out):
        code = run([*command.split(), "--help"])
    assert code == 0
    assert out.getvalue().startswith(f"Usage: fiel {command}")
    assert command == "dataset" or "--json" in out.getvalue()


def test_nothing_at_all_shows_the_help_and_is_misuse(shell):
    done = shell()
    assert done.code == 2
    assert "Usage: fiel" in done.out + done.err
    version = shell("--version")
    assert (version.code, version.out.split()[0]) == (0, "fiel")


@pytest.fixture
def ran(workspace):
    cases = [{"id": f"c{n}", "input": "x", "expected": "x", "tags": {"t": "\u001b[31mred\u202e"}} for n in range(3)]
    fiel = workspace([*cases, {"id": "bad", "input": "\u001b]0;title\u0007", "expected": "##[error]x"}])
    done = fiel("run", "answer", "-o", "runs/a")
    assert done.code == 0, done
    return fiel


def test_json_is_one_document_on_standard_output_and_nothing_else(ran):
    for command in (
        ("report", "runs/a", "--json"),
        ("diff", "runs/a", "runs/a", "--json"),
        ("grade", "runs/a", "--json"),
        ("run", "answer", "-o", "runs/b", "--json"),
        ("dataset", "check", "--json"),
        ("dataset", "stats", "--json"),
        ("dataset", "pin", "--json"),
        ("doctor", "--json"),
        ("init", "fresh", "--json"),
    ):
        done = ran.inside(*command)
        assert done.code == 0, (command, done)
        assert isinstance(done.json, dict | list)
        assert done.out.isascii()
        assert "##" not in done.out, "no build server finds a command in it"
        assert not done.err


def test_text_of_a_case_never_reaches_the_terminal_as_a_command(ran):
    for command in (
        ("report", "runs/a"),
        ("dataset", "stats"),
        ("run", "nope\u001b[31m"),
        ("dataset", "check", "\u202e"),
    ):
        done = ran.inside(*command)
        for said in (done.out, done.err):
            assert "\u001b" not in said
            assert "\u202e" not in said
            assert "##[" not in said


def on_a_terminal(fiel, *arguments: str, **env: str) -> str:
    """What the command prints where standard output and error are a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        fiel.argv(*arguments),
        cwd=fiel.folder,
        env=fiel.environment({"TERM": "xterm-256color", **env}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end has closed
                break
            if not chunk:
                break
            shown += chunk
        process.wait(30)
    os.close(ours)
    return shown.decode()


def test_a_terminal_gets_colour_and_a_bar_unless_it_says_no(ran):
    coloured = on_a_terminal(ran, "run", "answer", "-o", "runs/t1")
    assert "\x1b[" in coloured
    assert "[##############################] 4/4" in coloured
    plain = on_a_terminal(ran, "run", "answer", "-o", "runs/t2", NO_COLOR="1", CI="true")
    assert "\x1b" not in plain
    assert "[###" not in plain, "a build server's log is no place for a bar"


def test_a_pipe_gets_no_colour_and_no_bar(ran):
    done = ran("run", "answer", "-o", "runs/p", env={"TERM": "xterm-256color"})
    assert "\x1b" not in done.out + done.err
    assert done.err == "written to runs/p/report.json\n"


def test_a_reader_who_leaves_early_is_no_block(ran):
    """Exit code 1 would tell a pipeline that the release is blocked."""
    with subprocess.Popen(
        ran.argv("report", "runs/a", "--format", "html"),
        cwd=ran.folder,
        env=ran.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        said = process.stderr.read().decode()
        process.wait(30)
    assert process.returncode == 4
    assert said == ""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110 - at import
def test_an_output_that_is_full_is_told_and_is_no_block(ran):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            ran.argv("report", "runs/a"),
            cwd=ran.folder,
            env=ran.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 4
    assert done.stderr == "fiel: No space left on device\n"


def test_an_encoding_without_the_signs_of_a_report_does_not_end_it(ran):
    done = subprocess.run(
        ran.argv("report", "runs/a"),
        cwd=ran.folder,
        env=ran.environment({"PYTHONIOENCODING": "latin-1"}),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert "\\u2500" in done.stdout.decode("latin-1")


def test_a_traceback_is_shown_to_those_who_ask_alone(shell):
    plain = shell("report", "nope")
    assert (plain.code, plain.err.count("\n")) == (2, 1)
    asked = subprocess.run(
        shell.argv("--debug", "report", "nope"),
        cwd=shell.folder,
        env=shell.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" in asked.stderr
    assert "ReportError: nope: no such file or directory" in asked.stderr
    assert asked.returncode == 2


NOISY = """
import os, subprocess

print("on import")

def answer(question):
    print("asked", question)
    os.write(1, b"from C code\\n")
    subprocess.run(["echo", "from a child"], check=True)
    os.chdir("/")
    return question
"""


def test_what_a_target_prints_is_no_part_of_the_result(workspace):
    fiel = workspace(targets=NOISY)
    done = fiel("run", "answer", "-o", "runs/a", "--json")
    assert done.code == 0, done
    assert done.json["overall"]["exact"]["numerator"] == 1
    for said in ("on import", "asked x", "from C code", "from a child"):
        assert said in done.err
    assert fiel.report("runs/a")["attempted"] == 1


def test_a_stream_that_the_caller_closed_changes_no_exit_code(ran):
    for closing in ('"$@" >&-', '"$@" >&- 2>&-'):
        for arguments, code in ((("report", "runs/a"), 0), (("report", "nope"), 2)):
            done = subprocess.run(
                ["sh", "-c", closing, "sh", *ran.argv(*arguments)], cwd=ran.folder, env=ran.environment(), check=False
            )
            assert done.returncode == code


class Clock:
    """A time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def progress(finished: int, failed: int = 0) -> Progress:
    return Progress(finished=finished, of=1000, failed=failed)


def test_a_build_server_gets_a_line_every_half_minute():
    clock, said = Clock(), []
    with screen.Lines("answer on dev", write=said.append, clock=clock) as told:
        for second in range(100):
            clock.now_s = float(second)
            told(progress(second, failed=second // 50))
    assert said == [
        "answer on dev: 30/1000\n",
        "answer on dev: 60/1000, 1 without an answer\n",
        "answer on dev: 90/1000, 1 without an answer\n",
    ]


def test_a_bar_is_drawn_ten_times_a_second_at_most_and_ends_its_line():
    clock, said = Clock(), []
    with screen.Bar("answer", write=said.append, clock=clock) as told:
        for finished in range(1, 101):
            clock.now_s = finished / 100
            told(progress(finished))
    assert 9 <= len(said) - 1 <= 11
    assert said[-1] == "\n"
    assert all(drawn.startswith("\ranswer [") for drawn in said[:-1])
    with screen.Bar("answer", write=said.append, clock=clock):
        said.clear()
    assert said == [], "what was never drawn is not ended"


def test_what_is_not_a_terminal_gets_lines():
    with redirect_stderr(io.StringIO()):
        assert isinstance(screen.progress("x"), screen.Lines)
    assert json.dumps(screen.visible("a\u001bb\nc")) == '"a\\\\x1bb\\nc"'
