"""Sums over all boxes of a grid, however fine, without listing them.

Only the values that occur along an axis matter; a range of them stands for all ranges of cells that hold the same
values (`axes`). A box is an outer range (of all axes but two), a range of x and a range of y. For a fixed outer range
and first value of x, further values of x are added one at a time, and a balanced tree over the values of y keeps, for
every stretch of them, four numbers ratio^power · mantissa (the first without a mantissa):

    0  the moves of the whole stretch
    1  the ranges that start in the stretch and go on behind it
    2  those that come from before the stretch and end in it
    3  those that start and end in it

so that one more record changes one path of the tree: n records take about n²/2 · log(n) steps in the plane.

Claim: relative error at most `BoxSums.error`. Proof: docs/proofs/rectangle-sums.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from privpac.compiled import compiled
from privpac.concepts.boxes.axes import Axis, blanks
from privpac.concepts.boxes.plain_sums import GIVEN_UP, LARGE, occupied_tree, plain_total, scaled
from privpac.concepts.grids import FLOAT_BOX_BITS
from privpac.concepts.trees.powers import SMALLEST_BITS, Floats, Integers, Powers, plus
from privpac.numbers.exact import UNIT_ROUNDOFF

__all__ = ["BoxSums", "Outer"]

Outer = tuple[tuple[int, int], ...]
"""First and last value of every axis but the last two."""


@compiled
def _renew(node: int, powers: Integers, mantissas: Floats, table: Floats) -> None:
    """A node from its two halves."""
    a, b = 2 * node, 2 * node + 1
    powers[node, 0] = powers[a, 0] + powers[b, 0]
    powers[node, 1], mantissas[node, 0] = plus(
        powers[a, 1] + powers[b, 0], mantissas[a, 0], powers[b, 1], mantissas[b, 0], table
    )
    powers[node, 2], mantissas[node, 1] = plus(
        powers[a, 2], mantissas[a, 1], powers[a, 0] + powers[b, 2], mantissas[b, 1], table
    )
    exponent, total = plus(powers[a, 3], mantissas[a, 2], powers[b, 3], mantissas[b, 2], table)
    across = mantissas[a, 0] * mantissas[b, 1]
    powers[node, 3], mantissas[node, 2] = plus(exponent, total, powers[a, 1] + powers[b, 2], across, table)


@compiled
def _empty_tree(lefts: Floats, rights: Floats, table: Floats) -> tuple[Integers, Floats]:
    """The tree of no records: every move is 0."""
    leaves = 1
    while leaves < len(lefts):
        leaves *= 2
    powers, mantissas = np.zeros((2 * leaves, 4), np.int64), np.zeros((2 * leaves, 3))
    for i in range(len(lefts)):
        mantissas[leaves + i, 0] = lefts[i]
        mantissas[leaves + i, 1] = rights[i]
        mantissas[leaves + i, 2] = lefts[i] * rights[i]
    for node in range(leaves - 1, 0, -1):
        _renew(node, powers, mantissas, table)
    return powers, mantissas


@compiled
def _take_in(
    first: int, end: int, ys: Integers, moves: Integers, powers: Integers, mantissas: Floats, table: Floats
) -> None:
    """Take the points from `first` up to `end` into the tree."""
    leaves = len(powers) // 2
    depth = 0
    while leaves >> depth:
        depth += 1
    for point in range(first, end):
        leaf = leaves + ys[point]
        for k in range(4):
            powers[leaf, k] += moves[point]
    if (end - first) * depth > leaves:
        for node in range(leaves - 1, 0, -1):
            _renew(node, powers, mantissas, table)
        return
    for point in range(first, end):
        node = (leaves + ys[point]) // 2
        while node > 0:
            _renew(node, powers, mantissas, table)
            node //= 2


@compiled
def _rights(
    first: int,
    starts: Integers,
    ys: Integers,
    moves: Integers,
    rights: Floats,
    tree: tuple[Integers, Floats],
    table: Floats,
    exponents: Integers,
    weights: Floats,
) -> None:
    """The boxes whose first value of x is `first`, by the last: exponents and mantissas."""
    powers, mantissas = tree[0].copy(), tree[1].copy()
    for last in range(first, len(rights)):
        _take_in(starts[last], starts[last + 1], ys, moves, powers, mantissas, table)
        exponents[last - first] = powers[1, 3]
        weights[last - first] = mantissas[1, 2] * rights[last]


@compiled
def _total(
    first: int,
    starts: Integers,
    ys: Integers,
    moves: Integers,
    runs: Floats,
    tree: tuple[Integers, Floats],
    table: Floats,
) -> tuple[int, float]:
    """All boxes whose first value of x is `first`, which holds points: only values that hold some change the tree."""
    powers, mantissas = tree[0].copy(), tree[1].copy()
    exponent, total = 0, 0.0
    for last in range(first, len(runs)):
        if starts[last + 1] > starts[last]:
            _take_in(starts[last], starts[last + 1], ys, moves, powers, mantissas, table)
            exponent, total = plus(exponent, total, powers[1, 3], mantissas[1, 2] * runs[last], table)
    return exponent, total


@compiled
def _lefts(
    starts: Integers,
    ys: Integers,
    moves: Integers,
    lefts: Floats,
    rights: Floats,
    across: tuple[Floats, Floats],
    factors: Floats,
    tree: tuple[Integers, Floats],
    table: Floats,
    exponents: Integers,
    weights: Floats,
) -> None:
    """All boxes by their first value of x: exponents and mantissas.

    A value that holds no point of this outer range is passed over: boxes that start there are those that start at the
    next value, and the one that ends before it. Sums go without a scale until one leaves the range: those before it
    hold more points.
    """
    plain = len(factors) == len(ys)
    empty, numbers, blank = occupied_tree(ys, *across)
    places = numbers[ys]
    runs = rights.copy()  # upper ends from a value that holds points up to the next one that does
    for value in range(len(runs) - 2, -1, -1):
        if starts[value + 2] == starts[value + 1]:
            runs[value] += runs[value + 1]
    exponent, total = 0, 0.0
    for first in range(len(lefts) - 1, -1, -1):
        if starts[first + 1] > starts[first]:
            bare = plain_total(first, starts, places, factors, runs, empty, blank) if plain else GIVEN_UP
            plain = bare >= 0
            if plain:
                exponent, total = scaled(bare, table)
            else:
                exponent, total = _total(first, starts, ys, moves, runs, tree, table)
        else:
            exponent, total = plus(exponent, total, 0, tree[1][1, 2] * rights[first], table)
        exponents[first], weights[first] = exponent, total * lefts[first]


@compiled
def _ends(row: Integers, lefts: Floats, rights: Floats, table: Floats) -> tuple[Integers, Floats]:
    """The ranges of y by their last value: exponents and mantissas."""
    exponents, weights = np.empty(len(row), np.int64), np.empty(len(row))
    exponent, total = 0, 0.0
    for i in range(len(row)):
        exponent, total = plus(exponent, total, 0, lefts[i], table)
        exponent += row[i]
        exponents[i], weights[i] = exponent, total * rights[i]
    return exponents, weights


@dataclass(frozen=True, eq=False, repr=False)
class BoxSums:
    """The sums of one law in floats with a proven error.

    `points[a, k]` is the number, among the values of axis a, of the k-th point that occurs; `moves[k]` is what a box
    pays more for holding it than for leaving it out. `members` are all boxes of the grid and the empty one. There are
    at least two axes; those of one cell do no harm.
    """

    axes: tuple[Axis, ...]
    points: Integers
    moves: Integers
    ratio: Fraction
    members: int

    @property
    def fits(self) -> bool:
        """Whether floats can hold the sums; larger classes are left to balls."""
        return self.members.bit_length() <= FLOAT_BOX_BITS

    @cached_property
    def blank(self) -> int:
        """Boxes that no record can lie in, the empty one included."""
        return blanks(self.axes) + 1

    @cached_property
    def outer(self) -> tuple[Outer, ...]:
        """Every choice of first and last values for the axes but the last two."""
        pairs = ([(a, b) for a in range(k) for b in range(a, k)] for k in self._values[:-2])
        return tuple(product(*pairs))

    @property
    def _values(self) -> tuple[int, ...]:
        return tuple(len(axis.values) for axis in self.axes)

    @cached_property
    def error(self) -> float:
        """Relative error of every weight below; see docs/proofs/rectangle-sums.md."""
        depth = self._values[-1].bit_length() + 1
        bare = 4 * len(self.moves) + 2 * depth**2 + 4 * max(self._values[-2:])  # more of it without a scale
        roundings = bare + 8 * depth + 4 * max(self._values[-2:]) + 2 * len(self.axes) + 16
        loss = 32 * (depth + 2) * 2.0 ** (self.members.bit_length() - SMALLEST_BITS)
        return 1.01 * (roundings * UNIT_ROUNDOFF + loss)

    @cached_property
    def _powers(self) -> Powers:
        """Exponents lie between -W and W for W the sum of all sizes of moves, so differences within 2W."""
        largest = 2 * int(np.abs(self.moves).sum()) if self.ratio < 1 else 0
        return Powers.of(self.ratio, largest=largest)

    @cached_property
    def _table(self) -> Floats:
        """ratio^e for e from 0 up."""
        return self._powers.table

    @cached_property
    def _ends_of(self) -> tuple[tuple[Floats, Floats], ...]:
        """Lower and upper ends of each axis by value, as floats."""
        return tuple(
            (np.array(list(map(float, axis.lefts))), np.array(list(map(float, axis.rights))))
            for axis in self.axes
        )

    @cached_property
    def _tree(self) -> tuple[Integers, Floats]:
        tree: tuple[Integers, Floats] = _empty_tree(*self._ends_of[-1], self._table)
        return tree

    def _factors(self, moves: Integers) -> Floats:
        """ratio^move of every point; none at all where one is beyond what sums without a scale hold."""
        sizes = np.abs(moves)
        if len(sizes) and not (sizes.max() < len(self._table) and self._table[sizes.max()] > 1 / LARGE):
            return np.empty(0)
        return np.where(moves < 0, 1 / self._table[sizes], self._table[sizes])

    def within(self, outer: Outer) -> tuple[Integers, Integers, Integers]:
        """The points of an outer range by value of x: where each value's begin, their values of y, their moves."""
        inside = np.ones(len(self.moves), dtype=bool)
        for axis, (first, last) in zip(self.points[:-2], outer, strict=True):
            inside &= (axis >= first) & (axis <= last)
        xs, ys, moves = self.points[-2][inside], self.points[-1][inside], self.moves[inside]
        order = np.argsort(xs, kind="stable")
        starts = np.searchsorted(xs[order], np.arange(self._values[-2] + 1))
        ordered_moves = moves[order] if self.ratio < 1 else np.zeros(len(order), np.int64)
        return starts.astype(np.int64), ys[order], ordered_moves

    def lefts(self) -> Floats:
        """Weight of each outer range and first value of x, and last that of the boxes no record can lie in."""
        values = self._values[-2]
        exponents = np.zeros(len(self.outer) * values + 1, np.int64)
        weights = np.ones(len(exponents))
        weights[-1] = float(self.blank)
        for place, outer in enumerate(self.outer):
            part = slice(place * values, (place + 1) * values)
            points = self.within(outer)
            _lefts(
                *points,
                *self._ends_of[-2],
                self._ends_of[-1],
                self._factors(points[2]),
                self._tree,
                self._table,
                exponents[part],
                weights[part],
            )
            for (lefts, rights), (first, last) in zip(self._ends_of[:-2], outer, strict=True):
                weights[part] *= lefts[first] * rights[last]
        return self._powers.aligned(exponents, weights)

    def rights(self, outer: Outer, first: int) -> Floats:
        """Weight of each last value of x, from `first` on."""
        count = self._values[-2] - first
        exponents, weights = np.empty(count, np.int64), np.empty(count)
        _rights(first, *self.within(outer), self._ends_of[-2][1], self._tree, self._table, exponents, weights)
        return self._powers.aligned(exponents, weights)

    def row(self, outer: Outer, first: int, last: int) -> Integers:
        """What each value of y adds to the score of a box of these ranges."""
        starts, ys, moves = self.within(outer)
        rows = slice(starts[first], starts[last + 1])
        row = np.zeros(self._values[-1], np.int64)
        np.add.at(row, ys[rows], moves[rows])
        return row

    def ends(self, outer: Outer, first: int, last: int) -> Floats:
        """Weight of each last value of y."""
        sums = _ends(self.row(outer, first, last), *self._ends_of[-1], self._table)
        return self._powers.aligned(*sums)

    def starts(self, outer: Outer, first: int, last: int, end: int) -> Floats:
        """Weight of each first value of y of a box whose last is `end`."""
        row = self.row(outer, first, last)[:end]
        exponents = -np.concatenate([np.zeros(1, np.int64), np.cumsum(row)])
        return self._powers.aligned(exponents, self._ends_of[-1][0][: end + 1])

    def listed(self) -> Iterator[tuple[Outer, int]]:
        """Outer ranges and first values of x, in the order of `lefts`."""
        return product(self.outer, range(self._values[-2]))
