"""``fiel gate``: rule on a release."""

from __future__ import annotations

from pathlib import Path

import click

from fiel.cli import PASS, screen


@click.command("gate")
@click.option("--candidate", type=click.Path(path_type=Path), help="The run that may be released.")
@click.option("--baseline", type=click.Path(path_type=Path), help="The run it is compared with.")
@click.option("--policy", "policy_file", type=click.Path(path_type=Path), help="Another TOML with a [gate] table.")
@click.option("--allow-mismatch", "allow", multiple=True, metavar="FIELD", help="Compare all the same; is recorded.")
@click.option("--noise", nargs=2, type=click.Path(path_type=Path), help="Two runs of one thing: the noise floor.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to write the decision as JSON.")
@click.option("--github", is_flag=True, help="Also print GitHub annotations, and append to the step summary.")
@click.option("--full", is_flag=True, help="In the terminal, also what is otherwise only named.")
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON.")
def command(
    candidate: Path | None,
    baseline: Path | None,
    policy_file: Path | None,
    allow: tuple[str, ...],
    noise: tuple[Path, Path] | None,
    out: Path | None,
    github: bool,
    full: bool,
    as_json: bool,
) -> int:
    """Rule on a release: exit 0 pass, 1 block, 2 refused, 3 inconclusive.

    Without --baseline the absolute rules alone decide. The decision is also written as decision.json into the
    candidate's run directory, or to --out.
    """
    from fiel.core.decision import EXIT_CODES
    from fiel.core.errors import ConfigError, FielError
    from fiel.gate.document import decision_document
    from fiel.reports import render_decision
    from fiel.reports.escape import workflow_data
    from fiel.wiring.release import publish_annotations, publish_decision, rule

    if noise is not None:
        if candidate or baseline:
            raise ConfigError("--noise takes the two runs itself; leave out --candidate and --baseline")
        return _noise(noise, policy_file, allow, as_json)
    if candidate is None:
        raise ConfigError("nothing to rule on; name a run with --candidate (and mostly --baseline)")
    try:
        decision = rule(candidate, baseline, policy_file=policy_file, allow=allow)
    except FielError as error:
        if github:
            # Without it a red job would show no reason beside its name.
            screen.say(f"::error title=fiel gate%3A no ruling::{workflow_data(str(error))}")
        raise
    publish_decision(decision, candidate, out)
    if as_json:
        screen.emit(decision_document(decision))
    else:
        text = render_decision(decision, "terminal", width=screen.width(), colour=screen.colour(), full=full)
        click.echo(text.rstrip())
    if github:
        # GitHub reads both streams; with --json the first one belongs to the document.
        publish_annotations(decision, candidate, echo=screen.say if as_json else click.echo)
    return EXIT_CODES[decision.outcome]


def _noise(runs: tuple[Path, Path], policy_file: Path | None, allow: tuple[str, ...], as_json: bool) -> int:
    from fiel.gate.noise import noise_document
    from fiel.wiring.release import noise_of

    found = noise_of(*runs, policy_file=policy_file, allow=allow)
    if as_json:
        screen.emit(noise_document(found))
        return PASS
    click.echo(screen.visible(found.summary))
    for title, ids in (("passed in the first alone", found.passed_first), ("in the second", found.passed_second)):
        if ids:
            more = f" and {len(ids) - 50} more" if len(ids) > 50 else ""
            click.echo(screen.visible(f"  {title}: {', '.join(ids[:50])}{more}"))
    for note in found.notes:
        click.echo(screen.visible(f"  {note}"))
    return PASS
