"""Compiled counting by bits: sets of tests on different columns, for `cooccurrence`.

Sixty-four records are a word per test, and the words of all tests on the same records lie side by side: one AND and one
popcount of neighbours count a test together with all tests before it. Sets of three are pairs among the records that
pass a third test, the one with the largest number, and sets of four are sets of three among those that pass a fourth;
the records are narrowed in one of two ways:

- columns with few tests: the words are masked by each test in turn;
- others: records are sorted by their code in the column, so that each is looked at once and not once per test, and
  counts of nested tests follow by addition.

Integer counts do not depend on the way, which follows from the tests alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, packed, popcount

__all__ = ["LONG", "count_sets", "is_long", "is_sorted"]

Array = NDArray[Any]
Longs = NDArray[np.int64]
Counts = NDArray[np.int32]
Words = NDArray[np.uint64]

BLOCK = 64
"""Words of every test counted before moving on: those of 120 tests are 60 KiB."""
WORD = 64
"""Records in a word."""

LONG = 1000
"""Two columns with so many pairs of tests are counted by joint histograms: these visit a record once, at the price of
about a thousand bits (benchmarks/trees.py)."""
GATHERED = 800
"""Fetching a record's code takes as long as counting so many half pairs of bits."""
PACKED = 24
"""The same, for making one bit of a code."""


@compiled
def is_long(first: Longs, one: int | np.int64, other: int | np.int64) -> bool:
    """Whether sets whose first two columns are these are counted by joint histograms."""
    product = (first[one + 1] - first[one]) * (first[other + 1] - first[other])
    return bool(product >= LONG)


@compiled
def is_sorted(first: Longs, column: int | np.int64) -> bool:
    """Whether sorting by this column costs less than masking by each of its tests."""
    tests, before = first[column + 1] - first[column], first[column]
    return bool((tests - 1) * before * before >= GATHERED * column + PACKED * before)


@compiled
def count_sets(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    size: int,
    level: Counts,
    share: tuple[int, int],
) -> None:
    """Add the counts of all sets of `size` tests on different columns to `level`, but those of long columns.

    Threads share the column with the largest number, and so write apart.
    """
    columns = np.int64(codes.shape[0])
    if size == 1:
        _singles_of(codes, first, nested, share, level)
    elif size == 2:
        _pairs_of(codes, first, nested, share, level)
    elif size == 3:
        _threes_of(codes, first, nested, binomial, columns, share, level)
    else:
        _fours_of(codes, first, nested, binomial, share, level)


@compiled
def _singles_of(
    codes: Array, first: Longs, nested: NDArray[np.bool_], share: tuple[int, int], out: Counts
) -> None:
    columns, n = codes.shape
    bits, line = _room(codes, first)
    everybody, counts = np.empty(0, np.uint32), np.zeros(first[columns], np.int32)
    if share[0] == 0:
        for start in range(0, n, BLOCK * WORD):
            stop = min(start + BLOCK * WORD, n)
            words = _fill(codes, first, nested, columns, everybody, start, stop, line, bits)
            for w in range(words):
                row = bits[w]
                for k in range(len(counts)):
                    counts[k] += np.int32(popcount(row[k]))
        for k in range(len(counts)):
            out[k] += counts[k]


@compiled
def _pairs_of(
    codes: Array, first: Longs, nested: NDArray[np.bool_], share: tuple[int, int], out: Counts
) -> None:
    columns, n = codes.shape
    bits, line = _room(codes, first)
    everybody, counts = np.empty(0, np.uint32), np.zeros(len(out), np.int32)
    for start in range(0, n, BLOCK * WORD):
        stop = min(start + BLOCK * WORD, n)
        words = _fill(codes, first, nested, columns, everybody, start, stop, line, bits)
        _pairs(bits, words, first, columns, share, counts)
    for i in range(len(out)):
        if counts[i]:  # what others count is theirs
            out[i] += counts[i]


@compiled
def _threes_of(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    limit: np.int64,
    share: tuple[int, int],
    out: Counts,
) -> None:
    """Sets of three tests of the columns below `limit`."""
    _threes_masked(codes, first, nested, binomial, limit, share, out)
    n = codes.shape[1]
    bits, line = _room(codes, first)
    order, ends = np.empty(n, np.uint32), np.empty(np.max(first[1:] - first[:-1]) + 1, np.int64)
    pairs = np.empty(binomial[2, first[limit]], np.int32)
    for column in range(2, limit):
        if column % share[1] != share[0] or not is_sorted(first, column):
            continue
        tests, below = first[column + 1] - first[column], binomial[2, first[column]]
        _sort(codes[column], tests, order, ends)
        pairs[:below] = 0
        for code in range(tests, 0, -1):
            if not nested[column]:
                pairs[:below] = 0
            for start in range(ends[code - 1], ends[code], BLOCK * WORD):
                stop = min(start + BLOCK * WORD, ends[code])
                words = _fill(codes, first, nested, column, order, start, stop, line, bits)
                _pairs(bits, words, first, column, (0, 1), pairs)
            _add(pairs[:below], out[binomial[3, first[column] + code - 1] :])


