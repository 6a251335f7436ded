"""How trials, verdicts and spans are written down, one JSON line each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from fiel.core.case import Case
from fiel.core.errors import StorageError
from fiel.core.grader import Result
from fiel.core.trial import Trial, Usage
from fiel.core.verdict import Finding, Measure, Ungraded, Verdict

_encode = msgspec.json.Encoder().encode
_SPEAKABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/|-]{0,119}\Z")


class Gist(msgspec.Struct):
    """What a report needs of every trial; the output is read only where a failure shows it."""

    case: str
    latency_s: float = 0.0
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


class _VerdictLine(msgspec.Struct):
    case: str
    index: int
    trial: int
    verdicts: dict[str, _Said]


_decode_trial = msgspec.json.Decoder(Trial).decode
_decode_gist = msgspec.json.Decoder(Gist).decode
_decode_verdicts = msgspec.json.Decoder(_VerdictLine).decode


def encode_trial(trial: Trial) -> bytes:
    """The line of ``trials.jsonl``; what is unknown is left out."""
    line: dict[str, Any] = {
        "case": trial.case,
        "index": trial.index,
        "trial": trial.trial,
        "latency_s": round(trial.latency_s, 6),
        "started_unix_s": round(trial.started_unix_s, 3),
    }
    if trial.failed is not None:
        line["failed"] = {"reason": trial.failed.reason, "detail": trial.failed.detail}
    else:
        line["output"] = trial.output
    if trial.cost_usd is not None:
        line["cost_usd"] = trial.cost_usd
    if trial.usage is not None:
        line["usage"] = {"input_tokens": trial.usage.input_tokens, "output_tokens": trial.usage.output_tokens}
    if trial.tool_calls is not None:
        line["tool_calls"] = [{"name": call.name, "arguments": call.arguments} for call in trial.tool_calls]
    if trial.model is not None:
        line["model"] = trial.model
    if trial.attempts != 1:
        line["attempts"] = trial.attempts
    if trial.cached:
        line["cached"] = True
    return _encode(line)


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
    said: dict[str, Any] = {}
    for name, result in results.items():
        if isinstance(result, Ungraded):
            said[name] = {"ungraded": result.reason, "detail": result.detail}
            continue
        entry: dict[str, Any] = {"passed": result.passed, "label": result.label}
        if result.reason:
            entry["reason"] = result.reason
        if result.measures:
            entry["measures"] = [{"hits": m.hits, "of": m.of, "name": m.name} for m in result.measures]
        if result.findings:
            entry["findings"] = [
                {"path": f.path, "outcome": f.outcome, "expected": f.expected, "got": f.got} for f in result.findings
            ]
        if result.flags:
            entry["flags"] = result.flags
        said[name] = entry
    return _encode({"case": trial.case, "index": trial.index, "trial": trial.trial, "verdicts": said})


def decode_verdicts(line: bytes, where: str) -> tuple[int, int, dict[str, Result]]:
    """Case index, trial number and results by grader on one line; raises :class:`StorageError`."""
    try:
        row = _decode_verdicts(line)
    except msgspec.DecodeError as error:
        raise StorageError(f"{where}: not a line of verdicts ({error}); the file was changed") from None
    return row.index, row.trial, {name: _result(said) for name, said in row.verdicts.items()}


def _result(said: _Said) -> Result:
    if said.ungraded is not None:
        return Ungraded(reason=said.ungraded, detail=said.detail)
    if not (said.measures or said.findings or said.flags):
        return _bare(said.passed, said.label, said.reason)
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


@lru_cache(maxsize=1024)
def _bare(passed: bool | None, label: str, reason: str) -> Verdict:
    # A run has few different verdicts without details, and a million of them.
    return Verdict(passed=passed, label=label, reason=reason)


def span_ids(run_id: str, slot: int) -> tuple[str, str]:
    """The trace and span ids of a run's trial number ``slot``: the run's own 64 bits, then the trial's."""
    return f"{_run_bits(run_id)}{slot + 1:016x}", f"{slot + 1:016x}"


@lru_cache(maxsize=8)
def _run_bits(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:16]


def encode_span(run_id: str, slot: int, case: Case, trial: Trial, results: Mapping[str, Result]) -> bytes:
    """The line of ``traces.jsonl``: an OpenTelemetry-shaped span that holds no text and no personal value.

    It names the case, digests its input, says which declared personal fields came back filled, and why graders
    failed the trial. Reasons are words from a closed set, so nothing of an answer can come along.
    """
    encoded = _encode(case.input)
    start = int(trial.started_unix_s * 1e9)
    attributes: dict[str, Any] = {
        "fiel.run_id": run_id,
        "fiel.case_id": case.id,
        "fiel.trial": trial.trial,
        "fiel.input.sha256": hashlib.sha256(encoded).hexdigest(),
        "fiel.input.bytes": len(encoded),
        "fiel.attempts": trial.attempts,
    }
    if case.pii:
        attributes["fiel.pii.present"] = [name for name in case.pii if _filled(trial.output, name)]
    if trial.cost_usd is not None:
        attributes["fiel.cost_usd"] = trial.cost_usd
    code = "STATUS_CODE_OK"
    if trial.failed is not None:
        attributes["fiel.failure"] = trial.failed.reason
        code = "STATUS_CODE_ERROR"
    else:
        failed = {name: why for name, result in results.items() if (why := _why(result))}
        if failed:
            attributes["fiel.failures"] = failed
    trace_id, span_id = span_ids(run_id, slot)
    return _encode(
        {
            "traceId": trace_id,
            "spanId": span_id,
            "name": "fiel.trial",
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + int(trial.latency_s * 1e9)),
            "attributes": attributes,
            "status": {"code": code},
        }
    )


def _why(result: Result) -> str:
    if isinstance(result, Ungraded):
        return f"ungraded:{_word(result.reason)}"
    return _word(result.reason or result.label) if result.passed is False else ""


def _word(reason: str) -> str:
    # A grader of the team's own may have put an answer's text into its reason; a trace never carries one.
    return reason if _SPEAKABLE.match(reason) else "reason_withheld"


def _filled(output: Any, name: str) -> bool:
    value = output
    for part in name.removeprefix("/").split("/"):
        value = value.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(value, Mapping) else None
    return value is not None
