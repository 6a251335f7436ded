"""A rich report, a decision on it, and texts that would do harm if a format let them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fiel.core.decision import Comparison, Decision, Kind, Outcome, Reason
from fiel.core.policy import GatePolicy
from fiel.core.report import Balance, CaseOutcome, Cost, Failure, Latency, Rate, Repeats, Report, Stratum

CRITICAL = "tenant-crux|contract-notice|adversarial"
MANIFEST = {
    "dataset_version": "3",
    "code_version": "git:4c1f0de",
    "prompt_version": "none",
    "model_identifier": "stub-extractor-v1 (deterministic synthetic function, no real LLM call, no API key)",
    "tool_schema_version": "none",
    "policy_version": "2026-09",
    "grader_version": "success:1,schema:1,fields:1",
    "dataset_sha256": "9f" * 32,
    "packages": {"msgspec": "0.20.0"},
}

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "]]><evil/>",
    "::set-output name=x::y",
    "line one\n::error::line two\r\n##[set-env name=P]v",
    "##vso[task.setvariable]x",
    "\x1b[2J\x1b]0;owned\x07 \x9b31m",
    "abc\u202egnp.exe\u2066x\u2069",
    "zero\u200bwidth \ufeffmark \ud800 lone \ufffe",
    "شريط مهم 👩‍👩‍👧 ﷽",
    "a | b `code` ``` **bold** [link](javascript:alert(1)) ![i](https://evil.example/p.png)",
    "https://evil.example www.evil.example @everyone #123 $x$ ~~no~~",
    "- item\n# head\n---\n> quote",
    "1. one",
    "quote \" and ' and & and %0A",
    "tab\tnul\x00 end\\",
    "x" * 1_000_000,
    "\u0301" * 2_000,
)


def rate(hits: int, of: int, interval: tuple[float, float] | None = None, **more: float) -> Rate:
    clusters, deff = more.get("clusters"), more.get("deff")
    return Rate(
        numerator=hits,
        denominator=of,
        value=hits / of if of else None,
        interval=interval,
        clusters=None if clusters is None else int(clusters),
        deff=deff,
    )


def hostile_report(text: str) -> Report:
    """A report in which every text from outside is ``text``."""
    stratum = Stratum(name=text, tags={text: text}, critical=True, cases=1, rates={text: rate(0, 1, (0.0, 0.79))})
    failure = Failure(
        case=text,
        trial=0,
        stratum=text,
        grader=text,
        label=text,
        reason=text,
        detail=text,
        expected={text: text},
        got=text,
    )
    return Report(
        split=text,
        manifest={"model_identifier": text, text: {text: text}},
        overall={text: rate(0, 1, (0.0, 0.79))},
        strata=(stratum,),
        fiel_version=text,
        run_id=text,
        target={"name": text, text: [text]},
        dataset={"name": text, "holdout_use": text},
        graders=(text,),
        attempted=1,
        balance={text: Balance(attempted=2, graded=1, ungraded={text: 1})},
        failures=(failure,),
        outcome_graders=(text,),
        outcomes=(CaseOutcome(id=text, stratum=0, outcomes=("0",)),),
        cost=Cost(note=text),
        budget={text: text},
        judge=text,
        flagged={text: 1},
        timing={text: text},
    )


def hostile_diff(text: str) -> dict[str, object]:
    """The document of a diff in which every text from outside is ``text``."""
    comparison = {"name": text, "critical": True, "baseline": {text: text}, "candidate": None, "drop": 1.0}
    return {
        "metric": text,
        "summary": text,
        **{name: [text] for name in ("fixed", "broken", "only_a", "only_b", "worse", "notes", "overrides")},
        "overall": comparison,
        "strata": [comparison | {"pairs": {text: text}}],
        "means": [{"metric": text, "a": {text: text}, "b": None, "difference": None}],
        "a": {text: text, "manifest": {"model_identifier": text}},
        "b": {text: text},
        "statistics": {text: text},
    }


def hostile_decision(text: str) -> Decision:
    """A decision in which every text from outside is ``text``."""
    return Decision(
        outcome=Outcome.BLOCK,
        reasons=tuple(Reason(kind=kind, rule=text, text=text, stratum=text, facts={text: text}) for kind in Kind),
        comparisons=(
            Comparison(name=text, critical=True, baseline={text: text}, candidate=None, drop=1.0, pairs={text: text}),
        ),
        broken=(text,),
        fixed=(text,),
        policy={text: text},
        policy_sha256=text,
        baseline={text: text},
        candidate={"model_identifier": text},
        overrides=(text,),
        statistics={text: text},
        fiel_version=text,
    )


@pytest.fixture
def report() -> Report:
    """Nine cases of three trials in four strata: one critical, all thin, one grader undefined, one case ungraded."""
    strata = (
        Stratum(
            name="tenant-alder|invoice|simple",
            tags={"tenant": "tenant-alder", "doc_type": "invoice", "complexity": "simple"},
            critical=False,
            cases=4,
            rates={
                "success": rate(10, 12, (0.47, 0.964), clusters=4, deff=1.4),
                "fields": rate(46, 48, (0.84, 0.99), clusters=4, deff=1.1),
                "citations": rate(0, 0),
            },
        ),
        Stratum(
            name="tenant-birch|receipt|adversarial",
            tags={"tenant": "tenant-birch", "doc_type": "receipt", "complexity": "adversarial"},
            critical=False,
            cases=3,
            rates={"success": rate(6, 9, (0.2, 0.94), clusters=3, deff=1.8), "citations": rate(0, 0)},
        ),
        Stratum(
            name=CRITICAL,
            tags={"tenant": "tenant-crux", "doc_type": "contract-notice", "complexity": "adversarial"},
            critical=True,
            cases=1,
            rates={"success": rate(0, 3, (0.0, 0.79), clusters=1), "citations": rate(0, 0)},
        ),
        Stratum(
            name="tenant-dune|intake-id|simple",
            tags={"tenant": "tenant-dune", "doc_type": "intake-id", "complexity": "simple"},
            critical=False,
            cases=1,
            rates={"success": rate(0, 0), "citations": rate(0, 0)},
        ),
    )
    marks = ("111", "111", "101", "110", "111", "111", "000", "000", "---")
    cases = (0, 0, 0, 0, 1, 1, 1, 2, 3)
    failures = [
        _failed("hd-0003", 1, strata[0].name, "totals.gross", "1.204,50", "1204.5"),
        _failed("hd-0004", 2, strata[0].name, "currency", "BRL", None),
        *(_failed("hd-0007", i, strata[1].name, "date", None, "2026-01-31") for i in range(3)),
        *(_failed("hd-0008", i, CRITICAL, "effective_date", None, "2099-01-01") for i in range(3)),
    ]
    failures += [
        Failure(
            case="hd-0009",
            trial=i,
            stratum=strata[3].name,
            grader="success",
            label="ungraded",
            reason="target_timeout",
            detail="no answer within 60 s",
        )
        for i in range(3)
    ]
    return Report(
        split="holdout",
        manifest=MANIFEST,
        overall={
            "success": rate(16, 24, (0.38, 0.87), clusters=8, deff=1.93),
            "fields": rate(46, 48, (0.84, 0.99), clusters=4, deff=1.1),
            "schema": rate(24, 24, (0.86, 1.0), clusters=8, deff=1.0),
            "citations": rate(0, 0),
        },
        strata=strata,
        fiel_version="0.1.0",
        run_id="2026-09-28-regressed-candidate",
        target={"name": "runner", "kind": "python", "options": {"inject_regression": True}},
        dataset={"name": "relayops", "version": "3", "path": "datasets/holdout.jsonl", "holdout_use": 4},
        graders=("success", "schema", "fields", "citations"),
        trials=3,
        attempted=27,
        balance={
            "success": Balance(attempted=27, graded=24, ungraded={"target_timeout": 3}),
            "schema": Balance(attempted=27, graded=24, ungraded={"target_timeout": 3}),
            "citations": Balance(attempted=27, graded=0, ungraded={"no_expected": 24, "target_timeout": 3}),
        },
        failures=tuple(failures),
        outcome_graders=("success", "schema"),
        outcomes=tuple(
            CaseOutcome(id=f"hd-{i:04}", stratum=stratum, outcomes=(mark, mark if mark == "---" else "111"))
            for i, (mark, stratum) in enumerate(zip(marks, cases, strict=True), start=1)
        ),
        repeats=Repeats(
            metric="success",
            trials=3,
            cases=8,
            every=rate(4, 8, (0.215, 0.785)),
            any=rate(6, 8, (0.409, 0.929)),
            flaky=rate(2, 8, (0.071, 0.591)),
            pass_hat={"1": 2 / 3, "2": 13 / 24, "3": 0.5},
            discordance=1 / 6,
        ),
        cost=Cost(
            known_usd=0.1032,
            known=24,
            unknown=3,
            input_tokens=41_200,
            output_tokens=3_900,
            tokens_unknown=3,
            note="a scenario of 0.0043 USD a document, not a bill",
        ),
        latency=Latency(n=24, p50_s=0.0021, p90_s=0.0044, p95_s=0.21, p99_s=1.204, max_s=1.31),
        budget={"usd": 5.0, "spent_usd": 0.1032},
        flagged={"instruction_in_answer": 2},
        timing={"started": "2026-09-28T10:00:00Z", "seconds": 4.2},
    )


@pytest.fixture
def decision() -> Decision:
    """A block: the critical stratum fell from 1 to 0 while the mean rose."""
    policy = GatePolicy(version="2026-09", epsilon=Fraction(1, 20))
    pairs = {
        "n": 9, "both": 4, "broken": 1, "fixed": 2, "neither": 2,
        "difference": 1 / 9, "interval": [-0.27, 0.47], "level": 0.9, "p_worse": 0.875, "p_different": 1.0,
    }  # fmt: skip
    return Decision(
        outcome=Outcome.BLOCK,
        reasons=(
            Reason(
                kind=Kind.BLOCK,
                rule="critical_stratum_fell",
                text=f"{CRITICAL} dropped from 1 to 0 (drop 1.0000 > epsilon 0.05), n=1 (1 case = 100 points); "
                "overall success 0.5556 -> 0.6667",
                stratum=CRITICAL,
            ),
            Reason(
                kind=Kind.INCONCLUSIVE, rule="ungraded", text="3 trials of the candidate are ungraded, at most 0 may be"
            ),
            Reason(kind=Kind.NOTE, rule="judge", text="no judge is configured: its thresholds are not applied"),
        ),
        comparisons=(
            Comparison(
                name="tenant-alder|invoice|simple",
                critical=False,
                baseline={"numerator": 2, "denominator": 4, "value": 0.5, "interval": [0.15, 0.85]},
                candidate={"numerator": 4, "denominator": 4, "value": 1.0, "interval": [0.51, 1.0]},
                drop=-0.5,
                pairs=pairs,
            ),
            Comparison(
                name=CRITICAL,
                critical=True,
                baseline={"numerator": 1, "denominator": 1, "value": 1.0, "interval": [0.21, 1.0]},
                candidate={"numerator": 0, "denominator": 1, "value": 0.0, "interval": [0.0, 0.79]},
                drop=1.0,
                pairs={"n": 1, "both": 0, "broken": 1, "fixed": 0, "neither": 0, "p_different": 1.0},
            ),
            Comparison(
                name="tenant-dune|intake-id|simple",
                critical=False,
                baseline=None,
                candidate={"numerator": 0, "denominator": 0, "value": None, "interval": None},
                drop=None,
                pairs=None,
            ),
        ),
        broken=("hd-0005",),
        fixed=("hd-0002", "hd-0009"),
        policy={"version": policy.version, "metric": "success", "epsilon": 0.05, "evidence": "rule"},
        policy_sha256=policy.sha256,
        baseline={"run_id": "2026-09-28-baseline", "split": "holdout", "model_identifier": "rules-v1 (no model)"},
        candidate={"run_id": "2026-09-28-regressed-candidate", "split": "holdout", "manifest": MANIFEST},
        overrides=("prompt_version",),
        statistics={"pairs": pairs, "noise_floor": None},
        fiel_version="0.1.0",
    )


def _failed(case: str, trial: int, stratum: str, field: str, expected: object, got: object) -> Failure:
    return Failure(
        case=case,
        trial=trial,
        stratum=stratum,
        grader="success",
        label="fail",
        reason=f"field_mismatch:{field}",
        expected={field: expected},
        got={field: got},
    )


@pytest.fixture(params=HOSTILE, ids=lambda text: ascii(text[:18]))
def hostile(request: pytest.FixtureRequest) -> str:
    """One text that would do harm."""
    return str(request.param)


@pytest.fixture
def bad_report(hostile: str) -> Report:
    return hostile_report(hostile)


@pytest.fixture
def bad_decision(hostile: str) -> Decision:
    return hostile_decision(hostile)


@pytest.fixture
def bad_diff(hostile: str) -> dict[str, object]:
    return hostile_diff(hostile)


@pytest.fixture
def diff() -> dict[str, object]:
    """The document of a diff of two small reports, as the gate's room writes it."""
    side = {"run_id": "", "target": "", "split": "dev", "trials": 1, "dataset": {}, "manifest": MANIFEST}
    rate = {"numerator": 2, "denominator": 3, "value": 2 / 3, "interval": [0.21, 0.94]}
    pairs = {"n": 3, "both": 1, "broken": 1, "fixed": 1, "neither": 0, "p_different": 1.0}
    comparison = {"critical": False, "baseline": rate, "candidate": rate, "drop": 0.0}
    return {
        "metric": "success",
        "summary": "success 0.6667 -> 0.6667: no significant difference, 1 fixed and 1 broken of 3 cases",
        "fixed": ["hd-0002"],
        "broken": ["hd-0001"],
        "only_a": [],
        "only_b": ["hd-0004"],
        "overall": {"name": "overall", **comparison, "pairs": pairs | {"interval": [-0.6254, 0.6254], "level": 0.9}},
        "strata": [
            {"name": "tenant-alder", **comparison, "candidate": None, "drop": None, "pairs": None},
            {"name": CRITICAL, **comparison, "critical": True, "drop": 0.25, "pairs": pairs},
        ],
        "worse": [CRITICAL],
        "means": [
            {"metric": "success", "a": rate, "b": rate, "difference": 0.0},
            {"metric": "fields", "a": None, "b": rate, "difference": None},
        ],
        "notes": ["1 case attempted only in the second report"],
        "a": side,
        "b": side,
        "overrides": ["grader_version"],
        "statistics": pairs,
    }


@pytest.fixture
def two_reports() -> tuple[Report, Report]:
    """The same three cases twice: one fixed, one broken."""
    names = ("hd-0001", "hd-0002", "hd-0003")
    first, second = (small_report(dict(zip(names, marks, strict=True))) for marks in ("101", "011"))
    return first, second


def small_report(outcomes: dict[str, str]) -> Report:
    """One critical stratum, one trial a case."""
    passed = rate(list(outcomes.values()).count("1"), len(outcomes), (0.2, 0.9))
    return Report(
        split="dev",
        manifest=MANIFEST,
        overall={"success": passed},
        strata=(Stratum(name=CRITICAL, tags={}, critical=True, cases=len(outcomes), rates={"success": passed}),),
        graders=("success",),
        attempted=len(outcomes),
        outcome_graders=("success",),
        outcomes=tuple(CaseOutcome(id=case, stratum=0, outcomes=(mark,)) for case, mark in outcomes.items()),
    )
