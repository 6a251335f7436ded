"""How trials, verdicts and spans are written down, one JSON line each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, Final

import msgspec

from fiel.core.case import ABSENT, Case
from fiel.core.errors import StorageError
from fiel.core.grader import Result
from fiel.core.pointer import at
from fiel.core.trial import Usage
from fiel.core.verdict import Finding, Measure, Ungraded, Verdict
from fiel.offline.trial import Trial
from fiel.personal import steps_of

_encode = msgspec.json.Encoder().encode
_SHORT: Final = 256
"""Bytes of verdicts that are worth remembering."""
_SPEAKABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/|-]{0,119}\Z")


class Gist(msgspec.Struct):
    """What a report needs of every trial; the output is read only where a failure shows it."""

    case: str
    latency_s: Annotated[float, msgspec.Meta(ge=0, le=1e9)] = 0.0
    failed: Ungraded | None = None
    cost_usd: float | None = None
    usage: Usage | None = None
    cached: bool = False


class _MeasureLine(msgspec.Struct):
    hits: int
    of: int
    name: str = ""


class _FindingLine(msgspec.Struct):
    path: str
    outcome: str
    expected: Any = None
    got: Any = None


class _Said(msgspec.Struct):
    passed: bool | None = None
    label: str = ""
    reason: str = ""
    measures: list[_MeasureLine] = []
    findings: list[_FindingLine] = []
    flags: list[str] = []
    ungraded: str | None = None
    detail: str = ""


class _Graded(msgspec.Struct, omit_defaults=True):
    passed: bool | None
    label: str
    reason: str = ""
    measures: tuple[Measure, ...] = ()
    findings: tuple[Finding, ...] = ()
    flags: tuple[str, ...] = ()


class _NotGraded(msgspec.Struct):
    ungraded: str
    detail: str


class _VerdictLine(msgspec.Struct):
    case: str
    index: int
    trial: int
    verdicts: dict[str, _Graded | _NotGraded]


class _WrittenVerdicts(msgspec.Struct):
    index: int
    trial: int
    verdicts: msgspec.Raw


_decode_trial = msgspec.json.Decoder(Trial).decode
_decode_gist = msgspec.json.Decoder(Gist).decode
_decode_verdicts = msgspec.json.Decoder(_WrittenVerdicts).decode
_decode_said = msgspec.json.Decoder(dict[str, _Said]).decode


def encode_trial(trial: Trial) -> bytes:
    """The line of ``trials.jsonl``; what is unknown is left out."""
    return _encode(trial)


def decode_trial(line: bytes, where: str) -> Trial:
    """The trial on one line; raises :class:`StorageError` when the line is not one."""
    try:
        return _decode_trial(line)
    except msgspec.DecodeError as error:
        raise StorageError(f"{where}: not a trial ({error}); the file was changed by something else") from None


def decode_gist(line: bytes, where: str) -> Gist:
    """The gist of the trial on one line; raises :class:`StorageError` when the line is not one."""
    try:
        return _decode_gist(line)
    except msgspec.DecodeError as error:
        raise StorageError(f"{where}: not a trial ({error}); the file was changed by something else") from None


def encode_verdicts(trial: Trial, results: Mapping[str, Result]) -> bytes:
    """The line of ``verdicts.jsonl``: every grader's result on one trial."""
    said: dict[str, _Graded | _NotGraded] = {}
    for name, result in results.items():
        if isinstance(result, Ungraded):
            said[name] = _NotGraded(result.reason, result.detail)
        else:
            said[name] = _Graded(
                result.passed, result.label, result.reason, result.measures, result.findings, result.flags
            )
    return _encode(_VerdictLine(trial.case, trial.index, trial.trial, said))


def decode_verdicts(line: bytes, where: str) -> tuple[int, int, Mapping[str, Result]]:
    """Case index, trial number and results by grader on one line; raises :class:`StorageError`."""
    try:
        row = _decode_verdicts(line)
        said = bytes(row.verdicts)
        return row.index, row.trial, _results_again(said) if len(said) <= _SHORT else _results(said)
    except msgspec.DecodeError as error:
        raise StorageError(f"{where}: not a line of verdicts ({error}); the file was changed") from None


