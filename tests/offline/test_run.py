"""Running: every attempt is counted, an error is never a fail, and what stands on disk is the truth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from fiel.adapters.caches.sqlite import SQLiteCache
from fiel.core.errors import ManifestIncomplete, Refused, TargetFailure
from fiel.core.trial import Output, Usage
from fiel.core.verdict import Finding, Ungraded, Verdict
from fiel.graders import build_all
from fiel.testing.targets import ScriptedClock, ScriptedTarget


def test_a_run_counts_what_passed_by_stratum(workshop, case):
    dataset = workshop.checked(
        [case("a", tags={"t": "x"}), case("b", tags={"t": "y"}, critical=True), case("c", tags={"t": "x"})],
        strata=["t"],
    )
    report = workshop.run(workshop.plan(dataset), {"a": "yes", "b": "no", "c": "yes"})
    assert report.overall["exact"].numerator == 2
    assert report.overall["exact"].denominator == 3
    assert [(s.name, s.critical, s.cases, s.rates["exact"].numerator) for s in report.strata] == [
        ("x", False, 2, 2),
        ("y", True, 1, 0),
    ]
    assert report.attempted == 3
    assert report.outcomes is not None
    assert [(o.id, o.stratum, o.outcomes) for o in report.outcomes] == [
        ("a", 0, ("1",)),
        ("b", 1, ("0",)),
        ("c", 0, ("1",)),
    ]


def test_a_target_that_errors_on_half_scores_its_half_and_shows_the_rest(workshop, case):
    # A scores 5 of 10; B scores 5 of 5 and errors on the other 5: B must not look better than it was measured.
    dataset = workshop.checked([case(str(number)) for number in range(10)])
    answers: dict[str, Any] = {str(number): "yes" for number in range(5)}
    answers |= {str(n): TargetFailure("crash", "boom", place="targets.py:3") for n in range(5, 10)}
    report = workshop.run(workshop.plan(dataset), answers)
    assert (report.overall["exact"].numerator, report.overall["exact"].denominator) == (5, 5)
    balance = report.balance["exact"]
    assert (balance.attempted, balance.graded, dict(balance.ungraded)) == (10, 5, {"target_crash": 5})
    assert {(f.case, f.grader, f.reason) for f in report.failures} == {
        (str(n), "target", "target_crash") for n in range(5, 10)
    }
    assert "targets.py:3" in report.failures[0].detail


def test_an_incomplete_manifest_is_refused_before_the_first_call(workshop, case):
    dataset = workshop.checked([case("a")])
    plan = workshop.plan(dataset, manifest={"dataset_version": "1", "prompt_version": " "})
    target = ScriptedTarget({"a": "yes"})
    with pytest.raises(ManifestIncomplete, match="code_version, prompt_version"):
        workshop.run(plan, target)
    assert target.calls == []
    assert not (workshop.folder / "run" / "manifest.json").exists()


def test_trials_are_told_apart_and_counted_by_case(workshop, case):
    dataset = workshop.checked([case("a"), case("b")])
    plan = workshop.plan(dataset, trials=4)
    report = workshop.run(plan, lambda call: "yes" if call.case_id == "a" or call.trial % 2 else "no")
    rate = report.overall["exact"]
    assert (rate.numerator, rate.denominator, rate.clusters) == (6, 8, 2)
    assert rate.deff is not None
    assert report.repeats is not None
    assert (report.repeats.every.numerator, report.repeats.any.numerator, report.repeats.flaky.numerator) == (1, 2, 1)
    # Case a passes 4 of 4, case b 2 of 4: pass^2 = (1 + C(2,2)/C(4,2)) / 2 = (1 + 1/6) / 2.
    assert report.repeats.pass_hat["2"] == pytest.approx((1 + 1 / 6) / 2)
    assert report.outcomes is not None
    assert report.outcomes[1].outcomes == ("0101",)


def test_five_different_answers_are_five_cached_answers(workshop, case, tmp_path):
    # With the cache on every trial has a key of its own; asked again, each is recalled and nothing is called.
    dataset = workshop.checked([case("a")])
    given = iter("abcde")
    cache = SQLiteCache(tmp_path / "cache.sqlite")
    plan = workshop.plan(dataset, trials=5, cache_key="target@1", concurrency=1)
    workshop.run(plan, lambda call: next(given), cache=cache)
    first = {line["output"] for line in workshop.lines("trials.jsonl")}
    assert first == set("abcde")
    again = ScriptedTarget(lambda call: "never")
    workshop.run(plan, again, out="again", cache=cache)
    assert again.calls == []
    assert {line["output"] for line in workshop.lines("trials.jsonl", "again")} == first
    assert all(line["cached"] for line in workshop.lines("trials.jsonl", "again"))
    assert workshop.report("again").cost.unknown == 0
    other = ScriptedTarget(lambda call: "fresh")
    changed = workshop.plan(dataset, trials=5, cache_key="target@2")
    workshop.run(changed, other, out="changed", cache=cache)
    assert len(other.calls) == 5
    cache.close()


def test_two_cases_with_one_input_are_two_questions(workshop, tmp_path):
    # The target is told the id and may answer by it: the second case must not be given the answer of the first.
    dataset = workshop.checked([{"id": name, "input": "same", "expected": name} for name in ("a", "b")])
    with SQLiteCache(tmp_path / "cache.sqlite") as cache:
        plan = workshop.plan(dataset, cache_key="target@1", concurrency=1)
        workshop.run(plan, lambda call: call.case_id, cache=cache)
    assert [line["output"] for line in workshop.lines("trials.jsonl")] == ["a", "b"]


def test_a_failed_call_is_never_recalled_from_the_cache(workshop, case, tmp_path):
    dataset = workshop.checked([case("a")])
    cache = SQLiteCache(tmp_path / "cache.sqlite")
    plan = workshop.plan(dataset, cache_key="target@1")
    workshop.run(plan, {"a": TargetFailure("crash", "boom")}, cache=cache)
    report = workshop.run(plan, {"a": "yes"}, out="again", cache=cache)
    assert report.overall["exact"].numerator == 1
    cache.close()


def test_concurrency_is_bounded_and_used(workshop, case):
    dataset = workshop.checked([case(str(number)) for number in range(40)])
    clock = ScriptedClock()
    target = ScriptedTarget(lambda call: "yes", delays={str(n): 1.0 for n in range(40)}, clock=clock)
    workshop.run(workshop.plan(dataset, concurrency=7), target, clock=clock)
    assert target.most_at_once == 7


def test_a_spent_money_budget_leaves_the_rest_ungraded(workshop, case):
    dataset = workshop.checked([case(str(number)) for number in range(10)])
    plan = workshop.plan(dataset, budget_usd=0.25, concurrency=1)
    target = ScriptedTarget(lambda call: Output(value="yes", cost_usd=0.1))
    report = workshop.run(plan, target)
    assert len(target.calls) == 3
    assert dict(report.balance["exact"].ungraded) == {"budget": 7}
    assert report.budget["status"] == "spent"
    assert report.budget["skipped"] == 7
    assert report.cost.known_usd == pytest.approx(0.3)


def test_reaching_the_budget_with_the_last_call_is_within_it(workshop, case):
    dataset = workshop.checked([case("a"), case("b")])
    plan = workshop.plan(dataset, budget_tokens=30, concurrency=1)
    report = workshop.run(plan, lambda call: Output(value="yes", usage=Usage(input_tokens=10, output_tokens=5)))
    assert report.budget["status"] == "within"
    assert report.balance["exact"].graded == 2


def test_a_budget_that_cannot_be_measured_stops_and_says_so(workshop, case):
    # An unknown cost is unknown, never zero: a money budget over it cannot be kept.
    dataset = workshop.checked([case(str(number)) for number in range(5)])
    report = workshop.run(workshop.plan(dataset, budget_usd=10.0, concurrency=1), lambda call: "yes")
    assert report.budget["status"] == "unmeasured"
    assert dict(report.balance["exact"].ungraded) == {"budget_unmeasured": 4}
    assert (report.cost.known, report.cost.unknown) == (0, 1)


def test_a_bigger_budget_goes_on_where_the_smaller_one_stopped(workshop, case):
    dataset = workshop.checked([case(str(number)) for number in range(6)])
    target = ScriptedTarget(lambda call: Output(value="yes", cost_usd=1.0))
    workshop.run(workshop.plan(dataset, budget_usd=2.0, concurrency=1), target)
    report = workshop.run(workshop.plan(dataset, budget_usd=5.0, concurrency=1), target, resume=True)
    assert len(target.calls) == 5, "what was spent before counts too"
    assert dict(report.balance["exact"].ungraded) == {"budget": 1}


def test_an_unknown_cost_is_priced_by_model_or_stays_unknown(workshop, case):
    dataset = workshop.checked([case("a"), case("b")])
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    answers = {
        "a": Output(value="yes", usage=usage, model="known"),
        "b": Output(value="yes", usage=usage, model="never heard of"),
    }
    report = workshop.run(workshop.plan(dataset), answers, price=lambda model, used: 2.5 if model == "known" else None)
    assert (report.cost.known_usd, report.cost.known, report.cost.unknown) == (2.5, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """A grader of a team's own that misbehaves on request."""

    what: str
    name: str = "odd"
    version: str = "1"

    def grade(self, item):
        if self.what == "crash":
            raise KeyError("the text of the case")
        if self.what == "wrong type":
            return True
        if self.what == "not json":
            return Verdict(passed=False, label="x", findings=(Finding(path="", outcome="x", got=object()),))
        return Verdict(passed=False, label="x", reason="The answer was: 529.982.247-25, said João")


