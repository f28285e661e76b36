"""Co-occurrence counts: of every class, how many records pass all tests of A, for every small set A of tests.

This is all that trees, lists and conjunctions must see. Counts of conjunctions with negations follow by
subtraction, so no second pass over the records is ever needed, and the counts are additive over blocks.

Sets are numbered colexicographically: a0 < a1 < ... stands at binomial(a0, 1) + binomial(a1, 2) + ... among
the sets of its size, and smaller sets come first. Sets of several tests are counted by bits in
`cooccurrence_words`, or by joint histograms in `cooccurrence_histograms`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.cooccurrence_histograms import count_cells
from privpac.concepts.literals.cooccurrence_words import LONG, count_sets
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
WORTH_THREADS = 1 << 27
"""Words of sets of one size from which on threads pay: ten or more are counted in a nanosecond, and two threads take
about a quarter more of the processors than one where there is little to share."""
PLAIN_COST = 2
"""Operations of numpy per word and set of tests."""
CHUNK = 1 << 20
"""Records coded and packed at a time, which bounds the memory beyond the counts themselves."""

LANES = 4
"""Tables that take turns, so that the count of one record need not wait for that of the one before."""

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

    @cached_property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """First test of every column (and the number of tests), and whether its tests are nested."""
        sizes = [len(group.cells) for group in self.binarisation.groups]
        first = np.cumsum([0, *sizes]).astype(np.int64)
        return first, np.array([group.nested for group in self.binarisation.groups], dtype=np.bool_)

    @cached_property
    def _has_long(self) -> bool:
        """Whether some sets are counted by joint histograms."""
        largest = sorted(len(group.cells) for group in self.binarisation.groups)[-2:]
        return len(largest) == 2 and prod(largest) >= LONG

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
        first, nested = self._layout
        plain = plainly(PLAIN_COST * self.sets * (len(labels) // 64 + self.classes))
        if self.depth == 1 and not plain:
            _count_codes(codes, labels, first, nested, counts)
            return
        for label in range(self.classes):
            rows = np.flatnonzero(labels == label)
            counts[0, label] += len(rows)
            if len(rows) and self.depth:
                self._absorb_class(counts, codes.take(rows, axis=1), label, plain=plain)
        p = len(self.binarisation.tests)
        if p > len(nested) and not plain:
            for size in range(2, self.depth + 1):
                _reduce_same_column(counts, offsets(p, self.depth), binomials(p), first, nested, size)

    def _absorb_class(self, counts: NDArray[np.int32], codes: Array, label: int, *, plain: bool) -> None:
        p = len(self.binarisation.tests)
        if plain:
            self._count_single(counts[1 : 1 + p, label], codes)
            if self.depth > 1:
                count_plainly(self.binarisation.pack(codes), self.depth, counts[:, label])
            return
        begin = offsets(p, self.depth)
        for size in range(1, self.depth + 1):
            level = counts[begin[size] : begin[size + 1], label]
            work = len(level) * (codes.shape[1] // 64 + 1)
            threads = self.threads if work >= WORTH_THREADS else 1
            for count in (count_cells, count_sets) if self._has_long else (count_sets,):
                run_parts(partial(count, codes, *self._layout, binomials(p), size, level), threads)

    def _count_single(self, counts: NDArray[np.int32], codes: Array) -> None:
        """Add how many records pass each test."""
        first, nested = self._layout
        for row, start, stop, down in zip(codes, first[:-1], first[1:], nested, strict=True):
            hits = np.bincount(row, minlength=stop - start + 1)[1:]
            counts[start:stop] += hits[::-1].cumsum()[::-1] if down else hits

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


@compiled
def _count_codes(
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
        hits = np.zeros((LANES, (tests + 1) * classes), np.int32)
        for i in range(n):
            hits[i % LANES, np.int64(row[i]) * classes + labels[i]] += 1
        for y in range(classes):
            total = np.int32(0)
            for code in range(tests, 0, -1):
                if not nested[c]:
                    total = np.int32(0)
                for lane in range(LANES):
                    total += hits[lane, code * classes + y]
                counts[first[c] + code, y] += total


@compiled
def _reduce_same_column(
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
                for j in range(start):  # an assignment of slices would compare shapes: seconds to compile
                    for y in range(counts.shape[1]):
                        counts[row + j, y] = counts[without + j, y]
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


def count_plainly(bits: NDArray[np.uint64], depth: int, counts: NDArray[np.int32]) -> None:
    """Add how many records pass all tests of each set of two tests or more: what the kernels count, by numpy alone.

    The sets below a last test come first among those of their size, so every step is one AND of contiguous arrays.
    """
    tests, words = bits.shape
    begin, smaller = offsets(tests, depth), np.ascontiguousarray(bits.T)
    for size in range(2, depth + 1):
        level = counts[begin[size] : begin[size + 1]]
        larger = np.empty((words, len(level) if size < depth else 0), np.uint64)
        for last in range(size - 1, tests):
            place, many = comb(last, size), comb(last, size - 1)
            both = smaller[:, :many] & bits[last][:, None]
            level[place : place + many] += np.bitwise_count(both).sum(axis=0, dtype=np.int32)
            if size < depth:
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