def _results(said: bytes) -> Mapping[str, Result]:
    return {name: _result(one) for name, one in _decode_said(said).items()}


# A run has few different verdicts without details, and a million of them.
_results_again = lru_cache(maxsize=1024)(_results)


def _result(said: _Said) -> Result:
    if said.ungraded is not None:
        return Ungraded(reason=said.ungraded, detail=said.detail)
    return Verdict(
        passed=said.passed,
        label=said.label,
        reason=said.reason,
        measures=tuple([Measure(name=m.name, hits=m.hits, of=m.of) for m in said.measures]),
        findings=tuple(
            [Finding(path=f.path, outcome=f.outcome, expected=f.expected, got=f.got) for f in said.findings]
        ),
        flags=tuple(said.flags),
    )


class _Attributes(
    msgspec.Struct,
    omit_defaults=True,
    rename={
        "run_id": "fiel.run_id",
        "case_id": "fiel.case_id",
        "trial": "fiel.trial",
        "input_sha256": "fiel.input.sha256",
        "input_bytes": "fiel.input.bytes",
        "attempts": "fiel.attempts",
        "pii_present": "fiel.pii.present",
        "cost_usd": "fiel.cost_usd",
        "failure": "fiel.failure",
        "failures": "fiel.failures",
    },
):
    run_id: str
    case_id: str
    trial: int
    input_sha256: str
    input_bytes: int
    attempts: int
    pii_present: list[str] | None = None
    cost_usd: float | None = None
    failure: str | None = None
    failures: dict[str, str] = {}


class _Status(msgspec.Struct):
    code: str


class _Span(msgspec.Struct, rename="camel"):
    trace_id: str
    span_id: str
    name: str
    start_time_unix_nano: str
    end_time_unix_nano: str
    attributes: _Attributes
    status: _Status


_OK: Final = _Status("STATUS_CODE_OK")
_ERROR: Final = _Status("STATUS_CODE_ERROR")


def span_ids(run_id: str, slot: int) -> tuple[str, str]:
    """The trace and span ids of a run's trial number ``slot``: the run's own 64 bits, then the trial's."""
    span_id = f"{slot + 1:016x}"
    return _run_bits(run_id) + span_id, span_id


@cache
def _run_bits(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:16]


def encode_span(run_id: str, slot: int, case: Case, trial: Trial, results: Mapping[str, Result]) -> bytes:
    """The line of ``traces.jsonl``: an OpenTelemetry-shaped span that holds no text and no personal value.

    It names the case, digests its input, says which declared personal fields came back filled, and why graders
    failed the trial. Reasons are words from a closed set, so nothing of an answer can come along.
    """
    encoded = _encode(case.input)
    start = int(trial.started_unix_s * 1e9)
    attributes = _Attributes(
        run_id, case.id, trial.trial, hashlib.sha256(encoded).hexdigest(), len(encoded), trial.attempts
    )
    attributes.cost_usd = trial.cost_usd
    if case.pii:
        attributes.pii_present = [name for name in case.pii if _filled(trial.output, name)]
    if trial.failed is not None:
        attributes.failure = trial.failed.reason
    else:
        for name, result in results.items():
            if isinstance(result, Ungraded) or result.passed is False:
                attributes.failures[name] = _why(result)
    trace_id, span_id = span_ids(run_id, slot)
    return _encode(
        _Span(
            trace_id,
            span_id,
            "fiel.trial",
            str(start),
            str(start + int(trial.latency_s * 1e9)),
            attributes,
            _OK if trial.failed is None else _ERROR,
        )
    )


def _why(result: Result) -> str:
    if isinstance(result, Ungraded):
        return f"ungraded:{_word(result.reason)}"
    return _word(result.reason or result.label)


def _word(reason: str) -> str:
    # A grader of the team's own may have put an answer's text into its reason; a trace never carries one.
    return reason if _SPEAKABLE.match(reason) else "reason_withheld"


def _filled(output: Any, name: str) -> bool:
    value = at(output, steps_of(name))
    return value is not None and value is not ABSENT
