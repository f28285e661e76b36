"""All decision trees up to a depth, drawn exactly from their Gibbs law.

Nothing is listed and nothing is searched: the co-occurrence counts hold all that the records say about every
tree, and the sums of `tree_law` stand for up to 10^35 of them. Default prior: every node down to the full
depth splits on a uniformly chosen test, and every label is equally likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privpac.coins import Coins
from privpac.concepts.base import Costs
from privpac.concepts.binarise import Binarisation
from privpac.concepts.tensor import THREADS, Cooccurrence, CooccurrenceTensor, Estimate
from privpac.concepts.tree import Leaf, Split, Tree
from privpac.concepts.tree_law import Law, Region, narrowed
from privpac.concepts.tree_prior import Prior, checked_prior, estimate, refuse_beyond
from privpac.data.schema import Schema

__all__ = ["Trees", "TreesGibbs"]


@dataclass(frozen=True)
class Trees:
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

    def __post_init__(self) -> None:
        assert self.prior is not None  # checks all parameters
        self.require(None)

    @cached_property
    def tests(self) -> Binarisation:
        return self.binarisation or Binarisation.of(self.schema)

    @cached_property
    def prior(self) -> Prior:
        return checked_prior(
            "Trees", "depth", shape="tree", depth=self.depth, tests=self.tests, stop=self.stop,
            root_splits=self.root_splits, label_prior=self.label_prior, weights=self.weights,
        )  # fmt: skip

    @property
    def word(self) -> str:
        return f"trees:{self.depth}"

    @property
    def size(self) -> int:
        return self.prior.size

    @property
    def odds(self) -> Fraction:
        return 1 / self.prior.least - 1

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @property
    def statistic(self) -> CooccurrenceTensor:
        return self._tensor(self.depth)

    def _tensor(self, depth: int) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, depth, len(self.schema.classes), self.threads)

    def _cost(self, depth: int, n: int) -> Estimate:
        return estimate(self._tensor(depth), self.prior, n)

    def estimate(self, n: int) -> Estimate:
        """Public estimate of time and memory for n records."""
        return self._cost(self.depth, n)

    def require(self, n: int | None) -> None:
        """Refuse, before anything is read, what would not fit in memory or (where n is known) in time."""
        refuse_beyond("Trees", "depth", self.depth, self.prior.tests, self._cost, n=n)

    def gibbs(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> TreesGibbs:
        return TreesGibbs(self.tests, Law(self.prior, evidence, ratio, tuple(costs), self.threads))


@dataclass(frozen=True)
class TreesGibbs:
    """The law to draw trees from; the sums are made once, however many trees are drawn."""

    tests: Binarisation
    law: Law

    def draw(self, coins: Coins) -> Tree:
        return self._grow((), self.law.prior.depth, coins)

    def _grow(self, region: Region, depth: int, coins: Coins) -> Tree:
        test = coins.choose(self.law.node(region, depth)) - 1 if depth else -1
        if test < 0:
            return Leaf(coins.choose(self.law.label(region)))
        low = self._grow(narrowed(region, test, False), depth - 1, coins)
        high = self._grow(narrowed(region, test, True), depth - 1, coins)
        return Split(self.tests.tests[test], low, high)
