"""The loops behind the statistics: count, sort, merge. Arrays in, arrays out; no schema, no blocks."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from privpac.compiled import compiled
from privpac.data.raw import Array
from privpac.errors import DataError
from privpac.numbers.words import Words, ascending, split

__all__ = [
    "Counted",
    "count_apart",
    "count_dense",
    "count_objects",
    "count_packed",
    "count_two",
    "fold_axis",
    "merge_objects",
    "merge_sorted",
    "tally",
    "tight",
]

# Distinct values, ascending; one row of counts per value, one column per class.
Counted: TypeAlias = tuple[Array, Array]


def tight(array: Array, n: int) -> Array:
    """Let go of the working memory behind a result that is much shorter than the records."""
    return array.copy() if len(array) < 3 * n // 4 else array


def count_dense(cells: Array, labels: Array, *, size: int, classes: int, dtype: Any) -> Counted:
    """Into a table with one row per cell: for columns with few cells."""
    if int(cells.max()) >= size:
        raise DataError("There are cells beyond the size of their column.")
    dense = np.zeros((size, classes), dtype=dtype)
    _count_cells(cells, labels, dense)
    occupied = np.flatnonzero(dense.any(axis=1))
    return occupied.astype(np.uint64), dense[occupied]


def count_packed(cells: Array, labels: Array, *, word: Any, classes: int, dtype: Any) -> Counted:
    """Sort key and label as one number, which must fit in `word`: no argsort, no index array."""
    n, shift = len(cells), word((classes - 1).bit_length())
    packed = np.empty(n, dtype=word)
    np.left_shift(cells, shift, out=packed, dtype=word, casting="unsafe")
    np.bitwise_or(packed, labels, out=packed, dtype=word)
    packed.sort()
    values = packed if word is np.uint64 else np.empty(n, dtype=np.uint64)
    counts = np.zeros((n, classes), dtype=dtype)
    distinct = _runs(packed, shift, 0, values, counts)
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
def _runs(packed: Array, shift: Any, label: Any, values: Array, counts: Array) -> Any:
    """Distinct keys of sorted words (key << shift) + class; `values` may be the same memory as `packed`."""
    distinct = 0
    previous = packed[0]
    for i in range(len(packed)):
        word = packed[i]
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
    """One step a record, and no branch on which list is ahead: for random keys none could be predicted."""
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


@compiled
def fold_axis(cells: Array, edges: Array, factor: float, codes: Array) -> None:
    """codes = codes * bins + group: a guess in doubles, put right by the exact first cells of the groups."""
    last = len(edges) - 1
    for i in range(len(cells)):
        cell = np.uint64(cells[i])
        group: Any = np.int64(min(np.float64(cell) * factor, np.float64(last)))
        while edges[group] > cell:
            group -= 1
        while group < last and edges[group + 1] <= cell:
            group += 1
        codes[i] = codes[i] * (last + 1) + group


@compiled
def tally(codes: Array, flat: Array) -> None:
    """flat[code] += 1 for every code."""
    for i in range(len(codes)):
        flat[codes[i]] += 1
