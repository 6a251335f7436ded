"""The decision's JSON: what others read must stay as it is."""

from __future__ import annotations

import json

from fiel.core.policy import GatePolicy
from fiel.gate import decide, decision_document


def test_a_decision_is_one_json_object_with_a_fixed_set_of_keys(relayops):
    decision = decide(candidate=relayops("J"), baseline=relayops("W"), policy=GatePolicy(), fiel_version="1.2.3")
    document = json.loads(json.dumps(decision_document(decision), allow_nan=False))
    assert list(document) == [
        "format",
        "outcome",
        "reasons",
        "broken",
        "fixed",
        "comparisons",
        "statistics",
        "policy",
        "policy_sha256",
        "overrides",
        "baseline",
        "candidate",
        "fiel_version",
    ]
    assert document["outcome"] == "block"
    first = document["reasons"][0]
    assert list(first) == ["kind", "rule", "text", "stratum", "facts"]
    assert first["facts"]["statistics"]["p_worse"] == 0.5
    overall, *strata = document["comparisons"]
    assert (overall["name"], overall["baseline"]["value"], overall["candidate"]["numerator"]) == ("overall", 1.0, 6)
    assert len(strata) == 9
    assert document["candidate"]["manifest"] == dict(relayops("J").manifest)


def test_without_a_baseline_that_side_is_null(relayops):
    document = decision_document(decide(candidate=relayops("W"), baseline=None, policy=GatePolicy()))
    assert document["baseline"] is None
    assert all(comparison["baseline"] is None for comparison in document["comparisons"])
    assert document["statistics"] == {"unavailable": "there is no baseline"}


def test_every_stratum_prints_where_it_stands_and_what_it_could_have_shown(make):
    rows = [(f"a{i}", "steady", False, "1") for i in range(60)] + [(f"b{i}", "worse", False, "1") for i in range(30)]
    after = [
        (case, name, critical, "0" if name == "worse" and case > "b1" else "1") for case, name, critical, _ in rows
    ]
    decision = decide(
        candidate=make([*after, ("c", "one", False, "1")]),
        baseline=make([*rows, ("c", "one", False, "1")]),
        policy=GatePolicy(),
    )
    stands = {one.name: (one.pairs or {})["standing"] for one in decision.comparisons}
    assert stands == {"overall": "fail", "steady": "pass", "worse": "fail", "one": "indistinguishable"}
    assert all("minimum_detectable_drop" in (one.pairs or {}) for one in decision.comparisons)
