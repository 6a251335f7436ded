"""100 recorded runs of one airline agent, 25 tasks tried four times: steadiness is measured, and noise is not news."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, sqrt
from statistics import fmean
from typing import Any

import pytest

TRIALS = 4
PAIRS = list(combinations(range(TRIALS), 2))
SETTINGS = """
[datasets]
holdout = "datasets/holdout.jsonl"

[targets.recorded]
python = "targets:recorded"

[graders.reward]
kind = "numeric"
output_at = "/reward"
expected_at = "/reward"

[graders.tool_calls]
extra_allowed = true

[graders.success]
parts = ["reward"]
"""
TARGETS = '''
"""Replays what the agent did: the recorded run of this task with this number, ``first`` further on."""

import json
from pathlib import Path

from fiel import Output, ToolCall

LINES = Path(__file__).with_name("recorded.jsonl").read_text(encoding="utf-8").splitlines()
RUNS = {(run["task_id"], run["trial"]): run for run in map(json.loads, LINES)}


def recorded(input, trial, first=0):
    run = RUNS[input["task_id"], first + trial]
    said = [message for message in run["messages"] if message["role"] == "assistant"]
    calls = [call for message in said for call in message.get("tool_calls") or ()]
    return Output(
        value={"reward": run["reward"], "last_words": said[-1]["content"]},
        tool_calls=tuple(ToolCall(name=call["name"], arguments=call["arguments"]) for call in calls),
        model=run["agent_model"],
    )
'''
WRITES = ("book_", "update_", "cancel_", "send_")


def as_case(task: int, row: Mapping[str, Any]) -> dict[str, Any]:
    gold = row["task"]["gold_actions"]
    names = {action["name"] for action in gold}
    due = "escalation" if "transfer_to_human_agents" in names else "write" if _writes(names) else "none"
    return {
        "id": f"airline-{task}",
        "input": {"task_id": task, "instruction": row["task"]["instruction"]},
        "expected": {"reward": 1.0, "tool_calls": [{"name": a["name"], "arguments": a["kwargs"]} for a in gold]},
        "tags": {"due": due},
    }


def _writes(names: set[str]) -> bool:
    return any(name.startswith(WRITES) for name in names)


@dataclass(frozen=True, kw_only=True)
class Airline:
    """The workspace, one run of four trials, four runs of one trial, and the recorded runs by (task, trial)."""

    desk: Any
    runs: Mapping[tuple[int, int], Mapping[str, Any]]

    @property
    def tasks(self) -> list[int]:
        return sorted({task for task, _ in self.runs})

    def passed(self, task: int, trial: int) -> bool:
        return bool(self.runs[task, trial]["passed"])

    def passes(self) -> list[int]:
        """How many of its four trials each task passed."""
        return [sum(self.passed(task, trial) for trial in range(TRIALS)) for task in self.tasks]

    def flips(self, first: int, second: int) -> tuple[list[str], list[str]]:
        """The cases that passed in the first trial alone, and in the second alone."""
        marks = {task: (self.passed(task, first), self.passed(task, second)) for task in self.tasks}
        alone = ((True, False), (False, True))
        one, other = ([f"airline-{task}" for task, mark in marks.items() if mark == side] for side in alone)
        return one, other


@pytest.fixture(scope="module")
def airline(new_desk: Callable[[str], Any], rows: Callable[[str], list[dict[str, Any]]]) -> Airline:
    found = rows("tau_airline_gpt4o")
    runs = {(row["task_id"], row["trial"]): row for row in found}
    desk = new_desk("airline")
    desk.configure(SETTINGS, model="gpt-4o (recorded runs, replayed)")
    desk.write("targets.py", TARGETS)
    desk.write("recorded.jsonl", "".join(json.dumps(row) + "\n" for row in found))
    tasks = sorted({task for task, _ in runs})
    desk.dataset("holdout", [as_case(task, runs[task, 0]) for task in tasks], name="airline", strata=["due"])
    desk.fiel("dataset", "pin")
    desk.fiel("run", "recorded", "--split", "holdout", "--trials", str(TRIALS), "-o", "runs/all")
    for trial in range(TRIALS):
        desk.fiel("run", "recorded", "--split", "holdout", "--option", f"first={trial}", "-o", f"runs/t{trial}")
    return Airline(desk=desk, runs=runs)


def test_a_hundred_recorded_runs_are_a_hundred_trials_of_25_cases(airline: Airline) -> None:
    report = airline.desk.report("runs/all")
    assert (report["trials"], report["attempted"], len(report["outcomes"]["cases"])) == (TRIALS, 100, 25)
    for balance in report["balance"].values():
        assert (balance["attempted"], balance["graded"], balance["ungraded"]) == (100, 100, {})
    at = report["outcomes"]["graders"].index("success")
    for task, (case, _, outcomes) in zip(airline.tasks, report["outcomes"]["cases"], strict=True):
        assert case == f"airline-{task}"
        assert outcomes[at] == "".join("01"[airline.passed(task, trial)] for trial in range(TRIALS))
    assert report["cost"]["unknown"] == 100
    assert report["cost"]["known"] == 0


def test_what_the_agent_called_is_in_the_journal_and_graded_against_what_was_due(airline: Airline) -> None:
    at = (report := airline.desk.report("runs/all"))["outcomes"]["graders"].index("tool_calls")
    marks = {case: outcomes[at] for case, _, outcomes in report["outcomes"]["cases"]}
    lines = {(line["case"], line.get("trial", 0)): line for line in airline.desk.lines("runs/all/trials.jsonl")}
    assert len(lines) == 100
    for (task, trial), run in airline.runs.items():
        made = [call for message in run["messages"] for call in message.get("tool_calls") or ()]
        kept = lines[f"airline-{task}", trial]["tool_calls"]
        assert [(k["name"], k["arguments"]) for k in kept] == [(m["name"], m["arguments"]) for m in made]
        left = [(call["name"], call["arguments"]) for call in made]
        missing = False
        for due in run["task"]["gold_actions"]:
            call = (due["name"], due["kwargs"])
            missing = missing or call not in left
            if call in left:
                left.remove(call)
        assert marks[f"airline-{task}"][trial] == "10"[missing], (task, trial)


def test_pass_hat_and_flakiness_are_what_counting_subsets_gives(airline: Airline) -> None:
    repeats = airline.desk.report("runs/all")["repeats"]
    assert (repeats["metric"], repeats["trials"], repeats["cases"]) == ("success", TRIALS, 25)
    for k in range(1, TRIALS + 1):
        # Of all ways to choose k of a task's trials, how many hold passes only: counted one by one.
        ways = list(combinations(range(TRIALS), k))
        shares = [fmean(all(airline.passed(task, t) for t in chosen) for chosen in ways) for task in airline.tasks]
        assert repeats["pass_hat"][str(k)] == pytest.approx(fmean(shares), abs=1e-12)
    hats = [repeats["pass_hat"][str(k)] for k in range(1, TRIALS + 1)]
    assert hats == sorted(hats, reverse=True)
    passes = airline.passes()
    assert repeats["every"]["numerator"] == passes.count(TRIALS)
    assert repeats["any"]["numerator"] == sum(n > 0 for n in passes)
    assert repeats["flaky"]["numerator"] == sum(0 < n < TRIALS for n in passes)
    assert repeats["discordance"] == pytest.approx(fmean(n * (TRIALS - n) / comb(TRIALS, 2) for n in passes), abs=1e-12)
    shown = airline.desk.fiel("report", "runs/all").out
    assert "pass^4" in shown


def test_four_trials_of_a_task_say_less_than_four_tasks(
    airline: Airline, wilson: Callable[[int, int], tuple[float, float]]
) -> None:
    success = airline.desk.report("runs/all")["overall"]["success"]
    passes = airline.passes()
    hits, of, clusters = sum(passes), 100, 25
    p = hits / of
    # The linearised variance of a ratio over clusters, beside that of independent trials.
    clustered = clusters / (clusters - 1) * sum((n - p * TRIALS) ** 2 for n in passes) / of**2
    deff = clustered / (p * (1 - p) / of)
    assert (success["numerator"], success["denominator"], success["clusters"]) == (hits, of, clusters)
    assert success["deff"] == pytest.approx(deff)
    assert deff > 1
    low, high = success["interval"]
    naive = wilson(hits, of)
    assert low < naive[0] < p < naive[1] < high
    assert (high - low) / (naive[1] - naive[0]) > sqrt(deff) * 0.95


@pytest.mark.parametrize(("first", "second"), list(permutations(range(TRIALS), 2)))
def test_no_two_trials_of_one_agent_are_called_a_change(airline: Airline, first: int, second: int) -> None:
    desk, a, b = airline.desk, f"runs/t{first}", f"runs/t{second}"
    reports = [desk.report(run) for run in (a, b)]
    assert not any(stratum["critical"] for report in reports for stratum in report["strata"])
    ruled = desk.fiel("gate", "--baseline", a, "--candidate", b, code=0)
    decision = desk.decision(b)
    compared, page = desk.said("diff", a, b), desk.fiel("diff", a, b).out
    broken, fixed = airline.flips(first, second)
    assert (decision["outcome"], decision["broken"], decision["fixed"]) == ("pass", broken, fixed)
    assert (compared["broken"], compared["fixed"], compared["worse"]) == (broken, fixed, [])
    assert decision["statistics"]["p_different"] > 0.05
    for text in (ruled.out, page, compared["summary"], *(reason["text"] for reason in decision["reasons"])):
        assert news(text) == []
    assert "no significant difference" in compared["summary"]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_noise_floor_of_every_pair_is_printed(airline: Airline, first: int, second: int) -> None:
    runs = (f"runs/t{first}", f"runs/t{second}")
    one, other = airline.flips(first, second)
    psi = (len(one) + len(other)) / 25
    found = airline.desk.said("gate", "--noise", *runs)
    assert found["psi"] == pytest.approx(psi)
    assert (found["n"], found["passed_first"], found["passed_second"]) == (25, one, other)
    assert not found["unlikely"]
    assert found["minimum_detectable_drop"] is None or found["minimum_detectable_drop"] > 0.08
    shown = airline.desk.fiel("gate", "--noise", *runs).out
    assert re.search(rf"\b{psi:g}\b", shown)
    assert "25 cases" in shown
    assert ", ".join(one) in shown


def test_the_means_move_by_8_points_and_the_pairs_noise_averages_to_the_repeats_discordance(airline: Airline) -> None:
    means = [Fraction(sum(airline.passed(task, trial) for task in airline.tasks), 25) for trial in range(TRIALS)]
    assert max(means) - min(means) == Fraction(8, 100)
    for trial, mean in enumerate(means):
        assert airline.desk.report(f"runs/t{trial}")["overall"]["success"]["numerator"] == mean * 25
    psis = [airline.desk.said("gate", "--noise", f"runs/t{a}", f"runs/t{b}")["psi"] for a, b in PAIRS]
    assert fmean(psis) == pytest.approx(airline.desk.report("runs/all")["repeats"]["discordance"], abs=1e-12)


def test_asked_for_proof_the_gate_stays_open_and_says_what_it_would_take(airline: Airline) -> None:
    desk = airline.desk
    desk.write("strict.toml", '[gate]\nevidence = "non-inferior"\n')
    for a, b in PAIRS:
        done = desk.fiel(
            "gate", "--baseline", f"runs/t{a}", "--candidate", f"runs/t{b}", "--policy", "strict.toml", code=3
        )
        assert news(done.out) == []
        (reason,) = (r for r in desk.decision(f"runs/t{b}")["reasons"] if r["rule"] == "non_inferiority")
        assert reason["kind"] == "inconclusive"
        assert re.search(r"\d+ (?:cases|pairs)", reason["text"])


def news(text: str) -> list[str]:
    """The words with which a text would claim that something got better or worse."""
    return re.findall(r"\bchange[ds]?\b|\bWORSE\b|\bDIFFERENT\b|\ba\s+significant", text)
