"""A tree that ranks: level by level, a test in every leaf, drawn on what the tree so far does not explain.

A tree that is drawn for few mistakes has no use for a split whose two sides get the same class, though their risks
may be far apart. Here each level is a round of a card: a record weighs what is left to explain of its label, capped,
and the candidates ask one question in every leaf. Their scores are sums over leaves, so the draw falls apart into one
per leaf, and costs what one round costs.
Statement: the noisy number of class 1 (a replaced record moves it by 1) and the levels (rule `weighted-rounds`) add
their epsilons. Holds if: tests, levels, shares and costs are public. Empty leaves draw like any other.
Source: register `weighted-rounds`, `geometric-noise`; levels and steps were chosen by measurement
(benchmarks/scores.py).
Proof: docs/proofs/weighted-rounds.md. Tested by tests/exact/ (rows `risk-tree`, `risk-tree-tight`, `risk-tree-levels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.cards.logits import risk_from
from privpac.concepts.cards.risks import SCALE, spread_of, start_share
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf, Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.card import rules as own_rules
from privpac.constructions.card.levels import (
    TREE_CAP,
    Growth,
    Stem,
    asks_anew,
    level_ratio,
    require_few,
    require_summable,
)
from privpac.constructions.card.spending import COUNT_CHANGE, COUNT_SHARE
from privpac.constructions.card.weights import FIFTH
from privpac.constructions.draw.occam import read_costs
from privpac.constructions.draw.stages import trees_up_to
from privpac.constructions.estimates.leaf_counts import LeafCounts, LeafTable
from privpac.data.sample import Counted, Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.numbers.exact import plain, ratio_for

__all__ = ["MOST_LEVELS", "RiskTrees", "levels_for"]

MOST_LEVELS = 6
"""Questions in a row that a person follows."""

FIRST_POINTS = 6
"""Points, of a fifth of log-odds each, between a leaf and either of its first two children; later ones lie closer."""

WHAT = "a tree from drawn tests and a noisy count"


def levels_for(records: int, epsilon: Fraction) -> int:
    """One level up to n·epsilon 256, and one more for every factor of 4, up to 6.

    With two levels already from 128 on, or from 512 on only, the mean AUC over the tables of benchmarks/scores.py is
    .001 and .009 lower; leaving out any table but pima chooses the same.

    >>> [levels_for(n, Fraction(1)) for n in (10, 100, 500, 2000, 10_000, 50_000)]
    [1, 1, 2, 3, 4, 5]
    """
    evidence = records * epsilon.numerator // epsilon.denominator
    return min(max((evidence.bit_length() - 1) // 2 - 2, 1), MOST_LEVELS)


@dataclass(frozen=True)
class RiskTrees:
    """Draw a tree of `levels` questions in a row on public tests."""

    schema: Schema
    epsilon: Fraction
    tests: Binarisation
    levels: int
    costs: Costs | None = None

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ParameterError("RiskTrees", "epsilon", plain(self.epsilon), allowed="a positive number")
        if ratio_for(self.count_epsilon / COUNT_CHANGE) == 1:
            requirement = "large enough for noise of finite size"
            raise ParameterError("RiskTrees", "epsilon", plain(self.epsilon), allowed=requirement)
        if not 1 <= self.levels <= MOST_LEVELS:
            raise ParameterError("RiskTrees", "levels", self.levels, allowed=f"from 1 to {MOST_LEVELS}")
        require_few(self.tests)
        _ = self.prices  # refuses what are no costs

    @cached_property
    def concepts(self) -> Trees:
        """Every tree it releases has these tests; deeper trees are not drawn from, only described."""
        return Trees(self.schema, 1, self.tests)

    @property
    def outcomes(self) -> int:
        return trees_up_to(self.levels, len(self.tests.tests), 2)

    @property
    def passes(self) -> int:
        """One for the number of class 1, and one per level."""
        return self.levels + 1

    @property
    def prices(self) -> Costs:
        return read_costs(self.costs, 2, "RiskTrees")

    @property
    def count_epsilon(self) -> Fraction:
        return self.epsilon * COUNT_SHARE

    @property
    def ratio(self) -> Fraction:
        """Weight of one unit of score in a level."""
        return level_ratio(self.epsilon - self.count_epsilon, self.levels)

    @property
    def schedule(self) -> tuple[int, ...]:
        """The points of each level: 6/(1 + 2k/K) in level k of K, rounded."""
        return tuple(
            (2 * FIRST_POINTS * self.levels + self.levels + 2 * k) // (2 * (self.levels + 2 * k))
            for k in range(self.levels)
        )

    def require(self, size: Size) -> None:
        size.require_labelled("A risk tree")
        require_summable(size)

    def privacy(self) -> Proof[Privacy]:
        """What the count and the levels lose together."""
        count = rules.geometric_noise(ratio=ratio_for(self.count_epsilon / COUNT_CHANGE), change=COUNT_CHANGE)
        levels = own_rules.weighted_rounds(ratio=self.ratio, cap=TREE_CAP, rounds=self.levels)
        tree = rules.post_processing(rules.sequential(count, levels), what=WHAT)
        return rules.declared(tree, epsilon=self.epsilon)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        return Certificate(
            privacy=self.privacy(),
            accuracy=(),
            learner={
                "name": "risk-tree",
                "epsilon": plain(self.epsilon),
                "levels": self.levels,
                "tests": len(self.tests.tests),
                "cap": TREE_CAP,
                "count_epsilon": plain(self.count_epsilon),
                "costs": list(self.prices),
            },
            labelled=size.labelled,
        )

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether it asks these tests only, at most this many in a row, and none whose answer is known."""
        if not isinstance(hypothesis, Tree) or hypothesis.depth > self.levels:
            return False
        own_tests = set(self.tests.tests)
        labels = all(leaf.label in (0, 1) for leaf in hypothesis.leaves())
        return labels and all(test in own_tests for test in hypothesis.tests()) and asks_anew(hypothesis)

    def learn(self, sample: Sample, coins: Coins) -> Tree:
        start = self._start(sample, coins)
        return self.draw_levels(sample, start, coins)

    def _start(self, sample: Counted, coins: Coins) -> Fraction:
        """The share of class 1 that a noisy count speaks for."""
        n = sample.size.labelled
        true = int(sample.reduce(LeafTable(Leaf(0), 2))[0, 1])
        ratio = ratio_for(self.count_epsilon / COUNT_CHANGE)
        ones = add_noise([true], ratio=ratio, low=0, high=n, coins=coins)[0]
        return start_share(ones, n, spread_of(self.count_epsilon, COUNT_CHANGE))

    def draw_levels(self, sample: Counted, start: Fraction, coins: Coins) -> Tree:
        """The tree, from a public share of class 1 on; every leaf says what its points speak for."""
        growth = Growth(Leaf(0), (Stem((), 0, start),))
        for points in self.schedule:
            growth = growth.level(sample, self.tests, points=points, ratio=self.ratio, coins=coins)
        risks = [risk_from(start, FIFTH * stem.points, scale=SCALE) / SCALE for stem in growth.stems]
        return self._with_labels(growth.tree, risks)

    def relabelled(self, tree: Tree, counts: LeafCounts) -> Tree:
        """The same questions, every leaf with the class that its noisy counts speak for: free, and better founded."""
        return self._with_labels(tree, counts.shares(tree)[:, 1].tolist())

    def _with_labels(self, tree: Tree, risks: list[float]) -> Tree:
        zero, one = self.prices
        return tree.with_leaves(Leaf(int(risk * one >= (1 - risk) * zero)) for risk in risks)
