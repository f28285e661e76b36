"""Dichotomies of intervals: every run of neighbouring points, and none: k·(k + 1)/2 + 1 of k distinct points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.dichotomies import multiplicities
from privpac.concepts.distance import on_triangle, ranked, triangle_row
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import SizeError
from privpac.mechanisms.scores import Listed
from privpac.theory.listing import interval_points, most_distinct

__all__ = ["IntervalDichotomies", "require_intervals"]

Sums = NDArray[np.int64]


def require_intervals(column: Column, points: int) -> None:
    """Refuse so many points, wherever they lie, if their intervals could be too many to list."""
    most = interval_points()
    if most_distinct(points, [column.size]) > most:
        raise SizeError(
            f"Intervals: {points} records may have more different values than the {most} whose intervals are listed.",
            remedy=f"List those of at most {most} records, or declare at most {most} cells for '{column.name}'.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class IntervalDichotomies:
    """Labelling 0 has nothing inside; then the points i … j - 1 inside, by i and by j.

    The representative of a run reaches from its first to its last point.
    """

    column: Column
    points: Array
    inside: int
    name: Callable[[int, int], Hypothesis]

    @property
    def count(self) -> int:
        k = len(self.points)
        return k * (k + 1) // 2 + 1

    def member(self, index: int) -> Hypothesis:
        if index == 0:
            return self.name(0, 0)
        k = len(self.points)
        first, last = 0, k - 1
        while first < last:  # the last row that begins at or before the index
            middle = (first + last + 1) // 2
            first, last = (middle, last) if triangle_row(middle, k) <= index else (first, middle - 1)
        end = first + 1 + index - triangle_row(first, k)
        return self.name(int(self.points[first]), int(self.points[end - 1]) + 1)

    def labels(self, index: int, cells: Cells) -> NDArray[np.uint8]:
        return self.member(index).predict(cells)

    def mistakes(self, sample: Sample) -> Listed:
        nowhere, start, end, _, _, _ = self._sums(sample)
        return Listed(_runs(nowhere, 0, start, end))

    def relabelling(self, kept: Sample, rest: Sample, *, change: int, mistake: int) -> Listed:
        there: ColumnCounts = kept.reduce(CellCounts(self.column, classes=1))
        steps = change * multiplicities(self.points, there.values, there.counts[:, 0])
        nowhere, start, end, before, after, alone = self._sums(rest)
        costs = mistake * _runs(nowhere, int(alone), start - before, end + after)
        on_triangle(costs, steps)
        return Listed(costs)

    def _sums(self, sample: Sample) -> tuple[int, Sums, Sums, Sums, Sums, np.int64]:
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.asarray(seen.counts, dtype=np.int64)
        change = counts[:, 1 - self.inside] - counts[:, self.inside]  # of moving a cell inside
        nowhere = int(counts[:, self.inside].sum())
        return nowhere, *_gap_sums(*ranked(self.points, seen.values), change)


@compiled
def _gap_sums(
    points: NDArray[np.uint64], values: NDArray[np.uint64], change: NDArray[np.int64]
) -> tuple[Sums, Sums, Sums, Sums, np.int64]:
    """Sums of `change` along the column, cut at the points.

    `start[i]`: over everything below point i. `end[j]`: up to and including point j - 1. `before[i]`: the best suffix
    of the gap below point i. `after[j]`: the best prefix of the gap above point j - 1. Last: the best run within
    one gap.
    """
    k = len(points)
    start, end = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    before, after = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    alone = np.int64(0)
    running = np.int64(0)
    i = 0
    for j in range(k + 1):
        end[j] = running
        lowest = np.int64(0)
        suffix = np.int64(0)
        while i < len(values) and (j == k or values[i] < points[j]):
            running += change[i]
            lowest = min(lowest, running - end[j])
            suffix = min(suffix + change[i], np.int64(0))
            alone = min(alone, suffix)
            i += 1
        after[j] = lowest
        before[j] = suffix
        start[j] = running
        if i < len(values) and j < k and values[i] == points[j]:
            running += change[i]
            i += 1
    return start, end, before, after, alone


@compiled
def _runs(nowhere: int, alone: int, start: Sums, end: Sums) -> Sums:
    """Mistakes of nothing inside, then of every run of points."""
    k = len(start) - 1
    mistakes = np.empty(k * (k + 1) // 2 + 1, np.int64)
    mistakes[0] = nowhere + alone
    place = 1
    for i in range(k):
        for j in range(i + 1, k + 1):
            mistakes[place] = nowhere + end[j] - start[i]
            place += 1
    return mistakes
