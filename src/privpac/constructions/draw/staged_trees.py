"""Decision trees drawn exactly, in one stage or several: each further stage grows every leaf on the leaf's own records.

Statement: a first stage at ratio r1 and further stages at r2, … are together epsilon-DP with
e^epsilon = (r1·r2·…)^(-2·sensitivity). A replaced record leaves one leaf and enters one: two leaves change by one
record each, and one record moves a leaf's law by at most half of what a replacement does (rule `leafwise-exponential`).
Holds if: what happens in a leaf depends on its records only through the draw: empty leaves draw like any other, and
depth, ratio and prior come from public numbers and the tree so far.
For independent records the error is near that of the best member of the first stage's class, since every later stage
may leave a leaf as it is (rule `staged-draws`).
Source: register `leafwise-exponential`, `staged-draws-agnostic`; the idea of staging and the shares of epsilon were
chosen by measurement (benchmarks/accuracy).
Proof: docs/proofs/leafwise-exponential.md, docs/proofs/staged-draws.md. Tested by tests/exact/, tests/statistical/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.majority import VOTERS, Majorities
from privpac.concepts.trees.mixture import MixtureWithExtras, TreeMixture
from privpac.concepts.trees.parts import TreePart
from privpac.concepts.trees.tree import Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.occam import (
    FAILURE,
    accuracy_of_draw,
    accuracy_of_stages,
    check_price,
    read_costs,
)
from privpac.constructions.draw.stages import (
    KEEP_LABEL,
    LATER_STOP,
    SECOND_STAGE_ABOVE,
    SHARES,
    THIRD_STAGE_FROM,
    outcomes_of,
    stage_steps,
    trees_up_to,
)
from privpac.data.sample import Counted, Sample, Size
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.guarantee import rules
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Accuracy, Privacy, Unit
from privpac.guarantee.proof import Proof
from privpac.numbers.exact import plain, ratio_for
from privpac.theory.staged import Stage

__all__ = ["StagedTrees", "default_stages"]


def default_stages(*, n: int, epsilon: Fraction, tests: int, most: int = 250) -> tuple[int, ...]:
    """Depths by n·epsilon, from public numbers only: what lost least accuracy over tables, sizes and epsilons.

    More than `most` tests are too many for a third question.

    >>> default_stages(n=1000, epsilon=Fraction(1, 10), tests=100)
    (2,)
    >>> default_stages(n=50_000, epsilon=Fraction(1), tests=100)
    (3, 3, 2)
    """
    depth = 3 if tests <= most else 2
    evidence = n * epsilon
    if evidence < 200:
        return (2,)
    if evidence < SECOND_STAGE_ABOVE:
        return (depth,)
    if evidence < THIRD_STAGE_FROM:
        return (depth, depth)
    return (depth, depth, 2)


@dataclass(frozen=True)
class StagedTrees:
    """Trees of the given depths, one per stage, on public tests."""

    schema: Schema
    epsilon: Fraction
    stages: tuple[int, ...]
    tests: Binarisation
    costs: Costs | None = None
    unit: Unit = Unit.RECORD
    failure: Fraction = FAILURE
    shares: tuple[Fraction, ...] = field(default=())
    threads: int = 2
    others: tuple[Binarisation, ...] = ()
    """Further sets of tests, such as cuts on another scale: every stage draws from trees on each, equally likely."""
    majorities: bool = False
    """Whether the first stage also draws from majorities of three tests, as likely beforehand as trees."""
    deeper: tuple[Binarisation, ...] = ()
    """Sets of tests on which the first stage also draws from trees of one more level, as likely beforehand; accuracy is
    promised against the others."""

    def __post_init__(self) -> None:
        if self.epsilon <= 0:
            raise ParameterError("StagedTrees", "epsilon", plain(self.epsilon), allowed="a positive number")
        if not 1 <= len(self.stages) <= len(SHARES):
            raise ParameterError(
                "StagedTrees", "stages", self.stages, allowed=f"one to {len(SHARES)} depths, such as (3, 3)"
            )
        read_costs(self.costs, len(self.schema.classes), "StagedTrees")
        _ = self.concepts, self.later  # both refuse depths that they do not have

    @property
    def prices(self) -> Costs:
        """The price of misjudging a record of each class: 1 unless `costs` say otherwise."""
        return read_costs(self.costs, len(self.schema.classes), "StagedTrees")

    @property
    def _sets(self) -> tuple[Binarisation, ...]:
        return (self.tests, *self.others)

    @cached_property
    def concepts(self) -> Trees | TreeMixture:
        """The class of the first stage."""
        first = self.stages[0]
        trees = [Trees(self.schema, first, tests, threads=self.threads) for tests in self._sets]
        voters = [Majorities(self.schema, tests, self.threads) for tests in self._sets if self.majorities]
        deep = [Trees(self.schema, first + 1, tests, threads=self.threads) for tests in self.deeper]
        return _mixture((*trees, *voters, *deep), extras=len(deep))

    @cached_property
    def later(self) -> Mapping[tuple[int, int], Trees | TreeMixture]:
        """The class of each later stage in a leaf of each label."""
        classes = len(self.schema.classes)
        return {
            (stage, label): _mixture(tuple(self._growing(stage, label, tests) for tests in self._sets))
            for stage in range(1, len(self.stages))
            for label in range(classes)
        }

    def _growing(self, stage: int, label: int, tests: Binarisation) -> Trees:
        """Trees that may stop anywhere, and end in the label of their leaf more often than not."""
        classes = len(self.schema.classes)
        other = (1 - KEEP_LABEL) / (classes - 1)
        return Trees(
            self.schema,
            self.stages[stage],
            tests,
            stop=LATER_STOP,
            root_splits=False,
            label_prior=tuple(KEEP_LABEL if y == label else other for y in range(classes)),
            threads=self.threads,
        )

    @cached_property
    def _all_tests(self) -> frozenset[Test]:
        return frozenset(test for tests in (*self._sets, *self.deeper) for test in tests.tests)

    def _levels(self, stages: int) -> int:
        """No tree has more after this many stages; a majority takes as many as it has voters."""
        first = max(self.stages[0] + bool(self.deeper), VOTERS if self.majorities else 0)
        return first + sum(self.stages[1:stages])

    @property
    def _deepest(self) -> int:
        return self._levels(len(self.stages))

    @property
    def outcomes(self) -> int:
        """As many as there are such trees, or sequences of draws if these are fewer."""
        later = [(self.later[stage, 0].size, self._levels(stage)) for stage in range(1, len(self.stages))]
        trees = trees_up_to(self._deepest, len(self._all_tests), len(self.schema.classes))
        return outcomes_of(self.concepts.size, later, trees=trees)

    @property
    def spent(self) -> tuple[Fraction, ...]:
        """The share of epsilon that each stage spends."""
        return self.shares or SHARES[len(self.stages)]

    def ratio(self, stage: int) -> Fraction:
        """What a weight is multiplied by for each unit of score, in this stage."""
        return ratio_for(self.epsilon * self.spent[stage] / (2 * max(self.prices)))

    def _privacy(self) -> Proof[Privacy]:
        sensitivity = max(self.prices)
        first = rules.exponential_mechanism(ratio=self.ratio(0), sensitivity=sensitivity, unit=self.unit)
        later = [
            rules.leafwise_exponential(ratio=self.ratio(stage), sensitivity=sensitivity, unit=self.unit)
            for stage in range(1, len(self.stages))
        ]
        together = rules.sequential(first, *later) if later else first
        outcome = rules.post_processing(together, what="sibling leaves with equal labels merged")
        return rules.declared(outcome, epsilon=self.epsilon)

    @property
    def passes(self) -> int:
        return len(self.stages)

    def require(self, size: Size) -> None:
        if size.labelled < 1:
            raise SizeError("Trees need at least one labelled record.")
        for stage in range(len(self.stages)):
            check_price(size, self.prices, ratio=self.ratio(stage), owner="Trees")
        self.concepts.require(size.labelled)
        for concepts in self.later.values():
            concepts.require(size.labelled)

    def certify(self, size: Size) -> Certificate:
        self.require(size)
        privacy = self._privacy()
        accuracy = self._accuracy(size.labelled, privacy)
        has_promise = bool(accuracy) and len(self.stages) > 1
        best = self.concepts.promised_word if isinstance(self.concepts, TreeMixture) else self.concepts.word
        return Certificate(
            privacy=privacy,
            accuracy=accuracy,
            learner={
                "name": "staged-trees",
                "stages": list(self.stages),
                "shares": [plain(share) for share in self.spent],
                "epsilon": plain(self.epsilon),
                "costs": list(self.prices),
                "tests": len(self.tests.tests),
                "failure": plain(self.failure),
                **({"note": f"the class is that of the first stage, {best}"} if has_promise else {}),
                **self._mixtures(),
            },
            labelled=size.labelled,
        )

    def _accuracy(self, records: int, privacy: Proof[Privacy]) -> tuple[Proof[Accuracy], ...]:
        """Against the best of the first stage's class. Under label privacy the tests may come from the records: no
        accuracy is promised there."""
        steps = self.steps
        if self.unit is not Unit.RECORD or any(step.ratio == 1 for step in steps):
            return ()
        if len(steps) == 1:
            return accuracy_of_draw(
                odds=steps[0].odds,
                size=self.concepts.size,
                records=records,
                ratio=steps[0].ratio,
                failure=self.failure,
            )
        one_price = len(set(self.prices)) == 1
        return accuracy_of_stages(
            steps,
            records=records,
            size=self.outcomes,
            failure=self.failure,
            privacy=privacy if one_price else None,
        )

    @property
    def steps(self) -> list[Stage]:
        """The stages in the numbers that accuracy follows from."""
        return stage_steps(
            Fraction(self.concepts.odds),
            [self._levels(stage) for stage in range(1, len(self.stages))],
            epsilon=self.epsilon,
            shares=self.spent,
            price=max(self.prices),
        )

    def _mixtures(self) -> dict[str, object]:
        """What a certificate says besides where stages draw from several classes."""
        if not (self.others or self.majorities or self.deeper):
            return {}
        return {
            "other_tests": [len(tests.tests) for tests in self.others],
            "majorities": self.majorities,
            **({"deeper_tests": [len(tests.tests) for tests in self.deeper]} if self.deeper else {}),
        }

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """A merged tree on these tests: stages grow on top of each other, and any label may follow any other."""
        if not isinstance(hypothesis, Tree) or hypothesis.depth > self._deepest:
            return False
        tests = all(test in self._all_tests for test in hypothesis.tests())
        labels = all(0 <= leaf.label < len(self.schema.classes) for leaf in hypothesis.leaves())
        return tests and labels and hypothesis.merged() == hypothesis

    def learn(self, sample: Sample, coins: Coins) -> Tree:
        tree = _draw(self.concepts, sample, self.ratio(0), self.prices, coins)
        for stage in range(1, len(self.stages)):
            tree = self._grow(tree, sample, stage, coins)
        return tree.merged()

    def _grow(self, tree: Tree, sample: Sample, stage: int, coins: Coins) -> Tree:
        leaves = list(tree.leaves())
        parts = sample.parts(tree.leaf_numbers, len(leaves), columns=tree.columns)
        grow = _draw_and_merge if stage == len(self.stages) - 1 else _draw
        growers = [
            partial(grow, self.later[stage, leaf.label], part, self.ratio(stage), self.prices)
            for leaf, part in zip(leaves, parts, strict=True)
        ]
        return tree.with_leaves(iter(coins.each(growers)))


def _mixture(parts: tuple[TreePart, ...], *, extras: int = 0) -> Trees | TreeMixture:
    """All parts, equally likely, the last ones without a promise; a class of trees alone stays what it is."""
    only, shares = parts[0], (1,) * len(parts)
    if len(parts) == 1 and isinstance(only, Trees):
        return only
    return MixtureWithExtras(parts, shares, extras) if extras else TreeMixture(parts, shares)


def _draw(
    concepts: Trees | TreeMixture, sample: Counted, ratio: Fraction, costs: Costs, coins: Coins
) -> Tree:
    if isinstance(concepts, TreeMixture):
        return concepts.gibbs(sample.reduce(concepts.statistic), ratio=ratio, costs=costs).draw(coins)
    return concepts.gibbs(sample.reduce(concepts.statistic), ratio=ratio, costs=costs).draw(coins)


def _draw_and_merge(
    concepts: Trees | TreeMixture, sample: Counted, ratio: Fraction, costs: Costs, coins: Coins
) -> Tree:
    """For a last stage: nothing grows on these leaves any more, so equal siblings may be merged at once."""
    return _draw(concepts, sample, ratio, costs, coins).merged()
