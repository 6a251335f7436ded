from __future__ import annotations

from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

from fiel.core.decision import Decision
from fiel.core.report import Report
from fiel.reports import render, render_decision


def suites(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def kinds(suite: ElementTree.Element) -> Counter[str]:
    return Counter(case[0].tag if len(case) else "passed" for case in suite.iter("testcase"))


def counted(element: ElementTree.Element) -> dict[str, int]:
    return {name: int(element.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}


def test_a_case_is_a_test_and_an_ungraded_case_is_an_error(report: Report) -> None:
    root = suites(render(report, "junit"))
    assert kinds(root) == {"passed": 4, "failure": 4, "error": 1}
    (error,) = root.iter("error")
    assert error.attrib["message"] == "target_timeout (of 3 trials: 0 passed, 0 failed, 3 ungraded)"
    assert error.attrib["type"] == "ungraded"


def test_the_counts_of_the_suites_are_right(report: Report, decision: Decision) -> None:
    root = suites(render(report, "junit", decision=decision))
    assert counted(root) == {"tests": 10, "failures": 5, "errors": 1, "skipped": 0}
    assert [counted(suite)["tests"] for suite in root] == [9, 1]


def test_another_metric_is_read_from_its_own_grader(report: Report) -> None:
    assert kinds(suites(render(report, "junit", metric="schema"))) == {"passed": 8, "error": 1}


def test_a_failure_carries_expected_got_and_reason(report: Report) -> None:
    root = suites(render(report, "junit"))
    (case,) = [case for case in root.iter("testcase") if case.attrib["name"] == "hd-0008"]
    assert case.attrib["classname"] == "tenant-crux|contract-notice|adversarial"
    body = case[0].text or ""
    assert len(body.splitlines()) == 3
    assert 'expected {"effective_date": null}; got {"effective_date": "2099-01-01"}' in body


def test_a_trial_that_failed_outweighs_one_that_was_not_graded(report: Report) -> None:
    assert report.outcomes is not None
    first = replace(report.outcomes[0], outcomes=("1-0", "111"))
    second = replace(report.outcomes[1], outcomes=("1-1", "111"))
    third = replace(report.outcomes[2], outcomes=("...", "111"))
    root = suites(render(replace(report, outcomes=(first, second, third)), "junit"))
    assert [case[0].tag for case in root.iter("testcase")] == ["failure", "error", "skipped"]


def test_a_report_without_outcomes_lists_its_failures_and_says_so(report: Report) -> None:
    root = suites(render(replace(report, outcomes=None), "junit"))
    assert kinds(root) == {"failure": 4, "error": 1}
    assert "outcomes" in {item.attrib["name"] for item in root.iter("property")}


def test_a_decision_is_a_test_that_fails_where_it_blocks(decision: Decision) -> None:
    root = suites(render_decision(decision, "junit"))
    assert kinds(root) == {"failure": 1}
    assert "dropped from 1 to 0" in next(root.iter("failure")).attrib["message"]


def test_hostile_text_is_well_formed_xml_and_adds_no_test(bad_report: Report, bad_decision: Decision) -> None:
    root = suites(render(bad_report, "junit", decision=bad_decision))
    assert counted(root) == {"tests": 2, "failures": 2, "errors": 0, "skipped": 0}
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
    }
