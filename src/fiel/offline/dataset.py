"""Reading a dataset: each line becomes a case, and what must not be loaded is refused with its line number."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from fiel.core.case import ABSENT, SPLITS, Case, DatasetInfo, stratum_of
from fiel.core.errors import ConfigError, DatasetError, Problem, did_you_mean
from fiel.offline.fingerprints import Fingerprints, normalised, normalised_id
from fiel.ports import CaseSource

MOST_PROBLEMS: Final = 20
"""After this many the rest of a broken file is not read: they are most likely all of one kind."""

_KEYS: Final = ("id", "input", "expected", "tags", "critical", "pii", "schema", "notes")


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a dataset as it is written; see :class:`Case` for what the fields mean."""

    id: str
    input: Any
    expected: Any = msgspec.UNSET
    tags: dict[str, str] = {}
    critical: bool = False
    pii: list[str] = []
    schema: Any = None
    notes: str = ""


_decode = msgspec.json.Decoder(Row).decode
_decode_case = msgspec.json.Decoder(Case).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A dataset whose every line was read once and found good.

    ``sha256`` is of the file's bytes; ``repeats`` are pairs of line numbers with the same normalised input under
    different ids, which is allowed and said.
    """

    source: CaseSource
    info: DatasetInfo
    sha256: str
    cases: int
    fingerprints: Fingerprints
    repeats: tuple[tuple[int, int], ...] = ()

    def __iter__(self) -> Iterator[Case]:
        """The cases in file order, read again from the file; only for a file that has not changed since."""
        for number, line in self.source.lines():
            if line and not line.isspace():
                try:
                    # What `check` found good needs no second look for unknown keys, and so no row in between.
                    yield _decode_case(line)
                except (msgspec.DecodeError, RecursionError):
                    yield parse(line, where=f"{self.source.label}:{number}")


def parse(line: bytes, *, where: str) -> Case:
    """The case on one line; raises :class:`DatasetError` that says what is wrong with it and where."""
    return as_case(parse_row(line, where=where))


def parse_row(line: bytes, *, where: str, number: int | None = None) -> Row:
    """The fields on one line, for where a whole :class:`Case` is not needed; raises like :func:`parse`.

    ``number`` is the line's in the file ``where``, for the error; None where ``where`` already says it.
    """
    try:
        row = _decode(line)
    except msgspec.ValidationError as error:
        raise DatasetError([_wrong_shape(str(error), _at(where, number))]) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise DatasetError([_broken_json(line, str(error), _at(where, number))]) from None
    if not row.id or row.id.isspace():
        problem = Problem(where=_at(where, number), what="the id is blank", right="give every case an id of its own")
        raise DatasetError([problem])
    return row


def _at(where: str, number: int | None) -> str:
    return where if number is None else f"{where}:{number}"


def as_case(row: Row) -> Case:
    """The case of a row."""
    return Case(
        id=row.id,
        input=row.input,
        expected=ABSENT if row.expected is msgspec.UNSET else row.expected,
        tags=row.tags,
        critical=row.critical,
        pii=tuple(row.pii),
        schema=row.schema,
        notes=row.notes,
    )


def check(
    source: CaseSource,
    *,
    compile_schema: Callable[[Any], None],
    require_pin: bool = True,
) -> Checked:
    """Read every line of ``source`` once.

    Raises :class:`DatasetError` with up to 20 problems: broken JSON, unknown keys, an id given twice, a schema
    that ``compile_schema`` refuses (it raises ConfigError), an unknown split, or a file whose SHA-256 is not the
    pinned one. A case that merely cannot be graded is kept.
    """
    info, label = source.info, source.label
    problems: list[Problem] = []
    if info.split not in SPLITS:
        problems.append(
            Problem(where=source.label, what=f'unknown split "{info.split}"', right=f"one of {', '.join(SPLITS)}")
        )
    sha = hashlib.sha256()
    seen = Fingerprints()
    compiled: set[str] = set()
    for name, document in source.schemas().items():
        problems.extend(_schema_problem(document, f"{source.label}: schema {name!r}", compile_schema))
    cases = 0
    for number, line in source.lines(sha.update):
        if not line or line.isspace():
            continue
        try:
            case = parse_row(line, where=label, number=number)
        except DatasetError as error:
            problems.extend(error.problems)
            if len(problems) >= MOST_PROBLEMS:
                problems.append(Problem(where=_at(label, number), what=f"stopped after {MOST_PROBLEMS} problems"))
                raise DatasetError(problems) from None
            continue
        cases += 1
        try:
            seen.add(case.id, case.input)
        except RecursionError:
            problems.append(Problem(where=_at(label, number), what="nested too deeply", right="a flatter input"))
            continue
        # A number or a list names no schema and is none.
        if case.schema is not None and not isinstance(case.schema, str):
            key = msgspec.json.encode(case.schema, order="sorted").decode()
            if key not in compiled:
                problems.extend(_schema_problem(case.schema, f"{label}:{number}: schema", compile_schema))
                # Few schemas serve many cases; a set without a bound would make memory grow with the file.
                if len(compiled) < 256:
                    compiled.add(key)
    problems.extend(_repeated_ids(source, seen))
    found = sha.hexdigest()
    if not problems:
        problems.extend(_pin_problem(info, found, source.label, require_pin))
    if problems:
        raise DatasetError(problems)
    return Checked(
        source=source,
        info=info,
        sha256=found,
        cases=cases,
        fingerprints=seen,
        repeats=_repeated_inputs(source, seen),
    )


def refuse_leaks(first: Checked, second: Checked) -> None:
    """Raise :class:`DatasetError` naming both lines of every id or input that stands in both datasets.

    Both are compared after Unicode NFC and whitespace folding. Two datasets of one split may share cases.
    """
    if first.info.split == second.info.split:
        return
    ids = first.fingerprints.ids.common(second.fingerprints.ids)
    inputs = first.fingerprints.inputs.common(second.fingerprints.inputs)
    if not ids and not inputs:
        return
    problems = []
    theirs = _index(second, ids, inputs)
    for (kind, key), here in _index(first, ids, inputs).items():
        if (kind, key) in theirs:
            there = theirs[kind, key]
            named = f"id {key!r}" if kind == "id" else "input (after NFC and whitespace folding)"
            problems.append(
                Problem(
                    where=f"{first.source.label}:{here}",
                    what=f"the {named} is also in {second.source.label}:{there}",
                    right=f"a case belongs to {first.info.split} or to {second.info.split}, never to both",
                )
            )
    if problems:
        raise DatasetError(problems[:MOST_PROBLEMS])


def _index(checked: Checked, ids: set[int], inputs: set[int]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for number, line in checked.source.lines():
        if not line or line.isspace():
            continue
        case = parse_row(line, where=checked.source.label)
        id_print, input_print = Fingerprints.of(case.id, case.input)
        if id_print in ids:
            found.setdefault(("id", normalised_id(case.id)), number)
        if input_print in inputs:
            found.setdefault(("input", normalised(case.input).decode()), number)
    return found


def _repeated_ids(source: CaseSource, seen: Fingerprints) -> list[Problem]:
    twice = seen.ids.repeated()
    if not twice:
        return []
    first: dict[str, tuple[int, bytes]] = {}
    problems = []
    for number, line in source.lines():
        try:
            row = _decode(line)
        except (msgspec.DecodeError, RecursionError):
            continue
        if Fingerprints.of_id(row.id) not in twice:
            continue
        content = msgspec.json.encode(row, order="sorted")
        if row.id not in first:
            first[row.id] = (number, content)
            continue
        line_before, content_before = first[row.id]
        same = "the same content" if content == content_before else "different content"
        problems.append(
            Problem(
                where=f"{source.label}:{number}",
                what=f"id {row.id!r} was already given in line {line_before}, with {same}",
                right="every case has an id of its own",
            )
        )
    return problems[:MOST_PROBLEMS]


def _repeated_inputs(source: CaseSource, seen: Fingerprints) -> tuple[tuple[int, int], ...]:
    twice = seen.inputs.repeated()
    if not twice:
        return ()
    first: dict[bytes, int] = {}
    pairs = []
    for number, line in source.lines():
        if not line or line.isspace():
            continue
        case_input = _decode(line).input
        if Fingerprints.of_input(case_input) in twice:
            key = normalised(case_input)
            if key in first:
                pairs.append((first[key], number))
            else:
                first[key] = number
    return tuple(pairs)


def _pin_problem(info: DatasetInfo, found: str, label: str, require: bool) -> list[Problem]:
    if not require:
        return []
    if not info.sha256:
        return [Problem(where=label, what="the dataset is not pinned", right="run `fiel dataset pin`")]
    if info.sha256 != found:
        return [
            Problem(
                where=label,
                what=f"SHA-256 is {found[:12]}..., pinned as {info.sha256[:12]}...: it changed since it was pinned",
                right="restore the file, or review the change and run `fiel dataset pin`",
            )
        ]
    return []


def _schema_problem(document: Any, where: str, compile_schema: Callable[[Any], None]) -> list[Problem]:
    try:
        compile_schema(document)
    except ConfigError as error:
        return [Problem(where=where, what=f"does not compile: {error}", right="a valid JSON Schema")]
    return []


def _wrong_shape(message: str, where: str) -> Problem:
    unknown = re.search(r"unknown field `(.*)`", message)
    if unknown:
        name = unknown[1]
        return Problem(where=where, what=f"unknown key {name!r}", right=did_you_mean(name, _KEYS))
    missing = re.search(r"missing required field `(.*)`", message)
    if missing:
        return Problem(where=where, what=f"no {missing[1]!r}", right="a case needs at least an id and an input")
    return Problem(where=where, what=message, right="see the dataset reference for the shape of a case")


def _broken_json(line: bytes, message: str, where: str) -> Problem:
    if message.startswith("maximum recursion depth"):
        return Problem(where=where, what="nested too deeply", right="a flatter input")
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return Problem(where=where, what=f"invalid UTF-8 at byte {error.start + 1}", right="save the file as UTF-8")
    # The strict parser stops at these where others read on; say which it was.
    if re.search(rb"(?<![\w\"])-?(NaN|Infinity)\b", line):
        return Problem(where=where, what="NaN or Infinity is not JSON", right="write null, or leave the case out")
    if re.search(rb"\\u[dD][89a-fA-F]", line):
        return Problem(where=where, what=f"broken JSON ({message})", right="a \\ud800-\\udfff escape needs its pair")
    return Problem(where=where, what=f"broken JSON: {message}", right="one JSON object a line")


def statistics(checked: Checked) -> dict[str, Any]:
    """Counts for a person: cases, strata with their sizes and whether critical, what cannot be graded, repeats."""
    strata: dict[str, dict[str, Any]] = {}
    without_expected = with_pii = critical = 0
    for case in checked:
        name, tags = stratum_of(case.tags, checked.info.strata)
        entry = strata.setdefault(name, {"cases": 0, "critical": False, "tags": tags})
        entry["cases"] += 1
        entry["critical"] = entry["critical"] or case.critical
        without_expected += not case.has_expected
        with_pii += bool(case.pii)
        critical += case.critical
    return {
        "name": checked.info.name,
        "version": checked.info.version,
        "split": checked.info.split,
        "sha256": checked.sha256,
        "cases": checked.cases,
        "critical": critical,
        "without_expected": without_expected,
        "with_personal_data": with_pii,
        "repeated_inputs": [list(pair) for pair in checked.repeats],
        "strata": strata,
    }


def encode(fields: Mapping[str, Any]) -> bytes:
    """The line that stands for a case in a dataset file, keys in their canonical order."""
    return msgspec.json.encode({key: fields[key] for key in _KEYS if key in fields})
