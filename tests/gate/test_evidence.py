"""Evidence pairs cases by id, votes over their trials, and leaves out what nobody graded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fiel.core.errors import ReportError
from fiel.core.report import CaseOutcome
from fiel.gate.evidence import FAIL, PASS, SILENT, TIE, UNGRADED, gather, vote
from fiel.stats.paired import Pairs


@pytest.mark.parametrize(
    ("outcomes", "meaning"),
    [
        ("1", PASS),
        ("0", FAIL),
        ("-", UNGRADED),
        (".", SILENT),
        ("", UNGRADED),
        ("110", PASS),
        ("100", FAIL),
        ("10", TIE),
        ("1100", TIE),
        ("11-", PASS),  # two of three, whatever the third would have been
        ("1-0", UNGRADED),
        ("1--", UNGRADED),
        ("1-", UNGRADED),
        ("00-", FAIL),
    ],
)
def test_a_case_comes_to_what_more_than_half_of_its_attempted_trials_say(outcomes, meaning):
    assert vote(outcomes) == meaning


def test_pairs_go_by_id_whatever_the_order(make):
    a = make([("c1", "x", False, "1"), ("c2", "x", False, "1"), ("c3", "x", False, "0"), ("c4", "x", False, "0")])
    b = make([("c4", "x", False, "0"), ("c3", "x", False, "1"), ("c2", "x", False, "0"), ("c1", "x", False, "1")])
    paired = gather(metric="success", candidate=b, baseline=a).paired
    assert paired is not None
    assert paired.pairs == Pairs(both=1, broken=1, fixed=1, neither=1)
    assert (paired.broken, paired.fixed) == (("c2",), ("c3",))


def test_ids_on_one_side_are_named_and_never_paired(make):
    a = make([("c1", "x", False, "1"), ("c2", "x", False, "1")])
    b = make([("c2", "x", False, "1"), ("c3", "x", False, "0")])
    evidence = gather(metric="success", candidate=b, baseline=a)
    assert (evidence.only_baseline, evidence.only_candidate) == (("c1",), ("c3",))
    assert evidence.paired is not None
    assert evidence.paired.n == 1


def test_ungraded_cases_and_tied_votes_are_left_out_and_counted(make):
    a = make([("c1", "x", False, "11"), ("c2", "x", False, "10"), ("c3", "x", False, "11")])
    b = make([("c1", "x", False, "--"), ("c2", "x", False, "11"), ("c3", "x", False, "00")])
    paired = gather(metric="success", candidate=b, baseline=a).paired
    assert paired is not None
    assert paired.pairs == Pairs(both=0, broken=1, fixed=0, neither=0)
    assert (paired.ties, paired.ungraded(0), paired.ungraded(1)) == (1, 0, 1)
    assert paired.passes == (5, 6, 2, 4)


def test_a_stratum_is_critical_when_it_is_so_in_either_report(make):
    a, b = make([("c1", "x", True, "1")]), make([("c1", "x", False, "1")])
    for before, after in ((a, b), (b, a)):
        (stratum,) = gather(metric="success", candidate=after, baseline=before).strata
        assert stratum.critical


def test_strata_whose_names_collide_are_told_apart_by_their_tags(make):
    report = make([("c1", "a|b|c", False, "1"), ("c2", "other", False, "0")])
    first, second = report.strata
    twins = replace(report, strata=(first, replace(second, name="a|b|c")))
    strata = gather(metric="success", candidate=twins, baseline=twins).strata
    assert [stratum.name for stratum in strata] == ['a|b|c {"kind": "a|b|c"}', 'a|b|c {"kind": "other"}']
    same = replace(report, strata=(first, first))
    with pytest.raises(ReportError, match="is there twice"):
        gather(metric="success", candidate=same, baseline=None)


def test_a_case_that_is_there_twice_or_in_no_stratum_is_refused(make):
    report = make([("c1", "x", False, "1"), ("c2", "x", False, "1")])
    twice = replace(report, outcomes=(report.outcomes[0], report.outcomes[0]))
    with pytest.raises(ReportError, match="candidate: case 'c1' is in the outcomes twice"):
        gather(metric="success", candidate=twice, baseline=None)
    lost = replace(report, outcomes=(CaseOutcome(id="c1", stratum=7, outcomes=("1", "1")),))
    with pytest.raises(ReportError, match="name stratum 7, but the report has 1 stratum"):
        gather(metric="success", candidate=lost, baseline=lost)


def test_statistics_are_unavailable_with_a_reason_where_a_side_has_no_outcomes(make):
    report = make([("c1", "x", False, "1")])
    bare = replace(report, outcomes=None, outcome_graders=())
    evidence = gather(metric="success", candidate=bare, baseline=report)
    assert evidence.paired is None
    assert evidence.unavailable == "the report of the candidate carries no per-case outcomes"
    assert (
        "is not an outcome of single cases"
        in gather(metric="fields.accuracy", candidate=report, baseline=report).unavailable
    )
