"""Several classes of trees at once, under one public prior: shallow trees on many cuts and deep ones on few, say.

Which of them suits a table cannot be known beforehand and may not be looked up. Drawing from both lets the records
decide inside the one private draw: a part is chosen in proportion to its share times the sum of prior·ratio^score over
its trees, then a tree of it. The price is ln(1/share) in the accuracy bound, and nothing in privacy.
Proof: docs/proofs/exponential-mechanism.md (any public prior), docs/proofs/tree-sums.md (float error of the sums).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Costs, Hypothesis, ManyLabels, Stored
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence import Cooccurrence, CooccurrenceTensor
from privpac.concepts.trees.parts import PartGibbs, Total, TreePart
from privpac.concepts.trees.tree import Tree
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.mechanisms.gibbs import power_table
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball

__all__ = ["MixtureGibbs", "NamedMixture", "PartWeights", "TreeMixture"]

Evidence = tuple[Cooccurrence, ...]


@dataclass(frozen=True)
class SeveralCounts:
    """The counts of several sets of tests, side by side."""

    tensors: tuple[CooccurrenceTensor, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for tensor in self.tensors for name in tensor.columns))

    def zero(self) -> Evidence:
        return tuple(tensor.zero() for tensor in self.tensors)

    def absorb(self, state: Evidence, block: Block) -> Evidence:
        pairs = zip(self.tensors, state, strict=True)
        return tuple(tensor.absorb(counts, block) for tensor, counts in pairs)

    def merge(self, a: Evidence, b: Evidence) -> Evidence:
        return tuple(tensor.merge(x, y) for tensor, x, y in zip(self.tensors, a, b, strict=True))


@dataclass(frozen=True)
class TreeMixture(ManyLabels, Stored):
    """Trees of any part; `shares` are public positive integers, how likely each part is beforehand."""

    parts: tuple[TreePart, ...]
    shares: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.shares) or not self.parts or min(self.shares) < 1:
            raise ParameterError(
                "TreeMixture", "shares", self.shares, allowed="one positive integer per class of trees"
            )

    @property
    def schema(self) -> Schema:
        return self.parts[0].schema

    @property
    def word(self) -> str:
        return _word(self.parts)

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def charged(self) -> tuple[int, ...]:
        """The handicap of each part: mistakes that its members are charged in addition."""
        return (0,) * len(self.parts)

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """Whom accuracy is promised against by name: so many of the first parts each time."""
        return ()

    @property
    def promises(self) -> tuple[tuple[str, Fraction], ...]:
        """Whom accuracy is promised against by name, and the prior of the rarest of them."""
        return tuple((name, self._rarest(count)) for name, count in self.named)

    def _rarest(self, count: int) -> Fraction:
        pairs = zip(self.parts[:count], self.shares, strict=False)
        return min(part.least * share for part, share in pairs) / sum(self.shares)

    @property
    def odds(self) -> Fraction:
        """Of the rarest member that is promised something, against all others."""
        return 1 / self._rarest(max((count for _, count in self.named), default=len(self.parts))) - 1

    @property
    def vc(self) -> int | None:
        """A class of N functions shatters at most log2 N points; for two classes only."""
        return self.size.bit_length() - 1 if len(self.schema.classes) == 2 else None

    @cached_property
    def _tensors(self) -> dict[Binarisation, CooccurrenceTensor]:
        """Parts on the same tests share their counts: those of larger sets of tests begin with those of smaller
        ones."""
        tensors: dict[Binarisation, CooccurrenceTensor] = {}
        for tensor in (part.statistic for part in self.parts):
            largest = tensors.setdefault(tensor.binarisation, tensor)
            tensors[tensor.binarisation] = replace(largest, depth=max(largest.depth, tensor.depth))
        return tensors

    @cached_property
    def _places(self) -> tuple[int, ...]:
        """Of every part: where its counts stand. (Looking up hundreds of tests takes as long as a small draw.)"""
        places = {tests: place for place, tests in enumerate(self._tensors)}
        return tuple(places[part.statistic.binarisation] for part in self.parts)

    @cached_property
    def statistic(self) -> SeveralCounts:
        return SeveralCounts(tuple(self._tensors.values()))

    def contains(self, hypothesis: Hypothesis) -> bool:
        return any(part.contains(hypothesis) for part in self.parts)

    def contains_merged(self, hypothesis: Hypothesis) -> bool:
        return any(part.contains_merged(hypothesis) for part in self.parts)

    def require(self, n: int | None) -> None:
        """What each of the parts needs; they are counted one after the other."""
        for part in self.parts:
            part.require(n)

    def gibbs(self, evidence: Evidence, *, ratio: Fraction, costs: Costs) -> MixtureGibbs:
        pairs = zip(self.parts, self._places, strict=True)
        laws = (part.gibbs(evidence[place], ratio=ratio, costs=costs) for part, place in pairs)
        return MixtureGibbs(tuple(laws), self.shares, ratio, self.charged)


@dataclass(frozen=True)
class NamedMixture(TreeMixture):
    """A mixture with public handicaps, that names whom it is compared with.

    Its last parts may be drawn from without a promise against their own members: these are so many, and each so
    unlikely beforehand, that the bound of all members would say less than that of the others.
    """

    handicaps: tuple[int, ...] = ()
    rivals: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.charged) != len(self.parts) or min(self.charged) < 0:
            raise ParameterError(
                "NamedMixture", "handicaps", self.handicaps, allowed="a whole number per class, or none"
            )
        if any(not 1 <= count <= len(self.parts) or any(self.charged[:count]) for _, count in self.rivals):
            raise ParameterError(
                "NamedMixture", "rivals", self.rivals, allowed="first parts that have no handicap"
            )

    @property
    def charged(self) -> tuple[int, ...]:
        return self.handicaps or (0,) * len(self.parts)

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        return self.rivals


def _word(parts: Sequence[TreePart]) -> str:
    words = [part.word for part in parts]
    if all(word.startswith("trees:") for word in words):
        return "trees:" + "|".join(word.removeprefix("trees:") for word in words)
    return "|".join(dict.fromkeys(words))


@dataclass(frozen=True, eq=False, repr=False)
class MixtureGibbs:
    """First the part, by its total weight, then a tree of it."""

    parts: tuple[PartGibbs, ...]
    shares: tuple[int, ...]
    ratio: Fraction
    handicaps: tuple[int, ...]

    @cached_property
    def weights(self) -> PartWeights:
        return PartWeights(self.parts, self.shares, self.ratio, self.handicaps)

    @property
    def key(self) -> Hashable:
        return self.weights.key

    @cached_property
    def total(self) -> Total:
        """Bound: that of the weights, one rounding a summand and two for the division."""
        values, error = self.weights.floats()
        whole = float(values.sum()) / sum(self.shares)
        return Total(self.weights.best, whole, error + 1.01 * (len(values) + 2) * UNIT_ROUNDOFF)

    def ball(self, bits: int) -> arb:
        with ctx.workprec(bits):
            return sum(self.weights.balls(bits), arb(0)) / sum(self.shares)

    def exact(self) -> Fraction:
        return sum(self.weights.exact(), Fraction(0)) / sum(self.shares)

    def draw(self, coins: Coins) -> Tree:
        return self.parts[coins.choose(self.weights)].draw(coins)


@dataclass(frozen=True, eq=False, repr=False)
class PartWeights:
    """share · ratio^handicap · sum of prior·ratio^score over the trees of each part."""

    parts: tuple[PartGibbs, ...]
    shares: tuple[int, ...]
    ratio: Fraction
    handicaps: tuple[int, ...]

    @property
    def key(self) -> Hashable:
        return ("parts", self.shares, self.handicaps, tuple(part.key for part in self.parts))

    @cached_property
    def _totals(self) -> list[Total]:
        pairs = zip(self.parts, self.handicaps, strict=True)
        return [part.total._replace(score=part.total.score + handicap) for part, handicap in pairs]

    @property
    def best(self) -> int:
        """The score that `floats` count from."""
        return min(total.score for total in self._totals)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: each sum's own, a power (2), a share and two products (1 each).

        A part whose best score lies beyond the table is dropped, and counted.
        """
        totals, best = self._totals, self.best
        table = power_table(self.ratio, max(total.score for total in totals) - best)
        values, loss = np.zeros(len(totals)), 0.0
        for i, (score, mass, _) in enumerate(totals):
            if score - best < len(table):
                values[i] = self.shares[i] * mass * table[score - best]
            else:
                loss += 1.01 * self.shares[i] * mass * SMALLEST_POWER
        error = max(total.error for total in totals)
        if error >= 1.0 or values.sum() == 0.0:
            return np.ones(len(totals)), 1.0
        return values, 1.01 * (error + 6 * UNIT_ROUNDOFF + loss / float(values.sum()))

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            return [
                ball(share) * ratio**handicap * part.ball(bits)
                for part, share, handicap in zip(self.parts, self.shares, self.handicaps, strict=True)
            ]

    def exact(self) -> Sequence[Fraction]:
        return [
            share * self.ratio**handicap * part.exact()
            for part, share, handicap in zip(self.parts, self.shares, self.handicaps, strict=True)
        ]
