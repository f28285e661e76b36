"""A round that may draw two answers at once: points for those over 60 who smoke.

One draw from all pairs of answers, or from these and all tests. Each candidate is 1 or -1 for every record, so a record
moves all scores within the window of a round of tests, and the larger class costs no more of epsilon: its logarithm, in
noise. Pairs of two columns are scored from one table of weights by both codes.
Statement: register `weighted-rounds`. Proof: docs/proofs/weighted-rounds.md. Tested by tests/exact/ (rows `card-pairs`,
`card-rounds-mixed`, `card-rounds-pairs`).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.cards.both import Both
from privpac.concepts.cards.tallies import Points, held_by_pair, held_by_test
from privpac.concepts.literals.binarise import Binarisation, Group
from privpac.constructions.card.steps import Asks, Round, lay_points, lay_together
from privpac.mechanisms.gibbs import draw_index

__all__ = ["draw_with_pairs", "is_laid_together", "pair_count", "scores_alone"]

HOLDS = ((True, True), (True, False), (False, True), (False, False))
"""The answers to two tests, in the order of `held_by_pair`."""


def pair_count(tests: Binarisation) -> int:
    """How many pairs of tests of two columns there are."""
    sizes = [len(group.cells) for group in tests.groups]
    return sum(a * b for a, b in combinations(sizes, 2))


def scores_alone(by_code: NDArray[np.int64], tests: Binarisation) -> NDArray[np.int64]:
    """The score of every test with either sign: less is better."""
    return _scores(held_by_test(by_code, tests), _everyone(by_code, tests))


def _everyone(by_code: NDArray[np.int64], tests: Binarisation) -> int:
    """The weights of all records: those of all codes of a column."""
    return int(by_code[: len(tests.groups[0].cells) + 1].sum())


def _scores(sums: NDArray[np.int64], everyone: int) -> NDArray[np.int64]:
    gains = 2 * sums.ravel() - everyone
    return np.column_stack([-gains, gains]).ravel()


def draw_with_pairs(
    tests: Binarisation, sums: NDArray[np.int64], turn: Round, ratio: Fraction, coins: Coins
) -> tuple[Points, ...]:
    """Two answers at once, or a test where the round asks for either, and a sign, by how much weight is on the right
    side; its points, laid on cuts."""
    by_code, by_pair = np.split(sums, [sum(len(group.cells) + 1 for group in tests.groups)])
    weights = [pairs.ravel() for pairs in held_by_pair(by_pair, tests)]
    alone = 0
    if turn.asks is Asks.EITHER:
        weights, alone = [held_by_test(by_code, tests), *weights], len(tests.tests)
    scores = _scores(np.concatenate(weights), _everyone(by_code, tests))
    number, negative = divmod(draw_index(scores, ratio, coins), 2)
    points = -turn.points if negative else turn.points
    if number < alone:
        return lay_points(tests, number, points, cuts=turn.cuts)
    one, other, places, holds = _pair(tests, number - alone)
    return lay_together(one, other, places, holds, points, cuts=turn.cuts)


def _pair(tests: Binarisation, number: int) -> tuple[Group, Group, tuple[int, int], tuple[bool, bool]]:
    """The columns, the places of the tests in them, and the answers, of the pair of this number."""
    for one, other in combinations(tests.groups, 2):
        size = len(one.cells) * len(other.cells) * len(HOLDS)
        if number < size:
            break
        number -= size
    pair, answers = divmod(number, len(HOLDS))
    return one, other, divmod(pair, len(other.cells)), HOLDS[answers]


def is_laid_together(tests: Binarisation, part: tuple[Points, ...], *, cuts: int) -> bool:
    """Whether two of these answers, drawn, are laid out like this: those drawn are among those that points lie on."""
    boths = [one.test for one in part if isinstance(one.test, Both)]
    columns = {group.column: group for group in tests.groups}
    if len(boths) != len(part) or not set(boths[0].columns) <= set(columns):
        return False
    one, other = (columns[name] for name in boths[0].columns)
    holds = boths[0].first.holds, boths[0].second.holds
    points = sum(line.points for line in part)
    firsts = [_place(one, both.first.test.cell) for both in boths]
    seconds = [_place(other, both.second.test.cell) for both in boths]
    return any(
        lay_together(one, other, (a, b), holds, points, cuts=cuts) == part
        for a, b in product(firsts, seconds)
        if a >= 0 and b >= 0
    )


def _place(group: Group, cell: int) -> int:
    return group.cells.index(cell) if cell in group.cells else -1
