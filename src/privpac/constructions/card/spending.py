"""What a card spends on the number of class 1, on its rounds and on its table, and why that keeps the promise.

Without a delta epsilons add up. With one, rhos do: many small rounds then cost little together, since a round that
moves within a window of epsilon costs epsilon²/8.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from privpac.constructions.card import rules as own_rules
from privpac.constructions.card.weights import CAP
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy, Unit
from privpac.guarantee.price import concentrated_price
from privpac.guarantee.proof import Proof
from privpac.numbers.concentrated import spendable
from privpac.numbers.exact import plain, ratio_for

__all__ = [
    "COUNT_CHANGE",
    "COUNT_SHARE",
    "LARGEST_ROUNDS",
    "TABLE_CHANGE",
    "Spending",
    "concentrated_spending",
    "graded_spending",
    "is_worth_a_delta",
    "pure_spending",
]

COUNT_CHANGE, TABLE_CHANGE = 1, 2
"""How far a replaced record moves the number of class 1, and the counts of the table together (two of them, by 1)."""

COUNT_SHARE, TABLE_SHARE = Fraction(2, 25), Fraction(3, 25)
"""Of epsilon, for the number of class 1 and for the table; the rounds share the rest (benchmarks/risks.py)."""

PAIRS_COUNT_SHARE, PAIRS_TABLE_SHARE = Fraction(1, 50), Fraction(1, 20)
"""The same where two answers are drawn at once, which needs many records: then little is enough for both
(docs/compare/ranks.md)."""

COUNT_RHO, TABLE_RHO = Fraction(1, 20), Fraction(1, 10)
"""The same of rho, where there is a delta (benchmarks/risks.py)."""

LARGEST_ROUNDS = Fraction(1000)
"""All rounds together spend no more: draws are certain long before, and e^epsilon can still be written."""

STEPS = 10**9
"""Epsilons that come from a rho have nine decimals."""

WHAT = "points and risks from drawn tests and noisy counts"


@dataclass(frozen=True)
class Spending(ABC):
    """Epsilons: what is promised, and what goes to the number of class 1, to each round and to the table."""

    epsilon: Fraction
    rounds: int
    count: Fraction
    each: Fraction
    table: Fraction

    @property
    def ratio(self) -> Fraction:
        """Weight of one unit of score in a round; scores lie in a window of 4·CAP units around their old places."""
        return ratio_for(self.each / (4 * CAP))

    def ratio_at(self, number: int) -> Fraction:
        """Weight of one unit of score in the round of this number, counted from 0."""
        return self.ratio

    def steps(self, unit: Unit) -> tuple[Proof[Privacy], Proof[Privacy], Proof[Privacy]]:
        """What count, rounds and table lose, each by itself."""
        count = rules.geometric_noise(
            ratio=ratio_for(self.count / COUNT_CHANGE), change=COUNT_CHANGE, unit=unit
        )
        rounds = self.drawn(unit)
        table = rules.geometric_noise(
            ratio=ratio_for(self.table / TABLE_CHANGE), change=TABLE_CHANGE, unit=unit
        )
        return count, rounds, table

    def drawn(self, unit: Unit) -> Proof[Privacy]:
        """What all rounds lose."""
        return own_rules.weighted_rounds(ratio=self.ratio, cap=CAP, rounds=self.rounds, unit=unit)

    @abstractmethod
    def privacy(self, unit: Unit) -> Proof[Privacy]:
        """What they lose together."""


@dataclass(frozen=True)
class _Pure(Spending):
    def privacy(self, unit: Unit) -> Proof[Privacy]:
        card = rules.post_processing(rules.sequential(*self.steps(unit)), what=WHAT)
        return rules.declared(card, epsilon=self.epsilon)


@dataclass(frozen=True)
class _Graded(_Pure):
    """Rounds that bring fewer points find less to explain, and are told more: `each` divided by their points."""

    schedule: tuple[int, ...]

    def ratio_at(self, number: int) -> Fraction:
        return self._ratio_for(self.schedule[number])

    def _ratio_for(self, points: int) -> Fraction:
        return ratio_for(self.each / points / (4 * CAP))

    def drawn(self, unit: Unit) -> Proof[Privacy]:
        alike = [
            own_rules.weighted_rounds(ratio=self._ratio_for(points), cap=CAP, rounds=rounds, unit=unit)
            for points, rounds in Counter(self.schedule).items()
        ]
        return rules.sequential(*alike) if len(alike) > 1 else alike[0]


@dataclass(frozen=True)
class _WithDelta(Spending):
    delta: Fraction
    order: Fraction
    """The witness of the conversion from rho."""

    def privacy(self, unit: Unit) -> Proof[Privacy]:
        count, rounds, table = self.steps(unit)
        together = rules.concentrated_sum(
            rules.noise_concentrated(count, largest=1),
            concentrated_price(rounds),
            rules.noise_concentrated(table, largest=1),
        )
        card = rules.concentrated_post_processing(together, what=WHAT)
        promise = rules.concentrated_privacy(card, delta=self.delta, order=self.order)
        return rules.declared(promise, epsilon=self.epsilon, delta=self.delta)


def pure_spending(epsilon: Fraction, rounds: int) -> Spending:
    """Shares of epsilon."""
    count, table = epsilon * COUNT_SHARE, epsilon * TABLE_SHARE
    return _Pure(epsilon, rounds, count, min(epsilon - count - table, LARGEST_ROUNDS) / rounds, table)


def graded_spending(epsilon: Fraction, schedule: tuple[int, ...]) -> Spending:
    """Shares of epsilon for rounds of two answers at once: twice as much for a round of half the points."""
    count, table = epsilon * PAIRS_COUNT_SHARE, epsilon * PAIRS_TABLE_SHARE
    all_rounds = min(epsilon - count - table, LARGEST_ROUNDS)
    each = all_rounds / sum(Fraction(1, points) for points in schedule)
    return _Graded(epsilon, len(schedule), count, each, table, schedule)


def concentrated_spending(epsilon: Fraction, delta: Fraction, rounds: int) -> Spending:
    """Shares of the rho that (epsilon, delta) allows.

    A count that moves by 1 costs at most epsilon²/2, a round epsilon²/8, a table of which two counts move by 1
    epsilon²/4: each takes the largest epsilon of nine decimals that its share of rho allows. Refused if there is none.
    """
    total = spendable(epsilon, delta)
    count = _root_down(2 * COUNT_RHO * total.rho)
    each = _root_down(8 * (1 - COUNT_RHO - TABLE_RHO) * total.rho / rounds)
    table = _root_down(4 * TABLE_RHO * total.rho)
    if min(count, each, table) <= 0:
        raise ParameterError(
            "Card",
            "delta",
            plain(delta),
            allowed="large enough to leave something to spend",
            remedy="Choose a larger delta or epsilon, or delta 0.",
        )
    each = min(each, LARGEST_ROUNDS / rounds)
    return _WithDelta(epsilon, rounds, count, each, table, delta, total.order)


ROUNDED = Fraction(8, 10**12)
"""A rho is rounded up by 1e-12 at most, and no square is more than 8 of them."""


def _root_down(square: Fraction) -> Fraction:
    """A root of nine decimals, one step below the largest for a square that is smaller by `ROUNDED`: so a loss that is
    rounded up stays within its square, however small that is."""
    return Fraction(math.isqrt(math.floor(max(Fraction(0), square - ROUNDED) * STEPS**2)) - 1, STEPS)


def is_worth_a_delta(epsilon: Fraction, delta: Fraction, rounds: int) -> bool:
    """Whether rounds that share rho can be told more, all together, than rounds that share epsilon.

    Not if they are few, or delta is tiny: then a card without a delta is the better one, and promises more.

    >>> [is_worth_a_delta(Fraction(1), Fraction(1, 10**6), rounds) for rounds in (2, 5, 72)]
    [False, True, True]
    """
    if delta == 0:
        return False
    share = 8 * (1 - COUNT_RHO - TABLE_RHO) * spendable(epsilon, delta).rho
    return rounds * share > (epsilon * (1 - COUNT_SHARE - TABLE_SHARE)) ** 2
