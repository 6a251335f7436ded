"""A report written by anybody is read or refused with a place; it never makes the reader fail."""

from __future__ import annotations

import pytest

from fiel.core.errors import ReportError
from fiel.core.report_document import decode, encode


def _document(**others):
    rate = {"numerator": 1, "denominator": 1}
    return {"split": "holdout", "manifest": {}, "overall": {"success": rate}} | others


@pytest.mark.parametrize(
    "row", [["c1", 0, [1]], ["c1", 0, [None]], ["c1", 0, "1"], "c01", [7, 0, ["1"]], ["c1", 0, []]]
)
def test_a_row_of_outcomes_is_an_id_a_stratum_and_texts(row):
    with pytest.raises(ReportError, match=r"outcomes\.cases\[0\]"):
        decode(_document(outcomes={"graders": ["success"], "cases": [row]}))


@pytest.mark.parametrize("count", ["many", -3, 1.5, None, True])
def test_what_was_left_ungraded_is_counted_from_0(count):
    with pytest.raises(ReportError, match=r"balance\.success\.ungraded\.timeout is"):
        decode(_document(balance={"success": {"attempted": 1, "graded": 1, "ungraded": {"timeout": count}}}))


def test_a_balance_that_is_no_object_is_refused():
    with pytest.raises(ReportError, match=r"balance\.success is 9, expected"):
        decode(_document(balance={"success": 9}))


_RATE = {"numerator": 1, "denominator": 1}
_REPEATS = {"metric": "success", "trials": 2, "cases": 1, "pass_hat": {"1": 1.0}, "discordance": None}
_FAILURE = {"case": "c1", "trial": 0, "stratum": "all", "grader": "exact", "label": "different", "reason": "different"}


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"overall": {"success": _RATE | {"clusters": "many"}}}, "overall.success.clusters"),
        ({"overall": {"success": _RATE | {"clusters": -1}}}, "overall.success.clusters"),
        ({"overall": {"success": _RATE | {"clusters": 1, "deff": "wide"}}}, "overall.success.deff"),
        ({"cost": {"known_usd": "much"}}, "cost.known_usd"),
        ({"cost": {"known_usd": -0.5}}, "cost.known_usd"),
        ({"cost": {"known": None}}, "cost.known"),
        ({"cost": {"note": 3}}, "cost.note"),
        ({"latency": {"n": 1, "p50_s": "fast"}}, "latency.p50_s"),
        ({"latency": {"n": 1.5}}, "latency.n"),
        ({"failures": [_FAILURE | {"case": 7}]}, "failures[0].case"),
        ({"failures": [_FAILURE | {"trial": "first"}]}, "failures[0].trial"),
        ({"failures": [_FAILURE | {"stratum": None}]}, "failures[0].stratum"),
        ({"repeats": _REPEATS | {"trials": True}}, "repeats.trials"),
        ({"repeats": _REPEATS | {"pass_hat": {"1": "all"}}}, "repeats.pass_hat.1"),
        ({"flagged": {"unreadable": "often"}}, "flagged.unreadable"),
        ({"flagged": []}, "flagged"),
    ],
)
def test_a_number_or_a_text_of_another_kind_is_refused_by_its_place(written, place):
    if "repeats" in written:
        written["repeats"] |= dict.fromkeys(("every", "any", "flaky"), _RATE)
    with pytest.raises(ReportError) as refused:
        decode(_document(**written), where="r.json")
    assert str(refused.value).startswith(f"r.json: {place} is ")


def test_what_fiel_itself_writes_reads_back_the_same():
    document = _document(
        cost={"known_usd": 0.5, "known": 2, "unknown": 1},
        latency={"n": 2, "p50_s": 0.1, "p90_s": None},
        failures=[_FAILURE | {"expected": 1, "got": [None]}],
        repeats=_REPEATS | dict.fromkeys(("every", "any", "flaky"), _RATE),
        flagged={"unreadable:total": 3},
        overall={"success": _RATE | {"clusters": 1, "deff": None}},
    )
    report = decode(document)
    assert decode(encode(report)) == report
    assert (report.cost.known_usd, report.latency.p50_s, report.flagged["unreadable:total"]) == (0.5, 0.1, 3)
