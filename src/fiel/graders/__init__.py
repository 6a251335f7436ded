"""The catalogue of graders: pure rules and questions, each one file, listed in a table that one can read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, Final

from fiel.core.errors import ConfigError, did_you_mean
from fiel.core.grader import Grader

KINDS: Final[Mapping[str, str]] = {
    "schema": "fiel.graders.schema:Schema",
    "fields": "fiel.graders.fields:Fields",
    "policy": "fiel.graders.policy:Policy",
    "success": "fiel.graders.success:Success",
    "exact": "fiel.graders.exact:Exact",
    "contains": "fiel.graders.contains:Contains",
    "regex": "fiel.graders.regex:Regex",
    "numeric": "fiel.graders.numeric:Numeric",
    "tool_calls": "fiel.graders.tool_calls:ToolCalls",
    "latency": "fiel.graders.latency:Latency",
    "cost": "fiel.graders.cost:Cost",
}
"""Kind -> import string. A grader that nobody uses is never imported."""

SUCCESS_PARTS: Final[tuple[str, ...]] = ("schema", "fields", "policy")
"""What ``success`` asks of when its table names no ``parts``."""

Load = Callable[[str], Any]


def build(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    *,
    load: Load | None = None,
    entry_points: Mapping[str, str] = {},
    documents: Mapping[str, Any] = {},
) -> Grader:
    """One grader of ``kind`` called ``name``, from the settings of its table; ``parts`` get their defaults.

    The arguments are those of :func:`build_all`.
    """
    tables = {name: {**settings, "kind": kind}}
    return build_all(tables, load=load, entry_points=entry_points, documents=documents)[0]


def build_all(
    tables: Mapping[str, Mapping[str, Any]],
    *,
    load: Load | None = None,
    entry_points: Mapping[str, str] = {},
    documents: Mapping[str, Any] = {},
) -> tuple[Grader, ...]:
    """The graders that the ``[graders.*]`` tables declare, in their order; ``kind`` defaults to a table's name.

    A kind is one of :data:`KINDS`, a name among ``entry_points`` (name -> import string), or an import string
    ``module:Class``; the last two are resolved by ``load``, since importing a user's code is for the caller to
    do. ``documents`` are the dataset's named schemas, given to every grader of kind ``schema``. ``parts`` of a
    ``success`` are names of tables; one that has no table but is a kind is made with its default settings, and
    only asked. Raises ConfigError, beginning with ``graders.<name>``, for an unknown kind or setting (with the
    nearest known one), a value that cannot be one, and parts that ask each other in a circle.
    """
    plan = _Plan(tables, load, entry_points, documents)
    return tuple(plan.made(name) for name in tables)


class _Plan:
    """Graders by name while they are being made, since one may be a part of another."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, Any]],
        load: Load | None,
        entry_points: Mapping[str, str],
        documents: Mapping[str, Any],
    ) -> None:
        self._tables, self._load, self._entry_points, self._documents = tables, load, entry_points, documents
        self._made: dict[str, Grader] = {}
        self._begun: set[str] = set()

    def made(self, name: str) -> Grader:
        if name not in self._made:
            if name in self._begun:
                raise ConfigError(f"graders.{name}: its parts ask each other in a circle")
            self._begun.add(name)
            try:
                self._made[name] = self._make(name)
            except ConfigError as error:
                text = str(error)
                raise ConfigError(text if text.startswith("graders.") else f"graders.{name}: {text}") from None
        return self._made[name]

    def _make(self, name: str) -> Grader:
        table = self._tables.get(name, {})
        if not isinstance(table, Mapping):
            raise ConfigError(f"is {table!r}, expected a table")
        settings = {key: _frozen(value) for key, value in table.items() if key != "kind"}
        kind = table.get("kind", name)
        made_by = self._class(kind)
        if kind == "success":
            settings["parts"] = self._parts(settings.get("parts", SUCCESS_PARTS))
        if kind == "schema":
            settings.setdefault("documents", self._documents)
        return _made(made_by, name, settings)

    def _class(self, kind: Any) -> Any:
        if not isinstance(kind, str):
            raise ConfigError(f'kind is {kind!r}, expected a text such as "exact" or "module:Class"')
        if kind in KINDS:
            module, _, attribute = KINDS[kind].partition(":")
            return getattr(import_module(module), attribute)
        place = self._entry_points.get(kind, kind)
        if ":" not in place:
            raise ConfigError(
                f'there is no grader of kind "{kind}": {did_you_mean(kind, {*KINDS, *self._entry_points})}'
            )
        if self._load is None:
            raise ConfigError(f'kind "{kind}" is somebody else\'s code, which cannot be loaded here')
        return self._load(place)

    def _parts(self, names: Any) -> tuple[Grader, ...]:
        if isinstance(names, str) or not isinstance(names, (list, tuple)):
            raise ConfigError(f'parts is {names!r}, expected a list of graders such as ["schema", "fields"]')
        for name in names:
            if name not in self._tables and name not in KINDS:
                raise ConfigError(
                    f'parts: there is no grader "{name}": {did_you_mean(str(name), {*self._tables, *KINDS})}'
                )
        return tuple(self.made(name) for name in names)


def _made(made_by: Any, name: str, settings: Mapping[str, Any]) -> Grader:
    """The grader, after refusing settings that its class does not take and asking for those that it must have."""
    try:
        parameters = signature(made_by).parameters.values()
    except (TypeError, ValueError):
        raise ConfigError(f"kind is {made_by!r}, expected a class of graders") from None
    named = {p.name: p for p in parameters if p.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)}
    takes_all = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    known = sorted(set(named) - {"name", "version"})
    for key in settings:
        if key not in known and not takes_all:
            raise ConfigError(f'unknown setting "{key}": {did_you_mean(key, known)}')
    for key in known:
        if named[key].default is Parameter.empty and key not in settings:
            raise ConfigError(f'setting "{key}" is missing')
    grader = made_by(**({"name": name} if "name" in named or takes_all else {}), **settings)
    if getattr(grader, "name", None) != name or not callable(getattr(grader, "grade", None)):
        raise ConfigError(f"kind made {type(grader).__name__}, expected a grader that takes its name")
    made: Grader = grader
    return made


def _frozen(value: Any) -> Any:
    """A TOML value with its lists as tuples, which a frozen grader may keep."""
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, Mapping):
        return {key: _frozen(item) for key, item in value.items()}
    return value
