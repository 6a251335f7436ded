"""Writes what `fiel COMMAND --help` prints into docs/reference/cli.md, each under its own heading.

`python tools/cli_reference.py` renews the page; a test holds it to be equal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
WIDTH = 100
HELP = re.compile(r"(^## `(?P<command>fiel[a-z -]*)`\n.*?^```text\n)(?P<help>.*?)(^```$)", re.DOTALL | re.MULTILINE)


def commands(command: click.Command, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """Every command below ``command``, itself first: its whole name and its help, laid out for 100 columns."""
    name = "fiel" if parent is None else str(command.name)
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, **command.context_settings
    )
    yield context.command_path, command.get_help(context) + "\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None, f"{context.command_path} lists {below} and does not have it"
            yield from commands(found, context)


def renewed(page: str, helps: dict[str, str]) -> str:
    """The page with today's help in every section that has a ``text`` block; sections of no command stay."""
    return HELP.sub(lambda found: found[1] + helps.get(found["command"], found["help"]) + found[4], page)


def main() -> None:
    from fiel.cli import root

    page = PAGE.read_text(encoding="utf-8")
    helps = dict(commands(root))
    missing = set(helps) - {found["command"] for found in HELP.finditer(page)}
    if missing:
        sys.exit(f"{PAGE.name} has no section with a text block for {', '.join(sorted(missing))}")
    PAGE.write_text(renewed(page, helps), encoding="utf-8")


if __name__ == "__main__":
    main()
