"""Additive summaries of encoded records: what crosses from an engine to a concept class.

Each statistic is a sum over records of what a single record contributes, so it does not depend on the order
of the records or on how they are cut into blocks, and replacing one record moves one unit of count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from privpac.data.column import Column
from privpac.data.counting import (
    Counted,
    count_apart,
    count_dense,
    count_objects,
    count_packed,
    count_two,
    fold_axis,
    merge_objects,
    merge_sorted,
    tally,
)
from privpac.data.raw import Array
from privpac.data.sample import Block, Statistic
from privpac.errors import DataError, ParameterError, SizeError
from privpac.numbers.words import Words

__all__ = ["CellCounts", "ColumnCounts", "FromCellCounts", "GridCounts", "labels_of"]

S = TypeVar("S")

DENSE = 2**20  # cells up to which counting into a table beats sorting, if there are records enough to fill it
LARGEST_GRID = 2**28  # boxes, eight bytes each
CHUNK = 2**16  # records binned at a time: codes stay in the processor's cache


@dataclass(frozen=True, repr=False, eq=False)
class ColumnCounts:
    """The distinct cells of a column, ascending, and how many records of each class each of them holds."""

    values: Array  # uint64, or Python integers beyond 64 bits
    counts: Array  # one row per value, one column per class; int32 while n < 2**31
    n: int
    words: Words | None = None
    """The values once more, if they are Python integers whose words are known."""

    def __repr__(self) -> str:
        return f"ColumnCounts(n={self.n}, classes={self.counts.shape[1]})"


@dataclass(frozen=True)
class CellCounts:
    """How many records of each class lie in each occupied cell of one column.

    With `classes=1` labels are ignored, and records without labels are counted too.
    """

    column: Column
    classes: int = 2

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column.name,)

    @property
    def _values_dtype(self) -> Any:
        return object if self.column.size > 2**64 else np.uint64

    def zero(self) -> ColumnCounts:
        return ColumnCounts(
            values=np.empty(0, dtype=self._values_dtype),
            counts=np.empty((0, self.classes), dtype=np.int32),
            n=0,
        )

    def absorb(self, state: ColumnCounts, block: Block) -> ColumnCounts:
        if block.n == 0:
            return state
        cells, labels = block.cells[self.column.name], labels_of(block, self.classes)
        if self.column.size > 2**64:
            words, dtype = block.words.get(self.column.name), _count_dtype(block.n)
            counted = count_objects(cells, labels, classes=self.classes, dtype=dtype, words=words)
            return self.merge(state, ColumnCounts(counted[0], counted[1], block.n, counted[2]))
        values, counts = self._count(cells, labels, block.n)
        return self.merge(state, ColumnCounts(values=values, counts=counts, n=block.n))

    @property
    def cell_counts(self) -> tuple[CellCounts, ...]:
        """The cell counts this statistic follows from: an engine may have a shorter way to them."""
        return (self,)

    def of_cell_counts(self, counts: Sequence[ColumnCounts]) -> ColumnCounts:
        return counts[0]

    def of_groups(self, cells: Array, labels: Array | None, totals: Array) -> ColumnCounts:
        """The state of records given as groups: so many of each cell and label."""
        n = int(totals.sum())
        values, rows = np.unique(cells, return_inverse=True)
        counts = np.zeros((len(values), self.classes), dtype=np.int64)
        np.add.at(counts, (rows, np.zeros(len(rows), dtype=np.int64) if labels is None else labels), totals)
        return ColumnCounts(
            values=values.astype(self._values_dtype), counts=counts.astype(_count_dtype(n)), n=n
        )

    def merge(self, a: ColumnCounts, b: ColumnCounts) -> ColumnCounts:
        if a.n == 0 or b.n == 0:
            return a if b.n == 0 else b
        dtype = _count_dtype(a.n + b.n)
        merged = merge_objects if self._values_dtype is object else merge_sorted
        values, counts = merged((a.values, a.counts), (b.values, b.counts), dtype=dtype)
        return ColumnCounts(values=values, counts=counts, n=a.n + b.n)

    def _count(self, cells: Array, labels: Array, n: int) -> Counted:
        size, classes, dtype = self.column.size, self.classes, _count_dtype(n)
        shift = (classes - 1).bit_length()
        if size <= DENSE and size <= 8 * n + 64:
            return count_dense(cells, labels, size=size, classes=classes, dtype=dtype)
        if size << shift <= 2**32:
            return count_packed(cells, labels, word=np.uint32, classes=classes, dtype=dtype)
        # A label beside a 32-bit key would double the words to sort; beside a 64-bit key there is no room.
        if classes == 2 and (size <= 2**32 or size > 2**63):
            return count_two(cells, labels, dtype=dtype)
        if size << shift <= 2**64:
            return count_packed(cells, labels, word=np.uint64, classes=classes, dtype=dtype)
        return count_apart(cells, labels, classes=classes, dtype=dtype)


@runtime_checkable
class FromCellCounts(Statistic[S], Protocol[S]):
    """A statistic that follows from cell counts of single columns, so that an engine may have a shorter way to it.

    Its state grows with the number of different values."""

    @property
    def cell_counts(self) -> tuple[CellCounts, ...]:
        """The cell counts it follows from."""
        ...

    def of_cell_counts(self, counts: Sequence[ColumnCounts]) -> S:
        """The state of the records whose cells were counted column by column, in the order of the columns."""


@dataclass(frozen=True)
class GridCounts:
    """How many records of each class lie in each box of a public grid over one to three columns.

    Along an axis, cell c belongs to group c * bins // size. The state has shape (classes, *bins).
    """

    axes: tuple[Column, ...]
    bins: tuple[int, ...]
    classes: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(self.axes))
        object.__setattr__(self, "bins", tuple(self.bins))
        if not 1 <= len(self.axes) <= 3:
            raise ParameterError("GridCounts", "axes", self.columns, allowed="one to three columns")
        if len(self.bins) != len(self.axes):
            raise ParameterError("GridCounts", "bins", self.bins, allowed="one number per column")
        for column, bins in zip(self.axes, self.bins, strict=True):
            if not 1 <= bins <= column.size:
                raise ParameterError(
                    "GridCounts",
                    "bins",
                    bins,
                    allowed=f"between 1 and {column.size} for column '{column.name}'",
                )
        if math.prod(self.bins) * self.classes > LARGEST_GRID:
            raise SizeError(
                f"A grid of {' x '.join(map(str, self.bins))} boxes does not fit in memory.",
                remedy="Use fewer bins.",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.axes)

    def starts(self, axis: int) -> tuple[int, ...]:
        """The first cell of each group along an axis."""
        size, bins = self.axes[axis].size, self.bins[axis]
        return tuple(-(-group * size // bins) for group in range(bins))

    def zero(self) -> npt.NDArray[np.int64]:
        return np.zeros((self.classes, *self.bins), dtype=np.int64)

    def absorb(self, state: npt.NDArray[np.int64], block: Block) -> npt.NDArray[np.int64]:
        labels = labels_of(block, self.classes)
        flat = state.reshape(-1)
        for start in range(0, block.n, CHUNK):
            part = slice(start, start + CHUNK)
            codes = labels[part].astype(np.int64)
            for axis, column in enumerate(self.axes):
                self._fold(axis, block.cells[column.name][part], codes)
            tally(codes, flat)
        return state

    def merge(self, a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return a + b

    def _fold(self, axis: int, cells: Array, codes: npt.NDArray[np.int64]) -> None:
        """codes = codes * bins + group, in place."""
        size, bins = self.axes[axis].size, self.bins[axis]
        if size <= 2**64:
            fold_axis(cells, self._edges[axis], bins / size, codes)
        else:
            codes *= bins
            codes += np.array([cell * bins // size for cell in cells.tolist()], dtype=np.int64)

    @cached_property
    def _edges(self) -> tuple[Array, ...]:
        fits = [column.size <= 2**64 for column in self.axes]
        return tuple(
            np.array(self.starts(axis) if fit else (), dtype=np.uint64) for axis, fit in enumerate(fits)
        )


def labels_of(block: Block, classes: int) -> Array:
    """The block's labels, checked, because kernels use them as positions."""
    if classes == 1:
        return np.zeros(block.n, dtype=np.uint8)
    if block.labels is None:
        raise DataError(
            "These records have no labels, and counting by class needs them.", remedy="Give labels."
        )
    if int(block.labels.max(initial=0)) >= classes:
        raise DataError(f"There are labels beyond the {classes} classes that are counted.")
    return block.labels


def _count_dtype(n: int) -> Any:
    return np.int32 if n < 2**31 else np.int64
