"""A tree that refines an earlier one, or is drawn afresh: two draws, and the second decides.

Statement: draws at ratios r1 and r2 are together epsilon-DP with e^epsilon = (r1·r2)^(-2·sensitivity).
The second draws from a mixture of trees afresh and, besides, from the trees that grow every leaf of the first by a few
levels; a product of laws in leaves is one draw, for the mistakes of all leaves add up. For independent records
the error is near that of the best member of the mixture, however bad the first tree is (rule `refined-draw`).
Holds if: mixture, first class, depths, shares and handicaps come from public numbers.
Source: register `exponential-mechanism`, `sequential`, `refined-draw-realizable`, `refined-draw-agnostic` (ours).
Proof: docs/proofs/refined-draw.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.mixture import MixtureGibbs, TreeMixture
from privpac.concepts.trees.parts import PartGibbs, Total
from privpac.concepts.trees.tree import Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import FAILURE, LEFT_OUT, check_price, read_costs
from privpac.constructions.draw.promises import Draw, Earlier
from privpac.data.sample import Sample, Size
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.mechanisms.gibbs import power_table
from privpac.numbers.exact import UNIT_ROUNDOFF, plain, power_up, ratio_for
from privpac.theory.refined import Kind

__all__ = ["AFRESH", "REFINED", "RefinedTrees", "refinements"]

AFRESH, REFINED = 27, 1
"""Shares of the second draw: nine tenths on the mixture afresh, a thirtieth on the refinements of each depth."""

STOP = Fraction(1, 2)
"""A fair coin at every node of a refinement: trees stay a third of the size at the same accuracy."""

KEEP_LABEL = Fraction(3, 4)
"""Prior probability, in a refinement, of the label that the leaf has already."""


def trees_up_to(depth: int, tests: int, classes: int) -> int:
    """How many trees of at most this many levels there are, with their labels.

    >>> trees_up_to(1, 3, 2)
    14
    """
    trees = classes
    for _ in range(depth):
        trees = tests * trees**2 + classes
    return trees


def refinements(
    first: TreeMixture, depths: Sequence[int], sets: Sequence[Binarisation], *, rarest: Fraction
) -> list[Kind]:
    """The refinements of each depth, in numbers: odds over a member whose prior in the mixture is `rarest`."""
    classes, levels = len(first.schema.classes), max(part.statistic.depth for part in first.parts)
    tests = len({test for tests in sets for test in tests.tests})
    shares = AFRESH + REFINED * len(depths)
    odds = Fraction(REFINED, shares) / (Fraction(AFRESH, shares) * rarest)
    kinds = []
    for depth in depths:
        leaf = sum(trees_up_to(depth, len(group.tests), classes) for group in sets)
        draws = first.size * leaf**2**levels
        kinds.append(Kind(odds, min(draws, trees_up_to(levels + depth, tests, classes))))
    return kinds


@dataclass(frozen=True)
class RefinedTrees:
    """`fresh`, or what refines a tree of the mixture `first`, which spends the `share` of epsilon.

    `depths` are how many levels refinements add at most, `handicaps` the mistakes each of them is charged in addition.
    """

    fresh: TreeMixture
    first: TreeMixture
    epsilon: Fraction
    share: Fraction
    depths: tuple[int, ...] = (1, 2, 3)
    handicaps: tuple[int, ...] = (0, 0, 0)
    costs: Costs | None = None
    failure: Fraction = FAILURE
    threads: int = 2

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ParameterError("RefinedTrees", "epsilon", plain(self.epsilon), allowed="a positive number")
        if not 0 < self.share < 1:
            raise ParameterError("RefinedTrees", "share", plain(self.share), allowed="above 0 and below 1")
        if not self.depths or len(self.handicaps) != len(self.depths) or min(self.handicaps) < 0:
            raise ParameterError(
                "RefinedTrees", "handicaps", self.handicaps, allowed="a whole number for every depth"
            )
        _ = self.prices, self._growing  # both refuse what there is not

    @property
    def concepts(self) -> TreeMixture:
        """The mixture that accuracy is promised against."""
        return self.fresh

    @cached_property
    def prices(self) -> Costs:
        """The price of misjudging a record of each class: 1 unless `costs` say otherwise."""
        return read_costs(self.costs, len(self.fresh.schema.classes), "RefinedTrees")

    @cached_property
    def ratios(self) -> tuple[Fraction, Fraction]:
        """What a weight is multiplied by for each unit of score, in the first and in the second draw."""
        spent = self.epsilon * self.share, self.epsilon * (1 - self.share)
        first, second = (ratio_for(part / (2 * max(self.prices))) for part in spent)
        return first, second

    @cached_property
    def _sets(self) -> tuple[Binarisation, ...]:
        """The tests that leaves are refined by: those of the first tree."""
        return tuple(dict.fromkeys(part.statistic.binarisation for part in self.first.parts))

    @cached_property
    def _growing(self) -> Mapping[tuple[int, int], TreeMixture]:
        """The refinements of a leaf, by their depth and the label of the leaf: trees on each set of tests that may
        stop anywhere, and end in that label more often than not."""
        classes = range(len(self.fresh.schema.classes))
        other = (1 - KEEP_LABEL) / (len(classes) - 1)

        def grown(depth: int, label: int, tests: Binarisation) -> Trees:
            return Trees(
                self.fresh.schema,
                depth,
                tests,
                stop=STOP,
                root_splits=False,
                label_prior=tuple(KEEP_LABEL if y == label else other for y in classes),
                threads=self.threads,
            )

        return {
            (depth, label): TreeMixture(
                tuple(grown(depth, label, tests) for tests in self._sets), (1,) * len(self._sets)
            )
            for depth in self.depths
            for label in classes
        }

    def _kinds(self, rarest: Fraction) -> list[Kind]:
        """The refinements of each depth, handicaps counted."""
        kinds = refinements(self.first, self.depths, self._sets, rarest=rarest)
        ratio = self.ratios[1]
        return [
            Kind(kind.odds * power_up(ratio, handicap), kind.size)
            for kind, handicap in zip(kinds, self.handicaps, strict=True)
        ]

    @property
    def outcomes(self) -> int:
        """All that is drawn afresh, and all refinements."""
        return self.fresh.size + sum(kind.size for kind in self._kinds(Fraction(1)))

    @property
    def passes(self) -> int:
        """One look for each draw, and one at the leaves."""
        return 3

    def require(self, size: Size) -> None:
        if size.labelled < 1:
            raise SizeError("Trees need at least one labelled record.")
        for ratio in self.ratios:
            check_price(size, self.prices, ratio=ratio, owner="Trees")
        for concepts in (self.fresh, self.first, *self._growing.values()):
            concepts.require(size.labelled)

    def _first_privacy(self) -> Proof[Privacy]:
        return rules.exponential_mechanism(ratio=self.ratios[0], sensitivity=max(self.prices))

    def draw(self, records: int) -> Draw:
        """The second draw, in the numbers that accuracy follows from."""
        return Draw(
            self.fresh,
            records=records,
            ratio=power_up(self.ratios[1], max(self.prices)),
            unit=self.ratios[1],
            failure=self.failure,
            earlier=Earlier(
                self._first_privacy(), self._kinds, Fraction(AFRESH, AFRESH + REFINED * len(self.depths))
            ),
        )

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        first = self._first_privacy()
        second = rules.exponential_mechanism(ratio=self.ratios[1], sensitivity=max(self.prices))
        both = rules.post_processing(rules.sequential(first, second), what=LEFT_OUT)
        return Certificate(
            privacy=rules.declared(both, epsilon=self.epsilon),
            accuracy=self.draw(size.labelled).promises(),
            learner={
                "name": "refined-trees",
                "concepts": self.fresh.word,
                "first": self.first.word,
                "share": plain(self.share),
                "depths": list(self.depths),
                "handicaps": list(self.handicaps),
                "epsilon": plain(self.epsilon),
                "costs": list(self.prices),
                "failure": plain(self.failure),
            },
            labelled=size.labelled,
        )

    @cached_property
    def _all_tests(self) -> frozenset[Test]:
        return frozenset(test for tests in self._sets for test in tests.tests)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """A merged tree of the mixture, or one of at most as many levels as the first has and a refinement adds."""
        if self.fresh.contains_merged(hypothesis):
            return True
        levels = max(part.statistic.depth for part in self.first.parts) + max(self.depths)
        if not isinstance(hypothesis, Tree) or hypothesis.depth > levels:
            return False
        tests = all(test in self._all_tests for test in hypothesis.tests())
        labels = all(0 <= leaf.label < len(self.fresh.schema.classes) for leaf in hypothesis.leaves())
        return tests and labels and hypothesis.merged() == hypothesis

    def learn(self, sample: Sample, coins: Coins) -> Tree:
        ratio = self.ratios[0]
        evidence = sample.reduce(self.first.statistic)
        tree = self.first.gibbs(evidence, ratio=ratio, costs=self.prices).draw(coins)
        return self._second(tree, sample).draw(coins).merged()

    def _second(self, tree: Tree, sample: Sample) -> MixtureGibbs:
        """The law of the second draw, given the first."""
        ratio = self.ratios[1]
        fresh = self.fresh.gibbs(sample.reduce(self.fresh.statistic), ratio=ratio, costs=self.prices)
        leaves = list(tree.leaves())
        deepest = max(self.depths)
        statistic = self._growing[deepest, 0].statistic
        parts = sample.parts(tree.leaf_numbers, len(leaves), columns=tree.columns)
        counts = [part.reduce(statistic) for part in parts]
        laws = [
            GrownGibbs(
                tree,
                tuple(
                    self._growing[depth, leaf.label].gibbs(evidence, ratio=ratio, costs=self.prices)
                    for leaf, evidence in zip(leaves, counts, strict=True)
                ),
                ratio,
            )
            for depth in self.depths
        ]
        shares = (AFRESH, *(REFINED for _ in self.depths))
        return MixtureGibbs((fresh, *laws), shares, ratio, (0, *self.handicaps))


@dataclass(frozen=True, eq=False, repr=False)
class GrownGibbs:
    """The law of a tree whose leaves are refined each by its own records: the product of the leaves' laws."""

    tree: Tree
    leaves: tuple[MixtureGibbs, ...]
    ratio: Fraction

    @property
    def key(self) -> Hashable:
        return ("grown", self.tree, tuple(leaf.key for leaf in self.leaves))

    @cached_property
    def total(self) -> Total:
        """Scores and errors add up, masses multiply. A small mass is written as mistakes more, so that the product of
        many stays within the range of floats: a power (2) and three roundings a leaf."""
        score, mass, error = 0, 1.0, 0.0
        for leaf in (leaf.total for leaf in self.leaves):
            if leaf.error >= 1.0 or not 0.0 < leaf.mass < math.inf:
                return Total(score, 1.0, 1.0)
            product = mass * leaf.mass
            steps = int(math.log(product) / math.log(self.ratio)) if product < 1.0 else 0
            table = power_table(self.ratio, steps)
            steps = min(steps, len(table) - 1)
            score, mass = score + leaf.score + steps, product / float(table[steps])
            error += leaf.error + 5 * UNIT_ROUNDOFF
        return Total(score, mass, 1.01 * error)

    def ball(self, bits: int) -> arb:
        with ctx.workprec(bits):
            whole = arb(1)
            for leaf in self.leaves:
                whole *= leaf.ball(bits)
            return whole

    def exact(self) -> Fraction:
        return math.prod((leaf.exact() for leaf in self.leaves), start=Fraction(1))

    def draw(self, coins: Coins) -> Tree:
        return self.tree.with_leaves(iter([leaf.draw(coins) for leaf in self.leaves]))


_: type[PartGibbs] = GrownGibbs
