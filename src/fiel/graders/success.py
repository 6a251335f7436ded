"""``success`` says whether the whole is fit for use: every part of it passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fiel.core.errors import ConfigError
from fiel.core.grader import Asking, Grader, VerdictRequest, ask_all
from fiel.core.item import Item
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders.settings import brief, check_names

LABELS: Final[tuple[str, ...]] = ("success", "failure")
_SUCCESS: Final = Verdict(passed=True, label="success")


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """Passes when every one of ``parts`` passed; a part is graded once however many ask for it.

    The reason names the first part that failed, in their order: ``<part>:<its reason>``, except that a reason
    that begins with its part's name and a ``field_mismatch:<field>`` stand as they are. Every failed part is a
    finding. A part that could not say makes the whole Ungraded with that part's reason, whatever the other parts
    said: half a measurement is neither a success nor a failure. The one exception is ``no_schema``: a case that
    declares no schema has nothing to be invalid against, so that part counts as passed. A part that only
    describes is Ungraded("part_only_describes").
    """

    name: str = "success"
    version: str = "1"
    parts: tuple[Grader, ...]

    def __post_init__(self) -> None:
        check_names(self.name, self.version)
        names = [part.name for part in self.parts]
        if not names or len(set(names)) != len(names) or self.name in names:
            raise ConfigError(f"parts are {brief(names)}, expected at least one grader, each once, other than itself")
        object.__setattr__(self, "parts", tuple(self.parts))

    def grade(self, item: Item) -> Asking:
        results = yield from ask_all([VerdictRequest(grader=part) for part in self.parts])
        failed: list[tuple[str, Verdict]] = []
        for part, result in zip(self.parts, results, strict=True):
            if isinstance(result, Ungraded):
                if result.reason == "no_schema":
                    continue
                return Ungraded(reason=result.reason, detail=f"{part.name}: {result.detail}")
            if not isinstance(result, Verdict) or result.passed is None:
                return Ungraded(reason="part_only_describes", detail=f"{part.name} neither passes nor fails")
            if not result.passed:
                failed.append((part.name, result))
        if not failed:
            return _SUCCESS
        return Verdict(
            passed=False,
            label="failure",
            reason=_reason(*failed[0]),
            findings=tuple(Finding(path=name, outcome=verdict.label) for name, verdict in failed),
        )


def _reason(name: str, verdict: Verdict) -> str:
    if verdict.reason.startswith(("field_mismatch:", f"{name}:")):
        return verdict.reason
    return f"{name}:{verdict.reason or verdict.label}"
