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
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.cards.logits import risk_from
from privpac.concepts.cards.risks import SCALE, spread_of, start_share
from privpac.concepts.cards.tallies import Points, held_by_test
from privpac.concepts.literals.binarise import Binarisation, Facts, implied
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import require_labels
from privpac.constructions.card import rules as own_rules
from privpac.constructions.card.spending import COUNT_CHANGE, COUNT_SHARE, LARGEST_ROUNDS
from privpac.constructions.card.weights import FIFTH, UNITS, residuals
from privpac.constructions.draw.occam import LARGEST_PRICE, read_costs
from privpac.constructions.draw.stages import trees_up_to
from privpac.constructions.estimates.leaf_counts import LeafCounts, LeafTable
from privpac.data.sample import Block, Counted, Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.mechanisms.geometric import add_noise
from privpac.mechanisms.gibbs import draw_index
from privpac.numbers.exact import plain, ratio_for

__all__ = ["MOST_LEVELS", "TREE_CAP", "LeafWeights", "RiskTrees", "levels_for"]

MOST_LEVELS = 6
"""Questions in a row that a person follows."""

FIRST_POINTS = 6
"""Points, of a fifth of log-odds each, between a leaf and either of its first two children; later ones lie closer."""

TREE_CAP = 26
"""Weights are cut at this many units, about .4: what the tree was measured with (benchmarks/scores.py)."""

