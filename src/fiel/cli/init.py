"""``fiel init``: make a workspace."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import screen


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--example", help="Start from an example that ships: relayops.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def command(directory: Path, example: str | None, as_json: bool) -> int:
    """Make a workspace in DIRECTORY; files that are there are never overwritten."""
    from fiel.wiring.beginning import initialise

    written = initialise(directory, example)
    if as_json:
        screen.emit({"directory": str(directory), "example": example, "files": written})
        return 0
    for name in written:
        click.echo(f"  {directory / name}")
    if example is None:
        click.echo(f"next: cd {directory} && fiel run answer --split dev")
    else:
        click.echo(f"next: cd {directory} && fiel dataset check")
    return 0
