"""Reference values recomputed from papers and other packages, read from the shared oracle file where it is there."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fiel.stats.distributions import normal_tail
from fiel.stats.intervals import wilson
from fiel.stats.multiplicity import benjamini_hochberg, holm
from fiel.stats.paired import (
    Pairs,
    difference,
    mcnemar_exact,
    mcnemar_midp,
    mcnemar_worse,
    newcombe,
    non_inferiority,
    tango,
    tango_z,
)
from fiel.stats.power import exact_power, formula_pairs, items_for_mean_difference
from fiel.stats.repeats import fisher_worse
from fiel.stats.selftest import wald

FILE = Path(__file__).parents[3] / "shared" / "oracles" / "stats.json"
Oracle = dict[str, Any]


@pytest.fixture(scope="module")
def oracles() -> list[Oracle]:
    if not FILE.exists():
        pytest.skip("the reference values (shared/oracles/stats.json beside the repository) are not here")
    found: list[Oracle] = json.loads(FILE.read_text(encoding="utf-8"))["oracles"]
    return found


def of_family(oracles: list[Oracle], family: str, at_least: int) -> list[Oracle]:
    chosen = [oracle for oracle in oracles if oracle["family"] == family]
    assert len(chosen) >= at_least, f"only {len(chosen)} reference values of family {family}"
    return chosen


def named(oracles: list[Oracle], prefix: str, at_least: int) -> list[Oracle]:
    chosen = [oracle for oracle in oracles if oracle["id"].startswith(prefix)]
    assert len(chosen) >= at_least, f"only {len(chosen)} reference values named {prefix}"
    return chosen


def same(oracle: Oracle, key: str, measured: Any) -> None:
    """``measured`` is what the oracle expects under ``key``, within its own absolute tolerance."""
    expected = oracle["expected"][key]
    assert measured == pytest.approx(expected, rel=0, abs=oracle["tolerance"] or 1e-12), f"{oracle['id']}: {key}"


def test_rates_of_one_run(oracles: list[Oracle]) -> None:
    for oracle in of_family(oracles, "one-proportion", at_least=8):
        given = oracle["input"]
        same(oracle, "wilson", wilson(given["x"], given["n"], given["level"]))


def test_paired_tables(oracles: list[Oracle]) -> None:
    for oracle in of_family(oracles, "paired", at_least=9):
        given = oracle["input"]
        # Differences there are first minus second: the first stands as candidate, so its lone passes are fixes.
        pairs = Pairs(both=given.get("a", 0), broken=given["c"], fixed=given["b"], neither=given.get("d", 0))
        if "chi2" in oracle["expected"]:
            same(oracle, "chi2", tango_z(pairs, 0.0) ** 2)
            same(oracle, "exact_p", mcnemar_exact(pairs))
            continue
        same(oracle, "n", pairs.n)
        same(oracle, "diff", float(difference(pairs) or 0))
        same(oracle, "tango", tango(pairs, given["level"]))
        same(oracle, "newcombe10", newcombe(pairs, given["level"]))
        same(oracle, "wald", wald(pairs, given["level"]))
        same(oracle, "mcnemar_exact", mcnemar_exact(pairs))
        same(oracle, "mcnemar_midp", mcnemar_midp(pairs))
        first_as_baseline = Pairs(both=pairs.both, broken=pairs.fixed, fixed=pairs.broken, neither=pairs.neither)
        same(oracle, "mcnemar_exact_one_sided_first_greater", mcnemar_worse(first_as_baseline))


def test_non_inferiority_by_score(oracles: list[Oracle]) -> None:
    for oracle in of_family(oracles, "paired/non-inferiority", at_least=1):
        given = oracle["input"]
        pairs = Pairs(both=given["a"], broken=given["c"], fixed=given["b"], neither=given["d"])
        z = tango_z(pairs, -given["margin"])
        standing = non_inferiority(pairs, given["margin"], 1 - given["level_one_sided"])
        same(oracle, "z", z)
        same(oracle, "p_one_sided", normal_tail(z))
        same(oracle, "lower_bound_95_one_sided", standing.lower)
        assert standing.outcome == oracle["expected"]["outcome"].lower()


def test_release_gates(oracles: list[Oracle]) -> None:
    for oracle in named(oracles, "GT-NI-", at_least=4):
        given = oracle["input"]
        same_in_both = given["n"] - given["b"] - given["c"]
        pairs = Pairs(both=same_in_both, broken=given["b"], fixed=given["c"], neither=0)
        standing = non_inferiority(pairs, given["eps"])
        same(oracle, "delta", float(difference(pairs) or 0))
        same(oracle, "lo", standing.lower)
        same(oracle, "hi", standing.upper)
        assert standing.outcome == oracle["expected"]["outcome"].lower(), oracle["id"]
        assert standing.worse == oracle["expected"]["flag_worse"], oracle["id"]


def test_power_and_sample_sizes(oracles: list[Oracle]) -> None:
    for oracle in of_family(oracles, "power", at_least=6):
        given = oracle["input"]
        if "omega2" in given:
            variance = float(Fraction(given["omega2"]))
            same(oracle, "n", items_for_mean_difference(given["delta"], variance, given["alpha"], given["power"]))
            continue
        for key, two_sided in (("one_sided", False), ("two_sided", True)):
            if "psi" in given:
                measured: float = formula_pairs(given["delta"], given["psi"], given["alpha"], given["power"], two_sided)
            else:
                measured = exact_power(
                    given["n"], given["p_regress"], given["p_improve"], given["alpha"], two_sided=two_sided
                )
            same(oracle, key, measured)


def test_many_tests_at_once(oracles: list[Oracle]) -> None:
    for oracle in of_family(oracles, "multiplicity", at_least=1):
        same(oracle, "holm", holm(oracle["input"]["p"]))
        same(oracle, "bh", benjamini_hochberg(oracle["input"]["p"]))


def test_sentinels(oracles: list[Oracle]) -> None:
    for oracle in named(oracles, "TR-SENTINEL-", at_least=3):
        trials = oracle["input"]["epochs"]
        same(oracle, "p", fisher_worse(trials, trials, 0, trials))


def test_nothing_counted(oracles: list[Oracle]) -> None:
    for oracle in named(oracles, "ED-P1-EMPTY", at_least=1):
        same(oracle, "wilson", wilson(oracle["input"]["x"], oracle["input"]["n"]))
