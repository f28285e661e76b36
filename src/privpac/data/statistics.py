"""Additive summaries of encoded records: what crosses from an engine to a concept class.

Each statistic is a sum over records of what a single record contributes, so it does not depend on the order
of the records or on how they are cut into blocks, and replacing one record moves one unit of count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from privpac.compiled import compiled
from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Block, Statistic, labels_of
from privpac.errors import DataError
from privpac.numbers.words import Words, ascending, split

__all__ = ["CellCounts", "ColumnCounts", "FromCellCounts", "merge_objects", "merge_sorted"]

S = TypeVar("S")

DENSE = 2**20  # cells up to which counting into a table beats sorting, if there are records enough to fill it

# Distinct values, ascending; one row of counts per value, one column per class.
Counted: TypeAlias = tuple[Array, Array]


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
            result = count_objects(cells, labels, classes=self.classes, dtype=dtype, words=words)
            return self.merge(state, ColumnCounts(result[0], result[1], block.n, result[2]))
        values, counts = self._count(cells, labels, block.n)
        return self.merge(state, ColumnCounts(values=values, counts=counts, n=block.n))

    @property
    def cell_counts(self) -> tuple[CellCounts, ...]:
        """The cell counts this statistic follows from: an engine may have a shorter way to them."""
        return (self,)

    def of_cell_counts(self, counts: Sequence[ColumnCounts]) -> ColumnCounts:
        return counts[0]

    def of_groups(self, cells: Array, labels: Array | None, totals: Array) -> ColumnCounts:
        """The state of records given as groups: this many of each cell and label."""
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
        merge = merge_objects if self._values_dtype is object else merge_sorted
        values, counts = merge((a.values, a.counts), (b.values, b.counts), dtype=dtype)
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


def _count_dtype(n: int) -> Any:
    return np.int32 if n < 2**31 else np.int64


# The loops behind it: count, sort, merge. Arrays in, arrays out; no schema, no blocks.


def tight(array: Array, n: int) -> Array:
    """Let go of the working memory behind a result that is much shorter than the records."""
    return array.copy() if len(array) < 3 * n // 4 else array


def count_dense(cells: Array, labels: Array, *, size: int, classes: int, dtype: Any) -> Counted:
    """Into a table with one row per cell: for columns with few cells."""
    if int(cells.max()) >= size:
        raise DataError("There are cells beyond the size of their column.")
    dense = np.zeros((size, classes), dtype=dtype)
    _count_cells(cells, labels, dense)
    rows = np.flatnonzero(dense.any(axis=1))
    return rows.astype(np.uint64), dense[rows]


def count_packed(cells: Array, labels: Array, *, word: Any, classes: int, dtype: Any) -> Counted:
    """Sort key and label as one number, which must fit in `word`: no argsort, no index array."""
    n, shift = len(cells), word((classes - 1).bit_length())
    keys = np.empty(n, dtype=word)
    np.left_shift(cells, shift, out=keys, dtype=word, casting="unsafe")
    np.bitwise_or(keys, labels, out=keys, dtype=word)
    keys.sort()
    values = keys if word is np.uint64 else np.empty(n, dtype=np.uint64)
    counts = np.zeros((n, classes), dtype=dtype)
    distinct = _runs(keys, shift, 0, values, counts)
    return tight(values[:distinct], n), tight(counts[:distinct], n)


def count_two(cells: Array, labels: Array, *, dtype: Any) -> Counted:
    """Two classes: sort each by itself and merge."""
    n = len(cells)
    keys = np.empty(n, dtype=cells.dtype)
    middle = _part(cells, labels, keys)
    keys[:middle].sort()
    keys[middle:].sort()
    values = np.empty(n, dtype=np.uint64)
    counts = np.zeros((n, 2), dtype=dtype)
    distinct = _merge_two(keys[:middle], keys[middle:], values, counts)
    return tight(values[:distinct], n), tight(counts[:distinct], n)


def count_apart(cells: Array, labels: Array, *, classes: int, dtype: Any) -> Counted:
    """Class by class, then merged: for any number of classes and keys that leave no room for a label."""
    total: Counted = np.empty(0, dtype=np.uint64), np.empty((0, classes), dtype=dtype)
    for label in range(classes):
        keys = np.sort(cells[labels == label])
        if len(keys):
            counts = np.zeros((len(keys), classes), dtype=dtype)
            distinct = _runs(keys, np.uint64(0), label, keys, counts)
            total = merge_sorted(total, (keys[:distinct], counts[:distinct]), dtype=dtype)
    return total


def count_objects(
    cells: Array, labels: Array, *, classes: int, dtype: Any, words: Words | None = None
) -> tuple[Array, Array, Words | None]:
    """Python integers, for keys beyond 64 bits; sorted by their words, which the values then come with."""
    order, fresh = _ascending(cells, words)
    rows, places = np.cumsum(fresh) - 1, order[fresh]
    flat = np.bincount(rows * classes + labels[order], minlength=len(places) * classes)
    return cells[places], flat.reshape(-1, classes).astype(dtype), _words_at(words, places)


def merge_objects(a: Counted, b: Counted, *, dtype: Any) -> Counted:
    """The counts of both together."""
    values, counts = np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]])
    order, fresh = _ascending(values, None)
    return values[order[fresh]], np.add.reduceat(counts[order], np.flatnonzero(fresh), dtype=dtype)


def _ascending(values: Array, words: Words | None) -> tuple[Array, Array]:
    """The order that sorts Python integers, and where in it a new one begins: by words, or as they are."""
    try:
        return ascending(split(values) if words is None else words)
    except OverflowError:  # beyond 128 bits
        order = np.argsort(values, kind="stable")
        return order, np.append(True, values[order[1:]] != values[order[:-1]]).astype(bool)


def _words_at(words: Words | None, places: Array) -> Words | None:
    return None if words is None else (words[0][places], words[1][places])


def merge_sorted(a: Counted, b: Counted, *, dtype: Any) -> Counted:
    """The counts of both together."""
    room = len(a[0]) + len(b[0])
    values = np.empty(room, dtype=np.uint64)
    counts = np.zeros((room, a[1].shape[1]), dtype=dtype)
    distinct = _merge_counts(a[0], a[1], b[0], b[1], values, counts)
    return tight(values[:distinct], room), tight(counts[:distinct], room)


@compiled
def _count_cells(cells: Array, labels: Array, dense: Array) -> None:
    for i in range(len(cells)):
        dense[cells[i], labels[i]] += 1


@compiled
def _runs(words: Array, shift: Any, label: Any, values: Array, counts: Array) -> Any:
    """Distinct keys of sorted words (key << shift) + class; `values` may be the same memory as `words`."""
    distinct = 0
    previous = words[0]
    for i in range(len(words)):
        word = words[i]
        key = word >> shift
        if i == 0 or key != previous:
            values[distinct] = key
            distinct += 1
            previous = key
        counts[distinct - 1, label + np.int64(word - (key << shift))] += 1
    return distinct


@compiled
def _part(cells: Array, labels: Array, keys: Array) -> Any:
    """Keys of class 0 from the front, of class 1 from the back; without a branch on the label."""
    front: Any = 0
    back: Any = len(cells) - 1
    for i in range(len(cells)):
        one = np.int64(labels[i])
        keys[back if one else front] = cells[i]
        front += 1 - one
        back -= one
    return front


@compiled
def _merge_two(zeros: Array, ones: Array, values: Array, counts: Array) -> Any:
    """One step per record, and no branch on which list is ahead: for random keys none could be predicted."""
    i: Any = 0
    j: Any = 0
    at: Any = -1
    m, n = len(zeros), len(ones)
    previous: Any = np.uint64(0)
    if m > 0 and n > 0:
        previous = ~min(np.uint64(zeros[0]), np.uint64(ones[0]))  # differs from the first key
    while i < m and j < n:
        a, b = np.uint64(zeros[i]), np.uint64(ones[j])
        step = np.int64(a <= b)
        key: Any = min(a, b)
        at += np.int64(key != previous)
        previous = key
        values[at] = key
        counts[at, 1 - step] += 1
        i += step
        j += 1 - step
    while i < m or j < n:
        one = np.int64(i >= m)
        key = np.uint64(ones[j] if one else zeros[i])
        at += np.int64(at < 0 or key != previous)
        previous = key
        values[at] = key
        counts[at, one] += 1
        i += 1 - one
        j += one
    return at + 1


@compiled
def _merge_counts(
    left: Array, left_counts: Array, right: Array, right_counts: Array, values: Array, counts: Array
) -> Any:
    i: Any = 0
    j: Any = 0
    at = 0
    while i < len(left) or j < len(right):
        use_left = j == len(right) or (i < len(left) and left[i] <= right[j])
        use_right = i == len(left) or (j < len(right) and right[j] <= left[i])
        values[at] = left[i] if use_left else right[j]
        for c in range(counts.shape[1]):
            if use_left:
                counts[at, c] += left_counts[i, c]
            if use_right:
                counts[at, c] += right_counts[j, c]
        i += np.int64(use_left)
        j += np.int64(use_right)
        at += 1
    return at
