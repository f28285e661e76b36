"""All decision trees up to a depth, drawn exactly from their Gibbs law.

Nothing is listed and nothing is searched: the co-occurrence counts hold all that the records say about every
tree, and the sums of `tree_law` stand for up to 10^35 of them. Default prior: every node down to the full
depth splits on a uniformly chosen test, and every label is equally likely.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.literals.cooccurrence import THREADS, Cooccurrence, CooccurrenceTensor, Estimate
from privpac.concepts.trees.law import Law, Region, narrowed
from privpac.concepts.trees.parts import Total
from privpac.concepts.trees.prior import CountedBySets, Prior, Shape, checked_prior, estimate
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema
from privpac.numbers.exact import fraction_of

__all__ = ["GrownRules", "Trees", "TreesGibbs"]


class GrownRules(CountedBySets, ManyLabels):
    """What trees and decision lists share: rules grown test by test under a public prior.

    A subclass is a frozen dataclass with these fields.

    `stop` is the prior probability that growth ends at a node (the first, too, unless `root_splits`), `label_prior` the
    prior of the classes where it ends, `weights` positive integers, how likely each test is; all public.
    """

    shape: ClassVar[Shape]

    stop: Fraction
    root_splits: bool
    label_prior: tuple[Fraction, ...] | None
    weights: tuple[int, ...] | None
    threads: int

    @property
    def word(self) -> str:
        return f"{self.shape}s:{self.levels}"

    def __post_init__(self) -> None:
        _ = self.prior  # refuses parameters that make none
        self.require(None)

    @cached_property
    def prior(self) -> Prior:
        return checked_prior(
            type(self).__name__, self.levels_name, shape=self.shape, depth=self.levels, tests=self.tests,
            stop=self.stop, root_splits=self.root_splits, label_prior=self.label_prior, weights=self.weights,
        )  # fmt: skip

    @property
    def size(self) -> int:
        return self.prior.size

    @property
    def odds(self) -> Fraction:
        return 1 / self.prior.least - 1

    @property
    def statistic(self) -> CooccurrenceTensor:
        return self._tensor(self.levels)

    def _tensor(self, levels: int) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, levels, len(self.schema.classes), self.threads)

    def _cost(self, levels: int, n: int) -> Estimate:
        return estimate(self._tensor(levels), n)

    def _has(self, test: Test) -> bool:
        return test in self._test_set

    @cached_property
    def _test_set(self) -> frozenset[Test]:
        return frozenset(self.tests.tests)

    def _labels(self, label: int) -> bool:
        """Whether a leaf could ever have this label."""
        return 0 <= label < len(self.prior.labels) and self.prior.labels[label] > 0

    def law(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> Law:
        return Law(self.prior, evidence, ratio, tuple(costs))


@dataclass(frozen=True)
class Trees(GrownRules, Stored):
    """Decision trees of at most `depth` levels over public tests.

    `stop` is the prior probability that a node is a leaf (the root, too, unless `root_splits`), `label_prior`
    the prior of the classes in a leaf, `weights` positive integers, how likely each test is; all public.
    """

    schema: Schema
    depth: int = 3
    binarisation: Binarisation | None = None
    stop: Fraction = Fraction(0)
    root_splits: bool = True
    label_prior: tuple[Fraction, ...] | None = None
    weights: tuple[int, ...] | None = None
    threads: int = THREADS

    shape: ClassVar[Shape] = "tree"
    levels_name: ClassVar[str] = "depth"

    @property
    def levels(self) -> int:
        return self.depth

    @property
    def least(self) -> Fraction:
        return self.prior.least

    def contains(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Tree) and self._grows(hypothesis, self.depth)

    def _grows(self, tree: Tree, left: int) -> bool:
        """Whether the prior of a tree with this many levels left is positive."""
        if isinstance(tree, Leaf):
            return self._labels(tree.label) and (left == 0 or self.prior.stop_at(left) > 0)
        if not isinstance(tree, Split) or left == 0 or not self._has(tree.test):
            return False
        return self._grows(tree.low, left - 1) and self._grows(tree.high, left - 1)

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        """Whether some member is this tree once it is merged: below a leaf, any test may have had two equal answers."""
        if not isinstance(hypothesis, Tree) or hypothesis.depth > self.depth:
            return False
        has_tests = all(self._has(test) for test in hypothesis.tests())
        labels = all(self._labels(leaf.label) for leaf in hypothesis.leaves())
        return has_tests and labels and hypothesis.merged() == hypothesis

    def gibbs(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> TreesGibbs:
        return TreesGibbs(self.tests, self.law(evidence, ratio=ratio, costs=costs))


@dataclass(frozen=True)
class TreesGibbs:
    """The law to draw trees from; the sums are made once, however many trees are drawn."""

    tests: Binarisation
    law: Law

    @property
    def key(self) -> Hashable:
        return (self.law.prior, self.law.ratio, self.law.costs, self.law.at_root().tobytes())

    @property
    def total(self) -> Total:
        """The sum over all trees; its error is that of the sums (docs/proofs/tree-sums.md)."""
        score, mass = self.law.total
        return Total(score, mass, self.law.prior.errors[self.law.prior.depth])

    def ball(self, bits: int) -> arb:
        with ctx.workprec(bits):
            return self.law.balls().sum(self.law.at_root(), self.law.prior.depth)

    def exact(self) -> Fraction:
        return fraction_of(self.law.rationals.sum(self.law.at_root(), self.law.prior.depth))

    def draw(self, coins: Coins) -> Tree:
        return self._grow((), self.law.prior.depth, coins)

    def _grow(self, region: Region, depth: int, coins: Coins) -> Tree:
        test = coins.choose(self.law.node(region, depth)) - 1 if depth else -1
        if test < 0:
            return Leaf(coins.choose(self.law.label(region)))
        low = self._grow(narrowed(region, test, False), depth - 1, coins)
        high = self._grow(narrowed(region, test, True), depth - 1, coins)
        return Split(self.tests.tests[test], low, high)
