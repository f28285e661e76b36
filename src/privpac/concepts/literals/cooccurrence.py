"""Co-occurrence counts: of every class, how many records pass all tests of A, for every small set A of tests.

This is all that trees, lists and conjunctions must see. Counts of conjunctions with negations follow by
subtraction, so no second pass over the records is ever needed, and the counts are additive over blocks.

Sets are numbered colexicographically: a0 < a1 < ... stands at binomial(a0, 1) + binomial(a1, 2) + ... among
the sets of its size, and smaller sets come first. Sets of tests on different columns are counted by joint histograms
of these columns where they have many tests, which takes a look at every record, and otherwise by bits, 64 records
at a time: by numpy for small tables, by a kernel for others. Integer counts do not depend on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly, popcount
from privpac.concepts.literals.binarise import Binarisation
from privpac.data.sample import Block
from privpac.errors import DataError, ParameterError, SizeError

__all__ = [
    "Cooccurrence",
    "CooccurrenceTensor",
    "Estimate",
    "Estimated",
    "binomials",
    "offsets",
    "position",
    "require_counts",
    "run_parts",
]

Array = NDArray[Any]

DEEPEST = 4
THREADS = 2
"""Default number of threads; used only where they save time."""
MOST_RECORDS = 2**31 - 1
"""Counts are stored in 32 bits."""
WORTH_THREADS = 1 << 29
"""Words of sets of one size from which on threads pay: some ten are counted in a nanosecond."""
PLAIN_COST = 4
"""Operations of numpy per word and set of tests."""
CHUNK = 1 << 20
"""Records coded and packed at a time, which bounds the memory beyond the counts themselves."""
RECORD, CELL, WORD = 50, 150, 3
"""Times that a record and a set of tests take in a joint histogram, and 64 records and a set by bits, in units of
a twenty-fifth of a nanosecond."""
MOST_LOOKED_UP = 1 << 22
"""Sets of one size among which those with two tests of a column are looked up in those that are smaller."""

# Nanoseconds on one core when sets were still counted one by one. Counting has become several times as fast, but how
# many cuts `auto` has on a large table, and so what a stored model is verified against, follows from these numbers.
ROW_COST = 1.3
CELL_COST = 2.5
WORD_COST = 0.3
ENTRY_COST = 2.5


@lru_cache(maxsize=16)
def binomials(p: int) -> NDArray[np.int64]:
    """binomials(p)[k, x] = x choose k; cut at 2^62, far beyond any table that fits in memory."""
    table = np.array(
        [[min(comb(x, k), 2**62) for x in range(p + 1)] for k in range(DEEPEST + 1)], dtype=np.int64
    )
    table.setflags(write=False)
    return table


@lru_cache(maxsize=64)
def offsets(p: int, depth: int) -> NDArray[np.int64]:
    """Where the sets of each size start; the last entry is the number of all sets."""
    places = np.cumsum([0] + [comb(p, k) for k in range(depth + 1)]).astype(np.int64)
    places.setflags(write=False)
    return places


def position(tests: Sequence[int], p: int) -> int:
    """The row of a set of tests in a `Cooccurrence`."""
    distinct = sorted(set(tests))
    before = sum(comb(p, k) for k in range(len(distinct)))
    return before + sum(comb(test, i + 1) for i, test in enumerate(distinct))


@dataclass(frozen=True)
class Estimate:
    """Public estimate of what the counts of n records cost."""

    seconds: float
    bytes: int


@runtime_checkable
class Estimated(Protocol):
    """What can say beforehand, from public numbers, what counting n records takes."""

    def estimate(self, n: int) -> Estimate:
        """Seconds and bytes for n records, from public numbers only."""


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """`counts[position(A), y]`: records of class y that pass every test of A. Private."""

    counts: NDArray[np.int32]

    def __repr__(self) -> str:
        return f"Cooccurrence(sets={self.counts.shape[0]}, classes={self.counts.shape[1]})"


@dataclass(frozen=True)
class CooccurrenceTensor:
    """The additive statistic of all sets of at most `depth` tests."""

    binarisation: Binarisation
    depth: int
    classes: int
    threads: int = THREADS
    """Threads that share the work; the counts are the same for any number."""

    def __post_init__(self) -> None:
        if self.depth not in range(DEEPEST + 1):
            raise ParameterError("CooccurrenceTensor", "depth", self.depth, allowed=f"from 0 to {DEEPEST}")
        if isinstance(self.threads, bool) or self.threads < 1:
            raise ParameterError("CooccurrenceTensor", "threads", self.threads, allowed="a positive integer")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.binarisation.columns

    @property
    def sets(self) -> int:
        """How many sets of tests are counted."""
        return int(offsets(len(self.binarisation.tests), self.depth)[-1])

    def zero(self) -> Cooccurrence:
        return Cooccurrence(np.zeros((self.sets, self.classes), dtype=np.int32))

    def merge(self, a: Cooccurrence, b: Cooccurrence) -> Cooccurrence:
        require_counts(int(a.counts[0].sum()) + int(b.counts[0].sum()))
        return Cooccurrence(a.counts + b.counts)

    def absorb(self, state: Cooccurrence, block: Block) -> Cooccurrence:
        if block.labels is None:
            raise DataError("Counting by class needs labels, but these records have none.")
        require_counts(int(state.counts[0].sum()) + block.n)
        for start in range(0, block.n, CHUNK):
            stop = min(start + CHUNK, block.n)
            codes = self.binarisation.codes(block, start=start, stop=stop)
            self._absorb_chunk(state.counts, codes, block.labels[start:stop])
        return Cooccurrence(state.counts)

    def _absorb_chunk(self, counts: NDArray[np.int32], codes: Array, labels: NDArray[np.uint8]) -> None:
        n, begin, groups = len(labels), offsets(len(self.binarisation.tests), self.depth), self._groups
        counts[0] += np.bincount(labels, minlength=self.classes)
        if self.depth == 0:
            return
        wide, limit = [*combinations(range(len(groups)), 1)], _limit(n)
        by_bits = []
        for size in range(2, self.depth + 1):
            columns = _wide(groups, size, limit) if begin[size + 1] - begin[size] <= MOST_LOOKED_UP else ()
            wide += columns
            if not columns:
                by_bits.append((size, 0))
            elif len(columns) < comb(len(groups), size):
                by_bits.append((size, limit))
        self._count_bits(counts, codes, labels, by_bits)
        each = labels.astype(np.int64)
        for picks in wide:
            self._count_cells(counts, codes, each, picks)
        for size in sorted({len(picks) for picks in wide} - {1}):
            here, there = _same_column(groups, size)
            for column in counts.T:
                column[here] = column[there] * (there >= 0)

    def _count_cells(
        self, counts: NDArray[np.int32], codes: Array, labels: NDArray[np.int64], picks: tuple[int, ...]
    ) -> None:
        """Add the counts of all sets of one test on each of these columns: a joint histogram, summed up."""
        p, size = len(self.binarisation.tests), len(picks)
        shape: list[int] = []
        joint, stride = np.zeros_like(labels), 1
        for pick in picks:
            joint += stride * codes[pick].astype(np.int64)
            shape.insert(0, self._groups[pick][0] + 1)
            stride *= shape[0]
        joint += stride * labels
        cells = np.bincount(joint, minlength=stride * self.classes).astype(np.int32).reshape(-1, *shape)
        places = offsets(p, self.depth)[size : size + 1]
        for i, pick in enumerate(picks):
            axis, first = (
                size - i,
                _first(self._groups)[pick],
            )  # classes and then the last column vary slowest
            cells = cells[(slice(None),) * axis + (slice(1, None),)]
            if self._groups[pick][1]:  # from 'exactly this code' to 'at least this code'
                cells = np.flip(np.flip(cells, axis).cumsum(axis, dtype=np.int32), axis)
            ways = binomials(p)[i + 1, first : first + self._groups[pick][0]]
            places = (ways[:, None] + places).ravel()
        for column, found in zip(counts.T, cells, strict=True):
            column[places] += found.ravel()

    def _count_bits(
        self, counts: NDArray[np.int32], codes: Array, labels: NDArray[np.uint8], sizes: list[tuple[int, int]]
    ) -> None:
        """Add the counts of all sets of these sizes; where a limit stands beside one, only of those on different
        columns with no more sets of tests than that."""
        begin = offsets(len(self.binarisation.tests), self.depth)
        many = sum(int(begin[size + 1] - begin[size]) for size, _ in sizes)
        plain = not any(limit for _, limit in sizes) and plainly(PLAIN_COST * many * (len(labels) // 64 + 1))
        first = np.array(_first(self._groups), dtype=np.int64)
        column = np.repeat(np.arange(len(self._groups)), np.diff(first))
        for label in range(self.classes) if sizes else ():
            bits = self.binarisation.pack(codes.take(np.flatnonzero(labels == label), axis=1))
            if plain:
                _count_plainly(bits, {size for size, _ in sizes}, counts[:, label])
                continue
            words = np.ascontiguousarray(bits.T)
            for size, limit in sizes:
                found = np.zeros(int(begin[size + 1] - begin[size]), np.int32)
                threads = self.threads if len(found) * bits.shape[1] >= WORTH_THREADS else 1
                run_parts(partial(_count_sets, words, first, column, size, limit, found), threads)
                counts[begin[size] : begin[size + 1], label] += found

    @cached_property
    def _groups(self) -> Groups:
        return tuple((len(group.cells), group.nested) for group in self.binarisation.groups)

    def estimate(self, n: int) -> Estimate:
        """Seconds and bytes for n records, from public numbers only."""
        sizes = [len(group.cells) for group in self.binarisation.groups]
        seconds = 1e-9 * sum(
            _nanoseconds(sizes, n // self.classes + 1, size) * self.classes
            for size in range(2, self.depth + 1)
        )
        memory = 4 * self.sets * self.classes + min(n, CHUNK) * (
            3 * len(sizes) + len(self.binarisation.tests) // 8
        )
        return Estimate(seconds, memory)


def _nanoseconds(sizes: Sequence[int], n: int, size: int) -> float:
    """At most what it costs to count the sets of one size among n records; columns of equal width are grouped."""
    total = 0.0
    for ways, cells, tests in _choices(tuple(sorted(sizes)), size):
        by_cells = n * ROW_COST + cells * CELL_COST
        by_words = tests * ((n + 63) // 64 * WORD_COST + ENTRY_COST)
        total += ways * min(by_cells, by_words)
    return total


@lru_cache(maxsize=48)  # searches ask for many numbers of records
def _choices(sizes: tuple[int, ...], size: int) -> tuple[tuple[int, int, int], ...]:
    """Of this many columns, by their widths: in how many ways, and with how many cells and sets of tests."""
    widths = Counter(sizes)
    return tuple(
        (
            prod(comb(widths[width], times) for width, times in Counter(choice).items()),
            prod(width + 1 for width in choice),
            prod(choice),
        )
        for choice in combinations_with_replacement(sorted(widths), size)
    )


Groups = tuple[tuple[int, bool], ...]
"""Of every column, how many tests it has and whether they are nested, or else exclude each other."""


def _first(groups: Groups) -> list[int]:
    """The first test of every column, and the number of tests."""
    return [0, *np.cumsum([tests for tests, _ in groups]).tolist()]


def _limit(n: int) -> int:
    """More sets of tests on different columns than this cost less in a joint histogram of n records than by bits."""
    saved = (n + 63) // 64 * WORD - CELL
    return n * RECORD // saved if saved > 0 else 2**62


@lru_cache(maxsize=64)
def _wide(groups: Groups, size: int, limit: int) -> tuple[tuple[int, ...], ...]:
    """The choices of this many columns that have more sets of tests."""
    if prod(sorted(tests for tests, _ in groups)[-size:]) <= limit or len(groups) < size:
        return ()
    choices = combinations(range(len(groups)), size)
    return tuple(picks for picks in choices if prod(groups[pick][0] for pick in picks) > limit)


@lru_cache(maxsize=8)
def _same_column(groups: Groups, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where sets with two tests of one column stand, and the smaller sets that say the same: the weaker of two nested
    tests says nothing new, and no record passes two that exclude each other (-1)."""
    p = sum(tests for tests, _ in groups)
    begin, ways, sets = offsets(p, size), binomials(p), sets_of(p, size)
    columns = np.repeat(np.arange(len(groups)), [tests for tests, _ in groups])[sets]
    twice = columns[:-1] == columns[1:]
    here = np.flatnonzero(twice.any(axis=0))
    weaker, sets, columns = twice[:, here].argmax(axis=0), sets[:, here], columns[:, here]
    there = np.full(len(here), begin[size - 1])
    for i, row in enumerate(sets):
        there += np.where(i < weaker, ways[i + 1, row], np.where(i > weaker, ways[i, row], 0))
    nested = np.array([down for _, down in groups])[columns[weaker, np.arange(len(here))]]
    return begin[size] + here, np.where(nested, there, -1)


