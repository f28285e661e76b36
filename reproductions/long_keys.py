"""How often thresholds under a small delta fail on keys at log-uniform distance from the cut, given the data.

Of the recursion the width is averaged exactly; for every width one offset of the blocks is drawn, and whether the block
is released and which cut is drawn are averaged exactly again. A draw among occupied blocks is averaged exactly. Numbers
here measure; promises are in `theory`. Tested by tests/unit/constructions/points/test_hard_failures.py.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.special import logsumexp, softmax

from privpac.coins import Coins, SeededCoins
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cuts.blocks import BlockCuts
from privpac.constructions.cuts.recursive import RecConcave
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from reproductions.hard_failures import Values, uniforms

__all__ = ["BlockKeys", "LongKeys", "RecursionKeys"]

NEGLIGIBLE = 1e-4
"""Widths less likely than this count as failures."""
UNLIKELY = 1e-5
"""And cuts of one cost in a draw among blocks that are less likely than this together."""


class LongKeys(ABC):
    """Keys of `bits` bits at distance 2^e from the cut, e uniform, on either side; a failure is an error above `error`
    or no answer."""

    def __init__(self, bits: int, *, error: float) -> None:
        self.bits, self.error = bits, error
        column = Numeric("key", lower=0, upper=2**bits - 1, integer=True)
        self.concepts = Thresholds(Schema((column,), label="y", classes=("0", "1")), "key")
        self.cut = (
            2**bits * 618033988749 // 10**12
        ) | 1  # a multiple of no power of two: no grid meets it by luck

    def failures(self, n: int, repetitions: int, seed: int) -> list[float]:
        """For each repetition the probability that a run on n keys fails; the keys of a seed are the same for every
        n."""
        coins = SeededCoins(seed)
        most = 1 << n.bit_length()  # more records are further columns: the first n are the same for every n
        rows = uniforms(repetitions, 2 * most, seed)
        return [self._failure(self._counts(row[:n], row[most : most + n]), coins) for row in rows]

    @abstractmethod
    def _failure(self, counts: ColumnCounts, coins: Coins) -> float:
        """The probability that a run on these keys fails, given the coins drawn here."""

    def _right(self, cut: int) -> bool:
        return self._mass(cut) <= self.error

    def _counts(self, far: Values, side: Values) -> ColumnCounts:
        scales = far * (self.bits - 2)
        below: Counter[int] = Counter()
        above: Counter[int] = Counter()
        for scale, coin in zip(scales.tolist(), side.tolist(), strict=True):
            distance = int(math.exp2(scale % 50)) << (int(scale // 50) * 50)
            (above if coin < 0.5 else below)[self.cut + distance if coin < 0.5 else self.cut - distance] += 1
        values = sorted({*below, *above})
        table = np.array([[below[value], above[value]] for value in values], dtype=np.int64)
        return ColumnCounts(values=np.array(values, dtype=object), counts=table, n=len(far))

    def _mass(self, cut: int) -> float:
        """Mass between a cut and the true one."""
        gap = cut - self.cut if cut > self.cut else self.cut - cut + 1
        return 0.0 if cut == self.cut else min(1.0, math.log2(gap) / (self.bits - 2)) / 2


class RecursionKeys(LongKeys):
    """The recursion over widths."""

    def __init__(
        self, bits: int, *, error: float, failure: Fraction, epsilon: Fraction, delta: Fraction
    ) -> None:
        super().__init__(bits, error=error)
        self.learner = RecConcave(self.concepts, epsilon, delta, failure)

    def _failure(self, counts: ColumnCounts, coins: Coins) -> float:
        plan, regions = self.learner.numbers, CutRegions(counts, 2**self.bits, up=True)
        chances = softmax(np.array(self.learner.width_costs(regions)) * math.log(plan.ratios[0]))
        right = 0.0
        for k in np.flatnonzero(chances > NEGLIGIBLE).tolist():
            width = 1 << k
            block, lead = self.learner.block(regions, width, coins.below(2 * width * plan.blocks))
            released = 1.0 if lead is None else float(self.learner.release_chance(lead))
            cuts = self.learner.candidates(width, block)
            costs = np.array([regions.cost(cut) for cut in cuts])
            good = np.array([self._right(cut) for cut in cuts])
            right += chances[k] * released * float(softmax(costs * math.log(plan.ratios[2]))[good].sum())
        return min(1.0, max(0.0, 1.0 - right))


class BlockKeys(LongKeys):
    """One draw among the middles of occupied blocks."""

    def __init__(
        self, bits: int, *, error: float, failure: Fraction, epsilon: Fraction, delta: Fraction
    ) -> None:
        super().__init__(bits, error=error)
        self.learner = BlockCuts(self.concepts, epsilon, delta, failure)

    def _failure(self, counts: ColumnCounts, coins: Coins) -> float:
        middles, pace = self.learner.middles(counts), math.log(self.learner.numbers.ratio)
        members = middles.histogram(None)
        logs = np.array([math.log(count) for count in members.counts]) + members.steps * pace
        chances = np.exp(logs - logsumexp(logs))
        right = 0.0
        for place in np.flatnonzero(chances > UNLIKELY).tolist():
            cost, count = members.best + int(members.steps[place]), members.counts[place]
            right += float(chances[place]) * (sum(map(self._right, middles.cuts(cost))) / count)
        return min(1.0, max(0.0, 1.0 - right))
