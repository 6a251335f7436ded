"""What a report shows of a failed trial: expected and got, bounded in size, personal data masked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from fiel.core.case import Case
from fiel.core.grader import Result
from fiel.core.report import UNGRADED, Failure
from fiel.core.verdict import Ungraded, Verdict
from fiel.personal import mask, mask_value, texts_at

MOST_BYTES: Final = 1000
MOST_FINDINGS: Final = 20
_FINE: Final = frozenset({"match", "abstained"})


def failures_of(
    case: Case, number: int, stratum: str, no_output: Ungraded | None, output: Any, results: Mapping[str, Result]
) -> Iterator[Failure]:
    """One failure for each grader that trial ``number`` failed or left ungraded.

    ``no_output`` says why the target gave none; then that is the one failure.
    """
    if no_output is not None:
        yield Failure(
            case=case.id,
            trial=number,
            stratum=stratum,
            grader="target",
            label=UNGRADED,
            reason=no_output.reason,
            detail=_masked_text(no_output.detail, declared(case, None)),
        )
        return
    secrets: tuple[str, ...] | None = None
    for grader, result in results.items():
        if isinstance(result, Verdict) and result.passed is not False:
            continue
        if secrets is None:
            secrets = declared(case, output)
        if isinstance(result, Ungraded):
            yield Failure(
                case=case.id,
                trial=number,
                stratum=stratum,
                grader=grader,
                label=UNGRADED,
                reason=result.reason,
                detail=_masked_text(result.detail, secrets),
            )
            continue
        expected, got = _values(case, output, result)
        yield Failure(
            case=case.id,
            trial=number,
            stratum=stratum,
            grader=grader,
            label=result.label,
            reason=result.reason,
            expected=_shown(expected, secrets),
            got=_shown(got, secrets),
        )


def declared(case: Case, output: Any) -> tuple[str, ...]:
    """The texts in the fields that the case declares personal, in what was expected and in what came back."""
    found = {*texts_at(case.expected, case.pii), *texts_at(output, case.pii)}
    return tuple(sorted((text for text in found if text.strip()), key=lambda text: (-len(text), text)))


def _values(case: Case, output: Any, verdict: Verdict) -> tuple[Any, Any]:
    bad = [finding for finding in verdict.findings if finding.outcome not in _FINE][:MOST_FINDINGS]
    if len(bad) == 1 and not bad[0].path:
        return bad[0].expected, bad[0].got
    if bad and all(f.expected is None and f.got is None for f in bad):
        # A grader of graders points at the part that failed; that part's own failure shows the values.
        return None, None
    if bad:
        return {f.path: f.expected for f in bad}, {f.path: f.got for f in bad}
    return (case.expected if case.has_expected else None), output


def _masked_text(text: str, secrets: tuple[str, ...]) -> str:
    return mask(text, values=secrets)[:MOST_BYTES] if text else ""


def _shown(value: Any, secrets: tuple[str, ...]) -> Any:
    encoded = msgspec.json.encode(value)
    if len(encoded) > MOST_BYTES * 20:
        # Masking a text of any size costs time in its length; what would be cut is cut first, with room to spare.
        return f"({len(encoded):,} bytes of JSON, not shown)"
    masked = mask_value(value, values=secrets)
    encoded = msgspec.json.encode(masked)
    if len(encoded) <= MOST_BYTES:
        return masked
    return encoded[:MOST_BYTES].decode(errors="ignore") + f"... ({len(encoded):,} bytes)"
