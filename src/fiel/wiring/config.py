"""fiel.toml: what a workspace says of its datasets, targets, graders and gate, decoded and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from fiel.core.errors import ConfigError, StorageError, did_you_mean
from fiel.core.policy import GatePolicy, Threshold

FILE: Final = "fiel.toml"
PYPROJECT: Final = "pyproject.toml"
Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Project(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[project]``"""

    name: str = ""


class Run(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[run]``: how targets are called. Times in seconds, sizes in bytes, money in USD."""

    trials: Positive = 1
    concurrency: Positive = 8
    timeout_s: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    retries: Annotated[int, msgspec.Meta(ge=0, le=20)] = 2
    max_output_bytes: Positive = 262_144
    cache: bool = False
    budget_usd: Annotated[float, msgspec.Meta(ge=0)] | None = None
    budget_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Http(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``http`` of a target: the request's template and JSON pointers into the answer."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = {}
    request: Any = "${input}"
    output: str = ""
    cost_usd: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    tool_calls: str | None = None
    model: str | None = None


class Command(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``command`` of a target: ``once`` starts it for each case, ``lines`` keeps it and speaks JSONL."""

    argv: Annotated[list[str], msgspec.Meta(min_length=1)]
    mode: Literal["once", "lines"] = "once"


class TargetTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[targets.NAME]``: exactly one of ``python``, ``http`` and ``command``, and the versions it is."""

    python: str | None = None
    http: Http | None = None
    command: Command | None = None
    options: dict[str, Any] = {}
    cost_note: str = ""
    code_version: str | None = None
    prompt_version: str | None = None
    model_identifier: str | None = None
    tool_schema_version: str | None = None
    policy_version: str | None = None

    @property
    def kind(self) -> str:
        return next(kind for kind in ("python", "http", "command") if getattr(self, kind) is not None)


class Price(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[prices.MODEL]``, in USD for a million tokens."""

    input_usd_per_million: Annotated[float, msgspec.Meta(ge=0)]
    output_usd_per_million: Annotated[float, msgspec.Meta(ge=0)]


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A threshold of ``[gate.corpus]``; fractions of 1, both ends inclusive."""

    at_least: Share | None = None
    at_most: Share | None = None


class Gate(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[gate]``; see :class:`fiel.core.policy.GatePolicy` for what each line means."""

    version: str = ""
    metric: str = "success"
    epsilon: Share = 0.05
    evidence: Literal["rule", "non-inferior"] = "rule"
    per_case: list[str] | None = None
    corpus: dict[str, Line] = {}
    max_ungraded: Annotated[int, msgspec.Meta(ge=0)] = 0
    min_stratum: Positive = 30
    margin: Share | None = None
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] = 0.05
    max_mean_cost_usd: Annotated[float, msgspec.Meta(ge=0)] | None = None


class Config(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The whole of ``fiel.toml`` (or ``[tool.fiel]`` of ``pyproject.toml``)."""

    project: Project = Project()
    datasets: dict[str, str] = {}
    run: Run = Run()
    manifest: dict[str, str] = {}
    targets: dict[str, TargetTable] = {}
    prices: dict[str, Price] = {}
    graders: dict[str, dict[str, Any]] = {}
    gate: Gate = Gate()


DECLARABLE: Final = ("code_version", "prompt_version", "model_identifier", "tool_schema_version", "policy_version")
"""The versions that ``[manifest]`` or a target's own table may declare."""


def read(path: Path) -> Config:
    """The configuration in a TOML file; raises ConfigError with the place and what would be right.

    Of a ``pyproject.toml`` only its table ``[tool.fiel]`` counts.
    """
    document = _toml(path)
    if path.name != PYPROJECT:
        return decode(document, where=str(path))
    table = document.get("tool", {}).get("fiel", {})
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: tool.fiel is {type(table).__name__}, expected a table [tool.fiel]")
    return decode(table, where=f"{path} [tool.fiel]")


def has_table(path: Path) -> bool:
    """Whether a ``pyproject.toml`` has a table for fiel; a broken one that may have it is a ConfigError."""
    try:
        # Most have none, and somebody else's broken file is not ours to judge.
        if b"fiel" not in path.read_bytes():
            return False
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error
    tool = _toml(path).get("tool", {})
    return isinstance(tool, Mapping) and "fiel" in tool


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; `fiel init DIR` makes a workspace") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: broken TOML: {error}") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error


