"""Dichotomies of stumps: cuts of every ordered column, matches of every category, both ways, and the constants.

Different columns may label the points alike; each labelling is kept once, whoever comes first in the schema represents
it. That matters: with copies, relabelling would lose its guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.labellings.base import reduced
from privpac.concepts.labellings.cuts import cut_mistakes, middle_cuts
from privpac.concepts.labellings.distance import gap_extremes, ranked
from privpac.concepts.labellings.stump_distance import Chain, Sets, spread
from privpac.concepts.labellings.table import TableDichotomies, require_table
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.rows import RowCounts
from privpac.data.sample import Sample
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.theory.listing import stump_labels

__all__ = ["require_stumps", "stump_dichotomies"]

Prices = NDArray[np.int64]


class Names(Protocol):
    """Hypotheses by what they test."""

    def constant(self, label: int) -> Hypothesis:
        """The rule that gives every record this label."""

    def cut(self, column: str, cut: int, up: bool) -> Hypothesis:
        """The rule that says 1 from the cut upwards if `up`, otherwise below the cut."""

    def match(self, column: str, category: int, equal: bool) -> Hypothesis:
        """The rule that says 1 for records in the category if `equal`, otherwise for all others."""


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
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        up = cut_mistakes(seen, self.points)
        return np.concatenate([up, int(seen.counts.sum()) - up])

    def fewest(self, sample: Sample) -> Prices:
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        fewest, most = gap_extremes(*ranked(self.points, seen.values), seen.counts)
        return np.concatenate([fewest, int(seen.counts.sum()) - most])


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
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        counts = np.zeros((self.column.size, 2), dtype=np.int64)
        counts[seen.values.astype(np.int64)] = seen.counts
        return counts[:, 0] - counts[:, 1] + int(counts[:, 1].sum()), int(counts.sum())

    def mistakes(self, sample: Sample) -> Prices:
        equal, records = self._table(sample)
        return np.concatenate([equal[self._cells], records - equal[self._cells]])

    def fewest(self, sample: Sample) -> Prices:
        equal, records = self._table(sample)
        seen = equal[[int(cell) for cell in self.points]]
        outside = equal[self._absent]
        low, high = ([outside.min()], [outside.max()]) if len(outside) else ([], [])
        return np.concatenate([seen, low, records - seen, records - np.array(high, np.int64)]).astype(
            np.int64
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Constants:
    column: Column
    names: Names
    count: int = 2

    def name(self, index: int) -> Hypothesis:
        return self.names.constant(index)

    def mistakes(self, sample: Sample) -> Prices:
        seen: ColumnCounts = sample.reduce(CellCounts(self.column))
        zeros, ones = (int(total) for total in seen.counts.sum(axis=0))
        return np.array([ones, zeros], dtype=np.int64)

    fewest = mistakes


def require_stumps(columns: Sequence[Column], points: int) -> None:
    """Refuse so many points, wherever they lie, if the labels of all candidates could be too many to list."""
    candidates, distinct = stump_labels([(column.size, column.ordered) for column in columns], points)
    require_table("Stumps", candidates=candidates, points=distinct)


def stump_dichotomies(
    columns: Sequence[Column], points: tuple[Sample, ...], names: Names
) -> TableDichotomies:
    """The labellings of the distinct points of all these records."""
    statistic = RowCounts(tuple(columns))
    rows = reduced(statistic, points)
    cells = statistic.cells(rows)
    parts: list[_Constants | _Cuts | _Matches] = [_Constants(columns[0], names)]
    for column in columns:
        distinct = np.unique(cells[column.name])
        kind = _Cuts if column.ordered else _Matches
        parts.append(
            kind(column, distinct if distinct.dtype == object else distinct.astype(np.uint64), names)
        )
    places = [(part, index) for part in parts for index in range(part.count)]
    table = np.stack([part.name(index).predict(cells) for part, index in places])

    def nearest(fewest: Prices, weights: Prices, change: int) -> Prices:
        return _nearest(parts, table, cells, fewest, weights, change)

    return TableDichotomies(
        statistic,
        rows,
        table,
        lambda sample: np.concatenate([part.mistakes(sample) for part in parts]),
        lambda index: places[index][0].name(places[index][1]),
        lambda sample: np.concatenate([part.fewest(sample) for part in parts]),
        nearest,
    )


def _nearest(
    parts: Sequence[_Constants | _Cuts | _Matches],
    table: NDArray[np.uint8],
    cells: Cells,
    costs: Prices,
    weights: Prices,
    change: int,
) -> Prices:
    """The distance transform of all candidates: cuts by their order, the others as sets."""
    starts = np.cumsum([0, *(part.count for part in parts)])
    cuts = {i: part for i, part in enumerate(parts) if isinstance(part, _Cuts)}
    loose = np.concatenate(
        [np.arange(starts[i], starts[i + 1]) for i in range(len(parts)) if i not in cuts]
    ).astype(np.intp)
    chains, own = [], []
    for i, part in cuts.items():
        values = cells[part.column.name]
        order = np.argsort(values, kind="stable")
        ends = np.searchsorted(values[order], part.points)
        chains.append(Chain(order, np.append(ends, len(order)) if len(order) else np.zeros(1, np.int64)))
        half = part.count // 2
        own.append((costs[starts[i] : starts[i] + half], costs[starts[i] + half : starts[i + 1]]))
    best, among = spread(chains, Sets(table[loose]), own, costs[loose], weights, change)
    result = np.empty_like(costs)
    result[loose] = among
    for i, (up, down) in zip(cuts, best, strict=True):
        result[starts[i] : starts[i + 1]] = np.concatenate([up, down])
    return result
