"""A report as JUnit XML: one test case a case, by the primary metric; an ungraded case is an error, not a failure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from fiel.core.decision import Decision, Kind, Outcome
from fiel.core.errors import ConfigError
from fiel.core.report import FAILED, NOT_GRADED, PASSED, UNGRADED, Failure, Report
from fiel.reports import wording
from fiel.reports.escape import value, xml
from fiel.reports.page import Page

NAME: Final = 1_000
"""Characters of a case's id that are kept."""

_LINES: Final = 20

State = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    suite: str
    name: str
    state: State
    type: str = ""
    message: str = ""
    body: tuple[str, ...] = ()


def render(page: Page) -> str:
    """The whole document. A decision is a suite of its own with one test case; a diff has none and is refused."""
    suites: list[tuple[str, list[_Test], Mapping[str, str]]] = []
    if isinstance(page.subject, Report):
        suites.append(_suite(page.subject, wording.primary_metric(page.subject, page.metric)))
    decision = page.subject if isinstance(page.subject, Decision) else page.decision
    if decision is not None:
        suites.append(("fiel gate", [_gate(decision)], {"policy_sha256": decision.policy_sha256}))
    if not suites:
        raise ConfigError(
            "junit shows a report or a decision, not a diff: take md, html, github or terminal for a diff"
        )
    every = [test for _, tests, _ in suites for test in tests]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="fiel"{_counts(every)}>']
    for name, tests, properties in suites:
        lines.append(f'  <testsuite name="{xml(name)}"{_counts(tests)}>')
        lines += _properties(properties)
        lines += [line for test in tests for line in _testcase(test)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(report: Report, metric: str) -> tuple[str, list[_Test], Mapping[str, str]]:
    name = f"{report.target.get('name') or 'target'} on {report.split}, {metric}"
    properties = dict(wording.flat(report.manifest))
    if stub := wording.stub_notice(report.manifest):
        properties["notice"] = stub
    if report.outcomes is None or _grader_of(metric, report) is None:
        properties["outcomes"] = "this report has no outcome of each case: only cases with a failure are listed"
    return name, list(_tests(report, metric)), properties


def _tests(report: Report, metric: str) -> Iterator[_Test]:
    told: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in report.failures:
        told[failure.case].append(failure)
    grader = _grader_of(metric, report)
    if report.outcomes is None or grader is None:
        for case, failures in told.items():
            state: State = "error" if all(one.label == UNGRADED for one in failures) else "failure"
            yield _test(case, failures[0].stratum, state, failures, metric, "")
        return
    at = report.outcome_graders.index(grader)
    for outcome in report.outcomes:
        stratum = report.strata[outcome.stratum].name if outcome.stratum < len(report.strata) else ""
        marks = outcome.outcomes[at]
        yield _test(outcome.id, stratum, _state(marks), told.get(outcome.id, ()), grader, marks)


def _state(marks: str) -> State:
    if FAILED in marks:
        return "failure"
    if NOT_GRADED in marks or not marks:
        return "error"
    return "passed" if PASSED in marks else "skipped"


def _test(case: str, stratum: str, state: State, failures: Sequence[Failure], grader: str, marks: str) -> _Test:
    if state == "passed":
        return _Test(suite=stratum, name=case, state=state)
    own = [one for one in failures if one.grader in (grader, "target")] or list(failures)
    first = own[0] if own else None
    message = "" if first is None else first.reason or first.label
    if state == "skipped":
        message = f"{grader} only describes this case"
    elif len(marks) > 1:
        counts = f"{marks.count(PASSED)} passed, {marks.count(FAILED)} failed, {marks.count(NOT_GRADED)} ungraded"
        message = f"{message} (of {len(marks)} trials: {counts})"
    return _Test(
        suite=stratum,
        name=case,
        state=state,
        type=UNGRADED if state == "error" else (first.label if first is not None else ""),
        message=message or "no reason was given",
        body=tuple(_told(one) for one in failures[:_LINES])
        + ((f"{len(failures) - _LINES} more are in report.json",) if len(failures) > _LINES else ()),
    )


def _told(failure: Failure) -> str:
    said = ": ".join(part for part in (failure.label, failure.reason, failure.detail) if part)
    values = ""
    if failure.expected is not None or failure.got is not None:
        values = f"; expected {value(failure.expected)[:NAME]}; got {value(failure.got)[:NAME]}"
    return f"trial {failure.trial}, {failure.grader}: {said}{values}"


def _gate(decision: Decision) -> _Test:
    states: dict[Outcome, State] = {Outcome.PASS: "passed", Outcome.BLOCK: "failure", Outcome.INCONCLUSIVE: "error"}
    ruled = [reason for reason in decision.reasons if reason.kind is not Kind.NOTE]
    return _Test(
        suite="gate",
        name="decision",
        state=states[decision.outcome],
        type=decision.outcome.value,
        message=ruled[0].text if ruled else decision.outcome.value,
        body=tuple(f"{reason.kind.value}: {reason.text}" for reason in ruled),
    )


def _grader_of(metric: str, report: Report) -> str | None:
    """The grader whose outcomes a metric is of: itself, or the longest name before a dot."""
    known = [name for name in report.outcome_graders if metric == name or metric.startswith(f"{name}.")]
    return max(known, key=len, default=None)


def _counts(tests: Sequence[_Test]) -> str:
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    parts = (f'{name}="{sum(test.state == state for test in tests)}"' for name, state in counts.items())
    return f' tests="{len(tests)}" {" ".join(parts)}'


def _properties(properties: Mapping[str, str]) -> Iterator[str]:
    said = {name: text for name, text in properties.items() if text}
    if said:
        yield "    <properties>"
        yield from (f'      <property name="{xml(name)}" value="{xml(text)}"/>' for name, text in said.items())
        yield "    </properties>"


def _testcase(test: _Test) -> Iterator[str]:
    head = f'    <testcase classname="{xml(test.suite or "all")}" name="{xml(test.name, NAME)}"'
    if test.state == "passed":
        yield f"{head}/>"
        return
    yield f"{head}>"
    if test.state == "skipped":
        yield f'      <skipped message="{xml(test.message)}"/>'
    else:
        body = "\n".join(xml(line) for line in test.body)
        yield f'      <{test.state} type="{xml(test.type)}" message="{xml(test.message)}">{body}</{test.state}>'
    yield "    </testcase>"
