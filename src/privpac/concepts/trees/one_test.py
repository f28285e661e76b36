"""One public test with two different answers: what a table of few records at a small epsilon can still tell apart.

All 2p rules `if test: a, else b` with a ≠ b (k(k-1)p for k classes) are equally likely beforehand. Leaving out the
rules whose two answers agree matters where n·epsilon is below about 100: there most of the prior's weight survives,
and half of a depth-1 tree's prior would lie on constants (benchmarks/accuracy/README.md).
Tested by tests/unit/concepts/trees/test_one_test.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees.parts import UniformTrees
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema
from privpac.mechanisms.scores import Named, Place, Row, Runs

__all__ = ["OneTest"]


@dataclass(frozen=True)
class OneTest(ManyLabels, UniformTrees, Stored):
    """Trees of one test whose two answers differ; uniform over the tests and the pairs of answers."""

    schema: Schema
    binarisation: Binarisation | None = None

    @cached_property
    def answers(self) -> tuple[tuple[int, int], ...]:
        """(where the test fails, where it holds)."""
        classes = range(len(self.schema.classes))
        return tuple((low, high) for low in classes for high in classes if low != high)

    @property
    def word(self) -> str:
        return "one-test"

    @property
    def size(self) -> int:
        return len(self.tests.tests) * len(self.answers)

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, 1, len(self.schema.classes))

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Split) or hypothesis.test not in self.tests.tests:
            return False
        sides = hypothesis.low, hypothesis.high
        return any(sides == (Leaf(low), Leaf(high)) for low, high in self.answers)

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> Named[Tree]:
        counts = evidence.counts[: len(self.tests.tests) + 1].astype(np.int64)
        prices = self._prices(counts * np.array(costs, dtype=np.int64))
        last = len(prices) - 1
        row = Row.of(0, np.arange(last, dtype=np.int64), prices, last)
        return Named(Runs((row,)), partial(_member, self))

    def _prices(self, correct: NDArray[np.int64]) -> NDArray[np.int64]:
        """The price of every member's mistakes, test by test: all that could be lost less what is answered right."""
        everyone, held = correct[0], correct[1:]
        low, high = (np.array(labels) for labels in zip(*self.answers, strict=True))
        right = (everyone - held)[:, low] + held[:, high]
        return np.asarray(everyone.sum() - right, dtype=np.int64).ravel()

    def member(self, index: int) -> Tree:
        test, answer = divmod(index, len(self.answers))
        low, high = self.answers[answer]
        return Split(self.tests.tests[test], Leaf(low), Leaf(high))


def _member(concepts: OneTest, place: Place) -> Tree:
    return concepts.member(place[1])
