"""Compiled counting by bits: sets of tests on different columns, for `cooccurrence`.

Sixty-four records are a word per test, and the words of all tests on the same records lie side by side: ANDs and
popcounts of neighbours count four tests together with eight tests before them. Sets of three are pairs among the
records that pass a third test, the one with the largest number, and sets of four are sets of three among those that
pass a fourth; the records are narrowed in one of two ways:

- columns with few tests: the words are masked by each test in turn;
- others: records are sorted by their code in the column, so that each is looked at once and not once per test, and
  counts of nested tests follow by addition.

Integer counts do not depend on the way, which follows from the tests alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import LANES, compiled, packed, paired, popcount

__all__ = ["LONG", "count_sets", "is_long", "is_sorted"]

Array = NDArray[Any]
Longs = NDArray[np.int64]
Counts = NDArray[np.int32]
Words = NDArray[np.uint64]

BLOCK = 64
"""Words of every test counted before moving on: those of 120 tests are 60 KiB."""
WORD = 64
"""Records in a word."""

PART = 1 << 15
"""Records sorted and fetched together: a few words of each stay in the cache."""
GROUP = 4
"""Tests counted together with those before them: as many counts as stay in registers."""

LONG = 1000
"""Two columns with this many pairs of tests are counted by joint histograms: these visit a record once, at the price of
about a thousand bits (benchmarks/speed.py)."""
GATHERING = 300
"""Fetching a record's code takes as long as counting this many half pairs of bits."""
PACKING = 24
"""The same, for making one bit of a code."""
Share = tuple[int | np.int64, int | np.int64]
"""Who counts, and among how many."""
ALONE: Share = (np.int64(0), np.int64(1))
"""The share of who counts alone. Written out in a call its type would be another, and all below it compiled twice."""


@compiled
def is_long(first: Longs, one: int | np.int64, other: int | np.int64) -> bool:
    """Whether sets whose first two columns are these are counted by joint histograms."""
    product = (first[one + 1] - first[one]) * (first[other + 1] - first[other])
    return bool(product >= LONG)


@compiled
def is_sorted(first: Longs, column: int | np.int64) -> bool:
    """Whether sorting by this column costs less than masking by each of its tests."""
    tests, before = first[column + 1] - first[column], first[column]
    return bool((tests - 1) * before * before >= GATHERING * column + PACKING * before)


@compiled
def count_sets(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    size: int,
    level: Counts,
    share: Share,
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
def _singles_of(codes: Array, first: Longs, nested: NDArray[np.bool_], share: Share, out: Counts) -> None:
    columns, n = codes.shape
    bits, line = _room(codes, first)
    counts = np.zeros(first[columns], np.int32)
    if share[0] == 0:
        for start in range(0, n, BLOCK * WORD):
            stop = min(start + BLOCK * WORD, n)
            words = _fill(codes, first, nested, columns, start, stop, line, bits)
            for w in range(words):
                row = bits[w]
                for k in range(len(counts)):
                    counts[k] += np.int32(popcount(row[k]))
        for k in range(len(counts)):
            out[k] += counts[k]


@compiled
def _pairs_of(codes: Array, first: Longs, nested: NDArray[np.bool_], share: Share, out: Counts) -> None:
    columns, n = codes.shape
    bits, line = _room(codes, first)
    counts = np.zeros(len(out) + LANES, np.int32)
    for start in range(0, n, BLOCK * WORD):
        stop = min(start + BLOCK * WORD, n)
        words = _fill(codes, first, nested, columns, start, stop, line, bits)
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
    share: Share,
    out: Counts,
) -> None:
    """Sets of three tests of the columns below `limit`."""
    many = _sorted_columns(first, limit)
    if many < limit - 2:
        _threes_masked(codes, first, nested, binomial, limit, share, out)
    if many:
        _threes_sorted(codes, first, nested, binomial, limit, share, out)


@compiled
def _sorted_columns(first: Longs, limit: np.int64) -> int:
    """How many of the columns below `limit`, from the third on, records are sorted by."""
    many = 0
    for column in range(2, limit):
        many += is_sorted(first, column)
    return many


