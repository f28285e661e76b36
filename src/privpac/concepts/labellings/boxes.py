"""Dichotomies of boxes: the boxes of values that touch a point on every side, and the empty one; drawn by sums.

Along every axis the values of the points cut the grid into parts, in the middle between neighbours. Two boxes label the
points alike if and only if they hold the same points; of these the smallest range of values on each axis stands for the
labelling, together with the parts around them. For fixed ranges of all axes but the last, ranges of the last one are
summed by where they end and by which of the other sides they have touched so far: no box is listed.
Proof: docs/proofs/labellings-by-sums.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isqrt, prod

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import Dichotomies, ListedPrices
from privpac.concepts.labellings.box_kernels import cheapest_box, outer_sums, ranges_within
from privpac.concepts.trees.powers import Powers
from privpac.data.occupied import OccupiedCells, PointCounts
from privpac.data.sample import Sample
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["BoxDichotomies", "BoxPrices", "Sides"]

Counts = NDArray[np.int64]

Sides = tuple[tuple[int, int], ...]
"""A labelling: first and last value on every axis, counted among those of the points; () is the empty box."""


@dataclass(frozen=True, eq=False, repr=False)
class BoxDichotomies(Dichotomies[Sides]):
    """`points` are the cells of the grid that hold one; `name` makes a box of ranges of groups, None: empty."""

    statistic: OccupiedCells
    points: PointCounts
    inside: int
    name: Callable[[Sequence[tuple[int, int]] | None], Hypothesis]

    @cached_property
    def _places(self) -> tuple[list[int], ...]:
        return self.statistic.groups(self.points)

    @cached_property
    def _values(self) -> tuple[list[int], ...]:
        """The values of the points on every axis, ascending."""
        return tuple(sorted(set(places)) for places in self._places)

    @cached_property
    def _cuts(self) -> tuple[list[int], ...]:
        """Where the parts between neighbouring values begin, without the first."""
        return tuple(
            [low + (high - low) // 2 + 1 for low, high in pairwise(values)] for values in self._values
        )

    def member(self, labelling: Sides) -> Hypothesis:
        """The parts around the values; the outer ones reach to the ends of the grid."""
        if not labelling:
            return self.name(None)
        ranges = []
        for (first, last), cuts, size in zip(labelling, self._cuts, self.statistic.bins, strict=True):
            low = cuts[first - 1] if first else 0
            ranges.append((low, (cuts[last] if last < len(cuts) else size) - 1))
        return self.name(ranges)

    def mistakes(self, sample: Sample) -> BoxPrices:
        counts = sample.reduce(self.statistic)
        moves = counts.counts[:, 1 - self.inside] - counts.counts[:, self.inside]  # of taking a cell inside
        shape = tuple(max(1, len(values)) for values in self._values)
        table = np.zeros(shape, dtype=np.int64)
        parts = [
            np.searchsorted(np.array(cuts, dtype=object), np.array(groups, dtype=object), side="right")
            for cuts, groups in zip(self._cuts, self.statistic.groups(counts), strict=True)
        ]
        if self._places[0]:
            np.add.at(table, tuple(parts), moves)
        mask = np.zeros(shape, dtype=np.bool_)
        mask[tuple(np.searchsorted(v, p) for v, p in zip(self._values, self._places, strict=True))] = True
        # The axis with most cells comes last: of all others every range is taken.
        order = tuple(sorted(range(len(shape)), key=lambda axis: self.statistic.bins[axis]))
        solid = (1,) * (3 - len(shape)) + tuple(shape[axis] for axis in order)  # unused axes first
        places = np.ascontiguousarray(mask.transpose(order)).reshape(solid)
        return BoxPrices(places, np.ascontiguousarray(table.transpose(order)).reshape(solid), order)


@dataclass(frozen=True, eq=False, repr=False)
class BoxPrices:
    """What every labelling costs more than nothing inside: the sum of `moves` over its parts.

    `occupied` says where points are; both have three axes, unused ones first and with one value.
    """

    occupied: NDArray[np.bool_]
    moves: Counts
    order: tuple[int, ...]
    """Which axis of the grid each of the used ones is."""

    def outer(self, index: int) -> tuple[int, int, int, int]:
        """First and last value of the first and of the second axis."""
        depth, rows, _ = self.moves.shape
        z, y = divmod(index, rows * (rows + 1) // 2)
        return *_range(z, depth), *_range(y, rows)

    def within(self, index: int) -> tuple[Counts, Counts, Counts]:
        """First and last values on the last axis of the labellings with these outer ranges, and their prices."""
        first, last, prices = ranges_within(self.occupied, self.moves, *self.outer(index))
        return first, last, prices

    def _sides(self, outer: tuple[int, int, int, int], first: int, last: int) -> Sides:
        z, z_last, y, y_last = outer
        edges = ((z, z_last), (y, y_last), (first, last))[3 - len(self.order) :]
        return tuple(edges[self.order.index(axis)] for axis in range(len(edges)))

    def draw(self, ratio: Fraction, coins: Coins) -> Sides:
        index = coins.choose(OuterWeights(self, ratio))
        if index == 0:
            return ()
        first, last, prices = self.within(index - 1)
        place = ListedPrices(prices).draw(ratio, coins)
        return self._sides(self.outer(index - 1), int(first[place]), int(last[place]))

    def cheapest(self) -> Sides:
        price, z, z_last, y, y_last, first, last = cheapest_box(self.occupied, self.moves)
        return self._sides((z, z_last, y, y_last), first, last) if price < 0 else ()


@dataclass(frozen=True, eq=False, repr=False)
class OuterWeights:
    """The weight of nothing inside, then of all labellings with given ranges of the first two axes."""

    prices: BoxPrices
    ratio: Fraction

    @property
    def key(self) -> Hashable:
        prices = self.prices
        return ("boxes", self.ratio, prices.moves.shape, prices.occupied.tobytes(), prices.moves.tobytes())

    @property
    def _outer(self) -> int:
        return prod(size * (size + 1) // 2 for size in self.prices.moves.shape[:2])

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: for each value of the last axis at most sixteen sums of four roundings each (two of a power, a product
        and an addition) and one for the total, then those of alignment; what is dropped is below 2^-899 of what has the
        same future."""
        largest = int(np.abs(self.prices.moves).sum()) if self.ratio < 1 else 0
        powers = Powers.of(self.ratio, largest=largest)
        exponents, mantissas = np.zeros(self._outer + 1, np.int64), np.zeros(self._outer + 1)
        mantissas[0] = 1.0
        moves = self.prices.moves if self.ratio < 1 else np.zeros_like(self.prices.moves)
        outer_sums(self.prices.occupied, moves, powers.table, exponents[1:], mantissas[1:])
        values = powers.aligned(exponents, mantissas)
        width = self.prices.moves.shape[2]
        loss = 17.0 * float(self._outer + 1) * float(width + 1) ** 2 * 2.0**-899
        return values, 1.01 * ((68 * width + 16) * UNIT_ROUNDOFF + loss)

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            ratio, weights = ball(self.ratio), [arb(1)]
            for index in range(self._outer):
                steps, counts = np.unique(self.prices.within(index)[2], return_counts=True)
                terms = zip(steps.tolist(), counts.tolist(), strict=True)
                weights.append(sum((arb(fmpz(count)) * ratio**step for step, count in terms), arb(0)))
            return weights

    def exact(self) -> Sequence[Fraction]:
        lists = (self.prices.within(index)[2].tolist() for index in range(self._outer))
        return [Fraction(1), *(sum((self.ratio**step for step in steps), Fraction(0)) for steps in lists)]


def _range(index: int, size: int) -> tuple[int, int]:
    """First and last of the index-th range of this many values: by the first, then by the last."""
    after = size * (size + 1) // 2 - 1 - index  # ranges that follow it
    behind = (isqrt(8 * after + 1) - 1) // 2  # values behind its first
    return size - 1 - behind, size - 1 - (after - behind * (behind + 1) // 2)
