"""Faults in risk cards: weights, windows and tables that one record moves further than their author believed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.audit.exact import Case, Record
from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import Coins
from privpac.concepts.cards.card import bucket_row
from privpac.concepts.cards.tallies import (
    ByClass,
    ByPair,
    BySum,
    ByWeight,
    Looks,
    Points,
    held_by_pair,
    looks,
)
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf
from privpac.constructions.card import rules
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.card.levels import TREE_CAP, LeafWeights, level_ratio
from privpac.constructions.card.weights import CAP, UNITS, residuals
from privpac.constructions.estimates.leaf_counts import LeafTable
from privpac.guarantee import rules as common
from privpac.guarantee.facts import Unit
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.gibbs import draw_index
from privpac.numbers.exact import ratio_for

EPSILON, HALF = Fraction(8), Fraction(1, 2)
SCHEMA = tiny_schema(2)
TESTS = Binarisation.of(SCHEMA)
CARD = CardLearner(SCHEMA, EPSILON, TESTS, 2)
CLAIM = rules.weighted_rounds(ratio=CARD.ratio, cap=CAP, rounds=CARD.rounds).fact

Weights = Callable[[Looks, tuple[Points, ...]], NDArray[np.int64]]


def _rounds(records: Looks, weights: Weights, ratio: Fraction, coins: Coins) -> tuple[Points, ...]:
    """As `CardLearner.draw_rounds`, with sums of weights by code from somebody else."""
    drawn: tuple[Points, ...] = ()
    for points in CARD.schedule:
        missing, held = weights(records, drawn).tolist()
        gain = held - missing
        negative = draw_index([-gain, gain], ratio, coins)
        drawn = (*drawn, Points(TESTS.tests[0], -points if negative else points))
    return drawn


def _case(name: str, weights: Weights, *, ratio: Fraction = CARD.ratio, n: int = 2) -> Case:
    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        return _rounds(looks(sample_of(SCHEMA, data), TESTS), weights, ratio, coins)

    return Case(name, run, records_of(SCHEMA), n, CLAIM)


def _capped(records: Looks, drawn: tuple[Points, ...]) -> NDArray[np.int64]:
    largest = sum(abs(one.points) for one in drawn)
    return records.reduce(ByWeight(TESTS, drawn, residuals(HALF, largest)))


def forgets_the_cap() -> Case:
    """The share of class 1 is off, and weights are what is left to explain, up to 1."""

    def weights(records: Looks, drawn: tuple[Points, ...]) -> NDArray[np.int64]:
        largest = sum(abs(one.points) for one in drawn)
        whole = tuple(tuple(UNITS * label - 6 for _ in range(2 * largest + 1)) for label in (0, 1))
        return records.reduce(ByWeight(TESTS, drawn, (whole[0], whole[1])))

    return _case("weights without a cap", weights)


def pays_for_half_the_window() -> Case:
    """A record that goes and one that comes each move a score by the cap: up, thought the author, and never down."""
    left = EPSILON - CARD.count_epsilon - CARD.table_epsilon
    return _case("window of two caps", _capped, ratio=ratio_for(left / (2 * CAP * CARD.rounds)))


def weighs_by_all_records() -> Case:
    """Weights are scaled so that they add up to something: a record then changes the weights of all others."""

    def weights(records: Looks, drawn: tuple[Points, ...]) -> NDArray[np.int64]:
        zeros, ones = records.reduce(ByClass(TESTS))
        balance = CAP * (1 + abs(int(zeros.sum()) - int(ones.sum())))
        return balance * (ones - zeros)

    return _case("weights that depend on the other records", weights)


def weighs_by_what_nobody_saw() -> Case:
    """The second round explains what the best first test, which was not drawn, would have left: one record may turn
    that test over, and then every weight changes."""

    def weights(records: Looks, drawn: tuple[Points, ...]) -> NDArray[np.int64]:
        zeros, ones = records.reduce(ByClass(TESTS))
        best = 1 if int((ones - zeros)[1] - (ones - zeros)[0]) >= 0 else -1
        if not drawn:
            return _capped(records, drawn)
        zero, one = (row[:: len(row) // 2] for row in residuals(HALF, 20))  # at -20, 0 and 20 points
        return records.reduce(ByWeight(TESTS, (Points(TESTS.tests[0], best),), (zero, one)))

    case = _case("weights from what was not released", weights, n=10)
    return replace(case, inputs=(((0, 1),) * 5 + ((1, 1),) * 5,))


def counts_the_table_with_change_one() -> Case:
    """A replaced record leaves one count and enters another, and noise hides one of the two."""
    drawn = (Points(TESTS.tests[0], 3),)
    ratio = ratio_for(Fraction(1))

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        records = looks(sample_of(SCHEMA, data), TESTS)
        counts = records.reduce(BySum(TESTS, drawn, bucket_row(drawn))).ravel().tolist()
        return tuple(add_noise(counts, ratio=ratio, low=0, high=len(data), coins=coins))

    claim = common.geometric_noise(ratio=ratio, change=1).fact
    return Case("table counted with change 1", run, records_of(SCHEMA), 1, claim)


TREE_RATIO = level_ratio(EPSILON, 1)
TREE_CLAIM = rules.weighted_rounds(ratio=TREE_RATIO, cap=TREE_CAP, rounds=1).fact


def splits_at_the_best_test() -> Case:
    """A leaf is graded where the sums say so: no coin is asked, so one record decides."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        weights = tuple((side[0],) for side in residuals(HALF, 0, cap=TREE_CAP))
        sums = sample_of(SCHEMA, data).reduce(LeafWeights(TESTS, Leaf(0), (weights[0], weights[1])))
        missing, held = sums[0].tolist()
        return held >= missing

    return Case("best test of a leaf, without a draw", run, records_of(SCHEMA), 2, TREE_CLAIM)


