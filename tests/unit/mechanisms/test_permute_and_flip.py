"""Permute-and-flip by counted scores: the law of the walk through single members, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.coins import Enumeration, SeededCoins, law
from privpac.errors import SizeError
from privpac.mechanisms import permute_and_flip
from privpac.mechanisms.permute_and_flip import _Coin
from privpac.mechanisms.scores import Row, Runs
from privpac.numbers.exact import ratio_for

HALF = ratio_for(Fraction(1, 2))


def runs(scores: Sequence[int]) -> Runs:
    lasts = np.arange(len(scores) - 1, dtype=np.uint64)
    return Runs([Row.of(0, lasts, np.array(scores, dtype=np.int64), len(scores) - 1)])


def walk(scores: Sequence[int], ratio: Fraction) -> dict[int, Fraction]:
    """By definition: all orders, each member accepted with probability ratio^(score - best)."""
    best = min(scores)
    orders = list(permutations(range(len(scores))))
    taken = dict.fromkeys(range(len(scores)), Fraction(0))
    for order in orders:
        reached = Fraction(1, len(orders))
        for member in order:
            accept = ratio ** (scores[member] - best)
            taken[member] += reached * accept
            reached *= 1 - accept
    return {member: mass for member, mass in taken.items() if mass}


def drawn(scores: Sequence[int], ratio: Fraction) -> dict[int, Fraction]:
    return law(lambda coins: permute_and_flip.draw(runs(scores), ratio, coins)[1])


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.sampled_from([Fraction(1, 2), Fraction(3, 5), HALF]),
)
@settings(deadline=None, max_examples=40)
def test_the_law_is_that_of_the_walk(scores: list[int], ratio: Fraction) -> None:
    assert drawn(scores, ratio) == walk(scores, ratio)


@pytest.mark.parametrize("power", [1, 2, 700, 1250, 5000])
@pytest.mark.parametrize("ratio", [Fraction(1, 2), Fraction(1)])
def test_the_coin_lies_within_its_bound(ratio: Fraction, power: int) -> None:
    chances = Enumeration().probabilities(_Coin(ratio, power))
    assert chances == [1 - ratio**power, ratio**power]


def test_a_large_class_is_refused_by_its_public_size() -> None:
    row = Row.of(0, np.array([], dtype=np.uint64), np.array([0], dtype=np.int64), permute_and_flip.LARGEST)
    with pytest.raises(SizeError, match="exponential mechanism"):
        permute_and_flip.draw(Runs([row]), HALF, SeededCoins(0))


def test_scores_a_billion_apart() -> None:
    found = permute_and_flip.draw(runs([10**9, 0, 10**12]), HALF, SeededCoins(0))
    assert found == (0, 1)
