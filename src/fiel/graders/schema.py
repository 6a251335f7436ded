"""``schema`` says whether an output has the declared shape, and never fetches anything to find out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from fiel.core.case import ABSENT
from fiel.core.errors import ConfigError
from fiel.core.item import Item
from fiel.core.pointer import pointer_of
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import brief, check_flags, check_names, check_pointers
from fiel.graders.values import TOO_DEEP, printable, resolve, shown, unfit

LABELS: Final[tuple[str, ...]] = ("valid", "invalid")
NO_SCHEMA: Final = Ungraded(reason="no_schema", detail="the case has no schema")

_MAX_SCHEMA: Final = 1_000_000
_MAX_FINDINGS: Final = 20
_BACKTRACKS: Final = 100_000
_VALID: Final = Verdict(passed=True, label="valid")
_NOT_JSON: Final = Verdict(passed=False, label="invalid", reason="invalid:not_json")


def compile_schema(document: Any) -> None:
    """Return if ``document`` is a JSON Schema that compiles; raise ConfigError saying what is wrong and where.

    The draft is the one named by ``$schema``, 2020-12 by default. A reference out of the document is refused,
    never fetched, so a schema has to carry all that it needs.
    """
    _validator(_written(document), True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Whether the output is valid against the case's JSON Schema, inline or by its name in ``documents``.

    The findings are the JSON pointers that break it, each with the keyword as its outcome (a missing or an
    unwanted property is pointed at by its own name), sorted, at most 20; the reason is ``invalid:<keyword>`` of
    the first. An output that no JSON text can hold (NaN, a key that is no text) is ``invalid:not_json``. A
    declared ``format`` is checked unless ``formats`` is false. Ungraded: ``no_schema``, ``schema_not_found``,
    ``schema_malformed``, ``too_deep`` (more than 200 levels) and ``pattern_too_costly``.
    """

    name: str = "schema"
    version: str = "1"
    documents: Mapping[str, Any] = field(default_factory=dict)
    formats: bool = True
    output_at: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        check_flags(formats=self.formats)
        check_pointers(output_at=self.output_at)
        if not isinstance(self.documents, Mapping):
            raise ConfigError(f"documents is {brief(self.documents)}, expected a table from names to schemas")

    def grade(self, item: Item) -> Verdict | Ungraded:
        document = item.case.schema
        if document is None:
            return NO_SCHEMA
        if isinstance(document, str):
            if document not in self.documents:
                return Ungraded(reason="schema_not_found", detail="no schema of the case's name is in the dataset")
            document = self.documents[document]
        output = resolve(item.output, self.output_at)
        problem = "" if output is ABSENT else unfit(output)
        if problem:
            return TOO_DEEP if problem == "too_deep" else _NOT_JSON
        try:
            validator = _validator(_written(document), self.formats)
        except ConfigError:
            return Ungraded(reason="schema_malformed", detail="the case's schema does not compile")
        if output is ABSENT:
            return Verdict(passed=False, label="invalid", reason="invalid:absent")
        return _judged(validator, output)


def _judged(validator: Any, output: Any) -> Verdict | Ungraded:
    try:
        return _verdict(validator, output)
    except UnicodeEncodeError:
        return _verdict(validator, _writable(output))


def _verdict(validator: Any, output: Any) -> Verdict | Ungraded:
    if validator.is_valid(output):
        return _VALID
    found: list[Finding] = []
    for error in islice(validator.iter_errors(output), _MAX_FINDINGS):
        keyword = error.kind.name
        if type(error.kind).__name__ in ("BacktrackLimitExceeded", "RegexEngineFailure"):
            return Ungraded(reason="pattern_too_costly", detail="a pattern of the schema exceeded its bound")
        found.extend(_findings(error, keyword))
    findings = sorted(found, key=lambda finding: (finding.path, finding.outcome))[:_MAX_FINDINGS]
    reason = f"invalid:{findings[0].outcome}" if findings else "invalid"
    return Verdict(passed=False, label="invalid", reason=reason, findings=tuple(findings))


def _findings(error: Any, keyword: str) -> list[Finding]:
    steps = list(error.instance_path)
    if keyword == "required":
        return [Finding(path=_pointer([*steps, error.kind.property]), outcome=keyword)]
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        names = list(error.kind.unexpected)[:_MAX_FINDINGS]
        return [Finding(path=_pointer([*steps, name]), outcome=keyword) for name in names]
    return [Finding(path=_pointer(steps), outcome=keyword, got=shown(error.instance))]


def _pointer(steps: list[str | int]) -> str:
    pointer = pointer_of(steps)
    return pointer if len(pointer) <= 300 else pointer[:300] + "…"


def _writable(value: Any) -> Any:
    """A copy whose texts an encoder can write: lone surrogates become U+FFFD."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(key): _writable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(item) for item in value]
    return value


def _written(document: Any) -> str:
    """The document as JSON text; raises ConfigError when it is no schema at all."""
    if not isinstance(document, (Mapping, bool)):
        raise ConfigError(f"a schema is an object, true or false, got {brief(document)}")
    try:
        text = json.dumps(document, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"schema is no JSON document that can be used: {str(error)[:200]}") from None
    if len(text) > _MAX_SCHEMA:
        raise ConfigError(f"schema is {len(text)} characters long, at most {_MAX_SCHEMA} are read")
    return text


@lru_cache(maxsize=512)
def _validator(text: str, formats: bool) -> Any:
    import jsonschema_rs  # Costs 50 ms, which a command that grades nothing should not pay.

    try:
        return jsonschema_rs.validator_for(
            json.loads(text),
            validate_formats=formats,
            retriever=_refuse,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS),
        )
    except jsonschema_rs.ValidationError as error:
        where = pointer_of(error.instance_path) or "its root"
        raise ConfigError(f"schema does not compile at {where}: {_message(error.message)}") from None
    except ValueError as error:
        raise ConfigError(f"schema does not compile: {_message(str(error))}") from None


def _message(text: str) -> str:
    return printable(text if len(text) <= 300 else text[:300] + "…")


def _refuse(uri: str) -> Any:
    raise ValueError("references out of the document are not followed; put the definition under $defs")
