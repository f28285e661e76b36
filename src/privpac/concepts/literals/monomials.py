"""Compiled scores of all conjunctions of a few literals, from co-occurrence counts.

With d(A) = price of the class-0 records that pass all tests of A minus that of the class-1 records, the region of
any signs has its own d by inclusion and exclusion, and predicting 1 exactly on a region costs a constant plus d.
Members are laid out in a fixed order: by the larger tests, then by signs, then by the smallest test, which runs
contiguously.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.literals.cooccurrence import Cooccurrence, binomials, offsets
from privpac.concepts.trees.kernels.regions import first_set, next_set
from privpac.concepts.trees.law import Answer
from privpac.errors import SizeError
from privpac.mechanisms.scores import Histogram

__all__ = ["RegionScores"]

Longs = NDArray[np.int64]
M = TypeVar("M")

WIDEST = 2**27
"""Different scores counted at most: a gigabyte of counters."""


@dataclass(frozen=True, eq=False)
class RegionScores(Generic[M]):
    """Scores of the regions made by `sizes` literals: constant + d, or constant - d when `outside`.

    `outside` predicts 1 everywhere else: the negation of a conjunction. `member` turns a region into a hypothesis.
    """

    evidence: Cooccurrence
    tests: int
    sizes: tuple[int, ...]
    costs: tuple[int, ...]
    outside: bool
    member: Callable[[tuple[Answer, ...]], M]

    def __repr__(self) -> str:
        return f"RegionScores(tests={self.tests}, sizes={self.sizes}, outside={self.outside})"

    @cached_property
    def _differences(self) -> Longs:
        """±d of every set of tests."""
        counts = self.evidence.counts
        prices = counts[:, 0] * np.int64(self.costs[0]) - counts[:, 1] * np.int64(self.costs[1])
        return -prices if self.outside else prices

    @cached_property
    def _constant(self) -> int:
        label = 0 if self.outside else 1
        return self.costs[label] * int(self.evidence.counts[0, label])

    @cached_property
    def _layout(self) -> tuple[Longs, Longs]:
        return offsets(self.tests, max(self.sizes)), binomials(self.tests)

    @cached_property
    def _ends(self) -> tuple[int, int]:
        ends = [_extremes(self._differences, *self._layout, self.tests, size) for size in self._present]
        return int(min(low for low, _ in ends)), int(max(high for _, high in ends))

    @property
    def _present(self) -> tuple[int, ...]:
        return tuple(size for size in self.sizes if size <= self.tests)

    def histogram(self, span: int | None) -> Histogram:
        worst = int(self.evidence.counts[0].sum()) * max(self.costs)
        if min(worst, worst if span is None else span) > WIDEST:
            raise SizeError(
                f"Costs up to {max(self.costs):,} make too many different scores for counting monomials.",
                remedy="Use smaller costs, or trees.",
            )
        low, high = self._ends
        width = (high - low if span is None else min(high - low, span)) + 1
        counts = np.zeros(width + 1, dtype=np.int64)
        for size in self._present:
            _count(self._differences, *self._layout, self.tests, size, low, counts)
        steps = np.flatnonzero(counts[:width]).astype(np.int64)
        return Histogram(self._constant + low, steps, counts[steps].tolist(), int(counts[width]))

    def locate(self, score: int, index: int) -> M:
        gain, left = score - self._constant, index
        for size in self._present:
            tests = np.zeros(max(size, 1), dtype=np.int64)
            signs, left = _find(self._differences, *self._layout, self.tests, size, gain, left, tests)
            if signs >= 0:
                return self.member(tuple((int(tests[i]), bool(signs >> i & 1)) for i in range(size)))
        raise IndexError("no member with this score and index")


@compiled
def _regions_of(
    signed: Longs, begin: Longs, binomial: Longs, rest: Longs, limit: int, without: Longs, with_: Longs
) -> None:
    """without[signs]: d of the regions of `rest`; with_[signs, e]: the same where test e < limit holds, too."""
    size = len(rest)
    for mask in range(1 << size):
        alone, both, length = np.int64(0), np.int64(0), 0
        for i in range(size):
            if mask >> i & 1:
                length += 1
                alone += binomial[length, rest[i]]
                both += binomial[length + 1, rest[i]]
        without[mask] = signed[begin[length] + alone]
        start = begin[length + 1] + both
        line = with_[mask]
        for e in range(limit):
            line[e] = signed[start + e]
    for bit in range(size):
        for mask in range(1 << size):
            if mask >> bit & 1 == 0:
                other = mask | 1 << bit
                without[mask] -= without[other]
                mine, theirs = with_[mask], with_[other]
                for e in range(limit):
                    mine[e] -= theirs[e]


@compiled
def _extremes(signed: Longs, begin: Longs, binomial: Longs, p: int, size: int) -> tuple[np.int64, np.int64]:
    """The smallest and the largest d among the regions of `size` tests."""
    if size == 0:
        return signed[0], signed[0]
    rest = first_set(size - 1)
    without, with_ = np.empty(1 << (size - 1), np.int64), np.empty((1 << (size - 1), p), np.int64)
    low, high = np.int64(2**62), np.int64(-(2**62))
    while True:
        limit = p if size == 1 else rest[0]
        _regions_of(signed, begin, binomial, rest, limit, without, with_)
        for mask in range(1 << (size - 1)):
            line, whole = with_[mask], without[mask]
            for e in range(limit):
                value = line[e]
                low, high = min(low, value), max(high, value)
                low, high = min(low, whole - value), max(high, whole - value)
        if not next_set(rest, size - 1, p):
            return low, high


@compiled
def _count(signed: Longs, begin: Longs, binomial: Longs, p: int, size: int, low: int, counts: Longs) -> None:
    """Add the regions of `size` tests by d - low; the last slot collects everything from there on."""
    last = len(counts) - 1
    if size == 0:
        counts[min(signed[0] - low, last)] += 1
        return
    rest = first_set(size - 1)
    without, with_ = np.empty(1 << (size - 1), np.int64), np.empty((1 << (size - 1), p), np.int64)
    while True:
        limit = p if size == 1 else rest[0]
        _regions_of(signed, begin, binomial, rest, limit, without, with_)
        for mask in range(1 << (size - 1)):
            line, whole = with_[mask], without[mask]
            for e in range(limit):
                counts[min(line[e] - low, last)] += 1
                counts[min(whole - line[e] - low, last)] += 1
        if not next_set(rest, size - 1, p):
            return


@compiled
def _find(
    signed: Longs, begin: Longs, binomial: Longs, p: int, size: int, gain: int, index: int, tests: Any
) -> tuple[int, int]:
    """(signs, 0) and the tests of the index-th region with this d, or (-1, how many are still to pass)."""
    if size == 0:
        is_here = signed[0] == gain
        return (0, 0) if is_here and index == 0 else (-1, index - is_here)
    rest = first_set(size - 1)
    without, with_ = np.empty(1 << (size - 1), np.int64), np.empty((1 << (size - 1), p), np.int64)
    while True:
        limit = p if size == 1 else rest[0]
        _regions_of(signed, begin, binomial, rest, limit, without, with_)
        for mask in range(1 << (size - 1)):
            line, whole = with_[mask], without[mask]
            for e in range(limit):
                for sign in range(2):
                    if (line[e] if sign else whole - line[e]) == gain:
                        if index == 0:
                            tests[0] = e
                            for i in range(size - 1):
                                tests[i + 1] = rest[i]
                            return (mask << 1) | sign, 0
                        index -= 1
        if not next_set(rest, size - 1, p):
            return -1, index