@compiled
def _threes_sorted(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    limit: np.int64,
    share: Share,
    out: Counts,
) -> None:
    """Those whose largest test is on a column with many of them."""
    bits, line = _room(codes, first)
    pairs = np.empty(binomial[2, first[limit]] + LANES, np.int32)
    order, ends = np.empty(PART, np.uint32), np.empty(np.max(first[1:] - first[:-1]) + 1, np.int64)
    together = WORD // (8 * codes.itemsize)
    groups = np.empty(((limit + together - 1) // together, PART), np.uint64)
    several = np.empty(BLOCK * WORD, np.uint64)
    for begin in range(0, codes.shape[1], PART):
        part = codes[:limit, begin : begin + PART]
        _join(part, groups)
        for column in range(2, limit):
            if column % share[1] != share[0] or not is_sorted(first, column):
                continue
            tests, below = first[column + 1] - first[column], binomial[2, first[column]]
            _sort(part[column], tests, line, order, ends)
            pairs[:below] = 0
            for code in range(tests, 0, -1):
                if not nested[column]:
                    pairs[:below] = 0
                for start in range(ends[code - 1], ends[code], BLOCK * WORD):
                    here = order[start : min(start + BLOCK * WORD, ends[code])]
                    words = _fill_sorted(groups, first, nested, column, here, line, several, bits)
                    _pairs(bits, words, first, column, ALONE, pairs)
                _add(pairs[:below], out[binomial[3, first[column] + code - 1] :])


@compiled
def _threes_masked(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    limit: np.int64,
    share: Share,
    out: Counts,
) -> None:
    """Those whose largest test is on a column with few of them."""
    bits, line = _room(codes, first)
    masked_bits, pairs = np.empty_like(bits), np.empty(binomial[2, first[limit]] + LANES, np.int32)
    for start in range(0, codes.shape[1], BLOCK * WORD):
        stop = min(start + BLOCK * WORD, codes.shape[1])
        words = _fill(codes, first, nested, limit, start, stop, line, bits)
        for column in range(2, limit):
            if column % share[1] != share[0] or is_sorted(first, column):
                continue
            for test in range(first[column], first[column + 1]):
                for w in range(words):
                    row, other, mask = bits[w], masked_bits[w], bits[w, test]
                    for k in range(first[column]):
                        other[k] = row[k] & mask
                below = binomial[2, first[column]]
                pairs[:below] = 0
                _pairs(masked_bits, words, first, column, ALONE, pairs)
                _add(pairs[:below], out[binomial[3, test] :])


@compiled
def _fours_of(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    binomial: Longs,
    share: Share,
    out: Counts,
) -> None:
    """Sets of four tests: of three, among records of each code of the last column."""
    columns, n = codes.shape
    line = np.empty(WORD, codes.dtype)
    order, ends = np.empty(n, np.uint32), np.empty(np.max(first[1:] - first[:-1]) + 1, np.int64)
    # Of the type that `out` has, a column of counts: `_threes_of` is then compiled once.
    threes = np.empty((binomial[3, first[columns - 1]], 1), np.int32)[:, 0]
    for column in range(3, columns):
        if column % share[1] != share[0]:
            continue
        tests, below = first[column + 1] - first[column], binomial[3, first[column]]
        _sort(codes[column], tests, line, order, ends)
        threes[:below] = 0
        for code in range(tests, 0, -1):
            if not nested[column]:
                threes[:below] = 0
            here = order[ends[code - 1] : ends[code]]
            part = np.empty((column, len(here)), codes.dtype)
            for c in range(column):
                _take(codes[c], here, part[c])
            _threes_of(part, first, nested, binomial, np.int64(column), ALONE, threes)
            _add(threes[:below], out[binomial[4, first[column] + code - 1] :])


@compiled
def _add(counts: Counts, out: Counts) -> None:
    for i in range(len(counts)):
        out[i] += counts[i]


@compiled
def _room(codes: Array, first: Longs) -> tuple[Words, Array]:
    """For the words of a block, and for codes side by side.

    Rows are an odd number of cache lines: as a power of two they would drive each other out of the cache.
    """
    lines = (first[-1] + LANES - 1) // LANES | 1
    return np.empty((BLOCK, lines * LANES), np.uint64), np.empty(BLOCK * WORD, codes.dtype)


@compiled
def _sort(row: Array, tests: np.int64, line: Array, order: NDArray[np.uint32], ends: Longs) -> None:
    """Records that pass a test, by their code: those of code c stand from ends[c - 1] to ends[c].

    Sixty-four are compared with a code at a time, and those that have it taken from the word one by one.
    """
    n, place = len(row), np.int64(0)
    whole = n - n % WORD
    _copy(row[whole:], line)
    line[n - whole : WORD] = 0
    ends[0] = 0
    for code in range(1, tests + 1):
        for start in range(0, n, WORD):
            here = np.uint64(
                packed(row, start, code, False) if start < whole else packed(line, 0, code, False)
            )
            for _ in range(popcount(here)):
                others = here - np.uint64(1)  # the lowest bit turned over, and all below it
                order[place] = start + popcount(~here & others)
                here = here & others
                place += 1
        ends[code] = place


@compiled
def _copy(row: Array, out: Array) -> None:
    """out[i] = row[i]; an assignment of slices would compare their lengths, which takes a second to compile."""
    for i in range(len(row)):
        out[i] = row[i]


@compiled
def _take(row: Array, order: NDArray[np.uint32], out: Array) -> None:
    """out[i] = row[order[i]]; positions without a sign need no look at whether they count from the end."""
    for i in range(len(order)):
        out[i] = row[order[i]]


@compiled
def _join(codes: Array, groups: Words) -> None:
    """The codes of as many columns as fit into a word, one after the other, of every record."""
    columns, n = codes.shape
    bits = np.uint64(8 * codes.itemsize)
    together = WORD // (8 * codes.itemsize)
    for c in range(columns):
        row, out, shift = codes[c], groups[c // together], np.uint64(c % together) * bits
        if c % together == 0:
            out[:n] = 0
        for i in range(n):
            out[i] |= np.uint64(row[i]) << shift


@compiled
def _fill_sorted(
    groups: Words,
    first: Longs,
    nested: NDArray[np.bool_],
    limit: int | np.int64,
    order: NDArray[np.uint32],
    line: Array,
    several: Words,
    bits: Words,
) -> int | np.int64:
    """As `_fill`, for records in this order, from words of `_join`: each is fetched once for several columns."""
    many, words = len(order), (len(order) + WORD - 1) // WORD
    together = WORD // (8 * line.itemsize)
    for c in range(limit):
        if c % together == 0:
            _take(groups[c // together], order, several)
            several[many : words * WORD] = 0
        shift = np.uint64(8 * line.itemsize * (c % together))
        for i in range(words * WORD):
            line[i] = several[i] >> shift
        _pack(line, words, first, nested, c, bits)
    return words


@compiled
def _fill(
    codes: Array,
    first: Longs,
    nested: NDArray[np.bool_],
    limit: int | np.int64,
    start: int | np.int64,
    stop: int | np.int64,
    line: Array,
    bits: Words,
) -> int | np.int64:
    """The words of the tests below column `limit`, of the records from `start` to `stop`; how many words they are. Bits
    beyond the last record are 0."""
    many = stop - start
    words = (many + WORD - 1) // WORD
    for c in range(limit):
        _copy(codes[c, start:stop], line)
        line[many : words * WORD] = 0
        _pack(line, words, first, nested, c, bits)
    return words


@compiled
def _pack(
    line: Array,
    words: int | np.int64,
    first: Longs,
    nested: NDArray[np.bool_],
    column: int | np.int64,
    bits: Words,
) -> None:
    """The words of the tests of a column, from codes side by side."""
    for w in range(words):
        out = bits[w, first[column] : first[column + 1]]
        for code in range(len(out)):
            out[code] = packed(line, w * WORD, code + 1, nested[column])


@compiled
def _pairs(
    bits: Words,
    words: int | np.int64,
    first: Longs,
    limit: int | np.int64,
    share: Share,
    out: Counts,
) -> None:
    """out[b(b - 1)/2 + a] += records that pass tests a < b of two columns below `limit`.

    Behind these places `out` has LANES more.
    """
    tests, stops, many = np.zeros(GROUP, np.int64), np.zeros(GROUP, np.int64), 0
    widest = first[1]
    for column in range(1, limit):
        width = first[column + 1] - first[column]
        if column % share[1] == share[0]:
            if widest * width >= LONG:
                _pairs_with_long(bits, words, first, column, out)
            else:
                for test in range(first[column], first[column + 1]):
                    tests[many], stops[many] = test, first[column]
                    many += 1
                    if many == GROUP:
                        _count_group(bits, words, tests, stops, out)
                        many = 0
        widest = max(widest, width)
    if many:
        stops[many:] = 0
        _count_group(bits, words, tests, stops, out)


@compiled
def _count_group(bits: Words, words: int | np.int64, tests: Longs, stops: Longs, out: Counts) -> None:
    """Four tests, each with all tests below its stop."""
    a, b, c, d = tests[0], tests[1], tests[2], tests[3]
    ends = stops[0], stops[1], stops[2], stops[3]
    places = a * (a - 1) // 2, b * (b - 1) // 2, c * (c - 1) // 2, d * (d - 1) // 2
    for start in range(0, max(max(ends[0], ends[1]), max(ends[2], ends[3])), LANES):
        paired(bits, words, start, (a, b, c, d), ends, places, out)


@compiled
def _pairs_with_long(
    bits: Words, words: int | np.int64, first: Longs, column: int | np.int64, out: Counts
) -> None:
    """Tests of a column with those of all earlier columns but some that are counted by joint histograms."""
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
