"""The sums over all trees by numpy alone, for small tables: what `sums` and `leaves` compute.

Kernels go from region to region; here all regions go from test to test together, so every region meets its summands
in the same order and rounds them in the same way. Regions of a size are columns: sets of tests in colexicographic
order, signs in rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DEEPEST", "PAIR_COST", "PlainSums"]

Array = NDArray[Any]
Floats = NDArray[np.float64]
Table = tuple[NDArray[np.int64], Floats]

DEEPEST = 3
"""Levels of a tree: regions of at most two tests meet a third one."""
PAIR_COST = 5
"""Operations of numpy per region, test and class."""
COLUMNS = 1 << 10
"""Sets of tests looked at together: what they need stays in the cache."""


@dataclass(frozen=True, eq=False, repr=False)
class _Counts:
    """Something additive, such as the records of a class, for every set of at most three of p tests. Private."""

    values: Array
    p: int

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The smaller and the larger test of every pair."""
        larger, smaller = np.tril_indices(self.p, -1)
        return smaller, larger

    def level(self, size: int) -> Array:
        """The values of all sets of one size."""
        begin = sum(comb(self.p, smaller) for smaller in range(size))
        return self.values[begin : begin + comb(self.p, size)]

    @cached_property
    def _two(self) -> Array:
        """[h, a]: the set of two tests, or of one where they are the same."""
        table = np.empty((self.p, self.p), self.values.dtype)
        smaller, larger = self.pairs
        table[smaller, larger] = table[larger, smaller] = self.level(2)
        np.fill_diagonal(table, self.level(1))
        return table

    @cached_property
    def _three(self) -> Array:
        """[h, pair]: the set of a test and a pair."""
        smaller, larger = self.pairs
        table = np.empty((self.p, len(larger)), self.values.dtype)
        all_threes = self.level(3)
        for c in range(self.p):
            place, many = comb(c, 3), comb(c, 2)
            threes = all_threes[place : place + many]
            table[c, :many] = threes
            square = np.empty((c, c), self.values.dtype)
            square[smaller[:many], larger[:many]] = square[larger[:many], smaller[:many]] = threes
            np.fill_diagonal(square, self._two[c, :c])
            table[:c, many : many + c] = square
            table[c, many : many + c] = self._two[c, :c]
        return table

    def regions(self, size: int, sets: slice) -> Array:
        """[signs, set]: the value in every region of these sets of `size` tests; bit i of signs is the i-th test."""
        whole = self.level(0)[:, None]
        if size == 0:
            return whole
        if size == 1:
            return _one_test(whole, self.level(1)[None, sets])
        smaller, larger = (self.level(1)[None, tests[sets]] for tests in self.pairs)
        (values,) = _two_tests(whole, smaller, larger, self.level(2)[None, sets])
        return np.asarray(values)

    def with_each_test(self, size: int, sets: slice) -> Array:
        """[h, signs, set]: the value where test h holds in every region."""
        whole = self.level(1)[:, None]
        if size == 0:
            return whole[:, :, None]
        if size == 1:
            both = self._two[:, sets]
            return np.stack([whole - both, both], axis=1)
        smaller, larger = (self._two[:, tests[sets]] for tests in self.pairs)
        return _two_tests(whole, smaller, larger, self._three[:, sets])


def _one_test(whole: Array, holds: Array) -> Array:
    return np.concatenate([whole - holds, holds])


def _two_tests(whole: Array, smaller: Array, larger: Array, both: Array) -> Array:
    out = np.empty((both.shape[0], 4, both.shape[1]), both.dtype)
    np.subtract(smaller, both, out=out[:, 1])
    np.subtract(larger, both, out=out[:, 2])
    np.subtract(whole - smaller, out[:, 2], out=out[:, 0])
    out[:, 3] = both
    return out


def _power(table: Floats, exponents: Array | int) -> Floats:
    """ratio^exponent; the last entry, 0, stands for all powers beyond it."""
    return table.take(exponents, mode="clip")


def _sum_rows(rows: Floats) -> Floats:
    """Row after row, as a kernel adds them: `sum` would be free to pair them."""
    total: Floats = rows[0].copy()
    for row in rows[1:]:
        total += row
    return total


def _flat(values: Array) -> Array:
    """From [signs, set] to the kernels' order, set · 2^size + signs."""
    return np.ascontiguousarray(values.T).ravel()


def _blocks(p: int, size: int) -> Iterator[slice]:
    sets = comb(p, size)
    for start in range(0, sets, COLUMNS):
        yield slice(start, min(start + COLUMNS, sets))


