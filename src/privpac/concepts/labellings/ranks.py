"""Cuts of a shuffled list of records on an ordered column, where equal points are distinguished by their place.

Not dichotomies of a set of points: labelling j gives class 0 to the j records that come first by point, then by place.
There are always as many as records and one more, and exchanging one record for another changes two labels of the j-th
labelling at most. That is the structure `rank-relabelling` rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.labellings.base import ListedPrices
from privpac.concepts.labellings.distance import among_cuts, common_ranks, gap_extremes
from privpac.concepts.line.thresholds import Thresholds
from privpac.data.sample import InMemory, Sample
from privpac.data.statistics import CellCounts, ColumnCounts

__all__ = ["RankDichotomies"]

FAR = 2**62
"""A cost that no concept has: a labelling that tells equal points apart is only reached from others."""


@dataclass(frozen=True, eq=False, repr=False)
class RankDichotomies:
    """The prefix labellings of `sample`, in their shuffled order."""

    concepts: Thresholds
    sample: InMemory

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """The rank of every record by point, then by place."""
        name = self.concepts.column
        order = np.argsort(self.sample.block(name).cells[name], kind="stable")
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return ranks

    def labels(self, index: int) -> NDArray[np.uint8]:
        """Of the kept records, in their order."""
        k = len(self._ranks)
        if index > k:
            return (self._ranks < index - k).astype(np.uint8)
        after = self._ranks >= index
        return (after if self.concepts.direction != "down" else ~after).astype(np.uint8)

    def relabelling(self, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        """As `Dichotomies.relabelling`; the concepts are still cuts between points."""
        column = self.concepts.schema.column(self.concepts.column)
        there: ColumnCounts = self.sample.reduce(CellCounts(column, classes=1))
        counts: ColumnCounts = rest.reduce(CellCounts(column))
        fewest, most = gap_extremes(*common_ranks(there.values, counts.values), counts.counts)
        down, k = int(counts.counts.sum()) - most, len(self._ranks)
        places = np.concatenate([[0], np.cumsum(there.counts[:, 0])])
        up, down = (self._spread(mistake * gaps, places) for gaps in (fewest, down))
        steps = np.full(k, change, dtype=np.int64)
        return ListedPrices(among_cuts(up, down, steps, self.concepts._upward))

    def _spread(self, gaps: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        costs = np.full(len(self._ranks) + 1, FAR, dtype=np.int64)
        costs[places] = gaps
        return costs
