"""Refusals come before anything else, name what is wrong, and are the only way out of a comparison."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fiel.core.errors import ConfigError, ManifestIncomplete, Mismatch, Refused
from fiel.core.policy import GatePolicy
from fiel.gate import decide, diff


def _with(report, **fields):
    return replace(report, manifest={**report.manifest, **fields})


def test_two_dev_reports_are_refused_by_name(relayops):
    a, b = (replace(relayops(target), split="dev") for target in "WR")
    with pytest.raises(Refused, match=r'^refusing to gate on a "dev"/"dev" split'):
        decide(candidate=b, baseline=a, policy=GatePolicy())


def test_one_dev_report_is_enough_to_refuse(relayops):
    with pytest.raises(Refused, match='refusing to gate on a "holdout"/"dev" split'):
        decide(candidate=replace(relayops("R"), split="dev"), baseline=relayops("W"), policy=GatePolicy())
    with pytest.raises(Refused, match='refusing to gate on a "dev" split'):
        decide(candidate=replace(relayops("R"), split="dev"), baseline=None, policy=GatePolicy())


def test_the_text_of_a_hostile_split_stays_on_one_line(relayops):
    hostile = replace(relayops("R"), split="dev\n::error::" + "x" * 500)
    with pytest.raises(Refused) as refused:
        decide(candidate=hostile, baseline=None, policy=GatePolicy())
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_an_incomplete_manifest_is_refused_with_the_exact_message(relayops):
    report = relayops("W")
    poor = replace(
        report, manifest={k: v for k, v in report.manifest.items() if k not in ("model_identifier", "prompt_version")}
    )
    for candidate, baseline in ((poor, report), (report, poor), (poor, None)):
        with pytest.raises(ManifestIncomplete) as refused:
            decide(candidate=candidate, baseline=baseline, policy=GatePolicy())
        assert str(refused.value) == "version manifest is incomplete (missing: prompt_version, model_identifier)"


def test_a_different_data_hash_or_grader_is_refused_unless_told_and_the_override_is_written_down(relayops):
    old = relayops("W")
    new = _with(old, dataset_sha256="cd" * 32, grader_version="success@2#11111111")
    with pytest.raises(Mismatch, match="dataset_sha256 is") as refused:
        decide(candidate=new, baseline=old, policy=GatePolicy())
    assert refused.value.fields == ("dataset_sha256", "grader_version")
    with pytest.raises(Mismatch) as refused:
        decide(candidate=new, baseline=old, policy=GatePolicy(), allow=["dataset_sha256"])
    assert refused.value.fields == ("grader_version",)
    decision = decide(
        candidate=new, baseline=old, policy=GatePolicy(), allow=["grader_version", "dataset_sha256"], fiel_version="0.1"
    )
    assert decision.overrides == ("dataset_sha256", "grader_version")
    assert any("allowed to differ: grader_version" in reason.text for reason in decision.reasons)


def test_an_override_that_waived_nothing_is_not_written_as_one(relayops):
    decision = decide(candidate=relayops("W"), baseline=relayops("W"), policy=GatePolicy(), allow=["grader_version"])
    assert decision.overrides == ()
    assert any(reason.text == "grader_version was allowed to differ, but it is equal" for reason in decision.reasons)


def test_the_data_hash_is_also_read_beside_the_manifest(relayops):
    bare = {k: v for k, v in relayops("W").manifest.items() if k != "dataset_sha256"}
    old = replace(relayops("W"), manifest=bare, dataset={"sha256": "ab" * 32})
    decide(candidate=relayops("W"), baseline=old, policy=GatePolicy())
    with pytest.raises(Mismatch, match='dataset_sha256 is "ffff" in the baseline'):
        decide(candidate=relayops("W"), baseline=replace(old, dataset={"sha256": "ffff"}), policy=GatePolicy())


def test_a_field_that_one_side_lacks_is_a_mismatch_and_one_that_both_lack_is_noted(relayops):
    bare = {k: v for k, v in relayops("W").manifest.items() if k != "dataset_sha256"}
    poor = replace(relayops("W"), manifest=bare)
    with pytest.raises(Mismatch, match='dataset_sha256 is missing in the baseline and "abab'):
        decide(candidate=relayops("W"), baseline=poor, policy=GatePolicy())
    decision = decide(candidate=poor, baseline=poor, policy=GatePolicy())
    assert any("dataset_sha256 is in neither report" in reason.text for reason in decision.reasons)


def test_a_misspelt_override_is_refused_with_the_near_miss(relayops):
    with pytest.raises(ConfigError, match='did you mean "grader_version"'):
        decide(candidate=relayops("W"), baseline=relayops("W"), policy=GatePolicy(), allow=["grader_versoin"])


def test_the_split_can_never_be_allowed_to_differ(relayops):
    with pytest.raises(ConfigError, match="split cannot be allowed"):
        decide(candidate=relayops("W"), baseline=relayops("W"), policy=GatePolicy(), allow=["split"])
    with pytest.raises(Mismatch) as refused:
        diff(replace(relayops("W"), split="dev"), relayops("W"))
    assert refused.value.fields == ("split",)
    assert "--allow-mismatch" not in str(refused.value)


def test_versions_that_may_differ_are_listed_beside_the_decision(relayops):
    decision = decide(candidate=_with(relayops("W"), prompt_version="v2"), baseline=relayops("W"), policy=GatePolicy())
    assert 'versions that differ: prompt_version "v1" -> "v2"' in [reason.text for reason in decision.reasons]


def test_other_graders_are_answered_with_grading_again_before_any_override(relayops):
    with pytest.raises(Mismatch) as refused:
        decide(candidate=_with(relayops("W"), grader_version="x@2"), baseline=relayops("W"), policy=GatePolicy())
    said = str(refused.value)
    assert said.index("`fiel grade RUN`") < said.index("`--allow-mismatch grader_version`")


def test_a_decision_says_with_which_options_each_side_ran(relayops):
    report = relayops("W")
    regressed = replace(report, target={**report.target, "options": {"inject_regression": True}})
    decision = decide(candidate=regressed, baseline=report, policy=GatePolicy())
    assert decision.candidate["options"] == {"inject_regression": True}
    assert decision.baseline is not None
    assert not decision.baseline["options"]