@pytest.mark.parametrize(
    ("what", "reason"), [("crash", "grader_crash"), ("wrong type", "grader_crash"), ("not json", "grader_garbage")]
)
def test_a_grader_that_misbehaves_is_that_trials_ungraded_and_the_run_goes_on(workshop, case, what, reason):
    dataset = workshop.checked([case("a"), case("b")])
    plan = workshop.plan(dataset, [*workshop.plan(dataset).graders, Odd(what=what)])
    report = workshop.run(plan, {"a": "yes", "b": "yes"})
    assert report.overall["exact"].numerator == 2
    assert dict(report.balance["odd"].ungraded) == {reason: 2}
    assert report.overall["odd"].value is None
    assert "the text of the case" not in (workshop.folder / "run" / "verdicts.jsonl").read_text()


def test_a_trace_never_carries_a_text_a_personal_value_or_a_graders_prose(workshop):
    canaries = {
        "input": "CANARY-INPUT",
        "expected": "CANARY-EXPECTED",
        "output": "CANARY-OUTPUT",
        "cpf": "529.982.247-25",
    }
    dataset = workshop.checked(
        [
            {
                "id": "a",
                "input": {"text": canaries["input"]},
                "expected": {"note": canaries["expected"], "cpf": canaries["cpf"]},
                "pii": ["cpf"],
                "notes": "CANARY-NOTES",
            }
        ]
    )
    graders = [*build_all({"fields": {}}), Odd(what="prose")]
    workshop.run(workshop.plan(dataset, graders), {"a": {"note": canaries["output"], "cpf": canaries["cpf"]}})
    raw = (workshop.folder / "run" / "traces.jsonl").read_text()
    for secret in [*canaries.values(), "CANARY-NOTES", "João"]:
        assert secret not in raw
    span = json.loads(raw)
    assert span["attributes"]["fiel.pii.present"] == ["cpf"]
    assert span["attributes"]["fiel.failures"] == {"fields": "field_mismatch:note", "odd": "reason_withheld"}
    assert len(span["attributes"]["fiel.input.sha256"]) == 64
    assert span["attributes"]["fiel.input.bytes"] > 0


