"""Dichotomies of points: one of the k distinct cells, or none of them while some other cell exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import ListedPrices, VotedDichotomies, multiplicities
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts

__all__ = ["PointDichotomies"]


@dataclass(frozen=True, eq=False, repr=False)
class PointDichotomies(VotedDichotomies[int]):
    """Labelling i < k has class 1 at the i-th point alone; the last one nowhere. `elsewhere` represents that one."""

    column: Column
    points: Array
    elsewhere: int | None
    name: Callable[[int], Hypothesis]

    def member(self, index: int) -> Hypothesis:
        if index == len(self.points) and self.elsewhere is not None:
            return self.name(self.elsewhere)
        return self.name(int(self.points[index]))

    def _at(self, column_counts: ColumnCounts) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Mistakes of each point of the set, and which seen values belong to it."""
        counts = np.asarray(column_counts.counts, dtype=np.int64)
        mistakes = np.full(len(self.points), int(counts[:, 1].sum()), dtype=np.int64)
        places = np.searchsorted(self.points, column_counts.values)
        inside = np.zeros(len(column_counts.values), dtype=np.bool_)
        within = places < len(self.points)
        inside[within] = self.points[places[within]] == column_counts.values[within]
        mistakes[places[inside]] += counts[inside, 0] - counts[inside, 1]
        return mistakes, inside

    def mistakes(self, sample: Sample) -> ListedPrices:
        column_counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        mistakes, _ = self._at(column_counts)
        if self.elsewhere is None:
            return ListedPrices(mistakes)
        counts = np.asarray(column_counts.counts, dtype=np.int64)
        here = counts[column_counts.values == self.elsewhere]
        none = int(counts[:, 1].sum()) + int(here[:, 0].sum()) - int(here[:, 1].sum())
        return ListedPrices(np.append(mistakes, none))

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        """Two points differ at both of them, a point and none at that point: through none it is never farther."""
        there: ColumnCounts = sample.reduce(CellCounts(self.column, classes=1))
        counts: ColumnCounts = rest.reduce(CellCounts(self.column))
        steps = change * multiplicities(self.points, there.values, there.counts[:, 0])
        mistakes, inside = self._at(counts)
        costs = mistake * mistakes
        through = [int((costs + steps).min())] if len(costs) else []
        if self.elsewhere is not None:
            through.append(mistake * self._fewest_outside(counts, ~inside))
        none = min(through)
        costs = np.minimum(costs, none + steps)
        return ListedPrices(costs if self.elsewhere is None else np.append(costs, none))

    def _fewest_outside(self, column_counts: ColumnCounts, outside: NDArray[np.bool_]) -> int:
        """The best point outside of the set: a seen one, or one that nobody has if there is any."""
        counts = np.asarray(column_counts.counts, dtype=np.int64)
        positives = int(counts[:, 1].sum())
        gains = counts[outside, 0] - counts[outside, 1]
        has_free_point = self.column.size > len(self.points) + len(gains)
        return positives + int(min([*gains.tolist(), *([0] if has_free_point else [])]))
