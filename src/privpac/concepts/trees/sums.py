"""Sums over all trees (or decision lists) of every region, in floats, from co-occurrence counts.

A region is a set of at most three tests with a sign each. Its sum depends on the set only, not on the order in which a
tree asked the tests, so each is computed once. A number is ratio^base · mass with an integer base, the best score of
the region, and a float mass; the operations are a table look-up, a sum and a product, so the relative error is known
beforehand.

With one test left, two different answers y and z below it, either way round, cost what they do to the records of y and
of z alone. So of all pairs of classes one signed count is enough, the price of z less that of y, and equal answers cost
the same whatever the test. That is numpy's work for regions of few tests and in small tables, and one kernel's for the
many regions of two tests or three.

Statement: every mass has a relative error of at most `Prior.error`. Proof: docs/proofs/tree-sums.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled, plainly
from privpac.concepts.literals.cooccurrence import binomials, offsets, sets_of
from privpac.concepts.trees.powers import Floats, Integers
from privpac.concepts.trees.prior import Prior

__all__ = ["TreeSums", "region_counts", "region_rows", "restrict"]

Array = NDArray[Any]
Table = tuple[Array, Floats]
"""Bases and masses."""
Answers = tuple[tuple[int, bool], ...]

PLAIN_COST = 5
"""Operations of numpy per region and test."""
SETS = 1 << 10
"""Sets of tests looked at together: what they need stays in the cache."""
KEPT = 1 << 12
"""Places of sets are remembered for further calls if there are no more of them."""


def _with_test(p: int, size: int, test: int) -> Integers:
    """For every set of `size` tests, where the set with one more test stands among the counts of all sets."""
    return (_known_places if comb(p, size) <= KEPT else _places)(p, size, test)


def _places(p: int, size: int, test: int) -> Integers:
    sets, ways = sets_of(p, size), binomials(p)
    place = offsets(p, size + 1)[size + 1] + ways[(sets < test).sum(axis=0) + 1, test]
    for i, row in enumerate(sets):
        place += ways[np.where(row > test, i + 2, i + 1), row]
    here = offsets(p, size)[size] + np.arange(sets.shape[1])
    places: Integers = np.where((sets == test).any(axis=0), here, place)
    return places


_known_places = lru_cache(maxsize=1024)(_places)


def restrict(counts: Array, p: int, depth: int, test: int, holds: bool) -> Array:
    """Counts of all sets of fewer than `depth` tests among the records where the test holds, or does not."""
    there = np.concatenate([counts[_with_test(p, size, test)] for size in range(min(depth, p + 1))])
    return there if holds else counts[: len(there)] - there


def region_counts(counts: Array, p: int, region: Answers) -> Integers:
    """Records of each class in a region: inclusion and exclusion over the tests that must not hold."""
    out = np.zeros(counts.shape[1], np.int64)
    for subset, odd in _subsets(region):
        row = counts[_place(p, subset)]
        out += -row if odd else row
    return out


def region_rows(counts: Array, p: int, region: Answers) -> Integers:
    """[y, h]: records of each class in a region where test h holds as well."""
    every, ways = np.arange(p), binomials(p)
    out = np.zeros((counts.shape[1], p), np.int64)
    for subset, odd in _subsets(region):
        size, rank = len(subset), np.searchsorted(np.array(subset), every)
        places = offsets(p, size + 1)[size + 1] + ways[rank + 1, every]
        for i, test in enumerate(subset):
            places += ways[np.where(i < rank, i + 1, i + 2), test]
        rows = counts[np.where(np.isin(every, subset), _place(p, subset), places)].T
        out += -rows if odd else rows
    return out


def _place(p: int, tests: list[int]) -> int:
    return int(offsets(p, len(tests))[len(tests)]) + sum(comb(test, i + 1) for i, test in enumerate(tests))


def _subsets(region: Answers) -> Iterator[tuple[list[int], bool]]:
    """Sets of tests whose counts make up a region: those that hold and some of the others, odd many of these or not."""
    for mask in range(1 << len(region)):
        chosen = [answer for i, answer in enumerate(region) if mask >> i & 1]
        if all(answer in chosen for answer in region if answer[1]):
            yield [test for test, _ in chosen], sum(not holds for _, holds in chosen) % 2 == 1


@dataclass(frozen=True, eq=False, repr=False)
class _Additive:
    """Something additive, such as the price of the records of a class, for every small set of p tests. Private."""

    values: Array
    p: int

    def level(self, size: int) -> Array:
        """The values of all sets of one size."""
        begin = int(offsets(self.p, size)[size])
        return self.values[begin : begin + comb(self.p, size)]

    @cached_property
    def square(self) -> Array:
        """[h, a]: the set of two tests, or of one where they are the same; single tests once more in a last row."""
        table = np.empty((self.p + 1, self.p), self.values.dtype)
        smaller, larger = sets_of(self.p, 2)
        table[smaller, larger] = table[larger, smaller] = self.level(2)
        table[np.arange(self.p), np.arange(self.p)] = table[self.p] = self.level(1)
        return table

    @cached_property
    def _cube(self) -> Array:
        """[h, pair]: the set of a test and a pair of tests."""
        table = np.empty((self.p, comb(self.p, 2)), self.values.dtype)
        threes, pairs, square = self.level(3), sets_of(self.p, 2), self.square
        for c in range(self.p):  # the pairs below c come first, then those of c with each test below it
            many = comb(c, 2)
            smaller, larger = pairs[:, :many]
            below = np.empty((c, c), self.values.dtype)
            below[smaller, larger] = below[larger, smaller] = table[c, :many] = threes[
                comb(c, 3) : comb(c + 1, 3)
            ]
            np.fill_diagonal(below, square[c, :c])
            table[:c, many : many + c] = below
            table[c, many : many + c] = square[c, :c]
        return table

    def regions(self, size: int) -> Array:
        """The values in all regions of `size` tests, by set and then by signs; bit i of signs is the i-th test."""
        sets, ways = sets_of(self.p, size), binomials(self.p)
        out = np.empty((sets.shape[1], 1 << size), self.values.dtype)
        for mask in range(1 << size):
            chosen = [sets[i] for i in range(size) if mask >> i & 1]
            begin = int(offsets(self.p, len(chosen))[len(chosen)])
            out[:, mask] = self.values[
                sum((ways[i + 1, row] for i, row in enumerate(chosen)), np.int64(begin))
            ]
        for bit in range(size):  # from 'passes at least these' to 'passes exactly these'
            for mask in range(1 << size):
                if not mask >> bit & 1:
                    out[:, mask] -= out[:, mask | 1 << bit]
        return out.ravel()

    def with_each_test(self, size: int, sets: slice) -> Array:
        """[h, set, signs]: the value where test h holds in every region of some sets of at most two tests."""
        whole = self.level(1)[:, None]
        if size == 0:
            return whole[:, :, None]
        square = self.square[: self.p]
        if size == 1:
            return np.stack([whole - square[:, sets], square[:, sets]], axis=2)
        (one, other), both = (square[:, tests[sets]] for tests in sets_of(self.p, 2)), self._cube[:, sets]
        return np.stack([whole - one - other + both, one - both, other - both, both], axis=2)


def _power(table: Floats, exponents: Array | int) -> Floats:
    """ratio^exponent; the last entry, 0, stands for all powers beyond it."""
    return table.take(exponents, mode="clip")


@dataclass(frozen=True, eq=False, repr=False)
class TreeSums:
    """The sums of a law with `depth` levels, and the weights of its decisions. Private, like the counts."""

    counts: NDArray[np.int32]
    prior: Prior
    costs: Array
    """Of the type that sums of prices are made in."""
    table: Floats
    """Powers of the ratio, then a 0 that stands for all smaller ones."""

    @property
    def _p(self) -> int:
        return self.prior.tests

    @cached_property
    def _prices(self) -> tuple[_Additive, ...]:
        """By class, what the records cost that pass each set of fewer than `depth` tests."""
        counts = self.counts[: int(offsets(self._p, self.prior.depth)[self.prior.depth])]
        return tuple(_Additive(row * cost, self._p) for row, cost in zip(counts.T, self.costs, strict=True))

    @cached_property
    def _pairs(self) -> list[tuple[int, int, _Additive]]:
        """Two answers each, and what the records of the second one cost less what those of the first do."""
        pairs = []
        for y, z in combinations(self._answers, 2):
            signed = self.counts[:, z] * self.costs[z]
            signed -= self.counts[:, y] * self.costs[y]
            pairs.append((y, z, _Additive(signed, self._p)))
        return pairs

    @cached_property
    def _answers(self) -> list[int]:
        return [label for label, likely in enumerate(self.prior.labels) if likely > 0]

    @cached_property
    def begin(self) -> Integers:
        """Where the regions of each size start."""
        sizes = [comb(self._p, size) << size for size in range(self.prior.depth)]
        return np.cumsum([0, *sizes]).astype(np.int64)

    @cached_property
    def tables(self) -> list[Table]:
        """tables[d]: the sums with d levels left of every region that can be met then; tables[0]: of leaves. A region
        stands behind all smaller ones, at number of its set · 2^size + signs."""
        depth, begin = self.prior.depth, self.begin
        sizes = range(min(depth, self._p + 1))
        leaves, splits = zip(*(self._bottom(size) for size in sizes), strict=True)
        stopped = [self._with_stop(split, leaf, 1) for leaf, split in zip(leaves, splits, strict=True)]
        tables = [_joined(leaves), _joined(stopped)]
        for level in range(2, depth + 1):
            rows = []
            for size in range(min(depth - level, self._p) + 1):
                many = comb(self._p, size)
                step = SETS if size > 1 else many
                parts = [slice(first, min(first + step, many)) for first in range(0, many, step)]
                split = _joined([self._split(size, part, tables[0], tables[level - 1]) for part in parts])
                here = slice(int(begin[size]), int(begin[size]) + len(split[0]))
                rows.append(self._with_stop(split, (tables[0][0][here], tables[0][1][here]), level))
            tables.append(_joined(rows))
        return tables

    def _bottom(self, size: int) -> tuple[Table, Table]:
        """Leaf sums, and sums over one test, of all regions of `size` tests."""
        prices = [one.regions(size) for one in self._prices]
        labels, weights = self.prior.floats
        pairs = [(y, z, self._different(signed, size)) for y, z, signed in self._pairs]
        top = np.maximum.reduce(
            [prices[y] for y in self._answers] + [prices[y] + gain for y, _, (gain, _) in pairs]
        )
        mass = np.zeros(len(top))
        for y in self._answers:
            mass += labels[y] * labels[y] * float(weights.sum()) * _power(self.table, top - prices[y])
        for y, z, (gain, either) in pairs:
            mass += labels[y] * labels[z] * either * _power(self.table, top - prices[y] - gain)
        return self.leaf(prices), (np.asarray(sum(prices) - top, dtype=np.int64), mass)

    def _different(self, signed: _Additive, size: int) -> Table:
        """The sum over all tests of weight · (y where it fails and z where it holds, or the other way round).

        As ratio^-gain · mass, beside the answer y everywhere: `gain` is the best of what the records with another
        answer weigh, those of z less those of y.
        """
        if size == 3:
            return _joined([*self._below_third(signed)])
        regions = comb(self._p, size) << size
        if size == 2 and not plainly(PLAIN_COST * regions * self._p):
            return self._two_tests(signed.values, signed.square, self._p)
        many, weights = comb(self._p, size), self.prior.floats[1]
        every, parts = signed.regions(size).reshape(many, -1), []
        for first in range(0, many, SETS):
            sets = slice(first, min(first + SETS, many))
            gains = signed.with_each_test(size, sets)
            others = every[sets] - gains
            top = np.maximum(gains, others).max(axis=0)
            either = _power(self.table, top - gains)
            either += _power(self.table, top - others)
            parts.append((top.ravel(), np.einsum("h,hsi->si", weights, either).ravel()))
        return _joined(parts)

    def _two_tests(self, signed: Array, square: Array, limit: int) -> Table:
        """The same of the pairs of tests below `limit`, by the kernel."""
        top, mass = np.empty(4 * comb(limit, 2), self.costs.dtype), np.empty(4 * comb(limit, 2))
        _two_tests(signed, square, self.prior.floats[1], self.table, limit, top, mass)
        return top, mass

    def _below_third(self, signed: _Additive) -> Iterator[Table]:
        """Of all regions of three tests: pairs below the largest one, c, where c fails and where it holds."""
        p, begin = self._p, offsets(self._p, 4)
        threes, fours = (signed.values[begin[size] : begin[size + 1]] for size in (3, 4))
        there = np.zeros(int(begin[4]), signed.values.dtype)
        for c in range(2, p):
            # Sets of three matter that have two tests below c: side by side for every third one.
            there[: begin[3]] = signed.values[np.concatenate([_with_test(p, size, c) for size in range(3)])]
            place = begin[3]
            there[place : place + comb(c, 3)] = fours[comb(c, 4) : comb(c, 4) + comb(c, 3)]
            for h in range(c + 1, p):
                start = comb(h, 4) + comb(c, 3)
                there[place + comb(h, 3) : place + comb(h, 3) + comb(c, 2)] = fours[
                    start : start + comb(c, 2)
                ]
            there[place + comb(c, 3) : place + comb(c, 3) + comb(c, 2)] = threes[
                comb(c, 3) : comb(c, 3) + comb(c, 2)
            ]
            sides = [_Additive(values, p) for values in (signed.values[: begin[4]] - there, there)]
            parts = [self._two_tests(side.values, side.square, c) for side in sides]
            tops, masses = (
                np.stack([part[i].reshape(-1, 4) for part in parts], axis=1).ravel() for i in (0, 1)
            )
            yield tops, masses

    def leaf(self, prices: Any) -> Table:
        """Sum over the labels of prior · ratio^(price of the records with another label)."""
        labels = self.prior.floats[0]
        top = np.maximum.reduce([prices[y] for y in self._answers])
        mass = np.zeros(top.shape)
        for y in self._answers:
            mass += labels[y] * _power(self.table, top - prices[y])
        return np.asarray(sum(prices) - top, dtype=np.int64), mass

    def _split(self, size: int, sets: slice, leaves: Table, deeper: Table) -> Table:
        """The sum over all options of weight · ratio^base · mass of the children, in the regions of some sets."""
        p = self._p
        numbers = np.arange(sets.start << size, sets.stop << size)
        make = _known_children if len(numbers) <= 2 * KEPT and size < 2 else _children
        entries, masses = self._options(make(p, self.prior.depth, size, numbers.tobytes()), leaves, deeper)
        weights, top = np.repeat(self.prior.floats[1], self.prior.repeat), entries.min(axis=0)
        return top, np.einsum("h,hr->r", weights, masses * _power(self.table, entries - top))

    def _options(self, children: Children, leaves: Table, deeper: Table) -> Table:
        """[option, region]: what the two children of every test (lists: of every literal) weigh together.

        Where a region knows the answer one child is the region itself, the other is empty: its sum is 1.
        """
        low, high, asked, answer = children
        if self.prior.shape == "tree":
            bases, masses = deeper
            return (
                np.where(asked, bases[low], bases[low] + bases[high]),
                np.where(asked, masses[low], masses[low] * masses[high]),
            )
        options = []
        for literal, (first, second) in enumerate(((low, high), (high, low))):
            known = asked & (answer == literal), asked & (answer != literal)
            base = np.where(known[1], 0, leaves[0][first]) + np.where(known[0], 0, deeper[0][second])
            mass = np.where(known[1], 1.0, leaves[1][first]) * np.where(known[0], 1.0, deeper[1][second])
            options.append((base, mass))
        shape = 2 * self._p, low.shape[1]
        entries, products = (
            np.stack([option[i] for option in options], axis=1).reshape(shape) for i in (0, 1)
        )
        return entries, products

    def node(self, region: Answers, depth: int) -> Floats:
        """The weights of the first decision in a region: to stop (0 when that is not offered), then every option."""
        repeat, size = self.prior.repeat, len(region)
        prices = region_counts(self.counts, self._p, region) * self.costs.astype(np.int64)
        if depth == 1:
            rows = region_rows(self.counts, self._p, region) * self.costs.astype(np.int64)[:, None]
            low, high = self.leaf(prices[:, None] - rows), self.leaf(rows)
            entries, masses = np.repeat(low[0] + high[0], repeat), np.repeat(low[1] * high[1], repeat)
        else:
            number = sum(comb(test, i + 1) for i, (test, _) in enumerate(region)) << size
            number += sum(1 << i for i, (_, holds) in enumerate(region) if holds)
            children = _children(self._p, self.prior.depth, size, np.array([number]).tobytes())
            pairs = self._options(children, self.tables[0], self.tables[depth - 1])
            entries, masses = pairs[0][:, 0], pairs[1][:, 0]
        base, mass = self.leaf(prices[:, None])
        return self.weigh(entries, masses, depth, (int(base[0]), float(mass[0])))

    def weigh(self, entries: Array, masses: Floats, depth: int, leaf: tuple[int, float]) -> Floats:
        """The weights of one decision, from the children of every option and the leaf of the region."""
        (scale, stop), repeat = self.prior.factors[depth], self.prior.repeat
        best = int(entries.min()) if stop == 0.0 else min(int(entries.min()), leaf[0])
        stay = (stop * leaf[1]) * float(_power(self.table, leaf[0] - best)) if stop > 0.0 else 0.0
        scaled = masses * _power(self.table, entries - best)
        return np.append(stay, scaled * np.repeat(self.prior.floats[1], repeat) * (scale / repeat))

    def _with_stop(self, split: Table, leaf: Table, level: int) -> Table:
        """The two outcomes of a node with `level` levels left: to split, or to stop."""
        scale, stop = self.prior.factors[level]
        scale /= self.prior.repeat if level > 1 else 1  # a literal and its opposite make the same two leaves
        if stop == 0.0:
            return split[0], scale * split[1]
        best = np.minimum(split[0], leaf[0])
        mass = (scale * split[1]) * _power(self.table, split[0] - best)
        return best, mass + (stop * leaf[1]) * _power(self.table, leaf[0] - best)


Children = tuple[Integers, Integers, NDArray[np.bool_], Integers]
"""[test, region]: where the children stand, whether the region knows the answer (both are the region then), and it."""


def _children(p: int, depth: int, size: int, numbers: bytes) -> Children:
    """Of the regions of `size` tests with these numbers."""
    begin = np.cumsum([0] + [comb(p, smaller) << smaller for smaller in range(depth)])
    regions = np.frombuffer(numbers, np.int64)
    sets, signs = sets_of(p, size)[:, regions >> size], regions & ((1 << size) - 1)
    tests, ways = np.arange(p)[:, None], binomials(p)
    rank = sum((row < tests).astype(np.int64) for row in sets) if size else np.zeros((p, 1), np.int64)
    place = ways[rank + 1, tests] + sum(
        (ways[np.where(row > tests, i + 2, i + 1), row] for i, row in enumerate(sets)), np.int64(0)
    )
    low = begin[size + 1] + (place << (size + 1))
    low = low + (((signs >> rank) << (rank + 1)) | (signs & ((1 << rank) - 1)))
    high, here = low + (1 << rank), begin[size] + regions
    asked, answer = np.zeros(low.shape, np.bool_), np.zeros(low.shape, np.int64)
    for i, row in enumerate(sets):
        asked |= row == tests
        answer += np.where(row == tests, signs >> i & 1, 0)
    return np.where(asked, here, low), np.where(asked, here, high), asked, answer


_known_children = lru_cache(maxsize=8)(_children)


def _joined(parts: Any) -> Table:
    """Tables one after the other."""
    bases, masses = zip(*parts, strict=True)
    return np.concatenate(bases), np.concatenate(masses)


@compiled
def _two_tests(
    signed: Array, square: Array, weights: Floats, table: Floats, limit: int, tops: Array, masses: Floats
) -> None:
    """For all regions of two tests a < b < limit, the best gain and the sum of weight · (either answer) over all tests.

    signed   one number per set of at most three of p tests, sets of three by the largest, then by the next: those of
             {a, b, h} with a below both others lie side by side
    square   [a, h], one per set of two tests; single tests on the diagonal and in a last row
    together [a, h], the sets {a, b, h} of the present b
    gains    [signs, h], of one pair: what test h gains in its four regions; `whole` what they are themselves
    """
    p, last = len(weights), np.int64(len(table) - 1)
    single, threes = square[p], 1 + p + p * (p - 1) // 2
    together, gains = np.empty((limit, p), signed.dtype), np.empty((4, p), signed.dtype)
    whole = np.empty(4, signed.dtype)
    place = 0
    for b in range(1, limit):
        for h in range(p):
            low, high = min(b, h), max(b, h)
            start = threes + high * (high - 1) * (high - 2) // 6 + low * (low - 1) // 2
            if h == b:
                for a in range(b):
                    together[a, b] = square[b, a]
            else:
                for a in range(low):
                    together[a, h] = signed[start + a]
            if h < b:
                together[h, h] = square[b, h]
                for a in range(h):
                    together[h, a] = signed[start + a]
        for a in range(b):
            one, other, both = square[a], square[b], together[a]
            for h in range(p):
                gains[3, h] = both[h]
                gains[2, h] = other[h] - both[h]
                gains[1, h] = one[h] - both[h]
                gains[0, h] = single[h] - other[h] - one[h] + both[h]
            whole[3] = both[b]
            whole[2] = other[b] - both[b]
            whole[1] = one[a] - both[b]
            whole[0] = signed[0] - other[b] - one[a] + both[b]
            for signs in range(4):
                line, total = gains[signs], whole[signs]
                top = max(line[0], total - line[0])
                for h in range(p):
                    top = max(top, max(line[h], total - line[h]))
                mass = 0.0
                for h in range(p):
                    gap, other_gap = top - line[h], top - total + line[h]
                    mass += weights[h] * (table[min(gap, last)] + table[min(other_gap, last)])
                tops[place + signs] = top
                masses[place + signs] = mass
            place += 4
