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
