"""What a small p-value still means after one looked in many places."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: reject where they are at or below alpha.

    Keeps the chance of even one false rejection at alpha, whatever the dependence (Holm 1979).
    """
    _check(p_values)
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(_by_size(p_values)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values, in the order given.

    Keeps the expected share of false rejections at alpha, for independent tests (Benjamini & Hochberg 1995).
    """
    _check(p_values)
    adjusted = [0.0] * len(p_values)
    running = 1.0
    for rank, index in reversed(list(enumerate(_by_size(p_values), start=1))):
        running = min(running, p_values[index] * (len(p_values) / rank))
        adjusted[index] = running
    return adjusted


def _by_size(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)


def _check(p_values: Sequence[float]) -> None:
    for index, p in enumerate(p_values):
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p-value {index} is {p!r} (needs 0 <= p <= 1)")
