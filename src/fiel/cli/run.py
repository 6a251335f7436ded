"""``fiel run``: run a target over a split and write a report."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import click

from fiel.cli import screen


def options_of(pairs: tuple[str, ...]) -> dict[str, Any]:
    """``key=value`` pairs as a mapping; a value is read as JSON where it is JSON, else as text."""
    import msgspec

    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="--option")
        try:
            found[key] = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            found[key] = text
    return found


def _finite(context: click.Context, option: click.Parameter, number: float | None) -> float | None:
    if number is not None and not isfinite(number):
        raise click.BadParameter(f"{number} is not a finite number")
    return number


@click.command("run")
@click.argument("target")
@click.option("--split", default="dev", show_default=True, help="The dataset to run, by its name in [datasets].")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to write the run (default: runs/...).")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with a run that was broken off.")
@click.option("--option", "pairs", multiple=True, metavar="KEY=VALUE", help="An option for the target.")
@click.option("--trials", type=click.IntRange(min=1), help="Attempts a case.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Calls at the same time.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    callback=_finite,
    help="Seconds a call may take.",
)
@click.option("--retries", type=click.IntRange(min=0, max=20), help="Further tries where that makes sense.")
@click.option(
    "--budget-usd", type=click.FloatRange(min=0), callback=_finite, help="Stop calling when this much is spent."
)
@click.option("--budget-tokens", type=click.IntRange(min=0), help="Stop calling when this many tokens are spent.")
@click.option("--cache/--no-cache", default=None, help="Recall answers by content from .fiel/cache.sqlite.")
@click.option("--json", "as_json", is_flag=True, help="Print the report's head as JSON.")
def command(
    target: str, split: str, out: Path | None, resume: Path | None, pairs: tuple[str, ...], as_json: bool, **given: Any
) -> int:
    """Run TARGET over a split; exits 0 when the run completed, whatever the verdicts."""
    from fiel.core.errors import Refused
    from fiel.core.report_document import encode_head
    from fiel.reports import render
    from fiel.wiring.evaluate import Asked, evaluate
    from fiel.wiring.reportfiles import load_page
    from fiel.wiring.workspace import Workspace, shown

    if resume is not None and out is not None and resume != out:
        raise Refused("--resume names the run directory already; leave out -o")
    workspace = Workspace.find()
    asked = Asked(
        target=target,
        split=split,
        options=options_of(pairs),
        out=resume or out,
        resume=resume is not None,
        **given,
    )
    with screen.results_alone(), screen.progress(f"{target} on {split}") as progress:
        where, head = evaluate(workspace, asked, progress=progress)
    if as_json:
        screen.emit(encode_head(head) | {"path": shown(where)})
        return 0
    report = load_page(where)
    click.echo(
        render(
            report,
            "terminal",
            metric=workspace.config.gate.metric,
            width=screen.width(),
            colour=screen.colour(),
        ).rstrip()
    )
    screen.say(f"written to {shown(where)}/report.json")
    return 0
