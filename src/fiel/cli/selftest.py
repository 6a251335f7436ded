"""``fiel selftest``: check the statistics of this installation."""

from __future__ import annotations

from dataclasses import asdict

import click

from fiel.cli import BROKEN, PASS, screen


@click.command("selftest")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(as_json: bool) -> int:
    """Compute the coverage of the intervals by full enumeration, and hold it to its bounds."""
    from fiel.stats.selftest import check

    results = check()
    if as_json:
        screen.emit([asdict(result) for result in results])
    else:
        for result in results:
            click.echo(f"{'ok ' if result.passed else 'NO '} {result.name}: {result.measured:.4g} ({result.bound})")
    return PASS if all(result.passed for result in results) else BROKEN
