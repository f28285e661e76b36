"""Label privacy for trees: the features are public, only the labels are protected.

Then cut points may come from the values that occur, constant columns may be dropped, and nothing of it costs
anything: a neighbour has the same features. The draw itself is that of `StagedTrees`, with unit = label in every fact.
Statement: epsilon-DP when one record's label is replaced, for any features whatever.
Source: Chaudhuri–Hsu 2011, Section 5 (label privacy). Proof: docs/proofs/leafwise-exponential.md.
Tested by tests/exact/ (row `label-private-trees`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis
from privpac.concepts.fitting import misfit
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.tree import Tree
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.draw.stages import trees_up_to
from privpac.data.columns import Column
from privpac.data.sample import Sample, Size
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.guarantee.certificate import Certificate
from privpac.guarantee.facts import Unit

__all__ = ["PUBLIC_FEATURES", "LabelPrivateTrees", "is_possible", "tests_from_features"]

PUBLIC_FEATURES = "every column but the label is public; only labels are protected"


@dataclass(frozen=True)
class LabelPrivateTrees:
    """Staged trees whose tests come from the public features."""

    schema: Schema
    epsilon: Fraction
    stages: tuple[int, ...]
    cuts: int
    costs: Costs | None = None

    def _trees(self, tests: Binarisation) -> StagedTrees:
        return StagedTrees(self.schema, self.epsilon, self.stages, tests, self.costs, unit=Unit.LABEL)

    @property
    def concepts(self) -> Trees | TreeMixture:
        """The class as far as the schema alone fixes it: the cuts are moved once features are seen."""
        return self._largest.concepts

    @property
    def outcomes(self) -> int:
        """Cuts may lie at any cell, since the features choose them."""
        cells = sum(column.size for column in self.schema.columns)
        return trees_up_to(sum(self.stages), cells, len(self.schema.classes))

    @property
    def _largest(self) -> StagedTrees:
        """With as many tests as the features can choose, at most."""
        return self._trees(Binarisation.of(self.schema, cuts=self.cuts))

    @property
    def passes(self) -> int:
        """One look per column decides the tests."""
        return len(self.schema.columns) + len(self.stages)

    def require(self, size: Size) -> None:
        self._largest.require(size)

    def certify(self, size: Size) -> Certificate:
        inner = self._largest.certify(size)
        learner = {**inner.learner, "name": "label-private-trees", "cuts": self.cuts}
        return replace(inner, learner=learner).assuming(PUBLIC_FEATURES)

    def releases(self, hypothesis: Hypothesis, size: Size) -> bool:
        """Tests lie where the features choose: at any cell but the first of an ordered column, at any category."""
        if not isinstance(hypothesis, Tree) or hypothesis.depth > sum(self.stages):
            return False
        if misfit(hypothesis, self.schema) is not None:
            return False
        if not all(is_possible(test, self.schema) for test in hypothesis.tests()):
            return False
        return hypothesis.merged() == hypothesis

    def learn(self, sample: Sample, coins: Coins) -> Tree:
        return self._trees(tests_from_features(sample, cuts=self.cuts)).learn(sample, coins)


def is_possible(test: Test, schema: Schema) -> bool:
    """Whether features could ever choose this test: a cut above the first cell, or a category."""
    if schema.column(test.column).ordered:
        return test.kind == "at least" and test.cell > 0
    return test.kind == "equals"


def tests_from_features(sample: Sample, *, cuts: int) -> Binarisation:
    """At most `cuts` tests per ordered column, where its values lie; otherwise one per category that occurs, but one.

    Looks at features only, so it may be used under label privacy and nowhere else.
    """
    tests: list[Test] = []
    for column in sample.schema.columns:
        tests += _tests_of(column, sample, cuts)
    return Binarisation(sample.schema, tuple(tests)) if tests else Binarisation.of(sample.schema, cuts=cuts)


def _tests_of(column: Column, sample: Sample, cuts: int) -> list[Test]:
    counts = sample.reduce(CellCounts(column, classes=1))
    if len(counts.values) < 2:
        return []
    if not column.ordered:
        cells = [int(cell) for cell in counts.values]
        tested_cells = cells[:1] if len(cells) == 2 else cells
        return [Test(column.name, cell, "equals") for cell in tested_cells]
    return [Test(column.name, cell, "at least") for cell in _cuts_of(column, counts, cuts)]


def _cuts_of(column: Column, counts: ColumnCounts, cuts: int) -> list[int]:
    """Half of the cuts at even steps of the declared range, half at even steps through the values that occur.

    Quantiles of the records would put all cuts where most records are: on a column that is nearly always 0 none would
    be left for the rest (benchmarks/label_privacy.py).
    """
    among = cuts - cuts // 2
    places = {(j * len(counts.values)) // (among + 1) for j in range(1, among + 1)}
    even = {column.size * j // (cuts // 2 + 1) for j in range(1, cuts // 2 + 1)}
    # A cut at or below the smallest value that occurs, or above the largest, would separate nothing.
    low, high = int(counts.values[0]), int(counts.values[-1])
    cells = {int(counts.values[place]) for place in places if place > 0} | {
        c for c in even if low < c <= high
    }
    return sorted(cells) or [int(counts.values[1])]
