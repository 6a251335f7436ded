"""With non-inferiority asked for, a pass is shown or priced; small strata and single cases say what they can."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from fiel.core.decision import Kind, Outcome
from fiel.core.policy import GatePolicy
from fiel.gate import decide

SHOWN = GatePolicy(evidence="non-inferior")
ORACLES = Path(__file__).parents[4] / "shared" / "oracles" / "stats.json"


@pytest.fixture
def pair(make):
    """Two reports with this many broken, fixed and both-passing cases, in strata that are not critical."""

    def made(n: int, broken: int, fixed: int, stratum: str = "x"):
        before = "1" * broken + "0" * fixed + "1" * (n - broken - fixed)
        after = "0" * broken + "1" * fixed + "1" * (n - broken - fixed)
        rows = ([(f"c{i}", stratum, False, mark) for i, mark in enumerate(marks)] for marks in (before, after))
        return tuple(make(row) for row in rows)

    return made


def _open(decision):
    return [reason.text for reason in decision.reasons if reason.kind is Kind.INCONCLUSIVE]


@pytest.mark.parametrize(("n", "outcome"), [(5, "inconclusive"), (51, "inconclusive"), (52, "pass"), (200, "pass")])
def test_no_flip_at_all_passes_only_from_52_cases_at_5_points(pair, n, outcome):
    before, after = pair(n, 0, 0)
    decision = decide(candidate=after, baseline=before, policy=SHOWN)
    assert decision.outcome.value == outcome
    if outcome == "inconclusive":
        assert _open(decision)[0].endswith("about 52 pairs would settle it if the rates stay as they are")


def test_the_default_evidence_asks_for_no_such_proof(pair):
    before, after = pair(5, 0, 0)
    assert decide(candidate=after, baseline=before, policy=GatePolicy()).outcome is Outcome.PASS


def test_the_bounds_and_the_standing_agree_with_the_reference_values(pair):
    if not ORACLES.exists():
        pytest.skip("the reference values are not beside this checkout")
    oracles = [found for found in json.loads(ORACLES.read_text())["oracles"] if found["id"].startswith("GT-NI-")]
    assert oracles
    for oracle in oracles:
        given, expected = oracle["input"], oracle["expected"]
        before, after = pair(given["n"], given["b"], given["c"])
        decision = decide(candidate=after, baseline=before, policy=SHOWN)
        assert decision.statistics["interval"] == pytest.approx([expected["lo"], expected["hi"]], abs=1e-6)
        assert decision.statistics["difference"] == pytest.approx(expected["delta"])
        assert decision.outcome is Outcome.INCONCLUSIVE
        (reason,) = (reason for reason in decision.reasons if reason.rule == "non_inferiority")
        worse = "shown worse by more than 0.05" if expected["outcome"] == "FAIL" else "not shown to be within 0.05"
        assert worse in reason.text


def test_a_difference_at_the_margin_is_settled_by_no_affordable_number(pair):
    before, after = pair(100, 10, 5)
    decision = decide(candidate=after, baseline=before, policy=SHOWN)
    assert "no affordable number of pairs will settle it" in _open(decision)[0]


def test_the_price_in_pairs_is_where_the_bound_leaves_the_margin(pair):
    before, after = pair(100, 5, 5)
    (text,) = _open(decide(candidate=after, baseline=before, policy=SHOWN))
    needed = int(text.partition("about ")[2].partition(" ")[0])
    assert "(269 for 80% power if nothing truly differs)" in text
    assert 90 < needed < 269
    enough, less = needed * 11 // 10, needed * 9 // 10
    for n, outcome in ((enough, Outcome.PASS), (less, Outcome.INCONCLUSIVE)):
        before, after = pair(n, round(n * 0.05), round(n * 0.05))
        assert decide(candidate=after, baseline=before, policy=SHOWN).outcome is outcome


def test_a_wider_margin_of_its_own_is_used(pair):
    before, after = pair(30, 0, 0)
    wide = GatePolicy(evidence="non-inferior", margin=Fraction(1, 10))
    assert decide(candidate=after, baseline=before, policy=wide).outcome is Outcome.PASS
    none = GatePolicy(evidence="non-inferior", margin=Fraction(0))
    assert decide(candidate=after, baseline=before, policy=none).outcome is Outcome.INCONCLUSIVE


def test_a_stratum_shown_worse_keeps_the_pass_away_though_the_pool_is_fine(make):
    rows = [(f"a{i}", "big", False, "1") for i in range(2000)]
    before = make([*rows, *[(f"b{i}", "small", False, "1") for i in range(20)]])
    after = make([*rows, *[(f"b{i}", "small", False, "0" if i < 10 else "1") for i in range(20)]])
    decision = decide(candidate=after, baseline=before, policy=SHOWN)
    assert _open(decision) == ["small is shown worse (exact McNemar, Holm over 2 strata, p=0.002)"]
    assert decide(candidate=after, baseline=before, policy=GatePolicy()).outcome is Outcome.PASS


def test_without_outcomes_or_baseline_nothing_is_shown(make, relayops):
    whole = relayops("W")
    decision = decide(candidate=whole, baseline=None, policy=SHOWN)
    assert decision.outcome is Outcome.PASS
    assert any("non-inferiority is not applied" in reason.text for reason in decision.reasons)
    bare = make([("c1", "x", False, "1")], outcomes=None, outcome_graders=())
    decision = decide(candidate=bare, baseline=bare, policy=SHOWN)
    assert "non-inferiority cannot be shown, statistics unavailable" in _open(decision)[0]


def test_below_fifty_cases_trials_are_voted_and_from_fifty_they_are_widened_by_their_cases(make):
    def tried(n: int):
        before = [(f"c{i}", "x", False, "11101") for i in range(n)]
        after = [(f"c{i}", "x", False, "00000" if i % 10 == 0 else "11101") for i in range(n)]
        return decide(candidate=make(after), baseline=make(before), policy=GatePolicy()).statistics

    few, many = tried(40), tried(50)
    assert (few["method"], few["difference"], few["n"]) == ("tango", -0.1, 40)
    assert many["method"] == "tango over trials"
    assert many["difference"] == pytest.approx(-0.08)
    # Each of five cases broke outright: four trials that always move together widen the interval nearly fourfold.
    assert 3.0 < many["deff"] < 5.0
    assert many["interval"][0] < -0.08 < many["interval"][1] < 0


def test_the_tie_of_an_even_vote_is_a_class_of_its_own_and_counted(make):
    before = make([("c1", "x", False, "11"), ("c2", "x", False, "11")])
    after = make([("c1", "x", False, "10"), ("c2", "x", False, "11")])
    decision = decide(candidate=after, baseline=before, policy=GatePolicy())
    assert (decision.statistics["n"], decision.statistics["ties"]) == (1, 1)
    assert any(reason.text.startswith("1 case left out: an even vote") for reason in decision.reasons)
