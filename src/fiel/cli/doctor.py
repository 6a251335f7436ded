"""``fiel doctor``: check the workspace, one line each."""

from __future__ import annotations

import click

from fiel.cli import PASS, REFUSED, screen


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(as_json: bool) -> int:
    """Check configuration, datasets, targets, graders and policy for real; exit 2 when one of them is not right."""
    from fiel.wiring.examination import examine

    findings = examine()
    if as_json:
        screen.emit([{"what": f.what, "ok": f.ok, "says": f.says} for f in findings])
    else:
        for finding in findings:
            click.echo(screen.visible(f"{'ok ' if finding.ok else 'NO '} {finding.what}: {finding.says}"))
    return PASS if all(finding.ok for finding in findings) else REFUSED
