"""Compiled counts of regions (a few tests with a sign each), by subtraction from co-occurrence counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["NOTHING", "first_set", "next_set", "region_counts", "region_rows", "regions", "restrict"]

Longs = NDArray[np.int64]
Counts = NDArray[np.int32]

NOTHING = np.int64(-1)
"""No test besides. (A literal -1 would be a type of its own, and compile a second time, here and elsewhere.)"""


@compiled
def first_set(size: int) -> Longs:
    """0, 1, ..., size - 1. (A loop compiles in a fraction of the time of `np.arange`, here and elsewhere.)"""
    tests = np.empty(size, np.int64)
    for i in range(size):
        tests[i] = i
    return tests


@compiled
def next_set(tests: Longs, size: int, p: int) -> bool:
    """The next set of tests below p in colexicographic order; False after the last."""
    i = 0
    while i < size - 1 and tests[i] + 1 == tests[i + 1]:
        i += 1
    if size == 0 or (i == size - 1 and tests[i] + 1 >= p):
        return False
    tests[i] += 1
    for j in range(i):
        tests[j] = j
    return True


@compiled
def _row(counts: Counts, begin: Longs, binomial: Longs, tests: Longs, size: int, out: Longs) -> None:
    """out[y, h]: records of class y that pass the given tests and test h."""
    classes, p = out.shape
    place = begin[size]
    for i in range(size):
        place += binomial[i + 1, tests[i]]
    for rank in range(size + 1):
        start = 0 if rank == 0 else tests[rank - 1] + 1
        stop = p if rank == size else tests[rank]
        base = begin[size + 1]
        for i in range(size):
            base += binomial[i + 1 if i < rank else i + 2, tests[i]]
        places = binomial[rank + 1]
        for y in range(classes):
            line = out[y]
            for h in range(start, stop):
                line[h] = counts[base + places[h], y]
            if rank < size:
                line[tests[rank]] = counts[place, y]


@compiled
def _resolve_signs(rows: Longs, totals: Longs, size: int) -> None:
    """From 'passes at least the tests in the mask' to 'passes exactly those of the set'."""
    for bit in range(size):
        for mask in range(1 << size):
            if mask >> bit & 1 == 0:
                other = mask | 1 << bit
                for y in range(rows.shape[1]):
                    mine, theirs = rows[mask, y], rows[other, y]
                    for h in range(rows.shape[2]):
                        mine[h] -= theirs[h]
                    totals[mask, y] -= totals[other, y]


@compiled
def regions(
    counts: Counts,
    begin: Longs,
    binomial: Longs,
    tests: Longs,
    size: int,
    extra: int | np.int64,
    rows: Longs,
    totals: Longs,
) -> None:
    """rows[signs, y, h] and totals[signs, y] of all regions of the tests; `extra` >= 0 must hold besides.

    `extra` is smaller than all the tests.
    """
    subset = np.empty(size + 1, np.int64)
    for mask in range(1 << size):
        length = 0
        if extra >= 0:
            subset[0] = extra
            length = 1
        for i in range(size):
            if mask >> i & 1:
                subset[length] = tests[i]
                length += 1
        _row(counts, begin, binomial, subset, length, rows[mask])
        place = begin[length]
        for i in range(length):
            place += binomial[i + 1, subset[i]]
        for y in range(counts.shape[1]):
            totals[mask, y] = counts[place, y]
    _resolve_signs(rows, totals, size)


def region_counts(counts: Counts, begin: Longs, binomial: Longs, tests: Longs, signs: int) -> Longs:
    """Records of each class in one region: inclusion and exclusion over the tests that must not hold."""
    out = np.zeros(counts.shape[1], np.int64)
    for subset, odd in _subsets(tests, signs):
        row = counts[begin[len(subset)] + sum(int(binomial[i + 1, test]) for i, test in enumerate(subset))]
        out += -row if odd else row
    return out


def region_rows(counts: Counts, begin: Longs, binomial: Longs, tests: Longs, signs: int) -> Longs:
    """[y, h]: records of each class in one region where test h holds as well."""
    every = np.arange(binomial.shape[1] - 1)
    out = np.zeros((counts.shape[1], len(every)), np.int64)
    for subset, odd in _subsets(tests, signs):
        size, rank = len(subset), np.searchsorted(np.array(subset), every)
        places, place = begin[size + 1] + binomial[rank + 1, every], int(begin[size])
        for i, test in enumerate(subset):
            places += binomial[np.where(i < rank, i + 1, i + 2), test]
            place += int(binomial[i + 1, test])
        rows = counts[np.where(np.isin(every, subset), place, places)].T
        out += -rows if odd else rows
    return out


def _subsets(tests: Longs, signs: int) -> Iterator[tuple[list[int], bool]]:
    """Sets of tests whose counts make up a region: those that hold and some of the others, odd many of these or not."""
    for mask in range(1 << len(tests)):
        if mask & signs == signs:
            subset = [test for i, test in enumerate(tests.tolist()) if mask >> i & 1]
            yield subset, (mask & ~signs).bit_count() % 2 == 1


@compiled
def restrict(counts: NDArray[np.int64], p: int, depth: int, test: int, holds: bool, binomial: Longs) -> Longs:
    """Counts of all sets of fewer than `depth` tests among the records where the test holds, or does not."""
    rows = np.int64(0)
    for size in range(depth):
        rows += binomial[size, p]
    out = np.empty((rows, counts.shape[1]), np.int64)
    here, larger = np.int64(0), np.int64(0)
    for size in range(min(depth, p + 1)):
        start = here
        larger = start + binomial[size, p]
        tests = first_set(size)
        while True:
            with_test, rank, inside = larger, 0, False
            for i in range(size):
                inside = inside or tests[i] == test
                rank += tests[i] < test
            for i in range(size):
                with_test += binomial[i + 1 if i < rank else i + 2, tests[i]]
            with_test = here if inside else with_test + binomial[rank + 1, test]
            for y in range(counts.shape[1]):
                there = counts[with_test, y]
                out[here, y] = there if holds else counts[here, y] - there
            here += 1
            if not next_set(tests, size, p):
                break
    return out