@lru_cache(maxsize=32)
def sets_of(p: int, size: int) -> NDArray[np.int64]:
    """All sets of so many of p tests, a column each: by the largest, then by the next."""
    if size == 0:
        return np.zeros((0, 1), np.int64)
    smaller = sets_of(p, size - 1)
    parts = [
        np.vstack([smaller[:, : comb(c, size - 1)], np.full((1, comb(c, size - 1)), c)]) for c in range(p)
    ]
    return np.hstack(parts) if parts else np.zeros((size, 0), np.int64)


@compiled
def _count_sets(
    bits: NDArray[np.uint64],
    first: NDArray[np.int64],
    column: NDArray[np.int64],
    size: int,
    limit: int,
    counts: NDArray[np.int32],
    share: tuple[int, int],
) -> None:
    """Count the records that pass all tests of each set of `size`, the sets below a pair or more side by side.

    bits[w, test]  bit i says whether record 64·w + i passes the test
    first, column  first test of every column, and column of every test
    counts         by the largest test, then by the next: the smallest runs fastest
    With a limit, sets with two tests of a column and columns with more sets of tests than that are left out.
    """
    words, p = bits.shape
    rest, masks = np.empty(size - 1, np.int64), np.empty(words, np.uint64)
    for i in range(size - 1):
        rest[i] = i + 1
    place = np.int64(0)
    while rest[size - 2] < p:
        stop, sets, start = rest[0], np.int64(1), np.int64(0)
        if limit > 0:
            stop = first[column[rest[0]]]
            for i in range(size - 1):
                sets *= first[column[rest[i]] + 1] - first[column[rest[i]]]
                if i > 0 and column[rest[i]] == column[rest[i - 1]]:
                    stop = np.int64(0)
        if rest[size - 2] % share[1] != share[0]:
            stop = np.int64(0)
        for w in range(words if stop > 0 else 0):
            mask = bits[w, rest[0]]
            for i in range(1, size - 1):
                mask &= bits[w, rest[i]]
            masks[w] = mask
        while start < stop:
            end = stop
            if limit > 0:  # columns side by side that are counted here
                end = start
                while end < stop and (first[column[end] + 1] - end) * sets <= limit:
                    end = first[column[end] + 1]
            row = counts[place + start : place + end]
            for w in range(words):
                mask, line = masks[w], bits[w, start:end]
                if mask:
                    for k in range(len(row)):
                        row[k] += np.int32(popcount(line[k] & mask))
            start = end
            while limit > 0 and start < stop and (first[column[start] + 1] - start) * sets > limit:
                start = first[column[start] + 1]
        place += rest[0]
        i = 0
        while i < size - 2 and rest[i] + 1 == rest[i + 1]:
            rest[i] = i + 1
            i += 1
        rest[i] += 1


