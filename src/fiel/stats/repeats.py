"""Several trials of one case: how steady the target is, and whether one case alone got worse."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from fiel.stats.clusters import ratio_design_effect
from fiel.stats.paired import Pairs


def pass_hat(passes: int, trials: int, k: int) -> float | None:
    """The estimated chance that k independent trials of a case all pass: C(passes, k) / C(trials, k).

    Unbiased (Yao et al. 2024, pass^k). None where fewer than k trials were graded: undefined is not 0.
    """
    _check(passes, trials, k)
    return comb(passes, k) / comb(trials, k) if trials >= k else None


def pass_at(passes: int, trials: int, k: int) -> float | None:
    """The estimated chance that at least one of k independent trials passes: 1 - C(failures, k) / C(trials, k).

    Unbiased (Chen et al. 2021, pass@k). None where fewer than k trials were graded.
    """
    _check(passes, trials, k)
    all_ways = comb(trials, k)
    return (all_ways - comb(trials - passes, k)) / all_ways if trials >= k else None


def fisher_worse(baseline_passes: int, baseline_trials: int, candidate_passes: int, candidate_trials: int) -> float:
    """One-sided exact p for "this one case got worse", from repeated trials in both runs (Fisher 1935).

    P(the candidate has so few of all the passes | both runs alike). 3 of 3 against 0 of 3 is 1/20. 1.0 where either
    run has no trial.
    """
    _check(baseline_passes, baseline_trials, 1)
    _check(candidate_passes, candidate_trials, 1)
    passes = baseline_passes + candidate_passes
    fewest = max(0, passes - baseline_trials)
    ways = sum(
        comb(candidate_trials, i) * comb(baseline_trials, passes - i) for i in range(fewest, candidate_passes + 1)
    )
    return ways / comb(baseline_trials + candidate_trials, passes)


def discordance(counts: Iterable[tuple[int, int]]) -> float | None:
    """The chance that two trials of one case differ, averaged over cases given as (passes, trials).

    Per case 2 x (n - x) / (n (n - 1)), unbiased; cases with fewer than two trials say nothing and are left out. None
    where no case has two. It is the noise floor: the share of cases that flip between two runs of the same target.
    """
    total, cases = 0.0, 0
    for passes, trials in counts:
        _check(passes, trials, 1)
        if trials >= 2:
            total += 2 * passes * (trials - passes) / (trials * (trials - 1))
            cases += 1
    return total / cases if cases else None


def paired_design_effect(clusters: Iterable[Pairs]) -> float | None:
    """How many times larger the variance of the paired difference is than for independent pairs; at least 1.

    One :class:`Pairs` for each case (or conversation), holding its trials paired by index. The cluster variance
    C / (C - 1) * sum((d - delta n)^2) / N^2 over the variance of N independent pairs. With no discordance, or all of
    it one way, it is the cluster size K: repeats are then taken to say nothing new. None where undefined: no pairs,
    or repeated pairs from a single cluster. Use with ``tango_effective`` and ``non_inferiority``.
    """
    count = net = of = squared = times_of = of_squared = discordant = 0
    for pairs in clusters:
        n, gain = pairs.n, pairs.fixed - pairs.broken
        count += n > 0
        net += gain
        of += n
        squared += gain * gain
        times_of += gain * n
        of_squared += n * n
        discordant += pairs.broken + pairs.fixed
    return ratio_design_effect(
        clusters=count,
        total=net,
        of=of,
        squared=squared,
        times_of=times_of,
        of_squared=of_squared,
        spread=discordant * of - net * net,
    )


def _check(passes: int, trials: int, k: int) -> None:
    if not 0 <= passes <= trials or k < 1:
        raise ValueError(f"{passes!r} passes of {trials!r} trials, k={k!r} (needs 0 <= passes <= trials and k >= 1)")
