"""The examples that ship with fiel: each is a workspace that ``fiel init --example NAME DIR`` writes for its user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from fiel.core.errors import ConfigError, did_you_mean

_STORED_AS: Final = {"dot-gitignore": ".gitignore"}
"""A file under its real name would make git ignore parts of the package itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One workspace: the folder of this package that holds it, and a sentence on what it shows."""

    folder: str
    summary: str


EXAMPLES: Final[Mapping[str, Example]] = {
    "relayops": Example(
        folder="relayops",
        summary="document extraction for four tenants: a rising mean hides a critical regression, and the gate sees it",
    ),
}


def files(name: str) -> tuple[tuple[str, bytes], ...]:
    """Every file of an example's workspace as (path inside the workspace with ``/``, content), in path order.

    Raises :class:`ConfigError` when no example has that name.
    """
    if name not in EXAMPLES:
        raise ConfigError(f'there is no example "{name}"; {did_you_mean(name, EXAMPLES)}')
    root = resources.files(__name__).joinpath(EXAMPLES[name].folder)
    return tuple(sorted(_walk(root, "")))


def _walk(folder: Traversable, under: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        # What Python leaves beside a module that was imported is no part of the example.
        if entry.name == "__pycache__":
            continue
        path = under + _STORED_AS.get(entry.name, entry.name)
        if entry.is_dir():
            yield from _walk(entry, f"{path}/")
        else:
            yield path, entry.read_bytes()
