"""How often thresholds by recursion fail on keys at log-uniform distance from the cut, given the data and the offsets.

The width is averaged exactly; for every width one offset of the blocks is drawn, and whether the block is released and
which cut is drawn are averaged exactly again. Numbers here measure; promises are in `theory`.
Tested by tests/unit/constructions/points/test_hard_failures.py.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.special import softmax

from privpac.coins import Coins, SeededCoins
from privpac.concepts.line.cut_regions import CutRegions
from privpac.concepts.line.thresholds import Thresholds
from privpac.constructions.cuts.recursive import RecConcave
from privpac.constructions.points.hard_failures import Values, uniforms
from privpac.data.columns import Numeric
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts

__all__ = ["LongKeys"]

NEGLIGIBLE = 1e-4
"""Widths less likely than this count as failures."""


class LongKeys:
    """Keys of `bits` bits at distance 2^e from the cut, e uniform, on either side; a failure is an error above `error`
    or no answer."""

    def __init__(
        self, bits: int, *, error: float, failure: Fraction, epsilon: Fraction, delta: Fraction
    ) -> None:
        self.bits, self.error = bits, error
        column = Numeric("key", lower=0, upper=2**bits - 1, integer=True)
        schema = Schema((column,), label="y", classes=("0", "1"))
        self.learner = RecConcave(Thresholds(schema, "key"), epsilon, delta, failure)
        self.cut = (
            2**bits * 618033988749 // 10**12
        ) | 1  # a multiple of no power of two: no grid meets it by luck

    def failures(self, n: int, repetitions: int, seed: int) -> list[float]:
        """For each repetition the probability that a run on n keys fails; the keys of a seed are the same for every
        n."""
        coins = SeededCoins(seed)
        most = 1 << n.bit_length()  # more records are further columns: the first n are the same for every n
        rows = uniforms(repetitions, 2 * most, seed)
        return [self._failure(row[:n], row[most : most + n], coins) for row in rows]

    def _failure(self, far: Values, side: Values, coins: Coins) -> float:
        plan, regions = self.learner.numbers, CutRegions(self._counts(far, side), 2**self.bits, up=True)
        chances = softmax(np.array(self.learner.width_costs(regions)) * math.log(plan.ratios[0]))
        right = 0.0
        for k in np.flatnonzero(chances > NEGLIGIBLE).tolist():
            width = 1 << k
            block, lead = self.learner.block(regions, width, coins.below(2 * width * plan.blocks))
            released = 1.0 if lead is None else float(self.learner.release_chance(lead))
            cuts = self.learner.candidates(width, block)
            costs = np.array([regions.cost(cut) for cut in cuts])
            good = np.array([self._mass(cut) <= self.error for cut in cuts])
            right += chances[k] * released * float(softmax(costs * math.log(plan.ratios[2]))[good].sum())
        return min(1.0, max(0.0, 1.0 - right))

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
