"""Dichotomies of intervals: every run of neighbouring points, and none; drawn by sums over the points.

By mistakes they are the unions of one interval (`labellings.unions`); of few records they are listed. When records vote
on labels, the price of a run is a minimum over all intervals. For runs that begin with the same point these minima
follow from each other as the end moves along, so a draw takes the first point by the weight of its row, and then the
last one: the rows are summed one by one, and never kept.
Proof: docs/proofs/labellings-by-sums.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.compiled import compiled
from privpac.concepts.base import Hypothesis
from privpac.concepts.labellings.base import ListedPrices, multiplicities
from privpac.concepts.labellings.distance import common_ranks
from privpac.concepts.labellings.unions import Ranges, UnionDichotomies
from privpac.data.column import Column
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import SizeError
from privpac.mechanisms import gibbs
from privpac.mechanisms.gibbs import power_tables
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball
from privpac.theory.listing import MOST_RUN_POINTS, most_distinct

__all__ = ["FEW_RECORDS", "FewIntervals", "IntervalDichotomies", "VotedRuns", "require_runs"]

Sums = NDArray[np.int64]

FEW_RECORDS = 512
"""Up to this many records, a public number, the runs of their points are listed."""


def require_runs(column: Column, points: int) -> None:
    """Refuse this many points, wherever they lie, if their runs could be too many to sum."""
    if most_distinct(points, [column.size]) > MOST_RUN_POINTS:
        raise SizeError(
            f"Intervals: {points} records may have more different values than the {MOST_RUN_POINTS} whose runs are "
            "voted on.",
            remedy=f"Relabel at most {MOST_RUN_POINTS} records, or declare at most {MOST_RUN_POINTS} cells for "
            f"'{column.name}'.",
        )


@dataclass(frozen=True, eq=False, repr=False)
class IntervalDichotomies(UnionDichotomies):
    """Unions of one interval, on whose labels records can vote."""

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> VotedRuns:
        there: ColumnCounts = sample.reduce(CellCounts(self.column, classes=1))
        column_counts: ColumnCounts = rest.reduce(CellCounts(self.column))
        counts = np.asarray(column_counts.counts, dtype=np.int64)
        moves = counts[:, 1 - self.inside] - counts[:, self.inside]  # of taking a cell inside
        start, end, before, after, alone = _gap_sums(*common_ranks(self.points, column_counts.values), moves)
        nowhere = int(counts[:, self.inside].sum())
        steps = change * multiplicities(self.points, there.values, there.counts[:, 0])
        return VotedRuns(
            mistake * (before - start),
            mistake * (nowhere + end + after),
            np.concatenate([[0], np.cumsum(steps)]),
            mistake * (nowhere + int(alone)),
        )


@dataclass(frozen=True, eq=False, repr=False)
class FewIntervals(IntervalDichotomies):
    """Of few records: every run is listed, and reaches from its first to its last point.

    So did the first release for any number of records; what it left behind goes on answering as it did.
    """

    def member(self, labelling: Ranges) -> Hypothesis:
        return self.name(tuple((int(self.points[i]), int(self.points[j - 1]) + 1) for i, j in labelling))

    def mistakes(self, sample: Sample) -> ListedRuns:
        column_counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.asarray(column_counts.counts, dtype=np.int64)
        moves = counts[:, 1 - self.inside] - counts[:, self.inside]
        start, end, _, _, _ = _gap_sums(*common_ranks(self.points, column_counts.values), moves)
        first, last = np.triu_indices(len(self.points))
        nowhere = int(counts[:, self.inside].sum())
        return ListedRuns(
            np.concatenate([[nowhere], nowhere + end[last + 1] - start[first]]), first, last + 1
        )


@dataclass(frozen=True, eq=False, repr=False)
class ListedRuns:
    """Prices of nothing inside, then of the runs `first` … `last` - 1."""

    prices: Sums
    first: NDArray[np.intp]
    last: NDArray[np.intp]

    def _ranges(self, index: int) -> Ranges:
        return ((int(self.first[index - 1]), int(self.last[index - 1])),) if index else ()

    def draw(self, ratio: Fraction, coins: Coins) -> Ranges:
        return self._ranges(ListedPrices(self.prices).draw(ratio, coins))

    def cheapest(self) -> Ranges:
        return self._ranges(ListedPrices(self.prices).cheapest())


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

    @property
    def points(self) -> int:
        """How many points there are."""
        return len(self.lengths) - 1

    @cached_property
    def empty(self) -> int:
        """The price of the labelling with nothing inside."""
        return min(self.none, self._least(self.begins - self.lengths, self.ends + self.lengths)[0])

    @cached_property
    def best(self) -> int:
        """The lowest price: that of the best interval, which labels the points like itself."""
        return min(self.none, self._least(self.begins, self.ends)[0])

    def _least(self, begins: Sums, ends: Sums) -> tuple[int, int, int]:
        """The least begins[a] + ends[b] for a < b, with the first b and a that attain it."""
        if self.points == 0:
            return self.none, 0, 0
        sums = np.minimum.accumulate(begins[:-1]) + ends[1:]
        last = int(np.argmin(sums)) + 1
        return int(sums[last - 1]), int(np.argmin(begins[:last])), last

    @cached_property
    def reached(self) -> Sums:
        """For every first point the least cost of an interval that begins there or earlier, moved up to it."""
        return np.asarray(np.minimum.accumulate(self.begins - self.lengths) + self.lengths)

    def row(self, first: int) -> Sums:
        """The prices of the runs that begin with this point, by their ends."""
        prices = np.empty(self.points - first, np.int64)
        _row(first, self.begins, self.ends, self.lengths, self.reached, self.empty, prices)
        return prices

    def draw(self, ratio: Fraction, coins: Coins) -> Ranges:
        row = coins.choose(RowWeights(self, ratio))
        if row == 0:
            return ()
        prices = (self.row(row - 1) - self.best).tolist()
        return ((row - 1, row + gibbs.draw_index(prices, ratio, coins)),)

    def cheapest(self) -> Ranges:
        price, first, last = self._least(self.begins, self.ends)
        return ((first, last),) if price < self.none else ()


@dataclass(frozen=True, eq=False, repr=False)
class RowWeights:
    """The weight of nothing inside, then of all runs that begin with each point: Σ ratio^(price - best)."""

    runs: VotedRuns
    ratio: Fraction

    @property
    def key(self) -> Hashable:
        runs = self.runs
        numbers = (tuple(array.tolist()) for array in (runs.begins, runs.ends, runs.lengths))
        return ("runs", self.ratio, runs.none, *numbers)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: a power, and one rounding a term of a row; dropped powers are below 1.001 · 2^-900, and the best
        labelling weighs 1."""
        runs = self.runs
        spread = int(np.ptp(runs.begins) + np.ptp(runs.ends) + runs.lengths[-1]) + abs(runs.empty - runs.best)
        coarse, fine, bits, units = power_tables(self.ratio, spread)
        totals = np.zeros(runs.points + 1)
        _totals(
            runs.begins,
            runs.ends,
            runs.lengths,
            runs.reached,
            runs.empty,
            runs.best,
            coarse,
            fine,
            bits,
            totals,
        )
        loss = (runs.points + 1.0) ** 2 * 1.01 * SMALLEST_POWER
        return totals, 1.01 * ((runs.points + units + 4) * UNIT_ROUNDOFF + loss)

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            weights = [ratio ** (self.runs.empty - self.runs.best)]
            for first in range(self.runs.points):
                steps, counts = np.unique(self.runs.row(first) - self.runs.best, return_counts=True)
                terms = zip(steps.tolist(), counts.tolist(), strict=True)
                weights.append(sum((arb(fmpz(count)) * ratio**step for step, count in terms), arb(0)))
            return weights

    def exact(self) -> Sequence[Fraction]:
        rows = [np.array([self.runs.empty]), *(self.runs.row(first) for first in range(self.runs.points))]
        return [
            sum((self.ratio**step for step in (row - self.runs.best).tolist()), Fraction(0)) for row in rows
        ]


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
    for at in range(count - 1, -1, -1):
        last = first + 1 + at
        if at + 1 < count:
            prices[at] = min(prices[at], prices[at + 1] + lengths[last + 1] - lengths[last])
    for at in range(count):
        prices[at] = min(prices[at], empty + lengths[first + 1 + at] - here)


@compiled
def _totals(
    begins: Sums,
    ends: Sums,
    lengths: Sums,
    sums: Sums,
    empty: int,
    best: int,
    coarse: NDArray[np.float64],
    fine: NDArray[np.float64],
    bits: int,
    totals: NDArray[np.float64],
) -> None:
    """The weight of nothing, then of every row; powers beyond the tables count as 0."""
    points, mask = len(lengths) - 1, (1 << bits) - 1
    prices = np.empty(points, np.int64)
    for row in range(points + 1):
        if row == 0:
            line = np.full(1, empty)
        else:
            line = prices[: points - row + 1]
            _row(row - 1, begins, ends, lengths, sums, empty, line)
        total = 0.0
        for at in range(len(line)):
            step = line[at] - best
            if step >> bits < len(coarse) and step & mask < len(fine):
                total += coarse[step >> bits] * fine[step & mask]
        totals[row] = total
