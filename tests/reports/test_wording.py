from __future__ import annotations

from fractions import Fraction

import pytest

from fiel.core.report import Cost, Latency, Rate, Report
from fiel.reports import wording


def a_rate(hits: int, of: int, clusters: int | None = None) -> Rate:
    return Rate(numerator=hits, denominator=of, value=hits / of if of else None, interval=None, clusters=clusters)


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (Fraction(0), "0 %"),
        (Fraction(1), "100 %"),
        (Fraction(2, 3), "66.7 %"),
        (Fraction(9999, 10_000), ">99.9 %"),
        (Fraction(1, 10_000), "<0.1 %"),
    ],
)
def test_only_what_is_none_or_all_reads_as_none_or_all(share: Fraction, shown: str) -> None:
    assert wording.percent(share) == shown


def test_a_rate_shows_its_counts() -> None:
    assert wording.rate(a_rate(6, 9)) == "66.7 % (6 of 9)"


def test_nothing_of_nothing_is_undefined() -> None:
    assert wording.rate(a_rate(0, 0)) == "undefined (0 of 0)"
    assert wording.interval(a_rate(0, 0)) == "–"
    assert wording.weight(a_rate(0, 0), 30) == ""


@pytest.mark.parametrize(
    ("of", "clusters", "shown"),
    [
        (1, None, "thin: 1 case = 100 points"),
        (3, None, "thin: 1 case = 33 points"),
        (29, None, "thin: 1 case = 3.4 points"),
        (30, None, ""),
        (90, 3, "thin: 1 case = 33 points"),
    ],
)
def test_few_cases_say_what_one_of_them_weighs(of: int, clusters: int | None, shown: str) -> None:
    assert wording.weight(a_rate(1, of, clusters), 30) == shown


def test_unknown_cost_is_never_zero() -> None:
    assert wording.money(Cost(unknown=9)) == "unknown for 9 of 9 trials"
    assert wording.money(Cost(known_usd=0.0344, known=8, unknown=1)) == (
        "0.0344 USD over 8 trials; unknown for 1 of 9 trials"
    )
    assert wording.money(Cost(known_usd=0.0, known=9)) == "0.00 USD over 9 trials"
    assert wording.tokens(Cost(known=9, tokens_unknown=9)) == "unknown for 9 of 9 trials"


def test_latency_of_no_answer_is_unknown() -> None:
    assert wording.latency(Latency()) == "unknown (0 answers timed)"
    assert wording.latency(Latency(n=1, p50_s=0.85, max_s=1.2)).startswith("p50 850 ms, p90 unknown")


@pytest.mark.parametrize(
    ("model", "is_stub"),
    [
        ("stub-extractor-v1 (no real LLM call)", True),
        ("STUB_MODEL v1", True),
        ("stubborn-7b", False),
        ("rules-v1 (deterministic rules, no model)", False),
    ],
)
def test_a_stub_is_known_by_its_word(model: str, is_stub: bool) -> None:
    assert bool(wording.stub_notice({"model_identifier": model})) is is_stub


def test_the_first_metric_stands_in_where_there_is_no_success() -> None:
    report = Report(split="dev", manifest={}, overall={"exact": a_rate(1, 2), "cost": a_rate(1, 2)})
    assert wording.primary_metric(report) == "exact"
    assert wording.primary_metric(report, "cost") == "cost"
    assert wording.primary_metric(Report(split="dev", manifest={}, overall={})) == ""