MOST_TESTS = 20_000
"""Tests that each leaf chooses from: a level holds a sum of weights for every one of them in every leaf."""

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
class LeafWeights:
    """The additive statistic: sums of weights by leaf of a tree (row) and code of each column. The weight of a record
    depends on its label and on its leaf: `weights[label][leaf]`."""

    tests: Binarisation
    tree: Tree
    weights: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.tests.columns

    @property
    def _ends(self) -> tuple[int, ...]:
        """Where the codes of each column end in one long row of them."""
        return tuple(accumulate(len(group.cells) + 1 for group in self.tests.groups))

    def zero(self) -> NDArray[np.int64]:
        return np.zeros((len(self.weights[0]), self._ends[-1]), dtype=np.int64)

    def absorb(self, state: NDArray[np.int64], block: Block) -> NDArray[np.int64]:
        if block.labels is None:
            raise SizeError("Weights in leaves need labelled records.")
        leaves = self.tree.leaf_numbers(block.cells, n=block.n).astype(np.int64)
        weights = np.array(self.weights, dtype=np.float64)[block.labels, leaves]
        start = 0
        for codes, end in zip(self.tests.codes(block), self._ends, strict=True):
            size = end - start
            # Whole numbers far below 2^53: their sums in doubles are exact.
            sums = np.bincount(leaves * size + codes, weights=weights, minlength=len(state) * size)
            state[:, start:end] += sums.reshape(len(state), size).astype(np.int64)
            start = end
        return state

    def merge(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return a + b


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
            allowed = "large enough for noise of finite size"
            raise ParameterError("RiskTrees", "epsilon", plain(self.epsilon), allowed=allowed)
        if not 1 <= self.levels <= MOST_LEVELS:
            raise ParameterError("RiskTrees", "levels", self.levels, allowed=f"from 1 to {MOST_LEVELS}")
        if len(self.tests.tests) > MOST_TESTS:
            raise SizeError(
                f"A leaf chooses from at most {MOST_TESTS} tests, and this schema has {len(self.tests.tests)}.",
                remedy="Leave out a column of very many categories.",
            )
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
        left = min(self.epsilon - self.count_epsilon, LARGEST_ROUNDS)
        return ratio_for(left / self.levels / (4 * TREE_CAP))

    @property
    def schedule(self) -> tuple[int, ...]:
        """The points of each level: 6/(1 + 2k/K) in level k of K, rounded."""
        return tuple(
            (2 * FIRST_POINTS * self.levels + self.levels + 2 * k) // (2 * (self.levels + 2 * k))
            for k in range(self.levels)
        )

    def require(self, size: Size) -> None:
        require_labels("A risk tree", size)
        if size.labelled * UNITS >= LARGEST_PRICE:
            raise SizeError(
                f"RiskTrees: {size.labelled} records are beyond 64-bit scores.", remedy="Take a sample."
            )

    def privacy(self) -> Proof[Privacy]:
        """What the count and the levels lose together."""
        count = rules.geometric_noise(ratio=ratio_for(self.count_epsilon / COUNT_CHANGE), change=COUNT_CHANGE)
        drawn = own_rules.weighted_rounds(ratio=self.ratio, cap=TREE_CAP, rounds=self.levels)
        tree = rules.post_processing(rules.sequential(count, drawn), what=WHAT)
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
        """Whether it asks these tests only, at most so many in a row, and none whose answer is known."""
        if not isinstance(hypothesis, Tree) or hypothesis.depth > self.levels:
            return False
        known = set(self.tests.tests)
        labels = all(leaf.label in (0, 1) for leaf in hypothesis.leaves())
        return labels and all(test in known for test in hypothesis.tests()) and _asks_anew(hypothesis, ())

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
        tree: Tree = Leaf(0)
        leaves: list[tuple[Facts, int]] = [((), 0)]
        for points in self.schedule:
            sums = sample.reduce(LeafWeights(self.tests, tree, _weights(start, [held for _, held in leaves])))
            growth = [
                _growth(facts, held, self._draw(row, points, coins))
                for (facts, held), row in zip(leaves, sums, strict=True)
            ]
            tree = tree.with_leaves(iter([subtree for subtree, _ in growth]))
            leaves = [leaf for _, below in growth for leaf in below]
        risks = [risk_from(start, FIFTH * points, scale=SCALE) / SCALE for _, points in leaves]
        return self._labelled(tree, risks)

    def _draw(self, by_code: NDArray[np.int64], points: int, coins: Coins) -> Points:
        """A test and a sign for one leaf, by how much weight lies on the right side of it."""
        everyone = int(by_code[: len(self.tests.groups[0].cells) + 1].sum())
        gains = 2 * held_by_test(by_code, self.tests) - everyone
        scores = np.column_stack([-gains, gains]).ravel()
        test, negative = divmod(draw_index(scores.tolist(), self.ratio, coins), 2)
        return Points(self.tests.tests[test], -points if negative else points)

    def relabelled(self, tree: Tree, counts: LeafCounts) -> Tree:
        """The same questions, every leaf with the class that its noisy counts speak for: free, and better founded."""
        return self._labelled(tree, counts.shares(tree)[:, 1].tolist())

    def _labelled(self, tree: Tree, risks: list[float]) -> Tree:
        zero, one = self.prices
        return tree.with_leaves(Leaf(int(risk * one >= (1 - risk) * zero)) for risk in risks)


def _weights(start: Fraction, points: list[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a record of either class weighs in each leaf."""
    largest = max(abs(one) for one in points)
    zeros, ones = residuals(start, largest, cap=TREE_CAP)
    return tuple(zeros[one + largest] for one in points), tuple(ones[one + largest] for one in points)


def _growth(facts: Facts, held: int, drawn: Points) -> tuple[Tree, list[tuple[Facts, int]]]:
    """What grows on a leaf, and its leaves, each with the answers and the points that lead there.

    A test whose answer is known there splits nothing: all records of the leaf get the points of that answer.
    """
    known = implied(drawn.test, facts)
    if known is not None:
        return Leaf(0), [(facts, held + drawn.points if known else held - drawn.points)]
    low = ((*facts, (drawn.test, False)), held - drawn.points)
    high = ((*facts, (drawn.test, True)), held + drawn.points)
    return Split(drawn.test, Leaf(0), Leaf(0)), [low, high]


def _asks_anew(tree: Tree, facts: Facts) -> bool:
    """Whether no test's answer follows from those above it."""
    if not isinstance(tree, Split):
        return True
    below = ((tree.low, False), (tree.high, True))
    return implied(tree.test, facts) is None and all(
        _asks_anew(child, (*facts, (tree.test, answer))) for child, answer in below
    )
