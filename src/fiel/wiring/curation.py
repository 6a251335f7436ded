"""Keeping datasets, wired: checks over both splits, pins, counts, and the one way to add a case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fiel.core.errors import ConfigError, DatasetError, HoldoutProtected, Problem
from fiel.graders.schema import compile_schema
from fiel.offline.dataset import Checked, check, encode, parse, refuse_leaks, statistics
from fiel.offline.fingerprints import normalised, normalised_id
from fiel.wiring.workspace import Workspace


def check_all(workspace: Workspace, splits: Sequence[str] = ()) -> dict[str, Any]:
    """What the datasets hold, each read whole; raises DatasetError for anything that must not be loaded."""
    checked = list(_checked(workspace, splits))
    for number, first in enumerate(checked):
        for second in checked[number + 1 :]:
            refuse_leaks(first, second)
    entries = [statistics(each) | {"path": each.source.label} for each in checked]
    kinds = {each.info.split for each in checked}
    leaks = "no id and no input is in both splits" if len(kinds) > 1 else "one split only: no leak to look for"
    return {"datasets": entries, "leaks": leaks}


def statistics_of(workspace: Workspace, splits: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Counts by stratum, a dataset each."""
    return [statistics(each) for each in _checked(workspace, splits)]


def pin_all(workspace: Workspace, splits: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Pin the datasets again; gives for each its ``path``, ``sha256``, ``cases`` and whether the pin ``changed``."""
    for split in splits or tuple(workspace.config.datasets):
        source = workspace.dataset(split)
        found = check(source, compile_schema=compile_schema, require_pin=False)
        changed = found.sha256 != source.info.sha256
        if changed:
            source.write_info(replace(source.info, sha256=found.sha256))
        yield {"path": source.label, "sha256": found.sha256, "cases": found.cases, "changed": changed}


def add(workspace: Workspace, split: str, fields: Mapping[str, Any], version: str | None) -> dict[str, Any]:
    """Add one case to a dev dataset; gives what it is now: ``path``, ``added``, ``version``, ``cases``, ``sha256``.

    Raises HoldoutProtected for a holdout, always: a case that the team has seen measures memory, not
    generalisation. Raises DatasetError where the id, or the input after NFC and whitespace folding, is known in
    any split.
    """
    source = workspace.dataset(split)
    if "holdout" in (split, source.info.split):
        raise HoldoutProtected(
            [
                Problem(
                    where=source.label,
                    what="a case cannot be added to the holdout",
                    right="what the team has seen measures memory, not generalisation: write a dev case with the fault",
                )
            ]
        )
    line = encode(fields)
    case = parse(line, where="the new case")
    mine = check(source, compile_schema=compile_schema)
    if isinstance(case.schema, (dict, bool)):
        compile_schema(case.schema)
    for other in workspace.config.datasets:
        checked = mine if other == split else check(workspace.dataset(other), compile_schema=compile_schema)
        _refuse_known(checked, case.id, case.input)
    raised = version or raised_version(source.info.version)
    source.append(line, lambda sha: replace(source.info, version=raised, sha256=sha))
    return {
        "path": source.label,
        "added": case.id,
        "version": source.info.version,
        "cases": mine.cases + 1,
        "sha256": source.info.sha256,
    }


def raised_version(version: str) -> str:
    """The version with its last number one higher (``1.4`` gives ``1.5``); one without a number gets ``.1``."""
    found = re.search(r"(\d+)(?=\D*$)", version)
    if found is None:
        return f"{version}.1"
    return f"{version[: found.start()]}{int(found[1]) + 1:0{len(found[1])}d}{version[found.end() :]}"


def _checked(workspace: Workspace, splits: Sequence[str]) -> Iterator[Checked]:
    names = splits or tuple(workspace.config.datasets)
    if not names:
        raise ConfigError(f'{workspace.file}: no [datasets]; name at least one, such as dev = "datasets/dev.jsonl"')
    for split in names:
        found = check(workspace.dataset(split), compile_schema=compile_schema)
        workspace.refuse_misnamed(found, split)
        yield found


def _refuse_known(checked: Checked, case_id: str, case_input: Any) -> None:
    key, folded_id = normalised(case_input), normalised_id(case_id)
    for number, line in checked.source.lines():
        if not line or line.isspace():
            continue
        known = parse(line, where=checked.source.label)
        same = "id" if normalised_id(known.id) == folded_id else "input" if normalised(known.input) == key else ""
        if same:
            raise DatasetError(
                [
                    Problem(
                        where="the new case",
                        what=f"its {same} is already in {checked.source.label}:{number} ({known.id!r})",
                        right="a new document with the same fault, under an id of its own",
                    )
                ]
            )
