"""Two runs of one thing: how often they disagree, and what that hides."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fiel.core.errors import Mismatch, Refused
from fiel.core.policy import GatePolicy
from fiel.gate import decide, diff, noise, noise_document

TAU = Path(__file__).parents[3] / "shared" / "datasets" / "tau_airline_gpt4o" / "data.jsonl"


def test_the_share_that_flipped_is_the_noise_and_the_flips_are_named(make):
    first = make([(f"c{i:02}", "x", False, "1" if i < 30 else "0") for i in range(50)])
    second = make([(f"c{i:02}", "x", False, "1" if 5 <= i < 35 else "0") for i in range(50)], run_id="run-2")
    found = noise(first, second)
    assert (found.n, found.discordant, found.psi) == (50, 10, 0.2)
    assert found.passed_first == ("c00", "c01", "c02", "c03", "c04")
    assert found.passed_second == ("c30", "c31", "c32", "c33", "c34")
    # Published table: 527 pairs for a drop of 5 points at 20 % discordance, 501 to show non-inferiority.
    assert found.pairs_to_detect == 527
    assert found.pairs_to_show_non_inferior == pytest.approx(501, abs=3)
    assert found.minimum_detectable_drop is not None
    assert 0.15 < found.minimum_detectable_drop < 0.2
    assert found.summary.startswith(
        "success: two runs of the same thing disagree on 10 of 50 cases (psi 0.2; 0.6 and 0.6)"
    )
    assert not found.unlikely
    json.dumps(noise_document(found), allow_nan=False)


def test_no_flip_is_not_no_noise(relayops):
    found = noise(relayops("W"), relayops("W"))
    assert (found.psi, found.pairs_to_detect) == (0.0, None)
    # Nine pairs without a flip between them would still show a fall of most of them.
    assert found.minimum_detectable_drop is not None
    assert 0.5 < found.minimum_detectable_drop < 1.0
    assert found.pairs_to_show_non_inferior == 52
    assert "both reports are of run run-W" in " ".join(found.notes)


def test_dev_runs_tell_noise_too(relayops):
    dev = replace(relayops("W"), split="dev")
    assert noise(dev, dev).n == 9


def test_two_different_things_have_no_common_noise(relayops):
    a = relayops("W")
    b = replace(a, manifest={**a.manifest, "prompt_version": "v2"})
    with pytest.raises(Mismatch, match='prompt_version is "v1" in the first run and "v2" in the second run'):
        noise(a, b)
    assert noise(a, b, allow=["prompt_version"]).overrides == ("prompt_version",)


def test_runs_that_differ_too_much_are_doubted(make):
    a = make([(f"c{i}", "x", False, "1") for i in range(20)])
    b = make([(f"c{i}", "x", False, "0" if i < 9 else "1") for i in range(20)])
    assert noise(a, b).unlikely


def test_reports_that_cannot_be_paired_are_refused(relayops):
    bare = replace(relayops("W"), outcomes=None, outcome_graders=())
    with pytest.raises(Refused, match="the noise of success cannot be told"):
        noise(bare, bare)


def test_recorded_runs_of_one_agent_differ_by_noise_alone(make):
    if not TAU.exists():
        pytest.skip("the recorded airline runs are not beside this checkout")
    rows = [json.loads(line) for line in TAU.read_text(encoding="utf-8").splitlines()]
    trials = sorted({row["trial"] for row in rows})
    reports = [
        make(
            [(str(r["task_id"]), "all", False, "1" if r["passed"] else "0") for r in rows if r["trial"] == trial],
            run_id=f"trial-{trial}",
        )
        for trial in trials
    ]
    assert len(reports) == 4
    for a, b in itertools.combinations(reports, 2):
        found = noise(a, b)
        assert 0.1 <= found.psi <= 0.5
        assert not found.unlikely
    for a, b in itertools.permutations(reports, 2):
        assert "change" not in diff(a, b).summary
        decision = decide(candidate=b, baseline=a, policy=GatePolicy())
        assert decision.outcome.value == "pass"
        assert not any("change" in reason.text for reason in decision.reasons)
