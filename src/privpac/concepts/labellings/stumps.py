"""Dichotomies of stumps: cuts of every ordered column, matches of every category, both ways, and the constants.

Different columns may label the points alike; each labelling is kept once, whoever comes first in the schema represents
it. That matters: with copies, relabelling would lose its guarantee. Copies are found exactly and without a table of
labels, so that a draw takes time linear in the points, up to sorting, for every pair of columns: a cut between values
of a column labels a prefix of the points in the order of that column. It equals a prefix of another order if the last
of its points, in that order, stands before the same place and a value ends there; it equals a suffix likewise. So
running extremes of places compare all cuts of two columns in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.labellings.base import ListedPrices, VotedDichotomies, reduce_all
from privpac.concepts.labellings.cuts import cut_mistakes, middle_cuts
from privpac.concepts.labellings.distance import common_ranks, gap_extremes
from privpac.concepts.labellings.stump_distance import Chain, Sets, spread
from privpac.concepts.labellings.table import multiplicities, packed_rows, require_table
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.rows import RowCounts, Rows
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.theory import listing
from privpac.theory.listing import stump_labels

__all__ = ["Names", "StumpDichotomies", "require_stumps", "stump_dichotomies"]

Prices = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Names:
    """Hypotheses by what they test."""

    constant: Callable[[int], Hypothesis]
    """The rule that gives every record this label."""
    cut: Callable[[str, int, bool], Hypothesis]
    """The rule that says 1 from the cut of a column upwards if the last is true, otherwise below the cut."""
    match: Callable[[str, int, bool], Hypothesis]
    """The rule that says 1 for records in the category of a column if the last is true, otherwise for all others."""


@dataclass(frozen=True, eq=False, repr=False)
class _Cuts:
    """Cuts of one ordered column in each gap of its points, upwards, then downwards.

    The outer gaps hold the cuts that label all points alike but not the whole column; the constants proper come first
    among all candidates, so these never represent anything, but they may be the best concepts on other records.
    """

    column: Column
    points: Array
    names: Names

    @property
    def count(self) -> int:
        return 2 * len(self._cuts)

    @cached_property
    def _cuts(self) -> list[int]:
        last = [self.column.size] if len(self.points) else []
        return [0, *(int(cut) for cut in middle_cuts(self.points)), *last]

    def name(self, index: int) -> Hypothesis:
        cuts = len(self._cuts)
        return self.names.cut(self.column.name, self._cuts[index % cuts], index < cuts)

    def mistakes(self, sample: Sample) -> Prices:
        counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        up = cut_mistakes(counts, self.points)
        return np.concatenate([up, int(counts.counts.sum()) - up])

    def fewest(self, sample: Sample) -> Prices:
        counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        fewest, most = gap_extremes(*common_ranks(self.points, counts.values), counts.counts)
        return np.concatenate([fewest, int(counts.counts.sum()) - most])


@dataclass(frozen=True, eq=False, repr=False)
class _Matches:
    """One category against the others: each that occurs among the points, and one that does not if there is any."""

    column: Column
    points: Array
    names: Names

    @cached_property
    def _absent(self) -> list[int]:
        present = {int(cell) for cell in self.points}
        return [cell for cell in range(self.column.size) if cell not in present]

    @cached_property
    def _cells(self) -> list[int]:
        return [*(int(cell) for cell in self.points), *self._absent[:1]]

    @property
    def count(self) -> int:
        return 2 * len(self._cells)

    def name(self, index: int) -> Hypothesis:
        cells = len(self._cells)
        return self.names.match(self.column.name, self._cells[index % cells], index < cells)

    def _table(self, sample: Sample) -> tuple[Prices, int]:
        """Mistakes of 'class 1 exactly on this category', for all of them, and the number of records."""
        column_counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.zeros((self.column.size, 2), dtype=np.int64)
        counts[column_counts.values.astype(np.int64)] = column_counts.counts
        return counts[:, 0] - counts[:, 1] + int(counts[:, 1].sum()), int(counts.sum())

    def mistakes(self, sample: Sample) -> Prices:
        equal, records = self._table(sample)
        return np.concatenate([equal[self._cells], records - equal[self._cells]])

    def fewest(self, sample: Sample) -> Prices:
        equal, records = self._table(sample)
        at_points = equal[[int(cell) for cell in self.points]]
        outside = equal[self._absent]
        low, high = ([outside.min()], [outside.max()]) if len(outside) else ([], [])
        return np.concatenate(
            [at_points, low, records - at_points, records - np.array(high, np.int64)]
        ).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class _Constants:
    column: Column
    names: Names
    count: int = 2

    def name(self, index: int) -> Hypothesis:
        return self.names.constant(index)

    def mistakes(self, sample: Sample) -> Prices:
        counts: ColumnCounts = sample.reduce(CellCounts(self.column))
        zeros, ones = (int(total) for total in counts.counts.sum(axis=0))
        return np.array([ones, zeros], dtype=np.int64)

    fewest = mistakes


_Part = _Constants | _Cuts | _Matches


def require_stumps(columns: Sequence[Column], points: int) -> None:
    """Refuse this many points, wherever they lie, if the labels of all categories could be too many for a table."""
    candidates, distinct = stump_labels([(column.size, column.ordered) for column in columns], points)
    require_table("Stumps", candidates=candidates, points=distinct, most=listing.LARGEST_SETS)


def stump_dichotomies(
    columns: Sequence[Column], points: tuple[Sample, ...], names: Names
) -> StumpDichotomies:
    """The labellings of the distinct points of all these records."""
    statistic = RowCounts(tuple(columns))
    rows = reduce_all(statistic, points)
    cells = statistic.cells(rows)
    parts: list[_Part] = [_Constants(columns[0], names)]
    for column in columns:
        distinct = np.unique(cells[column.name])
        kind = _Cuts if column.ordered else _Matches
        parts.append(
            kind(column, distinct if distinct.dtype == object else distinct.astype(np.uint64), names)
        )
    return StumpDichotomies(statistic, rows, tuple(parts))


@dataclass(frozen=True, eq=False, repr=False)
class StumpDichotomies(VotedDichotomies[int]):
    """The candidates of all `parts`, one after the other; labelling i is made by the i-th that no earlier one equals.

    Only constants and categories have a table of labels: a cut labels a prefix of the points in its column's order.
    """

    statistic: RowCounts
    rows: Rows
    parts: tuple[_Part, ...]

    @cached_property
    def _starts(self) -> Prices:
        return np.cumsum([0, *(part.count for part in self.parts)])

    @cached_property
    def _cells(self) -> Cells:
        return self.statistic.cells(self.rows)

    @cached_property
    def _cuts(self) -> dict[int, Chain]:
        """The parts with an order of the points, and that order."""
        chains = {}
        for i, part in enumerate(self.parts):
            if isinstance(part, _Cuts):
                values = self._cells[part.column.name]
                order = np.argsort(values, kind="stable")
                ends = np.searchsorted(values[order], part.points)
                last = np.append(ends, len(order)) if len(order) else np.zeros(1, np.int64)
                chains[i] = Chain(order, last)
        return chains

    @cached_property
    def _loose(self) -> Prices:
        """The numbers of the candidates without an order."""
        numbers = [
            np.arange(self._starts[i], self._starts[i + 1])
            for i in range(len(self.parts))
            if i not in self._cuts
        ]
        return np.concatenate(numbers).astype(np.int64)

    @cached_property
    def _table(self) -> NDArray[np.uint8]:
        return np.stack([self._name(int(number)).predict(self._cells) for number in self._loose])

    def _name(self, number: int) -> Hypothesis:
        part = int(np.searchsorted(self._starts, number, side="right")) - 1
        return self.parts[part].name(number - int(self._starts[part]))

    @cached_property
    def _first(self) -> Prices:
        """The candidates that label the points like no earlier one."""
        starts = [int(self._starts[i]) for i in self._cuts]
        again = _repeats(list(self._cuts.values()), starts, self._loose, self._table, int(self._starts[-1]))
        return np.flatnonzero(~again)

    def member(self, index: int) -> Hypothesis:
        return self._name(int(self._first[index]))

    def mistakes(self, sample: Sample) -> ListedPrices:
        return ListedPrices(np.concatenate([part.mistakes(sample) for part in self.parts])[self._first])

    def relabelling(self, sample: Sample, rest: Sample, *, change: int, mistake: int) -> ListedPrices:
        """The distance transform of all candidates: cuts by their order, the others as sets."""
        costs = mistake * np.concatenate([part.fewest(rest) for part in self.parts])
        weights = multiplicities(self.rows, sample.reduce(self.statistic))
        by_side = []
        for i in self._cuts:
            up, down = np.split(costs[self._starts[i] : self._starts[i + 1]], 2)
            by_side.append((up, down))
        chains = list(self._cuts.values())
        best, among = spread(chains, Sets(self._table), by_side, costs[self._loose], weights, change)
        prices = np.empty_like(costs)
        prices[self._loose] = among
        for i, rows in zip(self._cuts, best, strict=True):
            prices[self._starts[i] : self._starts[i + 1]] = np.concatenate(rows)
        return ListedPrices(prices[self._first])


def _repeats(
    chains: Sequence[Chain], starts: Sequence[int], loose: Prices, table: NDArray[np.uint8], count: int
) -> Mask:
    """For each of `count` candidates whether an earlier one makes the same labels.

    The cuts of a chain stand at its start, upward ones first, then as many downward ones; the candidates `loose`, in
    increasing order and with both constants in front, have rows in the table.
    """
    again = np.zeros(count, dtype=np.bool_)
    again[loose] = _repeated_rows(table)
    points = table.shape[1]
    for number, (chain, start) in enumerate(zip(chains, starts, strict=True)):
        gaps = len(chain.ends)
        same = (chain.ends == 0) | (chain.ends == points)  # one class for all points, as a constant
        for earlier in chains[:number]:
            same |= _prefixes_of(chain, earlier)
        again[start : start + gaps] |= same
        again[start + gaps : start + 2 * gaps] |= same
        for at, row in zip(loose.tolist(), table, strict=True):
            for cut in _cuts_like(chain.places[row == 1], chain, start):
                again[max(cut, at)] = True
    return again


def _repeated_rows(table: NDArray[np.uint8]) -> Mask:
    _, first = np.unique(packed_rows(table), axis=0, return_index=True)
    again = np.ones(len(table), dtype=np.bool_)
    again[first] = False
    return again


def _prefixes_of(chain: Chain, other: Chain) -> Mask:
    """Which prefixes of one order are a prefix or a suffix of the other; with both classes on it, so are its cuts."""
    points = len(chain.order)
    there = other.places[chain.order]
    last = np.concatenate([[-1], np.maximum.accumulate(there)])[chain.ends]
    first = np.concatenate([[points], np.minimum.accumulate(there)])[chain.ends]
    prefix = (last < chain.ends) & np.isin(chain.ends, other.ends)
    suffix = (first >= points - chain.ends) & np.isin(points - chain.ends, other.ends)
    return np.asarray(prefix | suffix)


def _cuts_like(inside: Prices, chain: Chain, start: int) -> list[int]:
    """The numbers of the cuts of a chain with class 1 at these places: a downward one, an upward one, or none."""
    size, points, gaps = len(inside), len(chain.order), len(chain.ends)
    if not 0 < size < points:
        return []  # constants, which stand before all cuts
    steps = []
    down, up = (np.flatnonzero(chain.ends == end) for end in (size, points - size))
    if len(down) and inside.max() < size:
        steps.append(start + gaps + int(down[0]))
    if len(up) and inside.min() >= points - size:
        steps.append(start + int(up[0]))
    return steps
