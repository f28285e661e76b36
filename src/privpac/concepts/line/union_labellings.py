"""How unions of intervals label given points, by mistakes and by a vote of other records.

k points cut the column into k parts, in the middle between neighbours; the labellings are the unions of a column with k
cells, one per part, and are drawn by the same law: nothing is listed, and a draw takes time linear in the points. A
vote prices a labelling by the nearest concept. For runs of points that begin with the same one these minima follow from
each other as the end moves along, so all runs are counted by price in time linear in their number, and none is kept.
Proof: docs/proofs/labellings-by-sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.compiled import compiled
from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import Dichotomies, Prices, multiplicities
from privpac.concepts.labellings.cuts import middle_cuts
from privpac.concepts.labellings.distance import common_ranks
from privpac.concepts.line.union_law import Range, UnionLaw, Walk
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import SizeError
from privpac.mechanisms import gibbs
from privpac.mechanisms.scores import Histogram
from privpac.theory.listing import MOST_RUN_POINTS, most_distinct

Sums = NDArray[np.int64]

Ranges = tuple[Range, ...]
"""A labelling: the points first <= number < last lie inside, for each of these ranges."""

_FAR = 2**61
"""Above every number of records."""

_DENSE = 2**24
"""Different prices up to which each has a place in a table."""


@dataclass(frozen=True, eq=False, repr=False)
class UnionLabellings(Dichotomies[Ranges]):
    """At most `changes` changes of side along sorted distinct `points`; `name` makes a concept of ranges of cells."""

    column: Column
    points: Array
    changes: int
    inside: int
    name: Callable[[Ranges], Hypothesis]

    def member(self, labelling: Ranges) -> Hypothesis:
        """The parts whose points lie inside; the outer parts reach to the ends of the column."""
        edges = [0, *(int(cut) for cut in middle_cuts(self.points)), self.column.size]
        return self.name(tuple((edges[first], edges[last]) for first, last in labelling))

    def mistakes(self, sample: Sample) -> Prices[Ranges]:
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.zeros((len(self.points), 2), dtype=np.int64)
        np.add.at(counts, np.searchsorted(middle_cuts(self.points), seen.values, side="right"), seen.counts)
        return UnionPrices(counts, min(self.changes, len(self.points)), self.inside)


@dataclass(frozen=True, eq=False, repr=False)
class UnionPrices:
    """The mistakes of every labelling, where `counts` has the records of each class in each part."""

    counts: Sums
    changes: int
    inside: int

    def draw(self, ratio: Fraction, coins: Coins) -> Ranges:
        """From the unions of a column whose cells are the parts."""
        parts = len(self.counts)
        walk = Walk(np.arange(parts, dtype=np.uint64), self.counts, parts, (1, 1), self.inside)
        members = sum(math.comb(parts, changes) for changes in range(self.changes + 1))
        return UnionLaw(walk, self.changes + 1, ratio, members, lambda ranges: ranges).draw(coins)

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


def require_runs(column: Column, points: int) -> None:
    """Refuse this many points, wherever they lie, if their runs could be too many to count."""
    if most_distinct(points, [column.size]) > MOST_RUN_POINTS:
        raise SizeError(
            f"Intervals: {points} records may have more different values than the {MOST_RUN_POINTS} whose runs are "
            "voted on.",
            remedy=f"Relabel at most {MOST_RUN_POINTS} records, or declare at most {MOST_RUN_POINTS} cells for "
            f"'{column.name}'.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class RunLabellings(UnionLabellings):
    """Unions of one interval, on whose labels records can vote."""

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> VotedRuns:
        there: ColumnCounts = sample.reduce(CellCounts(self.column, classes=1))
        seen: ColumnCounts = rest.reduce(CellCounts(self.column))
        counts = np.asarray(seen.counts, dtype=np.int64)
        moves = counts[:, 1 - self.inside] - counts[:, self.inside]  # of taking a cell inside
        start, end, before, after, alone = _gap_sums(*common_ranks(self.points, seen.values), moves)
        nowhere = int(counts[:, self.inside].sum())
        steps = change * multiplicities(self.points, there.values, there.counts[:, 0])
        return VotedRuns(
            mistake * (before - start),
            mistake * (nowhere + end + after),
            np.concatenate([[0], np.cumsum(steps)]),
            mistake * (nowhere + int(alone)),
        )


@dataclass(frozen=True, eq=False, repr=False)
class VotedRuns:
    """The best intervals that hold the points a … b - 1 cost begins[a] + ends[b], those that hold none `none`.

    Relabelling the points a … b - 1 costs lengths[b] - lengths[a]. The price of a labelling is the least cost of an
    interval and of the way to it.
    """

    begins: Sums
    ends: Sums
    lengths: Sums
    none: int

    def _least(self, begins: Sums, ends: Sums) -> tuple[int, int, int]:
        """The least begins[a] + ends[b] for a < b, with the first b and a that attain it."""
        if len(self.lengths) == 1:
            return self.none, 0, 0
        sums = np.minimum.accumulate(begins[:-1]) + ends[1:]
        last = int(np.argmin(sums)) + 1
        return int(sums[last - 1]), int(np.argmin(begins[:last])), last

    @cached_property
    def _empty(self) -> int:
        """The price of the labelling with nothing inside."""
        return min(self.none, self._least(self.begins - self.lengths, self.ends + self.lengths)[0])

    @cached_property
    def _best(self) -> int:
        """The lowest price: that of the best interval, which labels the points like itself."""
        return min(self.none, self._least(self.begins, self.ends)[0])

    @cached_property
    def _costs(self) -> tuple[Sums, Sums, Sums, Sums, int]:
        """For the kernels; fourth, the least cost of an interval that begins at a point or earlier, moved up to it."""
        reached = np.minimum.accumulate(self.begins - self.lengths) + self.lengths
        return self.begins, self.ends, self.lengths, np.asarray(reached), self._empty

    def _rows(self) -> Iterator[Sums]:
        """The price of nothing inside, then of the runs that begin with each point, by their ends."""
        yield np.array([self._empty])
        for first in range(len(self.lengths) - 1):
            prices = np.empty(len(self.lengths) - 1 - first, np.int64)
            _row(first, *self._costs, prices)
            yield prices

    def histogram(self, span: int | None) -> Histogram:
        most = int(np.ptp(self.begins) + np.ptp(self.ends) + self.lengths[-1]) + self._empty - self._best
        width = (most if span is None else min(most, span)) + 1
        if width > _DENSE:
            return Histogram.of_parts(self._rows(), span)
        counts = np.zeros(width + 1, dtype=np.int64)
        counts[min(self._empty - self._best, width)] = 1
        _count(*self._costs, self._best, counts)
        steps = np.flatnonzero(counts[:-1])
        return Histogram(self._best, steps, counts[steps].tolist(), int(counts[-1]))

    def locate(self, score: int, index: int) -> Ranges:
        for row, prices in enumerate(self._rows()):
            places = np.flatnonzero(prices == score)
            if index < len(places):
                return ((row - 1, row + int(places[index])),) if row else ()
            index -= len(places)
        raise IndexError("no run with this price and index")

    def draw(self, ratio: Fraction, coins: Coins) -> Ranges:
        return gibbs.draw(self, ratio, coins)

    def cheapest(self) -> Ranges:
        price, first, last = self._least(self.begins, self.ends)
        return ((first, last),) if price < self.none else ()


@compiled
def _gap_sums(
    points: NDArray[np.uint64], values: NDArray[np.uint64], change: Sums
) -> tuple[Sums, Sums, Sums, Sums, np.int64]:
    """Sums of `change` along the column, cut at the points.

    `start[i]`: over everything below point i. `end[j]`: up to and including point j - 1. `before[i]`: the best suffix
    of the gap below point i. `after[j]`: the best prefix of the gap above point j - 1. Last: the best run within
    one gap.
    """
    k = len(points)
    start, end = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    before, after = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    alone, running, i = np.int64(0), np.int64(0), 0
    for j in range(k + 1):
        end[j] = running
        while i < len(values) and (j == k or values[i] < points[j]):
            running += change[i]
            after[j] = min(after[j], running - end[j])
            before[j] = min(before[j] + change[i], np.int64(0))
            alone = min(alone, before[j])
            i += 1
        start[j] = running
        if i < len(values) and j < k and values[i] == points[j]:
            running += change[i]
            i += 1
    return start, end, before, after, alone


@compiled
def _row(first: int, begins: Sums, ends: Sums, lengths: Sums, sums: Sums, empty: int, prices: Sums) -> None:
    """The prices of the runs first … last - 1, for every `last` above `first`.

    An interval that meets the run is joined to it by moving its beginning to `first` and then its end to `last`; all
    others go through nothing at all, at the price `empty` and the length of the run. Neither is ever cheaper than the
    labels that really change.
    """
    here, count = lengths[first], len(prices)
    least = sums[first]  # of beginnings up to the end at hand
    for at in range(count):
        last = first + 1 + at
        if at > 0:
            least = min(least, begins[last - 1] + lengths[last - 1] - here)
        prices[at] = least + ends[last]
        if at > 0:
            prices[at] = min(prices[at], prices[at - 1] + lengths[last] - lengths[last - 1])
    for at in range(count - 2, -1, -1):
        prices[at] = min(prices[at], prices[at + 1] + lengths[first + 2 + at] - lengths[first + 1 + at])
    for at in range(count):
        prices[at] = min(prices[at], empty + lengths[first + 1 + at] - here)


@compiled
def _count(begins: Sums, ends: Sums, lengths: Sums, sums: Sums, empty: int, best: int, counts: Sums) -> None:
    """All runs by price - best; what lies at the last place or above is collected there."""
    points, most = len(lengths) - 1, len(counts) - 1
    prices = np.empty(points, np.int64)
    for first in range(points):
        row = prices[: points - first]
        _row(first, begins, ends, lengths, sums, empty, row)
        for at in range(len(row)):
            counts[min(row[at] - best, most)] += 1
