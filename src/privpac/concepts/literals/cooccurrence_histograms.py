"""Compiled counting by joint histograms, for `cooccurrence`.

Two tests of the same column are nested or exclude each other, so a set with both reduces to a smaller one (or
to nothing). Only sets of tests on different columns are counted, one tuple of columns at a time: by bits
(`cooccurrence_words`), or, where the columns have many tests, by a joint histogram of their codes followed by
cumulative sums. Integer counts depend neither on the way nor on how the tuples are shared among threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.literals.cooccurrence_words import is_long

__all__ = ["count_cells"]

Array = NDArray[Any]


@compiled
def _next_columns(picks: NDArray[np.int64], size: int, columns: int) -> bool:
    """The next increasing tuple of `size` column numbers; False after the last."""
    i = size - 1
    while i >= 0 and picks[i] == columns - size + i:
        i -= 1
    if i < 0:
        return False
    picks[i] += 1
    for j in range(i + 1, size):
        picks[j] = picks[j - 1] + 1
    return True


@compiled
def _next_tests(
    picks: NDArray[np.int64], prefix: NDArray[np.int64], size: int, first: NDArray[np.int64]
) -> bool:
    """The next choice of one test per column; False after the last (and then back at the first choice)."""
    for i in range(size):
        picks[i] += 1
        if picks[i] < first[prefix[i] + 1]:
            return True
        picks[i] = first[prefix[i]]
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
    picks = np.empty(size, np.int64)
    prefix = np.empty(size, np.int64)  # the prefix that `joint` holds the codes of
    for i in range(size):
        picks[i], prefix[i] = i, -1
    joint = np.empty(n, np.int32)
    turn = -1
    while True:
        turn += 1
        if turn % share[1] == share[0] and is_long(first, picks[0], picks[1]):
            cells = np.int64(1)
            for i in range(size):
                cells *= first[picks[i] + 1] - first[picks[i]] + 1
            stride = _join_prefix(codes, first, picks, size, prefix, joint)
            histogram = np.zeros(cells, np.int32)
            final = codes[picks[size - 1]]
            for i in range(n):
                histogram[joint[i] + stride * np.int64(final[i])] += 1
            _accumulate(histogram, first, nested, picks, size)
            _write_cells(histogram, first, binomial, picks, size, level)
        if not _next_columns(picks, size, columns):
            break


@compiled
def _join_prefix(
    codes: Array,
    first: NDArray[np.int64],
    picks: NDArray[np.int64],
    size: int,
    prefix: NDArray[np.int64],
    joint: NDArray[np.int32],
) -> int:
    """Joint codes of all chosen columns but the last, kept while only that changes; returns its stride."""
    stride = 1
    same = True
    for i in range(size - 1):
        stride *= first[picks[i] + 1] - first[picks[i]] + 1
        same = same and prefix[i] == picks[i]
    if not same:
        for r in range(len(joint)):
            joint[r] = 0
        step = 1
        for i in range(size - 1):
            row = codes[picks[i]]
            for r in range(len(joint)):
                joint[r] += np.int32(step * np.int64(row[r]))
            step *= first[picks[i] + 1] - first[picks[i]] + 1
            prefix[i] = picks[i]
    return stride


@compiled
def _accumulate(
    histogram: NDArray[np.int32],
    first: NDArray[np.int64],
    nested: NDArray[np.bool_],
    picks: NDArray[np.int64],
    size: int,
) -> None:
    """Along nested columns, turn 'exactly this code' into 'at least this code'."""
    stride = 1
    for i in range(size):
        width = first[picks[i] + 1] - first[picks[i]] + 1
        if nested[picks[i]]:
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
    picks: NDArray[np.int64],
    size: int,
    level: NDArray[np.int32],
) -> None:
    """Add the counts of all test tuples; the first column runs contiguously on both sides."""
    tests = np.empty(size, np.int64)
    for i in range(size):
        tests[i] = first[picks[i]]
    width = first[picks[0] + 1] - first[picks[0]]
    while True:
        base, cell, stride = tests[0], np.int64(1), width + 1
        for i in range(1, size):
            base += binomial[i + 1, tests[i]]
            cell += stride * (tests[i] - first[picks[i]] + 1)
            stride *= first[picks[i] + 1] - first[picks[i]] + 1
        for j in range(width):
            level[base + j] += histogram[cell + j]
        if not _next_tests(tests[1:], picks[1:], size - 1, first):
            break