def decode(document: Mapping[str, Any], *, where: str) -> Config:
    """The configuration in a decoded document; raises ConfigError."""
    for place, number in _endless(document, ""):
        raise ConfigError(f"{where}: {place} is {number}, expected a finite number")
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(_explained(str(error), where)) from None
    for name, target in config.targets.items():
        kinds = [kind for kind in ("python", "http", "command") if getattr(target, kind) is not None]
        if len(kinds) != 1:
            said = ", ".join(kinds) or "none of them"
            raise ConfigError(f"{where}: targets.{name} needs exactly one of python, http and command, has {said}")
    for key in config.manifest:
        if key not in DECLARABLE:
            raise ConfigError(f"{where}: unknown key {key!r} in manifest; {did_you_mean(key, DECLARABLE)}")
    for name, line in config.gate.corpus.items():
        if line.at_least is None and line.at_most is None:
            raise ConfigError(f"{where}: gate.corpus.{name} needs at_least or at_most")
    return config


def policy_of(gate: Gate) -> GatePolicy:
    """The gate's policy with exact fractions: 0.05 is 1/20, not the nearest binary number."""
    return GatePolicy(
        version=gate.version,
        metric=gate.metric,
        epsilon=_exact(gate.epsilon),
        evidence=gate.evidence,
        per_case=None if gate.per_case is None else tuple(gate.per_case),
        corpus={
            name: Threshold(at_least=_optional(line.at_least), at_most=_optional(line.at_most))
            for name, line in gate.corpus.items()
        },
        max_ungraded=gate.max_ungraded,
        min_stratum=gate.min_stratum,
        margin=_optional(gate.margin),
        alpha=_exact(gate.alpha),
        max_mean_cost_usd=_optional(gate.max_mean_cost_usd),
    )


def schema() -> dict[str, Any]:
    """The JSON Schema of ``fiel.toml``."""
    return msgspec.json.schema(Config)


def _endless(value: Any, place: str) -> Iterator[tuple[str, float]]:
    """Every number that TOML allows and JSON, time and money do not, with its place."""
    if isinstance(value, float) and not isfinite(value):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _endless(inside, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            yield from _endless(inside, f"{place}[{number}]")


def _exact(number: float) -> Fraction:
    return Fraction(repr(number))


def _optional(number: float | None) -> Fraction | None:
    return None if number is None else _exact(number)


def _explained(message: str, where: str) -> str:
    unknown = re.match(r"Object contains unknown field `(.+?)`(?: - at `\$(.*)`)?$", message)
    if unknown:
        name, place = unknown[1], (unknown[2] or "").lstrip(".")
        table = f"[{place}]" if place else "at the top"
        return f"{where}: unknown key {name!r} {table}; {did_you_mean(name, _known_at(place))}"
    return f"{where}: {message.replace(' - at `$', ' at `').replace('`.', '`')}"


def _known_at(place: str) -> tuple[str, ...]:
    kinds: dict[str, type[msgspec.Struct]] = {
        "": Config,
        "project": Project,
        "run": Run,
        "gate": Gate,
        "targets": TargetTable,
        "prices": Price,
        "gate.corpus": Line,
        "http": Http,
        "command": Command,
    }
    # The path of a table inside a mapping ends in [...]: `.targets[...].http` is read from its end.
    parts = [part for part in place.replace("[...]", "").split(".") if part]
    for cut in range(len(parts) + 1):
        kind = kinds.get(".".join(parts[cut:]))
        if kind is not None:
            return tuple(kind.__struct_fields__)
    return ()
