"""``fiel diff``: compare two reports."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import screen


@click.command("diff")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--metric", help="The metric to compare on (default: success, else the first common one).")
@click.option("--allow-mismatch", "allow", multiple=True, metavar="FIELD", help="Compare all the same; is recorded.")
@click.option("--format", "form", default="terminal", show_default=True, help="terminal, md, html, github or json.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write to a file instead.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(
    a: Path, b: Path, metric: str | None, allow: tuple[str, ...], form: str, out: Path | None, as_json: bool
) -> int:
    """Compare report B with report A: fixed and broken cases first, then strata, then means."""
    from fiel.gate.diff import diff, diff_document
    from fiel.reports import render_diff
    from fiel.wiring.reportfiles import load_report, require_metric

    first, second = load_report(a), load_report(b)
    require_metric(metric, first, second)
    document = diff_document(diff(first, second, allow=allow, metric=metric))
    text = render_diff(
        document, "json" if as_json else form, width=screen.width(), colour=screen.colour() and out is None
    )
    screen.deliver(text, out)
    return 0