def test_a_trace_finds_declared_fields_inside_lists_and_under_odd_names(workshop):
    names = ["/people/0/name", "/people/1/name", "/people/7/name", "a/b", "/a~1b", "gone"]
    dataset = workshop.checked([{"id": "a", "input": 1, "expected": {}, "pii": names}])
    workshop.run(workshop.plan(dataset), {"a": {"people": [{"name": "x"}, {"name": None}], "a/b": "y"}})
    span = json.loads((workshop.folder / "run" / "traces.jsonl").read_text())
    assert span["attributes"]["fiel.pii.present"] == ["/people/0/name", "a/b", "/a~1b"]


def test_a_failure_shows_both_values_with_personal_data_masked(workshop):
    dataset = workshop.checked(
        [
            {
                "id": "a",
                "input": 1,
                "expected": {"name": "Maria Teste da Silva", "total": "10"},
                "pii": ["name"],
            }
        ]
    )
    answers = {"a": {"name": "Maria Teste da Silva", "total": "Maria Teste da Silva pays; write to maria@example.com"}}
    report = workshop.run(workshop.plan(dataset, build_all({"fields": {}})), answers)
    (failure,) = report.failures
    assert failure.reason == "field_mismatch:total"
    assert failure.expected == {"total": "10"}
    assert "Maria" not in json.dumps(failure.got)
    assert "maria@example.com" not in json.dumps(failure.got)


