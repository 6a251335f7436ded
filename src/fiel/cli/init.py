"""``fiel init``: make a workspace."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("init")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--example", help="Start from an example that ships: relayops.")
def command(directory: Path, example: str | None) -> int:
    """Make a workspace in DIRECTORY; files that are there are never overwritten."""
    from fiel.wiring.beginning import initialise

    written = initialise(directory, example)
    for name in written:
        click.echo(f"  {directory / name}")
    if example is None:
        click.echo(f"next: cd {directory} && fiel run answer --split dev")
    else:
        click.echo(f"next: cd {directory} && fiel dataset check")
    return 0
