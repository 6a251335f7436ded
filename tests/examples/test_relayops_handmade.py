"""The reports written by hand say what they must: a mean that rises over a critical fall, and a manifest with holes."""

import json
import math
from pathlib import Path

import pytest

from fiel.core.errors import ManifestIncomplete
from fiel.core.manifest import require_complete
from fiel.core.report import Report
from fiel.core.report_document import decode


def read(workspace: Path, name: str) -> Report:
    return decode(json.loads((workspace / f"handmade/{name}.json").read_text(encoding="utf-8")), where=name)


@pytest.mark.parametrize(
    ("name", "overall", "strata"),
    [("baseline", (17, 30), [(9, 10), (4, 10), (4, 10)]), ("candidate", (20, 30), [(2, 10), (9, 10), (9, 10)])],
)
def test_the_pair_has_the_agreed_counts(
    workspace: Path, name: str, overall: tuple[int, int], strata: list[tuple[int, int]]
) -> None:
    report = read(workspace, name)
    require_complete(report.manifest)
    assert report.split == "holdout"
    assert report.outcomes is None
    success = report.overall["success"]
    assert (success.numerator, success.denominator) == overall
    rates = [stratum.rates["success"] for stratum in report.strata]
    assert [(rate.numerator, rate.denominator) for rate in rates] == strata
    assert [stratum.critical for stratum in report.strata] == [True, False, False]
    assert all(rates["policy"].value == 1 for rates in (report.overall, *(s.rates for s in report.strata)))


@pytest.mark.parametrize("name", ["baseline", "candidate", "incomplete"])
def test_their_intervals_are_wilsons_at_95_percent(workspace: Path, name: str) -> None:
    report = read(workspace, name)
    for rate in [report.overall["success"], *(stratum.rates["success"] for stratum in report.strata)]:
        n, share, z = rate.denominator, rate.numerator / rate.denominator, 1.959964
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        assert rate.interval == pytest.approx((middle - half, middle + half), abs=1e-5)


def test_the_incomplete_one_is_refused_in_the_exact_words(workspace: Path) -> None:
    with pytest.raises(ManifestIncomplete) as refusal:
        require_complete(read(workspace, "incomplete").manifest)
    assert str(refusal.value) == "version manifest is incomplete (missing: prompt_version, model_identifier)"
