"""Dichotomies of boxes: the boxes that touch a point on every side, and the empty one.

Two boxes label the points alike if and only if they hold the same points; of these the smallest, which touches a point
on each of its sides, stands for the labelling. Boxes of the public grid are walked through one by one, with sums over
any box from eight corners, so the grid must be coarse enough for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.labellings.base import ListedPrices, refuse_relabelling
from privpac.data.sample import Sample, Statistic
from privpac.errors import SizeError
from privpac.theory.listing import LARGEST_GRID, boxes

__all__ = ["BoxDichotomies", "require_boxes"]

Counts = NDArray[np.int64]


def require_boxes(groups: Sequence[int]) -> None:
    """Refuse a grid whose boxes are too many to walk through, whichever of them touch points."""
    if boxes(groups) <= LARGEST_GRID:
        return
    most = 1
    while boxes([most + 1] * len(groups)) <= LARGEST_GRID:
        most += 1
    raise SizeError(
        f"Rectangles: a grid of {' x '.join(map(str, groups))} groups has too many boxes to list.",
        remedy=f"Use at most {most} groups for each column: Rectangles(schema, columns, bins={most}), or a schema with "
        f"at most {most} cells for each of them.",
    )


@dataclass(frozen=True, eq=False, repr=False)
class BoxDichotomies:
    """`occupied` says which cells of the grid hold a point; `name` makes a box of ranges of groups, None: empty."""

    statistic: Statistic[Counts]
    occupied: Counts
    inside: int
    name: Callable[[Sequence[tuple[int, int]] | None], Hypothesis]

    @cached_property
    def _sides(self) -> NDArray[np.int16]:
        """Ranges of the boxes that touch points on all sides, three pairs each."""
        found: NDArray[np.int16] = _touching(_sums(_solid(self.occupied)))
        return found

    @property
    def count(self) -> int:
        return 1 + len(self._sides)

    def member(self, index: int) -> Hypothesis:
        if index == 0:
            return self.name(None)
        sides = self._sides[index - 1].reshape(3, 2).tolist()
        return self.name([(low, high - 1) for low, high in sides[3 - self.occupied.ndim :]])

    def labels(self, index: int, cells: Cells) -> NDArray[np.uint8]:
        return self.member(index).predict(cells)

    def mistakes(self, sample: Sample) -> ListedPrices:
        counts = np.asarray(sample.reduce(self.statistic), dtype=np.int64)
        moves = counts[1 - self.inside] - counts[self.inside]  # of taking a cell inside
        nowhere = int(counts[self.inside].sum())
        within: Counts = _within(_sums(_solid(moves)), self._sides)
        return ListedPrices(np.concatenate([[nowhere], nowhere + within]))

    def relabelling(self, kept: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        refuse_relabelling("Rectangles")


def _solid(table: Counts) -> Counts:
    """With three axes, the unused ones first."""
    return np.asarray(table, dtype=np.int64).reshape((1,) * (3 - table.ndim) + table.shape)


def _sums(table: Counts) -> Counts:
    """Sums over all boxes that begin at the origin, with a zero in front of every axis."""
    sums = np.zeros(tuple(size + 1 for size in table.shape), dtype=np.int64)
    sums[1:, 1:, 1:] = table.cumsum(0).cumsum(1).cumsum(2)
    return sums


@compiled
def _over(sums: Counts, a: int, b: int, c: int, d: int, e: int, f: int) -> int:
    """Sum over a <= x < b, c <= y < d, e <= z < f."""
    upper = sums[b, d, f] - sums[a, d, f] - sums[b, c, f] + sums[a, c, f]
    lower = sums[b, d, e] - sums[a, d, e] - sums[b, c, e] + sums[a, c, e]
    return int(upper - lower)


@compiled
def _touches(sums: Counts, a: int, b: int, c: int, d: int, e: int, f: int) -> bool:
    return bool(
        _over(sums, a, a + 1, c, d, e, f) > 0
        and _over(sums, b - 1, b, c, d, e, f) > 0
        and _over(sums, a, b, c, c + 1, e, f) > 0
        and _over(sums, a, b, d - 1, d, e, f) > 0
        and _over(sums, a, b, c, d, e, e + 1) > 0
        and _over(sums, a, b, c, d, f - 1, f) > 0
    )


@compiled
def _touching(sums: Counts) -> NDArray[np.int16]:
    """All boxes that touch a point on every side, in a fixed order; counted first, then listed."""
    x, y, z = sums.shape[0] - 1, sums.shape[1] - 1, sums.shape[2] - 1
    found = np.empty((0, 6), np.int16)
    for listing in range(2):
        place = 0
        for a in range(x):
            for b in range(a + 1, x + 1):
                for c in range(y):
                    for d in range(c + 1, y + 1):
                        for e in range(z):
                            for f in range(e + 1, z + 1):
                                if _touches(sums, a, b, c, d, e, f):
                                    if listing == 1:
                                        found[place, 0], found[place, 1] = a, b
                                        found[place, 2], found[place, 3] = c, d
                                        found[place, 4], found[place, 5] = e, f
                                    place += 1
        if listing == 0:
            found = np.empty((place, 6), np.int16)
    return found


@compiled
def _within(sums: Counts, sides: NDArray[np.int16]) -> Counts:
    totals = np.empty(len(sides), np.int64)
    for i in range(len(sides)):
        totals[i] = _over(sums, sides[i, 0], sides[i, 1], sides[i, 2], sides[i, 3], sides[i, 4], sides[i, 5])
    return totals
