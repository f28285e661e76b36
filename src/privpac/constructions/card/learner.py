"""A risk card: rounds of private draws over public tests, each on what the card so far does not explain.

A round draws a test and a sign; on a mixed card, later rounds draw two answers at once, about any two columns, and a
sign.
Statement: the noisy number of class 1 (a replaced record moves it by 1), the rounds (rule `weighted-rounds`) and the
noisy table of sums (a replaced record moves its counts by 2 in all) add their epsilons, or with a delta their rhos;
points and risks follow from what they released. Holds if: tests, rounds, shares and costs are public.
Source: register `weighted-rounds`, `geometric-noise`, with a delta `concentrated-privacy`; shares, cap and the number
of rounds were chosen by measurement (benchmarks/risks.py).
Proof: docs/proofs/weighted-rounds.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.cards.blocks import reachable
from privpac.concepts.cards.both import Both
from privpac.concepts.cards.card import Card, bucket_count, bucket_row
from privpac.concepts.cards.risks import WALL, spread_of, start_share
from privpac.concepts.cards.tallies import ByClass, ByPair, BySum, ByWeight, Looks, Points, looks
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.parts import OneTest
from privpac.constructions.card.pairs import draw_together, is_drawn_from, pair_count, scores_alone
from privpac.constructions.card.spending import (
    COUNT_CHANGE,
    TABLE_CHANGE,
    Spending,
    concentrated_spending,
    graded_spending,
    pure_spending,
)
from privpac.constructions.card.steps import Round, Steps, lay_points, rounds_in, steps_for
from privpac.constructions.card.weights import CAP, MOST_ROUNDS, UNITS, residuals
from privpac.constructions.draw.occam import LARGEST_PRICE, read_costs
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Unit
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.gibbs import draw_index
from privpac.numbers.exact import plain, ratio_for
from privpac.numbers.parameters import below_one, positive, whole_positive

__all__ = ["MOST_PAIRS", "CardLearner"]

MOST_TESTS = 100_000
"""Tests a round chooses from: each of them has a weight of its own."""

MOST_PAIRS = 1 << 20
"""Pairs of tests a round chooses from: each of them has eight weights of its own."""


@dataclass(frozen=True)
class CardLearner:
    """Draw a card of `rounds` tests, count its sums, and read the risks off."""

    schema: Schema
    epsilon: Fraction
    tests: Binarisation
    rounds: int
    costs: Costs | None = None
    unit: Unit = Unit.RECORD
    delta: Fraction = Fraction(0)
    """Where it is above 0, rounds, count and table share rho and not epsilon."""
    mixed: bool = False
    """Whether all but the first quarter of the rounds draw two answers at once."""

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="Card", name="epsilon")
        below_one(self.delta, owner="Card", name="delta")
        most = MOST_ROUNDS if self.delta else WALL
        if whole_positive(self.rounds, owner="Card", name="rounds") > most:
            raise ParameterError("Card", "rounds", self.rounds, allowed=f"from 1 to {most}")
        if len(self.tests.tests) > MOST_TESTS:
            raise SizeError(
                f"A card chooses from at most {MOST_TESTS} tests, and this schema has {len(self.tests.tests)}.",
                remedy="Leave out a column of very many categories.",
            )
        if self.mixed and (self.delta or not 1 <= self.pair_count <= MOST_PAIRS):
            raise SizeError(
                f"A card of two answers at once needs two columns, at most {MOST_PAIRS} pairs of tests and no delta.",
                remedy="The word card:16 asks one question at a time.",
            )
        read_costs(self.costs, 2, "Card")
        for share, change in ((self.count_epsilon, COUNT_CHANGE), (self.table_epsilon, TABLE_CHANGE)):
            if ratio_for(share / change) == 1:
                raise ParameterError(
                    "Card", "epsilon", plain(self.epsilon), allowed="large enough for noise of finite size"
                )

    @property
    def concepts(self) -> OneTest:
        """The class that each round draws from."""
        return OneTest(self.schema, self.tests)

    @property
    def outcomes(self) -> int:
        """As many rules as there are draws and cut-offs: noisy counts decide nothing else about a predicted class."""
        alone, together = 2 * len(self.tests.tests), 8 * self.pair_count
        draws = math.prod(together if one.together else alone for one in self.steps.rounds)
        return draws * (sum(self.schedule) + 2)

    @cached_property
    def pair_count(self) -> int:
        """Tests of two columns each; every pair has four answers."""
        return pair_count(self.tests)

    @property
    def passes(self) -> int:
        """The first pass counts by class, which serves a first round of single tests; each further round and the table
        need one."""
        return self.rounds + 1 + self.steps.rounds[0].together

    @property
    def prices(self) -> tuple[int, int]:
        zero, one = read_costs(self.costs, 2, "Card")
        return zero, one

    @cached_property
    def spending(self) -> Spending:
        """What goes to the count, to each round and to the table."""
        if self.delta:
            return concentrated_spending(self.epsilon, self.delta, self.rounds)
        if self.mixed:
            return graded_spending(self.epsilon, self.schedule)
        return pure_spending(self.epsilon, self.rounds)

    @property
    def count_epsilon(self) -> Fraction:
        return self.spending.count

    @property
    def table_epsilon(self) -> Fraction:
        return self.spending.table

    @property
    def ratio(self) -> Fraction:
        """Weight of one unit of score in a round."""
        return self.spending.ratio

    @cached_property
    def steps(self) -> Steps:
        """The points of each round, and how they are laid on cuts."""
        return steps_for(self.rounds, fine=self.delta > 0, mixed=self.mixed)

    @property
    def schedule(self) -> tuple[int, ...]:
        """The points of each round."""
        return self.steps.schedule

    @property
    def _alone(self) -> int:
        """Rounds that draw single tests."""
        return sum(not one.together for one in self.steps.rounds)

    def require(self, size: Size) -> None:
        size.require_labelled("A card")
        if size.labelled * UNITS >= LARGEST_PRICE:
            raise SizeError(
                f"Card: {size.labelled} records are beyond 64-bit scores.", remedy="Take a sample."
            )

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        return Certificate(
            privacy=self.spending.privacy(self.unit),
            accuracy=(),
            learner={
                "name": "card",
                "epsilon": plain(self.epsilon),
                "rounds": self.rounds,
                "tests": len(self.tests.tests),
                "cap": CAP,
                "count_epsilon": plain(self.count_epsilon),
                "table_epsilon": plain(self.table_epsilon),
                "costs": list(self.prices),
                **({"delta": plain(self.delta)} if self.delta else {}),
                **({"pairs": self.pair_count, "alone": self._alone} if self.mixed else {}),
            },
            labelled=size.labelled,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether a card of these tests and this many records could be this one."""
        if not isinstance(hypothesis, Card) or not self.fits(hypothesis, size):
            return False
        parts = rounds_in(hypothesis.drawn, self.schedule)
        return all(map(self._is_possible, self.steps.rounds, parts))

    def _is_possible(self, turn: Round, part: tuple[Points, ...]) -> bool:
        """Whether a draw of this round could be laid out like this."""
        points = sum(one.points for one in part)
        first = part[0].test
        if isinstance(first, Both):
            return turn.together and is_drawn_from(self.tests, first)
        return not turn.together and any(
            lay_points(self.tests, number, points, cuts=turn.cuts) == part
            for number, test in enumerate(self.tests.tests)
            if test.column == first.column
        )

    def fits(self, card: Card, size: Size) -> bool:
        """Whether everything but its tests is as these parameters make it."""
        return (
            len(tuple(rounds_in(card.drawn, self.schedule))) == self.rounds
            and card.fifth == self.steps.fifth
            and (card.count_epsilon, card.table_epsilon) == (self.count_epsilon, self.table_epsilon)
            and (card.records, card.costs) == (size.labelled, self.prices)
            and 0 <= card.ones <= size.labelled
            and len(card.counts) == bucket_count(reachable(card.blocks))
            and all(0 <= count <= size.labelled for row in card.counts for count in row)
        )

    def learn(self, sample: Sample, coins: Coins) -> Card:
        n, records = sample.size.labelled, looks(sample, self.tests)
        by_class = records.reduce(ByClass(self.tests))
        ones = self._ones(by_class, n, coins)
        start = start_share(ones, n, spread_of(self.count_epsilon, COUNT_CHANGE))
        draws = self.draw_rounds(records, by_class, start, coins)
        counts = self._table(records, draws, n, coins)
        return Card(
            draws, ones, n, counts, self.count_epsilon, self.table_epsilon, self.prices, self.steps.fifth
        )

    def draw_rounds(
        self, records: Looks, by_class: NDArray[np.int64], start: Fraction, coins: Coins
    ) -> tuple[Points, ...]:
        """The tests of all rounds, from a public share of class 1 on; `by_class` is what the first look has counted."""
        draws: tuple[Points, ...] = ()
        for number, turn in enumerate(self.steps.rounds):
            ratio = self.spending.ratio_at(number)
            if turn.together:
                sums = records.reduce(ByPair(self.tests, draws, self._weights(draws, start)))
                draws = (*draws, draw_together(self.tests, sums, turn.points, ratio, coins))
            else:
                by_code = self._by_code(records, by_class, draws, start)
                draws = (*draws, *self._draw(by_code, turn, ratio, coins))
        return draws

    def _ones(self, by_class: NDArray[np.int64], n: int, coins: Coins) -> int:
        """The noisy number of records of class 1: its codes in the first column, added up."""
        true = int(by_class[1, : len(self.tests.groups[0].cells) + 1].sum())
        ratio = ratio_for(self.count_epsilon / COUNT_CHANGE)
        return add_noise([true], ratio=ratio, low=0, high=n, coins=coins)[0]

    def _by_code(
        self, records: Looks, by_class: NDArray[np.int64], draws: tuple[Points, ...], start: Fraction
    ) -> NDArray[np.int64]:
        """Sums of weights by code, given what was drawn; before the first draw a weight depends on the class alone."""
        weights = self._weights(draws, start)
        if not draws:
            (zero,), (one,) = weights
            sums: NDArray[np.int64] = zero * by_class[0] + one * by_class[1]
            return sums
        return records.reduce(ByWeight(self.tests, draws, weights))

    def _weights(self, draws: tuple[Points, ...], start: Fraction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return residuals(start, sum(abs(one.points) for one in draws), self.steps.fifth, CAP)

    def _draw(
        self, by_code: NDArray[np.int64], turn: Round, ratio: Fraction, coins: Coins
    ) -> tuple[Points, ...]:
        """A test and a sign, by how much weight lies on the right side of it; its points, laid on cuts."""
        test, negative = divmod(draw_index(scores_alone(by_code, self.tests), ratio, coins), 2)
        return lay_points(self.tests, test, -turn.points if negative else turn.points, cuts=turn.cuts)

    def _table(
        self, records: Looks, draws: tuple[Points, ...], n: int, coins: Coins
    ) -> tuple[tuple[int, int], ...]:
        true = records.reduce(BySum(self.tests, draws, bucket_row(draws)))
        ratio = ratio_for(self.table_epsilon / TABLE_CHANGE)
        noisy = add_noise(true.ravel().tolist(), ratio=ratio, low=0, high=n, coins=coins)
        return tuple(pairwise(noisy))[::2]
