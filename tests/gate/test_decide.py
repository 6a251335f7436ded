"""The gate on the cases it exists for: a mean that rises over a critical stratum that falls, and its neighbours."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import pytest

from fiel.core.decision import Kind, Outcome
from fiel.core.errors import ConfigError
from fiel.core.policy import GatePolicy
from fiel.core.report import Report
from fiel.core.report_document import decode
from fiel.gate import decide

CRUX = "tenant-crux|contract-notice|adversarial"


def _texts(decision, kind: Kind) -> list[str]:
    return [reason.text for reason in decision.reasons if reason.kind is kind]


def _hand_made(*strata: tuple[str, bool, int, int], manifest) -> Report:
    """A report as a person would type it: strata of (name, critical, hits, of), nothing else."""
    return decode(
        {
            "split": "holdout",
            "manifest": manifest,
            "overall": {"success": {"numerator": sum(s[2] for s in strata), "denominator": sum(s[3] for s in strata)}},
            "strata": [
                {"name": name, "critical": critical, "success": {"numerator": hits, "denominator": of}}
                for name, critical, hits, of in strata
            ],
        }
    )


def test_a_critical_stratum_that_falls_blocks_and_is_named_with_its_numbers(relayops):
    decision = decide(candidate=relayops("J"), baseline=relayops("W"), policy=GatePolicy(), fiel_version="1.2.3")
    assert decision.outcome is Outcome.BLOCK
    (text,) = _texts(decision, Kind.BLOCK)
    assert text == (
        f"{CRUX} dropped from 1 to 0 (drop 1.0000 > epsilon 0.05), n=1 (1 case = 100 points), "
        "exact McNemar p=0.5 for worse (two-sided p=1, mid-p=0.5), difference interval [-1, 0.4603] at 90%, "
        "overall 1 -> 0.6667"
    )
    assert decision.broken == ("hd-0004", "hd-0005", "hd-0008")
    assert decision.fiel_version == "1.2.3"


def test_a_rising_mean_does_not_hide_a_critical_fall(relayops):
    decision = decide(candidate=relayops("J"), baseline=relayops("B"), policy=GatePolicy())
    assert decision.outcome is Outcome.BLOCK
    (reason,) = (reason for reason in decision.reasons if reason.kind is Kind.BLOCK)
    assert reason.stratum == CRUX
    assert reason.text.endswith("overall 0.5556 -> 0.6667")
    assert reason.facts["overall"] == [5 / 9, 6 / 9]
    assert (decision.broken, decision.fixed) == (("hd-0005",), ("hd-0002", "hd-0009"))


def test_identical_reports_pass_and_the_workflow_beats_the_baseline(relayops):
    for before, after in ("WW", "BB", "BW", "BR"):
        decision = decide(candidate=relayops(after), baseline=relayops(before), policy=GatePolicy())
        assert decision.outcome is Outcome.PASS, _texts(decision, Kind.INCONCLUSIVE)


def test_the_runner_loses_strata_that_are_not_critical_and_they_are_listed(relayops):
    decision = decide(candidate=relayops("R"), baseline=relayops("W"), policy=GatePolicy())
    assert decision.outcome is Outcome.PASS
    assert [reason.stratum for reason in decision.reasons if reason.rule == "stratum_lower"] == [
        "tenant-birch|receipt|adversarial",
        "tenant-dune|intake-id|adversarial",
    ]


def test_without_a_baseline_the_absolute_rules_alone_decide(relayops):
    decision = decide(candidate=relayops("J"), baseline=None, policy=GatePolicy())
    assert decision.outcome is Outcome.PASS
    assert decision.baseline is None
    assert any("absolute rules alone" in text for text in _texts(decision, Kind.NOTE))


def test_the_hand_made_pair_blocks_by_its_strata_with_statistics_unavailable(relayops):
    manifest = relayops("W").manifest
    before = _hand_made(("critical", True, 9, 10), ("b", False, 4, 10), ("c", False, 4, 10), manifest=manifest)
    after = _hand_made(("critical", True, 2, 10), ("b", False, 9, 10), ("c", False, 9, 10), manifest=manifest)
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    assert decision.outcome is Outcome.BLOCK
    (text,) = _texts(decision, Kind.BLOCK)
    assert text == (
        "critical dropped from 0.9 to 0.2 (drop 0.7000 > epsilon 0.05), n=10 (1 case = 10 points), "
        "statistics unavailable: the report of the baseline carries no per-case outcomes, overall 0.5667 -> 0.6667"
    )
    assert decide(candidate=before, baseline=before, policy=GatePolicy()).outcome is Outcome.PASS


def test_a_run_that_crashed_on_half_its_cases_never_beats_one_that_answered_them(make):
    a = make([(f"c{i}", "x", False, "1" if i < 5 else "0") for i in range(10)])
    b = make([(f"c{i}", "x", False, "1" if i < 5 else "-") for i in range(10)])
    decision = decide(candidate=b, baseline=a, policy=GatePolicy())
    assert b.overall["success"].value == 1.0
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "success: 5 ungraded in the candidate (target_crash 5), at most 0 are let through" in _texts(
        decision, Kind.INCONCLUSIVE
    )
    assert "counted against or for the candidate the difference is 0 or 0.5" in " ".join(_texts(decision, Kind.NOTE))


def test_a_crash_in_hand_made_counts_is_not_a_pass_either(relayops):
    manifest = relayops("W").manifest
    a, b = _hand_made(("x", False, 5, 10), manifest=manifest), _hand_made(("x", False, 5, 5), manifest=manifest)
    assert decide(candidate=b, baseline=a, policy=GatePolicy()).outcome is Outcome.INCONCLUSIVE
    alone = replace(b, attempted=10)
    decision = decide(candidate=alone, baseline=None, policy=GatePolicy())
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "success: 5 ungraded in the candidate (unaccounted 5)" in _texts(decision, Kind.INCONCLUSIVE)[0]


def _locales(make, *, pt: int, critical: bool):
    """A mean that rises 4 points and more while the stratum ``pt`` of ``pt`` cases falls."""
    falls = max(1, round(0.15 * pt))
    rest = 200
    before = [(f"en{i}", "locale=en", False, "1" if i < 150 else "0") for i in range(rest)]
    after = [(f"en{i}", "locale=en", False, "1" if i < 170 else "0") for i in range(rest)]
    before += [(f"pt{i}", "locale=pt", critical, "1") for i in range(pt)]
    after += [(f"pt{i}", "locale=pt", critical, "0" if i < falls else "1") for i in range(pt)]
    return make(before), make(after)


def test_a_critical_locale_that_falls_15_points_blocks_though_the_mean_rises(make):
    before, after = _locales(make, pt=40, critical=True)
    assert after.overall["success"].value - before.overall["success"].value > 0.04
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    assert decision.outcome is Outcome.BLOCK
    (text,) = _texts(decision, Kind.BLOCK)
    assert text.startswith(
        "locale=pt dropped from 1 to 0.85 (drop 0.1500 > epsilon 0.05), n=40, exact McNemar p=0.0156"
    )


def test_in_a_critical_locale_of_three_cases_one_case_weighs_33_points(make):
    before, after = _locales(make, pt=3, critical=True)
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    assert decision.outcome is Outcome.BLOCK
    assert "n=3 (1 case = 33 points)" in _texts(decision, Kind.BLOCK)[0]


def test_a_locale_that_is_not_critical_is_listed_and_never_blocks(make):
    before, after = _locales(make, pt=40, critical=False)
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    assert decision.outcome is Outcome.PASS
    (reason,) = (reason for reason in decision.reasons if reason.rule == "stratum_worse")
    assert reason.stratum == "locale=pt"
    assert "a significant change for the worse (Holm over 2 strata, p=0.0312)" in reason.text


def test_a_fall_of_exactly_epsilon_is_not_more_than_epsilon(make):
    before = make([(f"c{i}", "x", True, "1") for i in range(20)])
    after = make([(f"c{i}", "x", True, "0" if i == 0 else "1") for i in range(20)])
    assert decide(candidate=after, baseline=before, policy=GatePolicy()).outcome is Outcome.PASS
    tighter = GatePolicy(epsilon=Fraction(4999999, 100000000))
    decision = decide(candidate=after, baseline=before, policy=tighter)
    assert decision.outcome is Outcome.BLOCK
    assert "exactly 1/20 > 4999999/100000000" in _texts(decision, Kind.BLOCK)[0]


def test_all_reasons_of_all_kinds_are_told_blocking_ones_first(make):
    before = make([("c1", "x", True, "1"), ("c2", "y", True, "1")])
    after = make(
        [("c1", "x", True, "0"), ("c3", "z", False, "-")], graders={"policy": {"c1": "0"}}, budget={"status": "spent"}
    )
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    rules = [(reason.kind, reason.rule) for reason in decision.reasons if reason.kind is not Kind.NOTE]
    assert rules == [
        (Kind.BLOCK, "critical_stratum_fell"),
        (Kind.BLOCK, "per_case"),
        (Kind.INCONCLUSIVE, "stratum_missing"),
        (Kind.INCONCLUSIVE, "ungraded"),
        (Kind.INCONCLUSIVE, "attempted_differs"),
        (Kind.INCONCLUSIVE, "budget"),
    ]
    assert decision.outcome is Outcome.BLOCK


def test_reports_without_a_single_case_are_inconclusive(make):
    empty = make([])
    for baseline in (empty, None):
        decision = decide(candidate=empty, baseline=baseline, policy=GatePolicy())
        assert decision.outcome is Outcome.INCONCLUSIVE
        assert "no case was attempted in the candidate" in _texts(decision, Kind.INCONCLUSIVE)


def test_a_metric_that_is_not_there_or_undefined_is_inconclusive(relayops, make):
    decision = decide(candidate=relayops("W"), baseline=relayops("W"), policy=GatePolicy(metric="quality"))
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "quality is not in the candidate, which measured: policy, success" in _texts(decision, Kind.INCONCLUSIVE)
    crashed = make([("c1", "x", True, "-")])
    texts = _texts(decide(candidate=crashed, baseline=crashed, policy=GatePolicy(max_ungraded=5)), Kind.INCONCLUSIVE)
    assert "success is undefined in the candidate: nothing was graded (0 of 0)" in texts
    assert "critical stratum x: success was not measured in the baseline and the candidate" in texts


def test_the_policy_is_in_the_decision_with_its_hash(relayops):
    policy = GatePolicy(version="2026-09", max_mean_cost_usd=Fraction(1, 100))
    decision = decide(candidate=relayops("W"), baseline=relayops("W"), policy=policy)
    assert decision.policy["version"] == "2026-09"
    assert decision.policy["epsilon"] == 0.05
    assert decision.policy_sha256 == policy.sha256


@pytest.mark.parametrize(
    "policy",
    [
        GatePolicy(alpha=Fraction(1, 2)),
        GatePolicy(epsilon=Fraction(5)),
        GatePolicy(margin=Fraction(-1, 20)),
        GatePolicy(max_ungraded=-1),
        GatePolicy(evidence="hunch"),  # type: ignore[arg-type]
    ],
)
def test_a_policy_with_an_impossible_level_is_refused(relayops, policy):
    with pytest.raises(ConfigError, match=r"gate\."):
        decide(candidate=relayops("W"), baseline=relayops("W"), policy=policy)


def test_ten_thousand_cases_are_decided_in_a_blink_also_in_as_many_strata(make):
    for strata in (20, 10_000):
        rows = [(f"c{i}", f"s-{i % strata}", i % strata == 0, "1" if i % 3 else "0") for i in range(10_000)]
        worse = [
            (case, name, critical, "0" if i % 7 == 1 else marks) for i, (case, name, critical, marks) in enumerate(rows)
        ]
        before, after = make(rows), make(worse)
        start = time.process_time()
        decision = decide(candidate=after, baseline=before, policy=GatePolicy(evidence="non-inferior"))
        assert time.process_time() - start < 5
        assert len(decision.broken) > 900
        assert len(decision.reasons) < 200
