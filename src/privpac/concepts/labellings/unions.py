"""Dichotomies of unions of intervals: every string of zeros and ones on the points with few enough changes.

k points cut the column into k parts, in the middle between neighbours, and the representative of a labelling is the
union of the parts whose points lie inside. So the labellings are the unions of a column with k cells, one per part, and
are drawn by the same sums (`line.union_law`): nothing is listed, and a draw takes time linear in the points.
Proof: docs/proofs/labellings-by-sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import Dichotomies, Prices
from privpac.concepts.labellings.cuts import middle_cuts
from privpac.concepts.line.union_law import Range, UnionGibbs
from privpac.concepts.line.union_sums import UnionSums, Walk
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts

__all__ = ["Ranges", "UnionDichotomies", "UnionPrices"]

Ranges = tuple[Range, ...]
"""A labelling: the points first <= number < last lie inside, for each of these ranges."""


@dataclass(frozen=True, eq=False, repr=False)
class UnionDichotomies(Dichotomies[Ranges]):
    """At most `changes` changes of side along sorted distinct `points`; `name` makes a concept of ranges of cells."""

    column: Column
    points: Array
    changes: int
    inside: int
    name: Callable[[Ranges], Hypothesis]

    def member(self, labelling: Ranges) -> Hypothesis:
        """The parts whose points lie inside; the outer parts reach to the ends of the column."""
        cuts = middle_cuts(self.points)

        def edge(place: int) -> int:
            if place == 0:
                return 0
            return self.column.size if place == len(self.points) else int(cuts[place - 1])

        return self.name(tuple((edge(first), edge(last)) for first, last in labelling))

    def mistakes(self, sample: Sample) -> Prices[Ranges]:
        column_counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.zeros((len(self.points), 2), dtype=np.int64)
        np.add.at(
            counts,
            np.searchsorted(middle_cuts(self.points), column_counts.values, side="right"),
            column_counts.counts,
        )
        return UnionPrices(counts, min(self.changes, len(self.points)), self.inside)


@dataclass(frozen=True, eq=False, repr=False)
class UnionPrices:
    """The mistakes of every labelling, where `counts` has the records of each class in each part."""

    counts: NDArray[np.int64]
    changes: int
    inside: int

    def law(self, ratio: Fraction) -> UnionGibbs[Ranges]:
        """The labellings as unions of a column whose cells are the parts. Private."""
        parts = len(self.counts)
        walk = Walk(np.arange(parts, dtype=np.uint64), self.counts, parts, (1, 1), self.inside)
        members = sum(math.comb(parts, changes) for changes in range(self.changes + 1))
        return UnionGibbs(UnionSums(walk, self.changes + 1, ratio, members), lambda ranges: ranges)

    def draw(self, ratio: Fraction, coins: Coins) -> Ranges:
        return self.law(ratio).draw(coins)

    def cheapest(self) -> Ranges:
        """By the best prices of every beginning, for each number of changes; fewest changes first, then leftmost."""
        moves = self.counts[:, 1 - self.inside] - self.counts[:, self.inside]  # of taking a part inside
        sums = np.concatenate([[0], np.cumsum(moves)])
        best = [np.zeros_like(sums)]
        for state in range(1, self.changes + 1):
            before = best[-1] - (state & 1) * sums  # with the last change here
            lowest = np.full_like(sums, _FAR)
            lowest[state:] = np.minimum.accumulate(before[state - 1 : -1]) + (state & 1) * sums[state:]
            best.append(lowest)
        state = int(np.argmin([prices[-1] for prices in best]))
        places = [len(moves)]
        for left in range(state, 0, -1):
            before = best[left - 1] - (left & 1) * sums
            places.append(left - 1 + int(np.argmin(before[left - 1 : places[-1]])))
        ends = [*reversed(places[1:]), len(moves)]
        return tuple((ends[i], ends[i + 1]) for i in range(0, state, 2))


_FAR = 2**61
"""Where this many changes have no room: above every number of records."""
