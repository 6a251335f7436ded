"""The three targets give exactly the agreed outcome on every case, compared here by plain equality."""

import inspect
import re
from types import ModuleType

import pytest

from fiel.core.case import Case

# One column a run: baseline, workflow, runner, runner with the injected regression.
HOLDOUT = {
    "hd-0001": "1111",
    "hd-0002": "0111",
    "hd-0003": "1111",
    "hd-0004": "0100",
    "hd-0005": "1110",
    "hd-0006": "1111",
    "hd-0007": "1111",
    "hd-0008": "0100",
    "hd-0009": "0111",
}
RUNS = ("baseline", "workflow", "runner", "regressed")


def succeeded(targets: ModuleType, run: str, case: Case) -> bool:
    if run == "regressed":
        output = targets.runner(case.input, case_id=case.id, inject_regression=True)
    elif run == "runner":
        output = targets.runner(case.input, case_id=case.id)
    else:
        output = getattr(targets, run)(case.input)
    return bool(output.value == case.expected)


@pytest.mark.parametrize("case_id", sorted(HOLDOUT))
def test_the_holdout_comes_out_as_the_table_says(targets: ModuleType, cases: dict[str, Case], case_id: str) -> None:
    found = "".join(str(int(succeeded(targets, run, cases[case_id]))) for run in RUNS)
    assert found == HOLDOUT[case_id]


@pytest.mark.parametrize(("run", "hits"), [("baseline", 5), ("workflow", 9), ("runner", 7), ("regressed", 6)])
def test_the_holdout_sums_are_the_agreed_ones(targets: ModuleType, cases: dict[str, Case], run: str, hits: int) -> None:
    assert sum(succeeded(targets, run, c) for c in cases.values() if c.id.startswith("hd-")) == hits


@pytest.mark.parametrize(("run", "hits"), [("baseline", 7), ("workflow", 16), ("runner", 13)])
def test_on_dev_the_runner_loses_to_the_workflow(
    targets: ModuleType, cases: dict[str, Case], run: str, hits: int
) -> None:
    assert sum(succeeded(targets, run, c) for c in cases.values() if c.id.startswith("dev-")) == hits


def test_the_runner_fails_only_adversarial_cases_of_tenants_that_are_not_critical(
    targets: ModuleType, cases: dict[str, Case]
) -> None:
    failed = [case for case in cases.values() if not succeeded(targets, "runner", case)]
    assert [case.id for case in failed] == ["dev-0004", "dev-0007", "dev-0016", "hd-0004", "hd-0008"]
    assert {case.tags["complexity"] for case in failed} == {"adversarial"}
    assert not any(case.critical for case in failed)


def test_the_injected_regression_changes_one_field_of_one_case(targets: ModuleType, cases: dict[str, Case]) -> None:
    for case in cases.values():
        before = targets.runner(case.input, case_id=case.id).value
        after = targets.runner(case.input, case_id=case.id, inject_regression=True).value
        changed = {name: after[name] for name in before if before[name] != after[name]}
        assert changed == ({"effective_date": "2099-01-01"} if case.id == "hd-0005" else {})


def test_no_target_knows_a_case_but_for_the_declared_regression(targets: ModuleType) -> None:
    source = inspect.getsource(targets)
    assert re.findall(r"\b(?:hd|dev)-\d+", source) == ["hd-0005"]


def test_costs_are_nothing_for_rules_and_a_scenario_for_the_runner(targets: ModuleType, cases: dict[str, Case]) -> None:
    case = cases["dev-0001"]
    assert targets.baseline(case.input).cost_usd == 0
    assert targets.workflow(case.input).cost_usd == 0
    assert targets.runner(case.input, case_id=case.id).cost_usd == 0.0043


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-03-14", "2026-03-14"),
        ("14/03/2026", "2026-03-14"),
        ("3.4.2026", "2026-04-03"),
        ("14 March 2026", "2026-03-14"),
        ("July 1, 2026", "2026-07-01"),
        ("1º de outubro de 2026", "2026-10-01"),
        ("21 de septiembre de 1991", "1991-09-21"),
        ("24 de agosto de 2026", "2026-08-24"),
    ],
)
def test_a_date_is_read_in_many_formats(targets: ModuleType, text: str, iso: str) -> None:
    assert list(targets.dates_in(f"on {text}, at noon")) == [iso]


def test_a_day_that_does_not_exist_is_no_date(targets: ModuleType) -> None:
    assert list(targets.dates_in("31/02/2026")) == []


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ("USD 353.96", (353.96, "USD")),
        ("$4,862.75", (4862.75, "USD")),
        ("R$ 17.417,80", (17417.80, "BRL")),
        ("59,15 €", (59.15, "EUR")),
        ("CLP 1.284.500", (1284500.0, "CLP")),
        ("no amount", None),
        ("12 boxes", None),
    ],
)
def test_money_is_read_in_many_formats(targets: ModuleType, text: str, money: object) -> None:
    assert targets.money_in(text) == money
