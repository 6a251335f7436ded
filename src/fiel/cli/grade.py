"""``fiel grade``: grade a run's stored outputs again."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import screen


@click.command("grade")
@click.argument("run_directory", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report's head as JSON.")
def command(run_directory: Path, as_json: bool) -> int:
    """Grade the stored outputs in RUN_DIRECTORY with today's graders; the target is asked nothing."""
    from fiel.core.report_document import encode_head
    from fiel.reports import render
    from fiel.wiring.evaluate import grade_again
    from fiel.wiring.reportfiles import load_page
    from fiel.wiring.workspace import Workspace, shown

    workspace = Workspace.find()
    with screen.progress("grading") as progress:
        head = grade_again(workspace, run_directory, progress=progress)
    if as_json:
        screen.emit(encode_head(head))
        return 0
    report = load_page(run_directory)
    metric = workspace.config.gate.metric
    click.echo(render(report, "terminal", metric=metric, width=screen.width(), colour=screen.colour()).rstrip())
    screen.say(f"graded again in {shown(run_directory)}")
    return 0