def centres_leaves_by_true_shares() -> Case:
    """What is left to explain in a leaf, measured against the leaf's true share of class 1, which nobody released."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        sample = sample_of(SCHEMA, data)
        zeros, ones = sample.reduce(LeafTable(Leaf(0), 2))[0].tolist()
        share = UNITS * ones // (zeros + ones)
        weights = ((-share,), (UNITS - share,))
        missing, held = sample.reduce(LeafWeights(TESTS, Leaf(0), weights))[0].tolist()
        return draw_index([missing - held, held - missing], TREE_RATIO, coins)

    case = Case("weights from the true share of a leaf", run, records_of(SCHEMA), 4, TREE_CLAIM)
    return replace(case, inputs=(((1, 1),) * 2 + ((0, 0),) * 2, ((1, 1),) * 3 + ((0, 0),), ((0, 1),) * 4))


PAIRED = tiny_schema(2, 2)
PAIR_TESTS = Binarisation.of(PAIRED)
PAIR_RATIO = ratio_for(EPSILON / (4 * CAP))
PAIR_CLAIM = rules.weighted_rounds(ratio=PAIR_RATIO, cap=CAP, rounds=1).fact


def _pairs(data: Sequence[Record]) -> NDArray[np.int64]:
    """Sums of weights where each pair of answers is given."""
    weights = residuals(HALF, 0)
    sums = looks(sample_of(PAIRED, data), PAIR_TESTS).reduce(ByPair(PAIR_TESTS, (), weights))
    (held,) = held_by_pair(sums, PAIR_TESTS)
    return held.ravel()


def forgets_those_who_answer_otherwise() -> Case:
    """Weights of those who give both answers count twice, and nobody is taken off: the window is twice as wide."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        gains = 2 * _pairs(data)
        return draw_index([*gains.tolist(), *(-gains).tolist()], PAIR_RATIO, coins)

    return Case("pairs scored without the others", run, records_of(PAIRED), 2, PAIR_CLAIM)


def leaves_out_pairs_that_nobody_gives() -> Case:
    """Answers that no record gives together are not among those drawn from: what is drawn shows that somebody does."""

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        gains = 2 * _pairs(data) - CAP * sum(1 if label else -1 for *_, label in data)
        there = [
            i
            for i, (a, b) in enumerate(((1, 1), (1, 0), (0, 1), (0, 0)))
            if any((a, b) == r[:2] for r in data)
        ]
        return there[draw_index((-gains[there]).tolist(), PAIR_RATIO, coins)]

    return Case("pairs that somebody gives", run, records_of(PAIRED), 2, PAIR_CLAIM)


def tells_every_round_what_the_last_is_told() -> Case:
    """A mixed card whose rounds of many points are drawn with the budget of one of few: more is spent than was shared
    out."""
    learner = CardLearner(PAIRED, EPSILON, PAIR_TESTS, 2, mixed=True)
    claim = learner.spending.drawn(Unit.RECORD).fact
    least = min(learner.schedule)
    vars(learner)["spending"] = replace(learner.spending, schedule=(least,) * learner.rounds)  # type: ignore[call-arg]

    def run(data: Sequence[Record], coins: Coins) -> Hashable:
        records = looks(sample_of(PAIRED, data), PAIR_TESTS)
        return learner.draw_rounds(records, records.reduce(ByClass(PAIR_TESTS)), HALF, coins)

    return Case("every round with the largest budget", run, records_of(PAIRED), 2, claim)


MUTANTS: dict[str, Callable[[], Case]] = {
    "forgets_the_cap": forgets_the_cap,
    "pays_for_half_the_window": pays_for_half_the_window,
    "weighs_by_all_records": weighs_by_all_records,
    "weighs_by_what_nobody_saw": weighs_by_what_nobody_saw,
    "counts_the_table_with_change_one": counts_the_table_with_change_one,
    "splits_at_the_best_test": splits_at_the_best_test,
    "centres_leaves_by_true_shares": centres_leaves_by_true_shares,
    "forgets_those_who_answer_otherwise": forgets_those_who_answer_otherwise,
    "leaves_out_pairs_that_nobody_gives": leaves_out_pairs_that_nobody_gives,
    "tells_every_round_what_the_last_is_told": tells_every_round_what_the_last_is_told,
}