def _leaves(totals: Array, costs: Array, prior: Floats, table: Floats) -> Table:
    """Sum over the labels of prior · ratio^(cost of the records with another label); totals[y] are the records."""
    correct = [cost * line for cost, line in zip(costs, totals, strict=True)]
    best = np.maximum.reduce([line for line, weight in zip(correct, prior, strict=True) if weight > 0.0])
    mass = np.zeros(best.shape)
    for weight, line in zip(prior, correct, strict=True):
        if weight > 0.0:
            mass += weight * _power(table, best - line)
    return np.asarray(sum(correct) - best, dtype=np.int64), mass


def _leaf_pairs(rows: Array, totals: Array, costs: Array, prior: Floats, table: Floats) -> Table:
    """The pair of leaves that every test makes of every region; rows[y] are the records where it holds."""
    low, high = _leaves(totals - rows, costs, prior, table), _leaves(rows, costs, prior, table)
    return low[0] + high[0], low[1] * high[1]


def _combine(entries: Array, masses: Floats, weights: Floats, table: Floats) -> Table:
    """The sum over all rows of weight · ratio^entry · mass."""
    best = entries.min(axis=0)
    scaled_masses = masses * _power(table, entries - best)
    return best, _sum_rows(scaled_masses * weights.reshape(-1, *[1] * (entries.ndim - 1)))


def _with_stop(split: Table, leaf: Table, scale: float, stop: float, table: Floats) -> Table:
    """scale · (split sum) + stop · (leaf sum)."""
    if stop == 0.0:
        return split[0], scale * split[1]
    best = np.minimum(split[0], leaf[0])
    mass = (scale * split[1]) * _power(table, split[0] - best)
    return best, mass + (stop * leaf[1]) * _power(table, leaf[0] - best)


