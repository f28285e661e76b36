"""The cells of a grid over several columns that hold records: what sums over boxes need, however fine the grid is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Block, labels_of
from privpac.data.statistics import merge_objects, merge_sorted
from privpac.errors import ParameterError

__all__ = ["Grid", "OccupiedCells", "PointCounts"]

CHUNK = 2**16
"""Records counted at a time, so that what counting takes besides its result is small."""


@dataclass(frozen=True, repr=False, eq=False)
class PointCounts:
    """The cells that hold a record, each as one number, ascending, and how many records of each class they hold."""

    codes: Array
    counts: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        return f"PointCounts(n={self.n}, classes={self.counts.shape[1]})"

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Grid:
    """A public grid over some columns: along an axis, cell c of the column belongs to group c * bins // size of it."""

    axes: tuple[Column, ...]
    bins: tuple[int, ...]
    classes: int = 2

    def __post_init__(self) -> None:
        """Refuse a grid without columns, or with more groups along one than it has cells."""
        object.__setattr__(self, "axes", tuple(self.axes))
        object.__setattr__(self, "bins", tuple(self.bins))
        owner = type(self).__name__
        if not self.axes or len(self.bins) != len(self.axes):
            raise ParameterError(owner, "bins", self.bins, allowed="one number per column")
        for column, groups in zip(self.axes, self.bins, strict=True):
            if not 1 <= groups <= column.size:
                requirement = f"between 1 and {column.size} for column '{column.name}'"
                raise ParameterError(owner, "bins", groups, allowed=requirement)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.axes)


@dataclass(frozen=True)
class OccupiedCells(Grid):
    """The additive statistic: how many records of each class lie in each cell of a public grid that holds any."""

    @property
    def _dtype(self) -> Any:
        return np.uint64 if math.prod(self.bins) <= 2**64 else object

    def zero(self) -> PointCounts:
        return PointCounts(np.empty(0, dtype=self._dtype), np.empty((0, self.classes), dtype=np.int64))

    def absorb(self, state: PointCounts, block: Block) -> PointCounts:
        if block.n == 0:
            return state
        labels = labels_of(block, self.classes)
        for start in range(0, block.n, CHUNK):
            part = slice(start, start + CHUNK)
            cells = [block.cells[column.name][part] for column in self.axes]
            state = self.merge(state, self._counts(cells, labels[part]))
        return state

    def _counts(self, cells: list[Array], labels: Array) -> PointCounts:
        codes = np.zeros(len(labels), dtype=self._dtype)
        for axis, (values, bins) in enumerate(zip(cells, self.bins, strict=True)):
            # The factor fits: it is 2^64 only where all that stands before it is 0.
            factor = bins if self._dtype is object else np.uint64(bins % 2**64)
            codes = codes * factor + self._groups(axis, values).astype(self._dtype)
        points, rows = np.unique(codes, return_inverse=True)
        counts = np.zeros((len(points), self.classes), dtype=np.int64)
        np.add.at(counts, (rows, labels), 1)
        return PointCounts(points, counts)

    def merge(self, a: PointCounts, b: PointCounts) -> PointCounts:
        if not len(a.codes) or not len(b.codes):
            return b if len(b.codes) else a
        merge = merge_objects if self._dtype is object else merge_sorted
        return PointCounts(*merge((a.codes, a.counts), (b.codes, b.counts), dtype=np.int64))

    def _groups(self, axis: int, cells: Array) -> Array:
        size, bins = self.axes[axis].size, self.bins[axis]
        if bins == size:
            return cells
        if size * bins <= 2**64:
            return cells.astype(np.uint64) * np.uint64(bins) // np.uint64(size)
        return np.array([cell * bins // size for cell in cells.tolist()], dtype=object)

    def groups(self, state: PointCounts) -> tuple[list[int], ...]:
        """For every axis, the groups of the cells that hold records, in their order."""
        rest, axes = state.codes.tolist(), []
        for bins in reversed(self.bins):
            axes.append([code % bins for code in rest])
            rest = [code // bins for code in rest]
        return tuple(reversed(axes))
