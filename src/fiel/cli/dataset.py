"""``fiel dataset``: check, pin, count and extend datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fiel.cli import screen


@click.group("dataset")
def command() -> None:
    """Check, pin, count and extend datasets."""


@command.command("check")
@click.argument("splits", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def check(splits: tuple[str, ...], as_json: bool) -> int:
    """Read every line of the datasets (all of them by default) and look for leaks between splits."""
    from fiel.wiring.curation import check_all
    from fiel.wiring.workspace import Workspace

    found = check_all(Workspace.find(), splits)
    if as_json:
        screen.emit(found)
        return 0
    for entry in found["datasets"]:
        says = f"{entry['name']} {entry['version']}, {entry['split']}, {entry['cases']} cases"
        click.echo(screen.visible(f"{entry['path']}: {says}, pinned {entry['sha256'][:12]}"))
        for first, second in entry["repeated_inputs"]:
            click.echo(f"  note: lines {first} and {second} have the same input under different ids")
        if entry["without_expected"]:
            click.echo(f"  note: {entry['without_expected']} cases have no expected value and cannot be graded by it")
    click.echo(found["leaks"])
    return 0


@command.command("pin")
@click.argument("splits", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print what was pinned as JSON.")
def pin(splits: tuple[str, ...], as_json: bool) -> int:
    """Write the files' SHA-256 into their TOML, after checking every line."""
    from fiel.wiring.curation import pin_all
    from fiel.wiring.workspace import Workspace

    pinned = pin_all(Workspace.find(), splits)
    if as_json:
        screen.emit(list(pinned))
        return 0
    for entry in pinned:
        said = f"pinned, {entry['sha256'][:12]}" if entry["changed"] else f"pinned already, {entry['sha256'][:12]}"
        click.echo(f"{entry['path']}: {said} ({entry['cases']} cases)")
    return 0


@command.command("stats")
@click.argument("splits", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def stats(splits: tuple[str, ...], as_json: bool) -> int:
    """Count the cases by stratum."""
    from fiel.wiring.curation import statistics_of
    from fiel.wiring.workspace import Workspace

    found = statistics_of(Workspace.find(), splits)
    if as_json:
        screen.emit(found)
        return 0
    for entry in found:
        says = f"{entry['cases']} cases, {entry['critical']} critical, {entry['without_expected']} without expected"
        click.echo(screen.visible(f"{entry['name']} {entry['version']} ({entry['split']}): {says}"))
        for name, stratum in entry["strata"].items():
            mark = "  critical" if stratum["critical"] else ""
            click.echo(screen.visible(f"  {stratum['cases']:>6}  {name}{mark}"))
    return 0


@command.command("add-case")
@click.option("--split", required=True, help="The dataset to add to; the holdout is refused, always.")
@click.option("--id", "case_id", required=True, help="An id that no case has yet.")
@click.option("--input", "case_input", required=True, help="JSON, or @FILE.")
@click.option("--expected", help="JSON, or @FILE; leave out for a case without one.")
@click.option("--tag", "tags", multiple=True, metavar="KEY=VALUE")
@click.option("--critical", is_flag=True)
@click.option("--pii", multiple=True, metavar="FIELD", help="An expected field that holds personal data.")
@click.option("--schema", help="The name of a schema in the dataset's folder, or JSON.")
@click.option("--notes", default="")
@click.option("--dataset-version", help="The dataset's new version (default: the last number of it, plus one).")
@click.option("--json", "as_json", is_flag=True, help="Print what the dataset is now as JSON.")
def add_case(
    split: str,
    case_id: str,
    case_input: str,
    expected: str | None,
    tags: tuple[str, ...],
    critical: bool,
    pii: tuple[str, ...],
    schema: str | None,
    notes: str,
    dataset_version: str | None,
    as_json: bool,
) -> int:
    """Add one case, pin the dataset again and raise its version; killed half-way, nothing is lost."""
    from fiel.wiring.curation import add
    from fiel.wiring.workspace import Workspace

    fields: dict[str, Any] = {"id": case_id, "input": _json(case_input, "--input")}
    if expected is not None:
        fields["expected"] = _json(expected, "--expected")
    if tags:
        pairs = [tag.partition("=") for tag in tags]
        for tag, (key, equals, _) in zip(tags, pairs, strict=True):
            if not key or not equals:
                raise click.BadParameter(f"{tag!r} is not KEY=VALUE", param_hint="--tag")
        fields["tags"] = {key: value for key, _, value in pairs}
    if critical:
        fields["critical"] = True
    if pii:
        fields["pii"] = list(pii)
    if schema is not None:
        fields["schema"] = _json(schema, "--schema") if schema.lstrip().startswith("{") else schema
    if notes:
        fields["notes"] = notes
    now = add(Workspace.find(), split, fields, dataset_version)
    if as_json:
        screen.emit(now)
        return 0
    says = f"{now['added']} added, version {now['version']}, {now['cases']} cases, pinned again"
    click.echo(screen.visible(f"{now['path']}: {says}"))
    return 0


def _json(text: str, where: str) -> Any:
    import msgspec

    if text.startswith("@"):
        path = Path(text[1:])
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.BadParameter(f"{path}: {getattr(error, 'strerror', None) or error}", param_hint=where) from None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise click.BadParameter(f"not JSON: {error}; text needs quotes of its own", param_hint=where) from None