@dataclass(frozen=True, eq=False, repr=False)
class PlainSums:
    """The sums of `Law`, from the same counts and public numbers. Private, like the counts."""

    counts: NDArray[np.int32]
    regions: NDArray[np.int64]
    """Where the regions of each size start."""
    lists: bool
    costs: Array
    prior: Floats
    weights: Floats
    table: Floats

    @property
    def _p(self) -> int:
        return len(self.weights)

    @cached_property
    def _classes(self) -> tuple[_Counts, ...]:
        columns = self.counts.T.astype(self.costs.dtype)
        return tuple(_Counts(np.ascontiguousarray(counts), self._p) for counts in columns)

    @cached_property
    def _difference(self) -> _Counts | None:
        """What class 1 weighs less what class 0 does: all that matters where either of two may be the answer."""
        if len(self._classes) != 2 or min(self.prior) <= 0.0:
            return None
        zero, one = (counts.values for counts in self._classes)
        return _Counts(self.costs[1] * one - self.costs[0] * zero, self._p)

    def bottom(self, size: int, scale: float, stop: float, leaves: Table, sums: Table) -> None:
        """Leaf sums and depth-one sums of every region of `size` tests: `sums.bottom_sums`."""
        for sets in _blocks(self._p, size):
            totals = np.stack([counts.regions(size, sets) for counts in self._classes])
            leaf = _leaves(totals, self.costs, self.prior, self.table)
            split = (
                self._of_two(size, sets, totals)
                if self._difference is not None
                else self._of_many(size, sets, totals)
            )
            both = _with_stop(split, leaf, scale, stop, self.table)
            start = int(self.regions[size])
            part = slice(start + (sets.start << size), start + (sets.stop << size))
            for target, values in zip((leaves, sums), (leaf, both), strict=True):
                target[0][part], target[1][part] = _flat(values[0]), _flat(values[1])

    def _of_many(self, size: int, sets: slice, totals: Array) -> Table:
        """The sum over all tests of weight · leaf · leaf."""
        rows = np.stack([counts.with_each_test(size, sets) for counts in self._classes])
        pairs = _leaf_pairs(rows, totals[:, None], self.costs, self.prior, self.table)
        return _combine(*pairs, self.weights, self.table)

    def _of_two(self, size: int, sets: slice, totals: Array) -> Table:
        """The same for two classes, multiplied out: `leaves.pair_sum_of_two`."""
        assert self._difference is not None
        table, prior = self.table, self.prior
        zero, one = self.costs[0] * totals[0], self.costs[1] * totals[1]
        entries = self._difference.with_each_test(size, sets) + zero
        opposite = (zero + one) - entries
        best = np.minimum(np.minimum(zero, one), np.minimum(entries.min(axis=0), opposite.min(axis=0)))
        entries -= best
        opposite -= best
        either = _power(table, entries)
        either += _power(table, opposite)
        either *= self.weights[:, None, None]
        whole = float(_sum_rows(self.weights[:, None])[0])
        equal = prior[0] * prior[0] * _power(table, one - best) + prior[1] * prior[1] * _power(
            table, zero - best
        )
        return best, prior[0] * prior[1] * _sum_rows(either) + equal * whole

    def inner(self, size: int, scale: float, stop: float, leaves: Table, deeper: Table, sums: Table) -> None:
        """Sums of every region of `size` tests from those one level deeper: `sums.inner_sums`."""
        repeat = 2 if self.lists else 1
        split = _combine(*self.children(size, leaves, deeper), np.repeat(self.weights, repeat), self.table)
        part = slice(int(self.regions[size]), int(self.regions[size]) + len(split[0]))
        leaf = leaves[0][part], leaves[1][part]
        sums[0][part], sums[1][part] = _with_stop(split, leaf, scale / repeat, stop, self.table)

    def children(self, size: int, leaves: Table, deeper: Table) -> Table:
        """[test, region]: the child pair of every test (lists: of every literal) in all regions of at most one test."""
        here, low, high = self._places(size)
        same = high < 0
        # Where a region knows the answer one child is the region itself, the other is empty: its sum is 1.
        low, high = np.where(same, here, low), np.where(same, here, high)
        if not self.lists:
            one, other = _at(deeper, low), _at(deeper, high)
            return np.where(same, one[0], one[0] + other[0]), np.where(same, one[1], one[1] * other[1])
        entries, masses = np.empty((2, self._p, 2, here.shape[1]))
        sign = (here - self.regions[1]) & 1  # the literal that holds throughout a region of one test
        for literal, (first, second) in enumerate(((low, high), (high, low))):
            leaf, rest = _at(leaves, first), _at(deeper, second)
            entries[:, literal] = np.where(
                same, np.where(sign == literal, leaf[0], rest[0]), leaf[0] + rest[0]
            )
            masses[:, literal] = np.where(
                same, np.where(sign == literal, leaf[1], rest[1]), leaf[1] * rest[1]
            )
        shape = 2 * self._p, here.shape[1]
        return entries.reshape(shape).astype(np.int64), masses.reshape(shape)

    def _places(self, size: int) -> tuple[Array, Array, Array]:
        """[test, region]: the region itself, and its children; -1 where the test was asked before."""
        tests, begin = np.arange(self._p)[:, None], self.regions
        if size == 0:
            return np.zeros((1, 1), np.int64), begin[1] + 2 * tests, begin[1] + 2 * tests + 1
        seconds, signs = np.divmod(np.arange(2 * self._p), 2)
        larger, smaller = np.maximum(tests, seconds), np.minimum(tests, seconds)
        pair = begin[2] + 4 * (larger * (larger - 1) // 2 + smaller) if self._p > 1 else 0 * larger
        below = tests < seconds
        low = np.where(below, pair + 2 * signs, pair + signs)
        high = np.where(tests == seconds, -1, low + np.where(below, 1, 2))
        return (begin[1] + np.arange(2 * self._p))[None], low, high

    def leaves(self, totals: Array) -> Table:
        """The leaf sum of regions with this many records of each class: `leaves.leaf`."""
        return _leaves(totals, self.costs, self.prior, self.table)

    def pairs(self, rows: Array, totals: Array) -> Table:
        """The pair of leaves that every test makes of a region: `leaves.leaf_pairs`."""
        return _leaf_pairs(rows, totals, self.costs, self.prior, self.table)

    def weigh(
        self, entries: Array, masses: Floats, scale: float, stop: float, leaf: tuple[int, float]
    ) -> Floats:
        """The weights of one decision: first to stop (0 when that is not offered), then every entry: `sums.weigh`."""
        repeat = 2 if self.lists else 1
        best = int(entries.min()) if stop == 0.0 else min(int(entries.min()), leaf[0])
        stay = (stop * leaf[1]) * float(_power(self.table, leaf[0] - best)) if stop > 0.0 else 0.0
        scaled_masses = masses * _power(self.table, entries - best)
        return np.append(stay, scaled_masses * np.repeat(self.weights, repeat) * (scale / repeat))


def _at(table: Table, places: Array) -> Table:
    return table[0][places], table[1][places]
