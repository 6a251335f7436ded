"""``fiel demo``: the whole journey on the RelayOps example."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import screen


@click.command("demo")
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path),
    help="Where to make the workspace (default: a new folder fiel-demo, fiel-demo-2, ...).",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was shown as JSON, and the rest on standard error.")
def command(directory: Path | None, as_json: bool) -> int:
    """Make a workspace, run three targets, show strata and gate decisions, and write the HTML report."""
    from fiel.wiring.demonstration import demonstrate, require_shown

    if directory is None:
        directory, number = Path("fiel-demo"), 2
        while directory.exists():
            directory, number = Path(f"fiel-demo-{number}"), number + 1
    say = screen.say if as_json else click.echo
    shown = demonstrate(directory, say=say, width=screen.width(), colour=screen.colour())
    if as_json:
        screen.emit(shown.document())
    require_shown(shown)
    if as_json:
        return 0
    click.echo(f"\nThe HTML report: {shown.html}\nThe workspace:   {shown.workspace}  (cd there and go on)")
    return 0
