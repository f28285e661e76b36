"""All multisets of m cells near given records, counted and drawn without listing them.

A multiset, sorted, is a path p_1 <= … <= p_m. Its worst threshold is off by at most half a step and v records exactly
if every p_j lies in a range that depends on j and v alone: a band around the quantiles. The paths inside a band are
counted by a determinant of binomials (Steck 1969), whatever the size of the domain.
Proof: docs/proofs/candidate-answers.md.

Everything here is private: nothing in this file has a repr that shows what it holds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.data.statistics import ColumnCounts
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["Band", "Paths", "paths_between"]

_FLOAT_BITS = 96
"""Levels whose weights together are below 2^-96 of all are left out of the float reading."""


def paths_between(low: Sequence[int], high: Sequence[int]) -> int:
    """How many sequences p_1 <= … <= p_m have low_j <= p_j <= high_j, for bounds that do not fall.

    With f_0 = 1: f_j = sum over i < j of (-1)^(j-i-1)·f_i·C(high_(i+1) - low_j + 1, j - i), a determinant expanded row
    by row.

    >>> paths_between([0, 0], [1, 1])
    3
    """
    counts = [1]
    for j, floor in enumerate(low, start=1):
        total = 0
        for i in range(j):
            room = high[i] - floor + 1
            if room > 0:
                term = counts[i] * comb(room, j - i)
                total += term if (j - i) % 2 else -term
        counts.append(total)
    return counts[-1]


@dataclass(frozen=True, eq=False, repr=False)
class Band:
    """Where the j-th of `points` may lie if no threshold is off by more than v records beyond half a step."""

    evidence: ColumnCounts
    cells: int
    points: int

    @cached_property
    def _sums(self) -> list[int]:
        sums: list[int] = np.cumsum(self.evidence.counts[:, 0], dtype=np.int64).tolist()
        return sums

    @property
    def last(self) -> int:
        """The level at which every multiset is inside."""
        return self.evidence.n

    def _value(self, rank: int) -> int:
        """The cell of the rank-th record, counted from 1."""
        return int(self.evidence.values[bisect_left(self._sums, rank)])

    def at(self, level: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Lowest and highest cells. Point j is the quantile of rank n·(2j - 1)/(2·points), give or take `level`."""
        n, m = self.evidence.n, self.points
        low, high = [], []
        for j in range(1, m + 1):
            twice = n * (2 * j - 1)
            least = -(-twice // (2 * m)) - level
            most = twice // (2 * m) + level + 1
            low.append(0 if least <= 0 else self._value(least))
            high.append(self.cells - 1 if most > n else self._value(most))
        return tuple(low), tuple(high)


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """Multisets with weight ratio^level, level the smallest band that holds them; drawn band by band.

    ratio^u is (1 - ratio)·(ratio^u + ratio^(u+1) + …), so the law is a mixture over levels v of the uniform law on the
    band of v, with weight (1 - ratio)·ratio^v·(paths in the band): no band has to be told from the one inside it.
    """

    band: Band
    ratio: Fraction

    @cached_property
    def _counts(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
        return {}

    def count(self, level: int) -> int:
        """The number of multisets in the band of a level."""
        bounds = self.band.at(level)
        if bounds not in self._counts:
            self._counts[bounds] = paths_between(*bounds)
        return self._counts[bounds]

    @cached_property
    def everything(self) -> int:
        """The number of all multisets."""
        return comb(self.band.cells + self.band.points - 1, self.band.points)

    @property
    def key(self) -> Hashable:
        last = self.band.last
        return ("paths", self.ratio, tuple(self.count(level) for level in range(last + 1)))

    def _levels(self, bits: int) -> tuple[list[arb], arb]:
        """Weights of levels 0, 1, … over 1 - ratio, and a bound on those of all further ones together."""
        ratio, power, total = ball(self.ratio), arb(1), arb(0)
        weights: list[arb] = []
        rest = arb(0)
        for level in range(self.band.last):
            weights.append(power * fmpz(self.count(level)))
            total += weights[-1]
            power *= ratio
            # All further levels, the last one included: at most ratio^(level+1)·everything, over 1 - ratio.
            rest = power * fmpz(self.everything) / (1 - ratio)
            if rest < total * arb(2) ** -bits:
                return weights, rest
        return [*weights, power * fmpz(self.everything) / (1 - ratio)], arb(0)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """From balls of 160 bits: one rounding each, and what was left out."""
        with ctx.workprec(_FLOAT_BITS + 64):
            weights, rest = self._levels(_FLOAT_BITS)
            total = sum(weights, arb(0))
            values = np.array([float((weight / total).mid()) for weight in weights])
            return values, 4.04 * UNIT_ROUNDOFF + float((rest / total).upper())

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits + 64):
            weights, rest = self._levels(bits + 8)
            return [*weights, arb(0).union(rest)] if rest > 0 else weights

    def exact(self) -> Sequence[Fraction]:
        last = self.band.last
        weights = [self.ratio**level * self.count(level) for level in range(last)]
        return [*weights, self.ratio**last * self.everything / (1 - self.ratio)]

    def draw(self, coins: Coins) -> tuple[int, ...]:
        low, high = self.band.at(coins.choose(self))
        return _path_at(low, high, coins.below(paths_between(low, high)))


def _path_at(low: Sequence[int], high: Sequence[int], index: int) -> tuple[int, ...]:
    """The index-th path of a band, ordered by its last point, then by the one before, and so on."""
    path: list[int] = []
    top = high[-1]
    for length in range(len(low), 0, -1):
        floor, under = low[:length], high[:length]

        def reaching(cell: int, floor: Sequence[int] = floor, under: Sequence[int] = under) -> int:
            """Paths whose last point is at most `cell`."""
            if cell < floor[-1]:
                return 0
            return paths_between(floor, [min(edge, cell) for edge in under])

        first, last = floor[-1], min(top, under[-1])
        while first < last:  # the first cell with more than `index` paths up to it
            middle = (first + last) // 2
            first, last = (first, middle) if reaching(middle) > index else (middle + 1, last)
        index -= reaching(first - 1)
        path.append(first)
        top = first
        high = [min(edge, top) for edge in high]
    return tuple(reversed(path))
