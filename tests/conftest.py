"""Under FIEL_REQUIRE=1, as in CI, a test that would skip fails: what CI has not run, it has not seen."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

STRICT = os.environ.get("FIEL_REQUIRE") == "1"


def refuse_to_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turns a skip into a failure that keeps its reason; an expected failure is none."""
    if STRICT and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"FIEL_REQUIRE=1 lets nothing skip. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_to_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_to_skip(report)
    return report
