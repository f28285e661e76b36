"""What a mixture of trees is made of: classes whose total weight is known, and from which one tree can be drawn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.labellings.members import Members
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor, require_counts
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.data.schema import Schema
from privpac.mechanisms import gibbs
from privpac.mechanisms.gibbs import PowerWeights
from privpac.mechanisms.scores import NamedScores, Row, Runs, Scores
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["Constants", "OneTest", "PartGibbs", "Total", "TreePart", "UniformGibbs", "UniformTrees"]


class Total(NamedTuple):
    """A sum of weights as ratio^score · mass, the mass up to a relative `error`; private, like all sums."""

    score: int
    mass: float
    error: float


class PartGibbs(Protocol):
    """The law of a part given the records, and the sum of prior · ratio^score over it in three readings."""

    @property
    def key(self) -> Hashable:
        """Equal for equal laws."""

    @property
    def total(self) -> Total: ...

    def ball(self, bits: int) -> arb: ...

    def exact(self) -> Fraction: ...

    def draw(self, coins: Coins) -> Tree: ...


@runtime_checkable
class TreePart(Protocol):
    """A class of trees under a public prior, that sees records through co-occurrence counts."""

    @property
    def schema(self) -> Schema: ...

    @property
    def word(self) -> str: ...

    @property
    def size(self) -> int: ...

    @property
    def least(self) -> Fraction:
        """The smallest prior of a member, or less."""

    @property
    def statistic(self) -> CooccurrenceTensor: ...

    def require(self, n: int | None) -> None: ...

    def contains(self, hypothesis: Hypothesis) -> bool: ...

    def contains_merged(self, hypothesis: Hypothesis) -> bool: ...

    def gibbs(self, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> PartGibbs:
        """The law given counts of its tests; counts of larger sets of tests may follow."""


@dataclass(frozen=True, eq=False, repr=False)
class UniformGibbs:
    """The Gibbs law of a class counted by score, all `size` members of which are equally likely beforehand."""

    scores: Scores[Tree]
    size: int
    ratio: Fraction

    @cached_property
    def _weights(self) -> PowerWeights[Tree]:
        return PowerWeights(self.ratio, self.scores)

    @property
    def key(self) -> Hashable:
        return ("uniform", self.size, self._weights.full.best, self._weights.key)

    @cached_property
    def total(self) -> Total:
        """Bound: that of the weights, one rounding a summand and one for the division."""
        values, error = self._weights.floats()
        mass = float(values.sum()) / self.size
        if self._weights.shift or mass == 0.0:  # beyond floats: the balls decide
            return Total(self._weights.near.best, 1.0, 1.0)
        return Total(self._weights.near.best, mass, error + 1.01 * (len(values) + 1) * UNIT_ROUNDOFF)

    def ball(self, bits: int) -> arb:
        with ctx.workprec(bits):
            whole = sum(self._weights.balls(bits), arb(0))
            return whole * ball(self.ratio) ** self._weights.near.best / self.size

    def exact(self) -> Fraction:
        return sum(self._weights.exact(), Fraction(0)) * self.ratio**self._weights.full.best / self.size

    def draw(self, coins: Coins) -> Tree:
        return gibbs.draw_from(self._weights, coins)


class _Counted(Protocol):
    schema: Schema

    @property
    def size(self) -> int: ...

    def contains(self, hypothesis: Hypothesis) -> bool: ...

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> Scores[Tree]: ...


class UniformTrees(Members):
    """A class of trees over public tests that are equally likely beforehand."""

    schema: Schema
    binarisation: Binarisation | None

    @cached_property
    def tests(self) -> Binarisation:
        """The tests that were given, or those of the schema."""
        return self.binarisation or Binarisation.of(self.schema)

    def require(self, n: int | None) -> None:
        """Refuse more records than counts hold."""
        require_counts(n)

    @property
    def vc(self: _Counted) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @property
    def odds(self: _Counted) -> Fraction:
        """All others against one."""
        return Fraction(self.size - 1)

    @property
    def least(self: _Counted) -> Fraction:
        """The prior of every member."""
        return Fraction(1, self.size)

    def contains_merged(self: _Counted, hypothesis: Hypothesis) -> bool:
        """As `contains`: no member holds a part that changes nothing."""
        return self.contains(hypothesis)

    def gibbs(self: _Counted, evidence: Cooccurrence, *, ratio: Fraction, costs: Costs) -> UniformGibbs:
        """The law given the evidence."""
        return UniformGibbs(self.scores(evidence, costs=costs), self.size, ratio)


@dataclass(frozen=True)
class Constants(ManyLabels, UniformTrees, Stored):
    """One leaf, with any label: what a mixture falls back to where no test is worth asking.

    `binarisation` only says along with which tests records are counted.
    """

    schema: Schema
    binarisation: Binarisation | None = None

    @property
    def word(self) -> str:
        return "constants"

    @property
    def size(self) -> int:
        return len(self.schema.classes)

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, 0, self.size)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Leaf) and 0 <= hypothesis.label < self.size

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> NamedScores[Tree]:
        correct = evidence.counts[0].astype(np.int64) * np.array(costs, dtype=np.int64)
        last = self.size - 1
        row = Row.of(0, np.arange(last, dtype=np.int64), correct.sum() - correct, last)
        return NamedScores(Runs((row,)), lambda place: Leaf(place[1]))


@dataclass(frozen=True)
class OneTest(ManyLabels, UniformTrees, Stored):
    """Trees of one test whose two answers differ: what a table of few records at a small epsilon can still tell apart.

    All 2p rules `if test: a, else b` with a ≠ b (k(k-1)p for k classes) are equally likely beforehand. Leaving out the
    rules whose two answers agree matters where n·epsilon is below about 100: there most of the prior's weight survives,
    and half of a depth-1 tree's prior would lie on constants (benchmarks/results/accuracy.md).
    """

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
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, 1, len(self.schema.classes))

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Split) or hypothesis.test not in self.tests.tests:
            return False
        sides = hypothesis.low, hypothesis.high
        return any(sides == (Leaf(low), Leaf(high)) for low, high in self.answers)

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> NamedScores[Tree]:
        counts = evidence.counts[: len(self.tests.tests) + 1].astype(np.int64)
        prices = self._prices(counts * np.array(costs, dtype=np.int64))
        last = len(prices) - 1
        row = Row.of(0, np.arange(last, dtype=np.int64), prices, last)
        return NamedScores(Runs((row,)), lambda place: self.member(place[1]))

    def _prices(self, correct: NDArray[np.int64]) -> NDArray[np.int64]:
        """The price of every member's mistakes, test by test: all that could be lost less what is answered right."""
        everyone, passes = correct[0], correct[1:]
        low, high = (np.array(labels) for labels in zip(*self.answers, strict=True))
        right = (everyone - passes)[:, low] + passes[:, high]
        return np.asarray(everyone.sum() - right, dtype=np.int64).ravel()

    def member(self, index: int) -> Tree:
        test, answer = divmod(index, len(self.answers))
        low, high = self.answers[answer]
        return Split(self.tests.tests[test], Leaf(low), Leaf(high))
