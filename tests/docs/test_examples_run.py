"""Every console block of the documentation is run as it stands, and prints what the page says it prints.

A page is one journey: its blocks run in order, in one shell, in an empty folder of their own. A line that starts
with ``$ `` is a command and ``> `` continues it; the rest is what it prints, with ``...`` for anything (alone on a
line: any number of lines). A command that shows no output promises nothing of it. A command must end with 0 unless
the page asks for its code with ``$ echo $?``. A block under ``<!-- not run: why -->`` is left alone.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"(?P<before><!-- not run:(?P<why>.*?)-->\s*)?^```console\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)
SECONDS_A_PAGE = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of a page, where it stands, and the output that the page promises ("": it promises nothing)."""

    line: int
    command: str
    expected: str


def steps_of(page: str) -> list[Step]:
    """The commands of every console block of a page that is to be run, in order."""
    steps: list[Step] = []
    for block in BLOCK.finditer(page):
        first = page.count("\n", 0, block.start("body")) + 1
        if block["why"] is not None:
            assert block["why"].strip(), f"line {first}: say why the block is not run"
            continue
        command: list[str] = []
        output: list[str] = []
        started = first
        for number, line in enumerate(block["body"].splitlines(), start=first):
            if line.startswith("$ "):
                if command:
                    steps.append(Step(line=started, command="\n".join(command), expected="\n".join(output)))
                command, output, started = [line[2:]], [], number
            elif line == ">" or (line.startswith("> ") and not output):
                command.append(line[2:])
            else:
                assert command, f"line {number}: a console block starts with a command"
                output.append(line)
        if command:
            steps.append(Step(line=started, command="\n".join(command), expected="\n".join(output)))
    return steps


def matches(expected: str, got: str) -> bool:
    """Whether ``got`` is what the page says, where ``...`` stands for anything; trailing spaces do not count."""
    if not expected:
        return True
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"\n"
    shown = "".join(line.rstrip() + "\n" for line in got.strip("\n").splitlines())
    return re.fullmatch(pattern, shown) is not None


def run_steps(steps: list[Step], folder: Path, environment: dict[str, str]) -> list[tuple[str, int]]:
    """What each command printed (both streams, as a terminal shows them) and its exit code."""
    mark = "--end-of-step--"
    script = ""
    for step in steps:
        script += f"{step.command}\n__code=$?; printf '\\n{mark}%s\\n' \"$__code\"; (exit $__code)\n"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS_A_PAGE,
        check=False,
    )
    text = done.stdout.decode()
    found = re.findall(rf"(.*?)\n{mark}(\d+)\n", text, re.DOTALL)
    return [(output, int(code)) for output, code in found]


def environment_in(folder: Path) -> dict[str, str]:
    """A shell's environment with ``fiel`` and ``python`` in its path, a home of its own, and no colours."""
    programs = folder / "bin"
    programs.mkdir()
    for name, arguments in (("fiel", "-m fiel"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    # Where fiel runs from its sources, pytest does not find the plugin by its entry point.
    installed = any(point.name == "fiel" for point in entry_points(group="pytest11"))
    return {
        "PYTEST_ADDOPTS": "" if installed else "-p fiel.pytest_plugin",
        "PATH": f"{programs}{os.pathsep}/usr/local/bin{os.pathsep}/usr/bin{os.pathsep}/bin",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }


def pages() -> list[Path]:
    candidates = [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]
    return sorted(path for path in candidates if "```console\n" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_page_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    steps = steps_of(page.read_text(encoding="utf-8"))
    desk = tmp_path / "desk"
    desk.mkdir()
    results = run_steps(steps, desk, environment_in(tmp_path))
    followers = [*steps[1:], None]
    for step, follower, (output, code) in zip(steps, followers, results, strict=False):
        where = f"{page.relative_to(ROOT)}:{step.line}: $ {step.command}"
        assert matches(step.expected, output), f"{where}\n--- printed:\n{output}\n--- the page says:\n{step.expected}"
        asked = follower is not None and follower.command == "echo $?"
        assert code == 0 or asked, f"{where}\n--- ended with {code}:\n{output}"
    assert len(results) == len(steps), f"{page}: the shell ended after {len(results)} of {len(steps)} commands"


def test_the_tutorial_and_the_exercises_are_among_the_pages() -> None:
    found = {str(path.relative_to(ROOT)) for path in pages()}
    assert {
        "docs/tutorial.md",
        "docs/how-to/ungradable-case.md",
        "docs/how-to/regression-under-a-rising-mean.md",
        "docs/how-to/incident-walk-through.md",
    } <= found


def test_a_command_and_its_output_are_told_apart() -> None:
    page = "text\n```console\n$ one\nsays\n> so\n$ two <<END\n> more\n>\n> END\n```\n```python\n$ no\n```\n"
    assert steps_of(page) == [
        Step(line=3, command="one", expected="says\n> so"),
        Step(line=6, command="two <<END\nmore\n\nEND", expected=""),
    ]


def test_a_block_with_a_reason_is_left_alone() -> None:
    assert steps_of("<!-- not run: needs a key -->\n```console\n$ rm everything\n```\n") == []


def test_a_block_without_a_reason_is_refused() -> None:
    with pytest.raises(AssertionError, match="say why"):
        steps_of("<!-- not run: -->\n```console\n$ ls\n```\n")


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("", "", True),
        ("", "whatever it says", True),
        ("a\n...\nz", "a\nz\n", True),
        ("a\n...\nz", "a\nb\nc\nz\n", True),
        ("a\n...\nz", "a\nb\nc\n", False),
        ("took ... s", "took 0.41 s", True),
        ("took ... s", "took 0.41 ms\nand s", False),
        ("(1.0)", "(1x0)", False),
        ("...", "anything\nat all", True),
        ("one", "one   \n", True),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(expected: str, got: str, same: bool) -> None:
    assert matches(expected, got) is same


def test_an_exit_code_reaches_the_next_command(tmp_path: Path) -> None:
    steps = steps_of("```console\n$ (exit 3)\n$ echo $?\n3\n$ cd ..\n$ echo one; echo two >&2\n```\n")
    assert run_steps(steps, tmp_path, environment_in(tmp_path)) == [("", 3), ("3\n", 0), ("", 0), ("one\ntwo\n", 0)]
