"""Several classes of trees at once, under one public prior: shallow trees on many cuts and deep ones on few, say.

Which of them suits a table cannot be known beforehand and may not be looked up. Drawing from both lets the records
decide inside the one private draw: a part is chosen in proportion to its share times the sum of prior·ratio^score over
its trees, then a tree of it. The price is ln(1/share) in the accuracy bound, and nothing in privacy.
Proof: docs/proofs/exponential-mechanism.md (any public prior), docs/proofs/tree-sums.md (float error of the sums).
Tested by tests/unit/concepts/trees/test_mixture.py and tests/exact/ (row `tree-mixture`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.literals.cooccurrence import Cooccurrence
from privpac.concepts.trees.law import Law
from privpac.concepts.trees.prior import LEAST_MASS
from privpac.concepts.trees.tree import Tree
from privpac.concepts.trees.trees import Trees, TreesGibbs
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball
from privpac.numbers.powers import power_table

__all__ = ["TreeMixture"]

Evidence = tuple[Cooccurrence, ...]


@dataclass(frozen=True)
class SeveralCounts:
    """The statistics of all parts, side by side."""

    parts: tuple[Trees, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.statistic.columns))

    def zero(self) -> Evidence:
        return tuple(part.statistic.zero() for part in self.parts)

    def absorb(self, state: Evidence, block: Block) -> Evidence:
        return tuple(
            part.statistic.absorb(counts, block) for part, counts in zip(self.parts, state, strict=True)
        )

    def merge(self, a: Evidence, b: Evidence) -> Evidence:
        return tuple(part.statistic.merge(x, y) for part, x, y in zip(self.parts, a, b, strict=True))


@dataclass(frozen=True)
class TreeMixture(ManyLabels, Stored):
    """Trees of any part; `shares` are public positive integers, how likely each part is beforehand."""

    parts: tuple[Trees, ...]
    shares: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.shares) or not self.parts or min(self.shares) < 1:
            raise ParameterError(
                "TreeMixture", "shares", self.shares, allowed="one positive integer a class of trees"
            )

    @property
    def schema(self) -> Schema:
        return self.parts[0].schema

    @property
    def word(self) -> str:
        return "trees:" + "|".join(str(part.depth) for part in self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def odds(self) -> Fraction:
        total = sum(self.shares)
        rarest = min(
            part.prior.least * share / total for part, share in zip(self.parts, self.shares, strict=True)
        )
        return 1 / rarest - 1

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @property
    def statistic(self) -> SeveralCounts:
        return SeveralCounts(self.parts)

    def contains(self, hypothesis: Hypothesis) -> bool:
        return any(part.contains(hypothesis) for part in self.parts)

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        return any(part.contains_merged(hypothesis) for part in self.parts)

    def require(self, n: int | None) -> None:
        """What each of the parts needs; they are counted one after the other."""
        for part in self.parts:
            part.require(n)

    def gibbs(self, evidence: Evidence, *, ratio: Fraction, costs: Costs) -> MixtureGibbs:
        pairs = zip(self.parts, evidence, strict=True)
        return MixtureGibbs(
            tuple(part.gibbs(counts, ratio=ratio, costs=costs) for part, counts in pairs), self.shares
        )


@dataclass(frozen=True, eq=False, repr=False)
class MixtureGibbs:
    """First the part, by its total weight, then a tree of it."""

    parts: tuple[TreesGibbs, ...]
    shares: tuple[int, ...]

    def draw(self, coins: Coins) -> Tree:
        weights = PartWeights(tuple(part.law for part in self.parts), self.shares)
        return self.parts[coins.choose(weights)].draw(coins)


@dataclass(frozen=True, eq=False, repr=False)
class PartWeights:
    """share · sum of prior·ratio^score over the trees of each part."""

    laws: tuple[Law, ...]
    shares: tuple[int, ...]

    @property
    def key(self) -> Hashable:
        parts = ((law.prior, law.ratio, law.costs, law.at_root().tobytes()) for law in self.laws)
        return ("parts", self.shares, tuple(parts))

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: each sum's own (docs/proofs/tree-sums.md), a power (2), a share and two products (1 each).

        A part whose best score lies beyond the table is dropped, and counted.
        """
        totals = [law.total for law in self.laws]
        best = min(score for score, _ in totals)
        table = power_table(self.laws[0].ratio, max(score for score, _ in totals) - best)
        values, dropped = np.zeros(len(totals)), 0.0
        for i, (score, mass) in enumerate(totals):
            if score - best < len(table):
                values[i] = self.shares[i] * mass * table[score - best]
            else:
                dropped += 1.01 * self.shares[i] * mass * SMALLEST_POWER
        if any(law.prior.least < LEAST_MASS for law in self.laws) or values.sum() == 0.0:
            return np.ones(len(totals)), 1.0
        own = max(law.prior.error(law.prior.depth) for law in self.laws)
        return values, 1.01 * (own + 6 * UNIT_ROUNDOFF + dropped / float(values.sum()))

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return [
                ball(share) * law.balls().sum(law.at_root(), law.prior.depth)
                for law, share in zip(self.laws, self.shares, strict=True)
            ]

    def exact(self) -> Sequence[Fraction]:
        return [
            share * law.rationals.sum(law.at_root(), law.prior.depth)
            for law, share in zip(self.laws, self.shares, strict=True)
        ]
