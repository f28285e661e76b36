"""Compiled counting for `tensor`.

Two tests of the same column are nested or exclude each other, so a set with both reduces to a smaller one (or
to nothing). Only sets of tests on different columns are counted, one tuple of columns at a time, in one of
two ways:

- AND and popcount of bit rows, four first tests at a time, 256 words at a time (they stay in the cache), or, where rows
  have few words, all first tests of a word at a time;
- where the columns have many tests, a joint histogram of their codes followed by cumulative sums.

Integer counts do not depend on which way was taken, nor on how the tuples are shared among threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, popcount

__all__ = ["count_cells", "count_words", "nanoseconds", "reduce_same_column"]

Array = NDArray[Any]

BLOCK_WORDS = 256
"""Words of every bit row counted before moving on: 256 rows of 2 KiB fit a second-level cache."""

SHORT_ROWS = 16
"""Rows of at most so many words are counted word by word."""

# Nanoseconds on one core (benchmarks/trees.py); they only choose between two ways to the same counts.
ROW_COST = 1.3
CELL_COST = 2.5
WORD_COST = 0.3
ENTRY_COST = 2.5


@compiled
def _by_cells(n: int, cells: int | np.int64, tests: int | np.int64) -> bool:
    """Whether a joint histogram of columns is cheaper than one popcount a set of tests."""
    words = (n + 63) // 64
    return n * ROW_COST + cells * CELL_COST < tests * (words * WORD_COST + ENTRY_COST)


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
def count_words(
    bits: NDArray[np.uint64],
    n: int,
    first: NDArray[np.int64],
    binomial: NDArray[np.int64],
    size: int,
    level: NDArray[np.int32],
    share: tuple[int, int],
) -> None:
    """Popcounts of all sets of `size` tests on different columns, where that is the cheaper way.

    The larger tests of a set are the outer loops, so that the counts of the inner one lie side by side.
    """
    columns = len(first) - 1
    words = bits.shape[1]
    if columns < size:
        return
    prefix = np.empty(size - 1, np.int64)
    tests = np.empty(size - 1, np.int64)
    earlier = np.empty(bits.shape[0], np.int64)
    both = np.empty(BLOCK_WORDS, np.uint64)
    turned = _turned(bits) if words <= SHORT_ROWS else np.empty((0, 0), np.uint64)
    found = np.empty(bits.shape[0], np.int64)
    for start in range(0, words, BLOCK_WORDS):  # outermost, so that all rows of a block stay in the cache
        stop = min(start + BLOCK_WORDS, words)
        for i in range(size - 1):
            prefix[i] = i
        turn = 0
        while True:
            if turn % share[1] == share[0]:
                count = _first_tests(prefix, size, n, first, earlier)
                for i in range(size - 1):
                    tests[i] = first[prefix[i]]
                while count:
                    base = np.int64(0)
                    for i in range(size - 1):
                        base += binomial[i + 2, tests[i]]
                    _meet(bits, tests, size, start, stop, both)
                    if words <= SHORT_ROWS:
                        _count_turned(both, turned, earlier, count, found, base, level)
                    else:
                        _count_first(both, bits, earlier, count, start, stop, base, level)
                    if not _next_tests(tests, prefix, size - 1, first):
                        break
            turn += 1
            if not _next_columns(prefix, size - 1, columns):
                break


@compiled
def _first_tests(
    prefix: NDArray[np.int64], size: int, n: int, first: NDArray[np.int64], tests_of: NDArray[np.int64]
) -> int:
    """Tests of the earlier columns that are to be counted by words before these columns."""
    cells, tests = np.int64(1), np.int64(1)
    for i in range(size - 1):
        width = first[prefix[i] + 1] - first[prefix[i]]
        tests *= width
        cells *= width + 1
    count = 0
    for column in range(prefix[0]):
        width = first[column + 1] - first[column]
        if not _by_cells(n, cells * (width + 1), tests * width):
            for test in range(first[column], first[column + 1]):
                tests_of[count] = test
                count += 1
    return count


@compiled
def _turned(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One row per word, so that a word of all tests lies side by side."""
    rows, words = bits.shape
    out = np.empty((words, rows), np.uint64)
    for row in range(rows):
        for word in range(words):
            out[word, row] = bits[row, word]
    return out


