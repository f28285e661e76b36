"""Dichotomies of thresholds: k distinct points are cut in k + 1 ways; both directions together make a circle.

Upwards, labelling j gives class 0 to the j smallest points. With both directions the constants are shared, and the
labellings in the order up 0 … k, down 1 … k - 1 form a circle on which neighbours differ at one point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import ListedPrices, VotedDichotomies, multiplicities
from privpac.concepts.labellings.distance import among_cuts, common_ranks, gap_extremes
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts

__all__ = ["CutDichotomies", "cut_mistakes", "middle_cuts"]


@dataclass(frozen=True, eq=False, repr=False)
class CutDichotomies(VotedDichotomies[int]):
    """What cuts do to sorted distinct `points`; `name(cut, up)` is the hypothesis."""

    column: Column
    points: Array
    upward: tuple[bool, ...]
    name: Callable[[int, bool], Hypothesis]

    @property
    def count(self) -> int:
        k = len(self.points)
        return k + 1 if len(self.upward) == 1 else max(2 * k, 1)

    def _place(self, index: int) -> tuple[int, bool]:
        """(gap, upward)"""
        k = len(self.points)
        return (index, self.upward[0]) if index <= k else (index - k, False)

    def member(self, index: int) -> Hypothesis:
        """The cut in the middle of its gap; the outer ones at the ends of the column."""
        gap, up = self._place(index)
        if gap == 0:
            return self.name(0, up)
        if gap == len(self.points):
            return self.name(self.column.size, up)
        low, high = int(self.points[gap - 1]), int(self.points[gap])
        return self.name(low + (high - low) // 2 + 1, up)

    def mistakes(self, sample: Sample) -> ListedPrices:
        counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        upwards = cut_mistakes(counts, self.points)
        return ListedPrices(self._in_order(upwards, int(counts.counts.sum()) - upwards))

    def _in_order(self, up: NDArray[np.int64], down: NDArray[np.int64]) -> NDArray[np.int64]:
        """Scores of upward and downward gaps in the order of the labellings; the constants are upward ones."""
        if len(self.upward) == 1:
            return up if self.upward[0] else down
        return np.concatenate([up, down[1 : len(self.points)]])

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        there: ColumnCounts = sample.reduce(CellCounts(self.column, classes=1))
        counts: ColumnCounts = rest.reduce(CellCounts(self.column))
        steps = change * multiplicities(self.points, there.values, there.counts[:, 0])
        fewest, most = gap_extremes(*common_ranks(self.points, counts.values), counts.counts)
        down = int(counts.counts.sum()) - most
        return ListedPrices(among_cuts(mistake * fewest, mistake * down, steps, self.upward))


def middle_cuts(points: Array) -> Array:
    """The cuts in the middle of the inner gaps."""
    return np.asarray(points[:-1] + (points[1:] - points[:-1]) // 2 + 1)


def cut_mistakes(column_counts: ColumnCounts, points: Array) -> NDArray[np.int64]:
    """Mistakes of the upward representative in every gap between the points."""
    counts = np.asarray(column_counts.counts, dtype=np.int64)
    after = np.concatenate([[0], np.cumsum(counts[:, 1] - counts[:, 0])]) + int(counts[:, 0].sum())
    places = np.searchsorted(column_counts.values, middle_cuts(points))
    last = [len(column_counts.values)] if len(points) else []
    return np.asarray(after[np.concatenate([[0], places, last]).astype(np.intp)], dtype=np.int64)
