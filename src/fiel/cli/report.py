"""``fiel report``: show a report in one of its formats."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import screen


@click.command("report")
@click.argument("run_directory", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    default="terminal",
    show_default=True,
    help="terminal, md, json, junit, html, github or annotations.",
)
@click.option("--metric", help="The metric that strata are shown by (default: success, else the first).")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write to a file instead.")
@click.option("--full", is_flag=True, help="In the terminal, also what is otherwise only named.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(run_directory: Path, form: str, metric: str | None, out: Path | None, full: bool, as_json: bool) -> int:
    """Show the report of RUN_DIRECTORY, or of a report.json."""
    from fiel.reports import render
    from fiel.wiring.reportfiles import load_report, require_metric

    report = load_report(run_directory)
    require_metric(metric, report)
    text = render(
        report,
        "json" if as_json else form,
        metric=metric,
        width=screen.width(),
        colour=screen.colour() and out is None,
        full=full,
    )
    screen.deliver(text, out)
    return 0
