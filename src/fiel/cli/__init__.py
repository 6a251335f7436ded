"""The command line: one file a command, imported only when it is used."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from fiel import __version__

PASS, REFUSED, BROKEN, INTERRUPTED = 0, 2, 4, 130
"""Exit codes, a contract: done, refused or misused, broken outside. A ruling has its own in ``core.decision``."""

COMMANDS: Final = {
    "init": "Make a workspace, empty or from an example.",
    "demo": "Show the whole journey on the RelayOps example.",
    "dataset": "Check, pin, count and extend datasets.",
    "run": "Run a target over a split and write a report.",
    "grade": "Grade a run's stored outputs again; the target is asked nothing.",
    "report": "Show a report: terminal, md, json, junit, html, github.",
    "diff": "Compare two reports: what was fixed, what broke.",
    "gate": "Rule on a release: pass, block or inconclusive.",
    "doctor": "Check the workspace, one line each.",
    "selftest": "Check the statistics of this installation.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"fiel.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from fiel.core.errors import did_you_mean

            ctx.fail(f"no command {args[0]!r}; {did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="fiel", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def root(ctx: click.Context, debug: bool) -> None:
    """fiel tells whether an AI agent got better or worse.

    Exit codes: 0 pass, 1 block, 2 refused or misused, 3 inconclusive, 4 something outside broke.
    """
    ctx.obj = debug


def main(arguments: list[str] | None = None) -> None:
    """The entry point ``fiel``: runs one command and exits with its code."""
    # Python has None for a stream that the caller closed; what nobody reads must not change an exit code.
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal's encoding lacks must not end a command that has done its work.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _told(error)
    waiting = sys.modules.get("fiel.offline.patience")
    if waiting is not None and waiting.ABANDONED:
        # A target that swallows whatever ends it would keep the interpreter from ending, too. All is written.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run one command; gives its exit code instead of exiting."""
    given = sys.argv[1:] if arguments is None else arguments
    # The flag is looked up by hand: it must hold for errors that come before options are parsed.
    debug = "--debug" in given
    try:
        code = _invoked(given)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return REFUSED
    except (KeyboardInterrupt, click.exceptions.Abort) as stop:
        click.echo("\n".join(["fiel: interrupted", *_notes(stop)]), err=True)
        return INTERRUPTED
    except Exception as error:
        if debug:
            # Not raised: the interpreter would end with exit code 1, which here says "block".
            traceback.print_exc()
        return _told(error)
    return code if isinstance(code, int) else PASS


def _invoked(given: list[str]) -> object:
    if "_FIEL_COMPLETE" in os.environ:
        return root.main(args=given, prog_name="fiel", standalone_mode=False)
    # Not root.main(): it answers a pipe that nobody reads with exit code 1, which here says "block".
    with root.make_context("fiel", list(given)) as context:
        return root.invoke(context)


def _told(error: Exception) -> int:
    from fiel.cli.screen import visible
    from fiel.core.errors import FielError, Refused

    if isinstance(error, FielError):
        click.echo(visible("\n".join([f"fiel: {error}", *_notes(error)])), err=True)
        return REFUSED if isinstance(error, Refused) else BROKEN
    if isinstance(error, OSError):
        if not isinstance(error, BrokenPipeError):
            what = error.strerror or str(error)
            click.echo(visible(f"fiel: {error.filename}: {what}" if error.filename else f"fiel: {what}"), err=True)
        _let_go_of_output()
        return BROKEN
    click.echo(visible(f"fiel: unexpected {type(error).__name__}: {error}"), err=True)
    click.echo("This is a defect of fiel; `fiel --debug ...` shows where.", err=True)
    return BROKEN


def _notes(error: BaseException) -> list[str]:
    return [f"  {note}" for note in getattr(error, "__notes__", ())]


def _let_go_of_output() -> None:
    """Keep what could not be written from being tried again when the interpreter ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
