"""Several classes of trees at once, under one public prior: shallow trees on many cuts and deep ones on few, say.

Which of them suits a table cannot be known beforehand and may not be looked up. Drawing from both lets the records
decide inside the one private draw: a part is chosen in proportion to its share times the sum of prior·ratio^score over
its trees, then a tree of it. The price is ln(1/share) in the accuracy bound, and nothing in privacy.
Proof: docs/proofs/exponential-mechanism.md (any public prior), docs/proofs/tree-sums.md (float error of the sums).
Tested by tests/unit/concepts/trees/test_mixture.py and tests/exact/ (row `tree-mixture`).
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
from privpac.concepts.trees.parts import PartGibbs, TreePart
from privpac.concepts.trees.tree import Tree
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.mechanisms.gibbs import power_table
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball

__all__ = ["MixtureWithExtras", "TreeMixture"]

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
    def promised(self) -> tuple[TreePart, ...]:
        """The parts whose members accuracy is promised against."""
        return self.parts

    @property
    def promised_word(self) -> str:
        return _word(self.promised)

    @property
    def odds(self) -> Fraction:
        """Of the rarest member that is promised something, against all others."""
        rarest = min(part.least * share for part, share in zip(self.promised, self.shares, strict=False))
        return sum(self.shares) / rarest - 1

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
        return MixtureGibbs(tuple(laws), self.shares, ratio)


@dataclass(frozen=True)
class MixtureWithExtras(TreeMixture):
    """A mixture whose last parts, `extras` of them, are drawn from without a promise against their own members: these
    are so many, and each so unlikely beforehand, that the bound of all members would say less than that of the others.
    """

    extras: int = 0

    @property
    def promised(self) -> tuple[TreePart, ...]:
        return self.parts[: len(self.parts) - self.extras]

    @property
    def note(self) -> str:
        """What a promise against the best member means."""
        return f"accuracy is promised against the best of {self.promised_word}"


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

    @cached_property
    def weights(self) -> PartWeights:
        return PartWeights(self.parts, self.shares, self.ratio)

    def draw(self, coins: Coins) -> Tree:
        return self.parts[coins.choose(self.weights)].draw(coins)


@dataclass(frozen=True, eq=False, repr=False)
class PartWeights:
    """share · sum of prior·ratio^score over the trees of each part."""

    parts: tuple[PartGibbs, ...]
    shares: tuple[int, ...]
    ratio: Fraction

    @property
    def key(self) -> Hashable:
        return ("parts", self.shares, tuple(part.key for part in self.parts))

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: each sum's own, a power (2), a share and two products (1 each).

        A part whose best score lies beyond the table is dropped, and counted.
        """
        totals = [part.total for part in self.parts]
        best = min(total.score for total in totals)
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
            return [
                ball(share) * part.ball(bits) for part, share in zip(self.parts, self.shares, strict=True)
            ]

    def exact(self) -> Sequence[Fraction]:
        return [share * part.exact() for part, share in zip(self.parts, self.shares, strict=True)]
