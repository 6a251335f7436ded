"""Ranks give what sorting gives, without a list of everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiel.offline.ranks import Ranks


def bag(numbers: list[int]) -> Ranks:
    ranks = Ranks()
    for number in numbers:
        ranks.add(number)
    return ranks


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), min_size=1, max_size=60))
def test_every_rank_is_what_sorting_gives(numbers: list[int]) -> None:
    ranks = bag(numbers)
    assert [ranks.at(rank) for rank in range(1, len(numbers) + 1)] == sorted(numbers)


def test_ranks_hold_across_many_sorted_runs() -> None:
    numbers = [(n * 7919) % 20_011 for n in range(20_000)]
    ranks = bag(numbers)
    ordered = sorted(numbers)
    assert [ranks.at(rank) for rank in (1, 4096, 4097, 10_000, 19_999, 20_000)] == [
        ordered[rank - 1] for rank in (1, 4096, 4097, 10_000, 19_999, 20_000)
    ]


def test_numbers_may_be_added_after_a_rank_was_asked_for() -> None:
    ranks = bag([5])
    assert ranks.at(1) == 5
    ranks.add(3)
    assert (ranks.at(1), ranks.at(2), len(ranks)) == (3, 5, 2)


@pytest.mark.parametrize("rank", [0, 3, -1])
def test_a_rank_outside_the_bag_is_refused(rank: int) -> None:
    with pytest.raises(IndexError, match=f"rank {rank} of 2 numbers"):
        bag([1, 2]).at(rank)
