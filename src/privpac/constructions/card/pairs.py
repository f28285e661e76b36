"""A round that draws two answers at once: points for those over 60 who smoke.

One draw from all pairs of answers. Each candidate is 1 or -1 for every record, so a record moves all scores within the
window of a round of tests, and the larger class costs no more of epsilon: its logarithm, in noise. Pairs of two columns
are scored from one table of weights by both codes.
Statement: register `weighted-rounds`. Proof: docs/proofs/weighted-rounds.md.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.cards.both import Answer, Both
from privpac.concepts.cards.tallies import Points, held_by_pair, held_by_test
from privpac.concepts.literals.binarise import Binarisation, Group, Kind, Test
from privpac.mechanisms.gibbs import draw_index

__all__ = ["draw_together", "is_drawn_from", "pair_count", "scores_alone"]

HOLDS = ((True, True), (True, False), (False, True), (False, False))
"""The answers to two tests, in the order of `held_by_pair`."""


def pair_count(tests: Binarisation) -> int:
    """How many pairs of tests of two columns there are."""
    sizes = [len(group.cells) for group in tests.groups]
    return sum(a * b for a, b in combinations(sizes, 2))


def scores_alone(by_code: NDArray[np.int64], tests: Binarisation) -> NDArray[np.int64]:
    """The score of every test with either sign: less is better."""
    everyone = int(by_code[: len(tests.groups[0].cells) + 1].sum())  # the codes of one column
    return _scores(held_by_test(by_code, tests), everyone)


def _scores(sums: NDArray[np.int64], everyone: int) -> NDArray[np.int64]:
    gains = 2 * sums - everyone
    return np.column_stack([-gains, gains]).ravel()


def draw_together(
    tests: Binarisation, by_pair: NDArray[np.int64], points: int, ratio: Fraction, coins: Coins
) -> Points:
    """Two answers at once and a sign, by how much weight is on the right side."""
    sums = np.concatenate([pairs.ravel() for pairs in held_by_pair(by_pair, tests)])
    everyone = int(sums[: len(HOLDS)].sum())  # all four answers to two tests
    number, negative = divmod(draw_index(_scores(sums, everyone), ratio, coins), 2)
    return Points(_pair(tests, number), -points if negative else points)


def _pair(tests: Binarisation, number: int) -> Both:
    """The pair of answers of this number."""
    for one, other in combinations(tests.groups, 2):
        size = len(one.cells) * len(other.cells) * len(HOLDS)
        if number < size:
            break
        number -= size
    pair, answers = divmod(number, len(HOLDS))
    first, second = divmod(pair, len(other.cells))
    return Both(Answer(_test(one, first), HOLDS[answers][0]), Answer(_test(other, second), HOLDS[answers][1]))


def _test(group: Group, place: int) -> Test:
    kind: Kind = "at least" if group.nested else "equals"
    return Test(group.column, group.cells[place], kind)


def is_drawn_from(tests: Binarisation, both: Both) -> bool:
    """Whether these are answers to two of the tests, in the order of their columns."""
    columns = [group.column for group in tests.groups]
    known = all(test in tests.tests for test in both.tests)
    return known and columns.index(both.columns[0]) < columns.index(both.columns[1])
