"""Compiled counting by joint histograms, for `cooccurrence`.

Two tests of the same column are nested or exclude each other, so a set with both reduces to a smaller one (or
to nothing). Only sets of tests on different columns are counted, one tuple of columns at a time: by bits
(`cooccurrence_words`), or, where the columns have many tests, by a joint histogram of their codes followed by
cumulative sums. Integer counts depend neither on the way nor on how the tuples are shared among threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.literals.cooccurrence_words import is_long

__all__ = ["count_cells", "count_codes", "nanoseconds", "reduce_same_column"]

Array = NDArray[Any]

# Nanoseconds on one core when sets were still counted one by one. Counting has become several times as fast, but how
# many cuts `auto` has on a large table, and so what a stored model is verified against, follows from these numbers.
ROW_COST = 1.3
CELL_COST = 2.5
WORD_COST = 0.3
ENTRY_COST = 2.5

LANES = 4
"""Tables that take turns, so that the count of one record need not wait for that of the one before."""


@compiled
def count_codes(
    codes: Array,
    labels: NDArray[np.uint8],
    first: NDArray[np.int64],
    nested: NDArray[np.bool_],
    counts: NDArray[np.int32],
) -> None:
    """Add how many records each class has, and how many of them pass each single test, all classes in one pass."""
    columns, n = codes.shape
    classes = counts.shape[1]
    for i in range(n):
        counts[0, labels[i]] += 1
    for c in range(columns):
        row, tests = codes[c], first[c + 1] - first[c]
        held = np.zeros((LANES, (tests + 1) * classes), np.int32)
        for i in range(n):
            held[i % LANES, np.int64(row[i]) * classes + labels[i]] += 1
        for y in range(classes):
            passed = np.int32(0)
            for code in range(tests, 0, -1):
                if not nested[c]:
                    passed = np.int32(0)
                for lane in range(LANES):
                    passed += held[lane, code * classes + y]
                counts[first[c] + code, y] += passed


@compiled
def _next_columns(chosen: NDArray[np.int64], size: int, columns: int) -> bool:
    """The next increasing tuple of `size` column numbers; False after the last."""
    i = size - 1
    while i >= 0 and chosen[i] == columns - size + i:
        i -= 1
    if i < 0:
        return False
    chosen[i] += 1
    for j in range(i + 1, size):
        chosen[j] = chosen[j - 1] + 1
    return True


@compiled
def _next_tests(
    chosen: NDArray[np.int64], prefix: NDArray[np.int64], size: int, first: NDArray[np.int64]
) -> bool:
    """The next choice of one test per column; False after the last (and then back at the first choice)."""
    for i in range(size):
        chosen[i] += 1
        if chosen[i] < first[prefix[i] + 1]:
            return True
        chosen[i] = first[prefix[i]]
    return False


@compiled
def count_cells(
    codes: Array,
    first: NDArray[np.int64],
    nested: NDArray[np.bool_],
    binomial: NDArray[np.int64],
    size: int,
    level: NDArray[np.int32],
    share: tuple[int, int],
) -> None:
    """Joint histograms of all tuples of `size` columns, where that is the cheaper way."""
    columns, n = codes.shape
    if columns < size or size < 2:
        return
    chosen = np.empty(size, np.int64)
    known = np.empty(size, np.int64)  # the prefix that `joint` holds the codes of
    for i in range(size):
        chosen[i], known[i] = i, -1
    joint = np.empty(n, np.int32)
    turn = -1
    while True:
        turn += 1
        if turn % share[1] == share[0] and is_long(first, chosen[0], chosen[1]):
            cells = np.int64(1)
            for i in range(size):
                cells *= first[chosen[i] + 1] - first[chosen[i]] + 1
            stride = _join_prefix(codes, first, chosen, size, known, joint)
            histogram = np.zeros(cells, np.int32)
            final = codes[chosen[size - 1]]
            for i in range(n):
                histogram[joint[i] + stride * np.int64(final[i])] += 1
            _accumulate(histogram, first, nested, chosen, size)
            _write_cells(histogram, first, binomial, chosen, size, level)
        if not _next_columns(chosen, size, columns):
            break


@compiled
def _join_prefix(
    codes: Array,
    first: NDArray[np.int64],
    chosen: NDArray[np.int64],
    size: int,
    known: NDArray[np.int64],
    joint: NDArray[np.int32],
) -> int:
    """Joint codes of all chosen columns but the last, kept while only that changes; returns its stride."""
    stride = 1
    same = True
    for i in range(size - 1):
        stride *= first[chosen[i] + 1] - first[chosen[i]] + 1
        same = same and known[i] == chosen[i]
    if not same:
        for r in range(len(joint)):
            joint[r] = 0
        step = 1
        for i in range(size - 1):
            row = codes[chosen[i]]
            for r in range(len(joint)):
                joint[r] += np.int32(step * np.int64(row[r]))
            step *= first[chosen[i] + 1] - first[chosen[i]] + 1
            known[i] = chosen[i]
    return stride


@compiled
def _accumulate(
    histogram: NDArray[np.int32],
    first: NDArray[np.int64],
    nested: NDArray[np.bool_],
    chosen: NDArray[np.int64],
    size: int,
) -> None:
    """Along nested columns, turn 'exactly this code' into 'at least this code'."""
    stride = 1
    for i in range(size):
        width = first[chosen[i] + 1] - first[chosen[i]] + 1
        if nested[chosen[i]]:
            for outer in range(0, len(histogram), stride * width):
                for code in range(width - 2, 0, -1):
                    here = outer + code * stride
                    for inner in range(here, here + stride):
                        histogram[inner] += histogram[inner + stride]
        stride *= width


@compiled
def _write_cells(
    histogram: NDArray[np.int32],
    first: NDArray[np.int64],
    binomial: NDArray[np.int64],
    chosen: NDArray[np.int64],
    size: int,
    level: NDArray[np.int32],
) -> None:
    """Add the counts of all test tuples; the first column runs contiguously on both sides."""
    tests = np.empty(size, np.int64)
    for i in range(size):
        tests[i] = first[chosen[i]]
    width = first[chosen[0] + 1] - first[chosen[0]]
    while True:
        base, cell, stride = tests[0], np.int64(1), width + 1
        for i in range(1, size):
            base += binomial[i + 1, tests[i]]
            cell += stride * (tests[i] - first[chosen[i]] + 1)
            stride *= first[chosen[i] + 1] - first[chosen[i]] + 1
        for j in range(width):
            level[base + j] += histogram[cell + j]
        if not _next_tests(tests[1:], chosen[1:], size - 1, first):
            break


@compiled
def reduce_same_column(
    counts: NDArray[np.int32],
    begin: NDArray[np.int64],
    binomial: NDArray[np.int64],
    first: NDArray[np.int64],
    nested: NDArray[np.bool_],
    size: int,
) -> None:
    """Fill in the sets with two tests of one column: the weaker of two nested tests says nothing new."""
    p = first[-1]
    column = np.empty(p, np.int64)
    for c in range(len(first) - 1):
        for test in range(first[c], first[c + 1]):
            column[test] = c
    rest = np.empty(size - 1, np.int64)  # the larger tests; the smallest runs in the inner loop
    for i in range(size - 1):
        rest[i] = i + 1
    while rest[size - 2] < p:
        twice = size - 1  # the first of `rest` that shares its column with the next
        for i in range(size - 2, 0, -1):
            if column[rest[i - 1]] == column[rest[i]]:
                twice = i - 1
        row, without, alone = begin[size], begin[size - 1], begin[size - 1]
        for i in range(size - 1):
            row += binomial[i + 2, rest[i]]
            alone += binomial[i + 1, rest[i]]
            if i != twice:
                without += binomial[i + 2 if i < twice else i + 1, rest[i]]
        start = first[column[rest[0]]]
        # The smallest is left out if the next shares its column; otherwise the first of `rest` that does.
        if twice < size - 1:
            if nested[column[rest[twice]]]:
                counts[row : row + start] = counts[without : without + start]
            else:
                counts[row : row + start] = 0
        for y in range(counts.shape[1]):
            total = counts[alone, y] if nested[column[rest[0]]] else np.int32(0)
            counts[row + start : row + rest[0], y] = total
        _next_rest(rest, size - 1)


@compiled
def _next_rest(rest: NDArray[np.int64], size: int) -> None:
    """The next set of tests from 1 on in colexicographic order; its largest is beyond all tests after the last."""
    i = 0
    while i < size - 1 and rest[i] + 1 == rest[i + 1]:
        rest[i] = i + 1
        i += 1
    rest[i] += 1


def nanoseconds(sizes: Sequence[int], n: int, size: int) -> float:
    """At most what it costs to count the sets of one size among n records; columns of equal width are grouped."""
    total = 0.0
    for ways, cells, tests in _choices(tuple(sorted(sizes)), size):
        by_cells = n * ROW_COST + cells * CELL_COST
        by_words = tests * ((n + 63) // 64 * WORD_COST + ENTRY_COST)
        total += ways * min(by_cells, by_words)
    return total


@lru_cache(maxsize=48)  # searches ask for many numbers of records
def _choices(sizes: tuple[int, ...], size: int) -> tuple[tuple[int, int, int], ...]:
    """Of so many columns, by their widths: in how many ways, and with how many cells and sets of tests."""
    widths = Counter(sizes)
    return tuple(
        (
            prod(comb(widths[width], times) for width, times in Counter(chosen).items()),
            prod(width + 1 for width in chosen),
            prod(chosen),
        )
        for chosen in combinations_with_replacement(sorted(widths), size)
    )
