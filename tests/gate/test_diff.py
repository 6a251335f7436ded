"""A diff of two reports, of dev as well as of holdout: flips, strata and means, and no big words for noise."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fiel.core.errors import ManifestIncomplete, Mismatch
from fiel.gate import diff, diff_document
from fiel.gate.diff import common_metric


def test_dev_reports_may_be_compared(relayops):
    a, b = (replace(relayops(target), split="dev") for target in "WR")
    found = diff(a, b)
    assert (found.fixed, found.broken) == ((), ("hd-0004", "hd-0008"))
    assert found.summary == "success 1 -> 0.7778: no significant difference, 0 fixed and 2 broken of 9 cases"
    assert [mean.metric for mean in found.means] == ["success", "policy"]
    assert found.means[0].difference == pytest.approx(-2 / 9)
    assert found.means[1].difference == 0.0
    assert [stratum.drop for stratum in found.strata] == [0, 0, 0, 1, 0, 0, 0, 1, 0]


def test_manifests_are_compared_first(relayops):
    a = relayops("W")
    b = replace(a, manifest={**a.manifest, "dataset_sha256": "cd" * 32})
    with pytest.raises(Mismatch, match="in the first and"):
        diff(a, b)
    assert diff(a, b, allow=["dataset_sha256"]).overrides == ("dataset_sha256",)
    with pytest.raises(ManifestIncomplete):
        diff(a, replace(a, manifest={}))


def test_only_a_significant_difference_is_called_a_change(make):
    def pair(broken: int):
        before = [(f"c{i}", "x", False, "1") for i in range(20)]
        after = [(f"c{i}", "x", False, "0" if i < broken else "1") for i in range(20)]
        return diff(make(before), make(after))

    assert "change" not in json.dumps(diff_document(pair(5)))  # two-sided exact p = 1/16
    assert "a significant change for the worse" in pair(6).summary
    assert pair(6).worse == ("x",)
    assert "a significant change for the better" in diff(*reversed(_reports(make, 6))).summary


def _reports(make, broken: int):
    return (
        make([(f"c{i}", "x", False, "1") for i in range(20)]),
        make([(f"c{i}", "x", False, "0" if i < broken else "1") for i in range(20)]),
    )


def test_cases_on_one_side_and_ungraded_ones_are_said(make):
    a = make([("c1", "x", False, "1"), ("c2", "x", False, "1"), ("c3", "x", False, "1")])
    b = make([("c2", "x", False, "1"), ("c3", "x", False, "-"), ("c4", "x", False, "1")])
    found = diff(a, b)
    assert (found.only_a, found.only_b) == (("c1",), ("c4",))
    assert found.notes == (
        "1 case attempted only in the first report",
        "1 case attempted only in the second report",
        "1 case ungraded in the second report, left out of the pairs",
    )


def test_without_success_the_first_grader_that_both_have_is_compared(make):
    report = make([("c1", "x", False, "1")])
    other = replace(
        report,
        overall={"exact": report.overall["success"]},
        outcome_graders=("exact", "policy"),
    )
    assert common_metric(report, report) == "success"
    assert common_metric(other, other) == "exact"
    assert common_metric(report, other) == "policy"
    assert diff(report, report, metric="policy").metric == "policy"


def test_reports_without_outcomes_are_compared_by_their_rates(relayops):
    a, b = (replace(relayops(target), outcomes=None, outcome_graders=()) for target in "BJ")
    found = diff(a, b)
    assert found.summary == (
        "success 0.5556 -> 0.6667; statistics unavailable: the report of the baseline carries no per-case outcomes; "
        "critical strata that are lower: tenant-crux|contract-notice|adversarial by 1"
    )
    assert found.overall.pairs is None


def test_a_diff_is_one_json_object(relayops):
    document = json.loads(json.dumps(diff_document(diff(relayops("B"), relayops("J"))), allow_nan=False))
    assert document["broken"] == ["hd-0005"]
    assert document["strata"][4]["name"] == "tenant-crux|contract-notice|adversarial"


def test_a_critical_stratum_that_is_lower_is_in_the_first_sentence(relayops):
    found = diff(relayops("B"), relayops("J"))
    assert found.summary.endswith("critical strata that are lower: tenant-crux|contract-notice|adversarial by 1")
