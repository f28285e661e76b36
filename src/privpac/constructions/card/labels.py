"""A risk card whose features are public: only labels are protected.

Then cuts may lie where values occur, at no cost: a neighbour has the same features. The rounds, the count and the table
are those of `CardLearner`, with the label as unit in every fact.
Statement: epsilon-DP, or (epsilon, delta)-DP, when one record's label is replaced, for any features whatever.
Proof: docs/proofs/weighted-rounds.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.cards.card import Card
from privpac.concepts.fitting import misfit
from privpac.concepts.grids import CUTS
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.parts import OneTest
from privpac.constructions.card.learner import CardLearner
from privpac.constructions.draw.occam import PUBLIC_FEATURES
from privpac.constructions.labels.features import is_possible, tests_from_features
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Unit

__all__ = ["LabelPrivateCard"]


@dataclass(frozen=True)
class LabelPrivateCard:
    """Draw a card of `rounds` tests that come from the public features."""

    schema: Schema
    epsilon: Fraction
    rounds: int
    costs: Costs | None = None
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        _ = self._largest  # refuses what it does not have

    def _card(self, tests: Binarisation) -> CardLearner:
        return CardLearner(self.schema, self.epsilon, tests, self.rounds, self.costs, Unit.LABEL, self.delta)

    @property
    def _largest(self) -> CardLearner:
        """With as many tests as the features can choose, at most."""
        return self._card(Binarisation.of(self.schema))

    @property
    def concepts(self) -> OneTest:
        """The class that a round draws from, as far as the schema alone fixes it."""
        return self._largest.concepts

    @property
    def outcomes(self) -> int:
        """Cuts may lie at any cell, since the features choose them: also each of those that a round's points lie on."""
        steps, sizes = self._largest.steps, [column.size for column in self.schema.columns]
        draws: int = math.prod(2 * sum(size**turn.cuts for size in sizes) for turn in steps.rounds)
        return draws * (sum(steps.schedule) + 2)

    @property
    def passes(self) -> int:
        """One look per column decides the tests."""
        return len(self.schema.columns) + self._largest.passes

    def require(self, size: Size) -> None:
        """Refuse what `learn` could not do with this many records."""
        self._largest.require(size)

    def certify(self, size: Size) -> Certificate:
        """What will be true of `learn` on this many records."""
        inner = self._largest.certify(size)
        learner = {**inner.learner, "name": "label-private-card", "cuts": CUTS}
        return replace(inner, learner=learner).assuming(PUBLIC_FEATURES)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Tests lie where the features choose: at any cell but the first of an ordered column, at any category."""
        if not isinstance(hypothesis, Card) or misfit(hypothesis, self.schema) is not None:
            return False
        tests = [one.test for one in hypothesis.drawn]
        possible = all(isinstance(test, Test) and is_possible(test, self.schema) for test in tests)
        return possible and self._largest.fits(hypothesis, size)

    def learn(self, sample: Sample, coins: Coins) -> Card:
        """Choose tests by the features, then draw a card."""
        return self._card(tests_from_features(sample, cuts=CUTS)).learn(sample, coins)