def _count_plainly(bits: NDArray[np.uint64], sizes: set[int], counts: NDArray[np.int32]) -> None:
    """The same of all sets of these sizes, by numpy alone.

    The sets below a last test come first among those of their size, so every step is one AND of contiguous arrays.
    """
    tests, words = bits.shape
    deepest = max(sizes)
    begin, smaller = offsets(tests, deepest), np.ascontiguousarray(bits.T)
    for size in range(2, deepest + 1):
        level = counts[begin[size] : begin[size + 1]]
        larger = np.empty((words, len(level) if size < deepest else 0), np.uint64)
        for last in range(size - 1, tests):
            place, many = comb(last, size), comb(last, size - 1)
            both = smaller[:, :many] & bits[last][:, None]
            if size in sizes:
                level[place : place + many] += np.bitwise_count(both).sum(axis=0, dtype=np.int32)
            if size < deepest:
                larger[:, place : place + many] = both
        smaller = larger


def run_parts(work: Callable[[tuple[int, int]], None], threads: int) -> None:
    """Run work((part, threads)) for every part; the kernels release the interpreter and write apart."""
    if threads == 1:
        work((0, 1))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, [(part, threads) for part in range(threads)]))


def require_counts(records: int | None) -> None:
    """Refuse more records than a 32-bit count holds; None is any number that is not known yet."""
    if records is not None and records > MOST_RECORDS:
        raise SizeError(
            "The co-occurrence counts hold at most 2,147,483,647 records.", remedy="Learn from a random part."
        )