def test_an_enormous_failure_is_cut_in_the_report_and_whole_in_the_journal(workshop, case):
    dataset = workshop.checked([case("a")])
    report = workshop.run(workshop.plan(dataset), {"a": "x" * 300_000})
    assert len(json.dumps(report.failures[0].got)) < 2_000
    assert len(workshop.lines("trials.jsonl")[0]["output"]) == 300_000


def test_the_report_does_not_depend_on_the_order_in_which_trials_finish(workshop, case):
    dataset = workshop.checked([case(str(number)) for number in range(12)])

    def outcome(name: str, delays: dict[str, float]):
        clock = ScriptedClock()
        answers = {str(n): Output(value="yes" if n % 3 else "no", cost_usd=0.1 * n) for n in range(12)}
        target = ScriptedTarget(answers, delays=delays, clock=clock)
        workshop.run(workshop.plan(dataset, concurrency=5), target, out=name, clock=clock)
        raw = json.loads((workshop.folder / name / "report.json").read_bytes())
        return {key: value for key, value in raw.items() if key not in ("timing", "latency")}

    assert outcome("one", {}) == outcome("two", {str(n): (n * 7) % 5 for n in range(12)})


def test_a_dataset_that_changes_during_the_run_ends_the_run(workshop, case):
    from fiel.core.errors import DatasetError

    dataset = workshop.checked([case("a"), case("b")])
    path = workshop.folder / "dev.jsonl"

    def answer(call):
        path.write_text(path.read_text().replace("question b", "question B"))
        return "yes"

    with pytest.raises(DatasetError, match="changed while it was being run"):
        workshop.run(workshop.plan(dataset), answer)


def test_an_empty_dataset_gives_an_undefined_rate(workshop):
    report = workshop.run(workshop.plan(workshop.checked([])), {})
    assert report.overall["exact"].value is None
    assert report.overall["exact"].interval is None
    assert report.attempted == 0
    assert report.outcomes == ()


def test_flags_are_counted(workshop, case):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Flagging:
        name: str = "f"
        version: str = "1"

        def grade(self, item):
            return Verdict(passed=True, label="ok", flags=("instruction_in_answer",))

    report = workshop.run(workshop.plan(workshop.checked([case("a")]), [Flagging()]), {"a": 1})
    assert dict(report.flagged) == {"instruction_in_answer": 1}


def test_a_verdict_that_only_describes_is_graded_and_in_no_rate(workshop, case):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Describing:
        name: str = "d"
        version: str = "1"

        def grade(self, item):
            return Verdict(passed=None, label="long") if item.case.id == "a" else Ungraded(reason="unclear")

    report = workshop.run(workshop.plan(workshop.checked([case("a"), case("b")]), [Describing()]), {"a": 1, "b": 2})
    assert (report.balance["d"].graded, dict(report.balance["d"].ungraded)) == (1, {"unclear": 1})
    assert report.overall["d"].denominator == 0
    assert report.outcomes is not None
    assert [o.outcomes for o in report.outcomes] == [(".",), ("-",)]


def test_a_second_run_into_the_same_directory_is_refused(workshop, case):
    plan = workshop.plan(workshop.checked([case("a")]))
    workshop.run(plan, {"a": "yes"})
    with pytest.raises(Refused, match="already holds a run"):
        workshop.run(plan, {"a": "no"})
    assert workshop.report().overall["exact"].numerator == 1
