"""The graders of the workspace's own ``fiel.toml`` rule on every run as the table says, and no policy is broken."""

import json
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from fiel.core.case import Case
from fiel.core.item import Item
from fiel.core.verdict import Verdict
from fiel.graders import build_all
from fiel.harness.drive import grade_rules

HITS = {"baseline": (7, 5), "workflow": (16, 9), "runner": (13, 7), "regressed": (13, 6)}


@pytest.fixture(scope="module")
def graded(workspace: Path, targets: ModuleType, cases: dict[str, Case]) -> dict[tuple[str, str], dict[str, Verdict]]:
    """Every verdict by run and case."""
    tables = tomllib.loads((workspace / "fiel.toml").read_text(encoding="utf-8"))["graders"]
    documents = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (workspace / "datasets/schemas").iterdir()
    }
    graders = build_all(tables, documents=documents)
    found: dict[tuple[str, str], dict[str, Verdict]] = {}
    for case in cases.values():
        outputs = {
            "baseline": targets.baseline(case.input),
            "workflow": targets.workflow(case.input),
            "runner": targets.runner(case.input, case_id=case.id),
            "regressed": targets.runner(case.input, case_id=case.id, inject_regression=True),
        }
        for run, output in outputs.items():
            results = grade_rules(graders, Item(case=case, output=output.value))
            verdicts = {name: result for name, result in results.items() if isinstance(result, Verdict)}
            assert verdicts.keys() == results.keys(), (run, case.id, results)
            found[run, case.id] = verdicts
    return found


@pytest.mark.parametrize("run", HITS)
def test_success_sums_to_the_agreed_numbers(graded: dict[tuple[str, str], dict[str, Verdict]], run: str) -> None:
    passed = [case for (ran, case), verdicts in graded.items() if ran == run and verdicts["success"].passed]
    assert (sum(c.startswith("dev-") for c in passed), sum(c.startswith("hd-") for c in passed)) == HITS[run]


def test_success_agrees_with_plain_equality(
    graded: dict[tuple[str, str], dict[str, Verdict]], targets: ModuleType, cases: dict[str, Case]
) -> None:
    for case in cases.values():
        for run in ("baseline", "workflow"):
            equal = getattr(targets, run)(case.input).value == case.expected
            assert graded[run, case.id]["success"].passed == equal, (run, case.id)


def test_no_run_breaks_the_policy_and_every_answer_has_the_right_shape(
    graded: dict[tuple[str, str], dict[str, Verdict]],
) -> None:
    for key, verdicts in graded.items():
        assert verdicts["policy"].passed, (key, verdicts["policy"])
        assert verdicts["schema"].passed, (key, verdicts["schema"])


def test_the_regression_is_an_invented_date_and_its_reason_is_the_one_in_the_trace(
    graded: dict[tuple[str, str], dict[str, Verdict]], workspace: Path
) -> None:
    verdicts = graded["regressed", "hd-0005"]
    span = json.loads((workspace / "incident/trace-9c4e02.json").read_text(encoding="utf-8"))
    failed = {name: verdict.reason for name, verdict in verdicts.items() if verdict.passed is False}
    assert failed == span["attributes"]["fiel.failures"]
    invented = [finding for finding in verdicts["fields"].findings if finding.outcome == "invented"]
    assert [(finding.got, finding.expected) for finding in invented] == [("2099-01-01", None)]


def test_an_answer_with_another_tenants_identifier_would_break_the_policy(
    workspace: Path, targets: ModuleType, cases: dict[str, Case]
) -> None:
    tables = tomllib.loads((workspace / "fiel.toml").read_text(encoding="utf-8"))["graders"]
    (policy,) = build_all({"policy": tables["policy"]})
    case = cases["dev-0016"]
    leaked = targets.runner(case.input, case_id=case.id).value | {"merchant": "balances of ALD-0017"}
    assert grade_rules([policy], Item(case=case, output=leaked))["policy"].passed is False  # type: ignore[union-attr]