@compiled
def _count_turned(
    both: NDArray[np.uint64],
    turned: NDArray[np.uint64],
    tests_of: NDArray[np.int64],
    count: int,
    found: NDArray[np.int64],
    base: np.int64,
    level: NDArray[np.int32],
) -> None:
    """All first tests at once, word by word."""
    most = tests_of[count - 1] + 1
    for test in range(most):
        found[test] = 0
    for w in range(turned.shape[0]):
        word, row = both[w], turned[w]
        for test in range(most):
            found[test] += np.int64(popcount(word & row[test]))
    for k in range(count):
        level[base + tests_of[k]] += np.int32(found[tests_of[k]])


@compiled
def _meet(
    bits: NDArray[np.uint64],
    tests: NDArray[np.int64],
    size: int,
    start: int,
    stop: int,
    both: NDArray[np.uint64],
) -> None:
    """Records that pass all tests of a prefix."""
    one = bits[tests[0]]
    for w in range(stop - start):
        both[w] = one[start + w]
    for i in range(1, size - 1):
        other = bits[tests[i]]
        for w in range(stop - start):
            both[w] &= other[start + w]


@compiled
def _count_first(
    both: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    tests_of: NDArray[np.int64],
    count: int,
    start: int,
    stop: int,
    base: np.int64,
    level: NDArray[np.int32],
) -> None:
    """Four first tests in one pass over the words: each word of the prefix is loaded once for the four."""
    words = stop - start
    whole = count - count % 4
    for k in range(0, whole, 4):
        a, b = bits[tests_of[k]][start:stop], bits[tests_of[k + 1]][start:stop]
        c, d = bits[tests_of[k + 2]][start:stop], bits[tests_of[k + 3]][start:stop]
        na, nb, nc, nd = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for w in range(words):
            word = both[w]
            na += np.int64(popcount(word & a[w]))
            nb += np.int64(popcount(word & b[w]))
            nc += np.int64(popcount(word & c[w]))
            nd += np.int64(popcount(word & d[w]))
        level[base + tests_of[k]] += np.int32(na)
        level[base + tests_of[k + 1]] += np.int32(nb)
        level[base + tests_of[k + 2]] += np.int32(nc)
        level[base + tests_of[k + 3]] += np.int32(nd)
    for k in range(whole, count):
        a = bits[tests_of[k]][start:stop]
        na = np.int64(0)
        for w in range(words):
            na += np.int64(popcount(both[w] & a[w]))
        level[base + tests_of[k]] += np.int32(na)


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
    if columns < size:
        return
    chosen = np.empty(size, np.int64)
    known = np.empty(size, np.int64)  # the prefix that `joint` holds the codes of
    for i in range(size):
        chosen[i], known[i] = i, -1
    joint = np.empty(n, np.int32)
    turn = -1
    while True:
        turn += 1
        cells, tests = np.int64(1), np.int64(1)
        for i in range(size):
            width = first[chosen[i] + 1] - first[chosen[i]]
            tests *= width
            cells *= width + 1
        if turn % share[1] == share[0] and _by_cells(n, cells, tests):
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
        own = first[column[rest[0]]]
        for smallest in range(0 if twice < size - 1 else own, rest[0]):
            # The smallest is left out if the next shares its column; otherwise the first of `rest` that does.
            same = smallest >= own
            smaller = alone if same else without + smallest
            kept = nested[column[rest[0 if same else twice]]]
            for y in range(counts.shape[1]):
                counts[row + smallest, y] = counts[smaller, y] if kept else 0
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
    """What it costs to count the sets of one size among n records; columns of equal width are grouped."""
    widths = Counter(sizes)
    total = 0.0
    for chosen in combinations_with_replacement(sorted(widths), size):
        ways = prod(comb(widths[width], times) for width, times in Counter(chosen).items())
        cells, tests = prod(width + 1 for width in chosen), prod(chosen)
        by_cells = n * ROW_COST + cells * CELL_COST
        by_words = tests * ((n + 63) // 64 * WORD_COST + ENTRY_COST)
        total += ways * min(by_cells, by_words)
    return total
