"""A pytest door: one test a case, one report at the end, and a gate only when asked.

    @pytest.mark.fiel(dataset="dev")
    def test_answers(case):
        return my_agent(case.input)

The test's return value is the output; the workspace's graders grade it, and the test fails with their reason.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fiel.core.case import Case
    from fiel.offline.trial import Trial
    from fiel.wiring.testruns import TestRun

RUNS = pytest.StashKey["dict[str, TestRun]"]()
BEGUN = pytest.StashKey["dict[str, dict[str, Any]]"]()
CASE = pytest.StashKey["tuple[Case, int]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fiel")
    group.addoption("--fiel-out", metavar="DIR", help="where runs of marked tests are written (default: runs/pytest)")
    group.addoption("--fiel-gate", action="store_true", help="let the release gate rule on the runs at the end")
    group.addoption("--fiel-baseline", metavar="RUN", help="the run that --fiel-gate compares with")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "fiel(dataset, graders=None, **versions): one test for each case of a split or a JSONL file; the test takes "
        "`case` and returns the output. `graders` names those that count; versions (prompt_version=...) fill the "
        "manifest.",
    )
    config.stash[RUNS] = {}
    config.stash[BEGUN] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("fiel")
    if marker is None:
        return
    if "case" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: a test marked fiel takes an argument named case")
    run = _run_of(metafunc.config, metafunc.definition.nodeid, marker)
    cases = [pytest.param((case, index), id=case.id) for index, case in enumerate(run.dataset)]
    metafunc.parametrize("case", cases, indirect=True)


def pytest_collection_finish(session: pytest.Session) -> None:
    # A test function of which no case was selected has no run, unless that leaves none: a gate must not miss that.
    runs, begun = session.config.stash[RUNS], session.config.stash[BEGUN]
    selected = {item.nodeid.rpartition("[")[0] for item in session.items} & runs.keys()
    for nodeid in list(runs) if selected else ():
        if nodeid not in selected:
            del runs[nodeid], begun[nodeid]


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """The case of a test marked ``fiel``."""
    found: tuple[Case, int] = request.param
    request.node.stash[CASE] = found
    return found[0]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    marker = pyfuncitem.get_closest_marker("fiel")
    if marker is None:
        return None
    run = _run_of(pyfuncitem.config, pyfuncitem.nodeid.rpartition("[")[0], marker)
    subject, index = pyfuncitem.stash[CASE]
    wanted = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    started, began = time.time(), time.perf_counter()
    try:
        value = pyfuncitem.obj(**wanted)
        if inspect.isawaitable(value):
            value = asyncio.run(_awaited(value))
    except (KeyboardInterrupt, pytest.skip.Exception, pytest.exit.Exception):
        raise
    except BaseException as error:
        run.keep(run.failed(subject, index, error, time.perf_counter() - began, started))
        raise
    trial = run.answered(subject, index, value, time.perf_counter() - began, started)
    run.keep(trial)
    _require(run, subject, trial)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        # A worker only leaves its shard; the controller merges.
        for run in session.config.stash[RUNS].values():
            run.close()
        left_for_controller: dict[str, Any] = session.config.workeroutput  # type: ignore[attr-defined]
        left_for_controller["fiel"] = session.config.stash[BEGUN]
        return
    if session.config.option.collectonly:
        return
    for run in _all_runs(session.config):
        run.report()
    if session.config.getoption("fiel_gate"):
        codes = [run.gate(session.config.getoption("fiel_baseline")) for run in _all_runs(session.config)]
        # A block, then a refusal, then an inconclusive ruling: in this order they are 1, 2 and 3.
        code = min(filter(None, codes), default=0)
        if code and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = code


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for run in _all_runs(config):
        if run.said:
            terminalreporter.section(f"fiel: {run.name}")
            for line in run.said:
                terminalreporter.write_line(line)


async def _awaited(value: Any) -> Any:
    return await value


def _require(run: TestRun, subject: Case, trial: Trial) -> None:
    complaint = run.complaint(subject, trial)
    if complaint:
        pytest.fail(complaint, pytrace=False)


def _all_runs(config: pytest.Config) -> Iterator[TestRun]:
    yield from config.stash.get(RUNS, {}).values()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    # The controller of xdist collects nothing; it learns from its workers which runs there are.
    for nodeid, asked in getattr(node, "workeroutput", {}).get("fiel", {}).items():
        if nodeid not in node.config.stash[RUNS]:
            _begin(node.config, nodeid, asked)


def _run_of(config: pytest.Config, nodeid: str, marker: pytest.Mark) -> TestRun:
    runs = config.stash[RUNS]
    if nodeid not in runs:
        from fiel.core.errors import FielError
        from fiel.wiring.testruns import named

        try:
            _begin(config, nodeid, named(marker.args, marker.kwargs))
        except FielError as error:
            raise pytest.UsageError(f"{nodeid}: {error}") from None
    return runs[nodeid]


def _begin(config: pytest.Config, nodeid: str, asked: dict[str, Any]) -> None:
    from fiel.wiring.testruns import TestRun

    config.stash[BEGUN][nodeid] = asked
    config.stash[RUNS][nodeid] = TestRun.begin(
        root=config.rootpath,
        nodeid=nodeid,
        out=Path(config.getoption("fiel_out") or config.rootpath / "runs" / "pytest"),
        worker=getattr(config, "workerinput", {}).get("workerid", "main"),
        **asked,
    )
