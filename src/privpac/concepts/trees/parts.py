"""What a mixture of trees is made of: classes whose total weight is known, and from which one tree can be drawn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from flint import arb, ctx

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.labellings.members import Members
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor, require_counts
from privpac.concepts.trees.tree import Leaf, Tree
from privpac.data.schema import Schema
from privpac.mechanisms import gibbs
from privpac.mechanisms.gibbs import PowerWeights
from privpac.mechanisms.scores import Named, Place, Row, Runs, Scores
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["Constants", "PartGibbs", "Total", "TreePart", "UniformGibbs", "UniformTrees"]


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
    def vc(self) -> int | None:
        return 1 if self.size == 2 else None

    @property
    def statistic(self) -> CooccurrenceTensor:
        return CooccurrenceTensor(self.tests, 0, self.size)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return isinstance(hypothesis, Leaf) and 0 <= hypothesis.label < self.size

    def scores(self, evidence: Cooccurrence, *, costs: Costs) -> Named[Tree]:
        correct = evidence.counts[0].astype(np.int64) * np.array(costs, dtype=np.int64)
        last = self.size - 1
        row = Row.of(0, np.arange(last, dtype=np.int64), correct.sum() - correct, last)
        return Named(Runs((row,)), _member)


def _member(place: Place) -> Tree:
    return Leaf(place[1])
