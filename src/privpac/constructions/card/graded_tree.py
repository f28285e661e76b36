"""The default tree with graded leaves: its classes as they are, and below each leaf questions that tell risks apart.

A tree that is drawn for few mistakes has few leaves, and all records of a leaf are told the same risk. Here a part of
epsilon draws that tree; noisy counts say what share of class 1 its leaves hold; and further levels
(`levels`) grow on them. No label changes, so what is proved of the first tree's mistakes stays true.
Statement: first tree, counts and levels (rule `weighted-rounds`) add their epsilons.
Holds if: tests, levels and shares are public. Empty leaves draw like any other.
Source: register `weighted-rounds`, `geometric-noise`; shares, levels and points were chosen by measurement
(benchmarks/risks.py).
Proof: docs/proofs/weighted-rounds.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import AnyClass, Hypothesis
from privpac.concepts.cards.risks import spread_of, start_share
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.base import Learner
from privpac.constructions.card import rules as own_rules
from privpac.constructions.card.levels import (
    TREE_CAP,
    Growth,
    asks_anew,
    level_ratio,
    require_few,
    require_summable,
)
from privpac.constructions.estimates.leaf_counts import CHANGE, leaf_counts_privacy, release_leaf_counts
from privpac.data.sample import Counted, Sample, Size
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain
from privpac.numbers.parameters import positive, up_to_one

__all__ = ["GRADED_FROM", "GradedTrees", "graded_share"]

GRADED = Fraction(3, 8)
"""Of epsilon, for grading the leaves of the tree whose classes count, once there are records enough."""

COUNT_SHARE, LEVELS_SHARE = Fraction(1, 6), Fraction(5, 6)
"""Of that: for the shares of class 1 in the leaves, and for all levels below."""

POINTS = (4, 2)
"""Points, of a fifth of log-odds each, between a leaf and either of its children, level by level."""

GRADED_FROM = 800
"""n·epsilon from where on leaves are worth grading; below, the counts of this many leaves are nearly all noise."""


def graded_share(evidence: Fraction) -> Fraction:
    """The share of epsilon that grading takes at this n·epsilon: it grows from nothing, so that no record more makes
    the tree itself worse all at once.

    >>> graded_share(Fraction(800)), graded_share(Fraction(2000))
    (Fraction(0, 1), Fraction(3, 8))
    """
    return GRADED * min(Fraction(1), max(Fraction(0), evidence / GRADED_FROM - 1))


WHAT = "a tree from the first one, noisy counts and drawn tests"


@dataclass(frozen=True)
class GradedTrees:
    """The trees of `first`, every leaf split up to twice more by risk. `epsilon` is that of all of it, `graded` the
    share of it that is not the first tree's."""

    first: Learner
    epsilon: Fraction
    tests: Binarisation
    graded: Fraction = GRADED

    def __post_init__(self) -> None:
        positive(self.epsilon, owner="GradedTrees", name="epsilon")
        up_to_one(self.graded, owner="GradedTrees", name="graded")
        require_few(self.tests)

    @property
    def concepts(self) -> AnyClass:
        """What labels are drawn from: the class of the first tree."""
        return self.first.concepts

    @property
    def outcomes(self) -> int | None:
        """As many labellings as the first tree has: grading changes no label."""
        return self.first.outcomes

    @property
    def passes(self) -> int:
        """Those of the first tree, one for the counts, and one per level."""
        return self.first.passes + 1 + len(POINTS)

    @property
    def count_epsilon(self) -> Fraction:
        return self.epsilon * self.graded * COUNT_SHARE

    @property
    def ratio(self) -> Fraction:
        """Weight of one unit of score in a level."""
        return level_ratio(self.epsilon * self.graded * LEVELS_SHARE, len(POINTS))

    def require(self, size: Size) -> None:
        size.require_labelled("A graded tree")
        require_summable(size)
        self.first.require(size)

    def _privacy(self, first: Proof[Privacy]) -> Proof[Privacy]:
        counts = leaf_counts_privacy(epsilon=self.count_epsilon)
        levels = own_rules.weighted_rounds(ratio=self.ratio, cap=TREE_CAP, rounds=len(POINTS))
        tree = rules.post_processing(rules.sequential(first, counts, levels), what=WHAT)
        return rules.declared(tree, epsilon=self.epsilon)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        first = self.first.certify(size)
        learner = {
            "name": "graded-tree",
            "epsilon": plain(self.epsilon),
            "levels": len(POINTS),
            "tests": len(self.tests.tests),
            "cap": TREE_CAP,
            "count_epsilon": plain(self.count_epsilon),
            "first": first.learner,
        }
        return replace(first, privacy=self._privacy(first.privacy), learner=learner)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Whether it is a tree of the first kind, once splits between equal classes are taken back, and what was taken
        back are few enough levels of these tests that ask something new."""
        if not isinstance(hypothesis, Tree) or not asks_anew(hypothesis):
            return False
        first = hypothesis.merged()
        own_tests = set(self.tests.tests)
        parts = _grades(hypothesis, first)
        fits = parts is not None and all(
            part.depth <= len(POINTS) and all(test in own_tests for test in part.tests()) for part in parts
        )
        return fits and self.first.releases(first, size)

    def learn(self, sample: Sample, coins: Coins) -> Tree:
        first = self.first.learn(sample, coins)
        assert isinstance(first, Tree)  # what learners over classes of trees return
        return self.draw_levels(sample, self.started(sample, first, coins), coins).tree

    def started(self, sample: Sample, first: Tree, coins: Coins) -> Growth:
        """A tree that is released, with shares of class 1 in its leaves that noisy counts speak for."""
        counts = release_leaf_counts(sample, first, epsilon=self.count_epsilon, coins=coins).counts
        spread = spread_of(self.count_epsilon, CHANGE)
        return Growth.on(first, iter([start_share(ones, zeros + ones, spread) for zeros, ones in counts]))

    def draw_levels(self, sample: Counted, growth: Growth, coins: Coins) -> Growth:
        """All levels, on a tree and shares of class 1 in its leaves that are released."""
        for points in POINTS:
            growth = growth.level(sample, self.tests, points=points, ratio=self.ratio, coins=coins)
        return growth


def _grades(tree: Tree, first: Tree) -> list[Tree] | None:
    """What stands in a tree where `first`, the same tree merged, has its leaves; None if it does not begin with it."""
    if isinstance(first, Leaf):
        return [tree] if all(leaf.label == first.label for leaf in tree.leaves()) else None
    if not (isinstance(tree, Split) and isinstance(first, Split) and tree.test == first.test):
        return None
    low, high = _grades(tree.low, first.low), _grades(tree.high, first.high)
    return None if low is None or high is None else low + high