@compiled
def _threes_masked(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    limit: np.int64,
    share: tuple[int, int],
    out: Counts,
) -> None:
    """Those whose largest test is on a column with few of them."""
    some = False
    for column in range(2, limit):
        some = some or not is_sorted(first, column)
    if not some:
        return
    bits, line = _room(codes, first)
    masked, pairs = np.empty_like(bits), np.empty(binomial[2, first[limit]], np.int32)
    everybody = np.empty(0, np.uint32)
    for start in range(0, codes.shape[1], BLOCK * WORD):
        stop = min(start + BLOCK * WORD, codes.shape[1])
        words = _fill(codes, first, nested, limit, everybody, start, stop, line, bits)
        for column in range(2, limit):
            if column % share[1] != share[0] or is_sorted(first, column):
                continue
            for test in range(first[column], first[column + 1]):
                for w in range(words):
                    row, other, mask = bits[w], masked[w], bits[w, test]
                    for k in range(first[column]):
                        other[k] = row[k] & mask
                below = binomial[2, first[column]]
                pairs[:below] = 0
                _pairs(masked, words, first, column, (0, 1), pairs)
                _add(pairs[:below], out[binomial[3, test] :])


@compiled
def _fours_of(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    share: tuple[int, int],
    out: Counts,
) -> None:
    """Sets of four tests: of three, among records of each code of the last column."""
    columns, n = codes.shape
    order, ends = np.empty(n, np.uint32), np.empty(np.max(first[1:] - first[:-1]) + 1, np.int64)
    threes = np.empty(binomial[3, first[columns - 1]], np.int32)
    for column in range(3, columns):
        if column % share[1] != share[0]:
            continue
        tests, below = first[column + 1] - first[column], binomial[3, first[column]]
        _sort(codes[column], tests, order, ends)
        threes[:below] = 0
        for code in range(tests, 0, -1):
            if not nested[column]:
                threes[:below] = 0
            here = order[ends[code - 1] : ends[code]]
            part = np.empty((column, len(here)), codes.dtype)
            for c in range(column):
                _take(codes[c], here, part[c])
            _threes_of(part, first, nested, binomial, np.int64(column), (0, 1), threes)
            _add(threes[:below], out[binomial[4, first[column] + code - 1] :])


@compiled
def _add(found: Counts, out: Counts) -> None:
    for i in range(len(found)):
        out[i] += found[i]


@compiled
def _room(codes: Array, first: Longs) -> tuple[Words, Array]:
    """For the words of a block, and for codes side by side."""
    return np.empty((BLOCK, first[-1]), np.uint64), np.empty(BLOCK * WORD, codes.dtype)


@compiled
def _sort(row: Array, tests: np.int64, order: NDArray[np.uint32], ends: Longs) -> None:
    """Records by their code: those of code c stand from ends[c - 1] to ends[c]."""
    for code in range(tests + 1):
        ends[code] = 0
    for i in range(len(row)):
        ends[np.int64(row[i])] += 1
    before = np.int64(0)
    for code in range(tests + 1):
        many = ends[code]
        ends[code] = before
        before += many
    for i in range(len(row)):
        own = np.int64(row[i])
        order[ends[own]] = i
        ends[own] += 1


@compiled
def _take(row: Array, order: NDArray[np.uint32], out: Array) -> None:
    """out[i] = row[order[i]]; positions without a sign need no look at whether they count from the end."""
    for i in range(len(order)):
        out[i] = row[order[i]]


@compiled
def _fill(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    limit: int | np.int64,
    order: NDArray[np.uint32],
    start: int | np.int64,
    stop: int | np.int64,
    line: Array,
    bits: Words,
) -> int | np.int64:
    """The words of the tests below column `limit`, of the records from `start` to `stop` of an order (or of all, if it
    is empty); how many words they are. Bits beyond the last record are 0."""
    many = stop - start
    words = (many + WORD - 1) // WORD
    for c in range(limit):
        if len(order):
            _take(codes[c], order[start:stop], line)
        else:
            line[:many] = codes[c, start:stop]
        line[many : words * WORD] = 0
        least = first[c]
        for w in range(words):
            out = bits[w, least : first[c + 1]]
            for code in range(len(out)):
                out[code] = packed(line, w * WORD, code + 1, nested[c])
    return words


@compiled
def _pairs(
    bits: Words,
    words: int | np.int64,
    first: Longs,
    limit: int | np.int64,
    share: tuple[int, int],
    out: Counts,
) -> None:
    """out[b(b - 1)/2 + a] += records that pass tests a < b of two columns below `limit`."""
    for column in range(1, limit):
        if column % share[1] != share[0]:
            continue
        stop = np.int64(0)
        while stop < column:
            start = stop  # columns side by side that are counted here
            while stop < column and not is_long(first, stop, column):
                stop += 1
            for test in range(first[column], first[column + 1]):
                _with_earlier(bits, words, test, first[start], first[stop], out[test * (test - 1) // 2 :])
            stop += 1


@compiled
def _with_earlier(
    bits: Words, words: int | np.int64, test: int, start: np.int64, stop: np.int64, out: Counts
) -> None:
    """out[k] += records that pass this test and test k, from `start` to `stop`; two words at a time.

    The loops run over slices from 0 on: a position that may count from the end would be looked at one by one.
    """
    many = stop - start
    counts = out[start:stop]
    for w in range(0, words - words % 2, 2):
        one, two, mask, other = bits[w, start:stop], bits[w + 1, start:stop], bits[w, test], bits[w + 1, test]
        for k in range(many):
            counts[k] += np.int32(popcount(mask & one[k]) + popcount(other & two[k]))
    if words % 2:
        one, mask = bits[words - 1, start:stop], bits[words - 1, test]
        for k in range(many):
            counts[k] += np.int32(popcount(mask & one[k]))
