"""A report written by anybody is read or refused with a place; it never makes the reader fail."""

from __future__ import annotations

import pytest

from fiel.core.errors import ReportError
from fiel.core.report_document import decode


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
