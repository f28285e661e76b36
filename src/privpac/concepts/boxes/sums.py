"""Sums over all boxes of a public grid in one to three dimensions, without listing them.

A box is an outer range (of z and y) times a range of x. For a fixed outer range the grid shrinks to one row
of moves, and with P the running sum of that row the boxes that end at x weigh

    ratio^P(x + 1) · L(x),   L(x) = L(x - 1) + ratio^(-P(x))

where L sums over the possible starts. So g boxes cost one step instead of g: O(g^3) steps in the plane,
O(g^5) in space. The sum of each outer range is kept for the draw; the rows are short enough to be made
again.

Claim: relative error at most `RectangleSums.error`. Proof: docs/proofs/rectangle-sums.md. Tested by
tests/unit/concepts/boxes/test_rectangles.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, fmpz

from privpac.compiled import compiled
from privpac.concepts.trees.powers import SMALLEST_BITS, Floats, Integers, Powers
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["BoxLadder", "OuterRange", "RectangleSums", "outer_range"]

OuterRange = tuple[int, int, int, int]
"""First and last group of z, first and last group of y."""

Number = Any
"""A Fraction or a ball; the arithmetic is the same text for both."""

_SLACK = 64
"""A factor may exceed 1 by this many bits before its sum is rescaled: the more, the rarer that is."""


def _range_count(groups: int) -> int:
    return groups * (groups + 1) // 2


def _range_at(groups: int, index: int) -> tuple[int, int]:
    """The index-th of the ranges 0..0, 0..1, ..., 1..1, and so on."""
    first = 0
    while index >= groups - first:
        index -= groups - first
        first += 1
    return first, first + index


def outer_range(shape: tuple[int, int, int], index: int) -> OuterRange | None:
    """The index-th range of z and y, in the order of the sums; None, the empty box, follows the last one."""
    depth, height, _ = shape
    z_index, y_index = divmod(index, _range_count(height))
    if z_index >= _range_count(depth):
        return None
    return *_range_at(depth, z_index), *_range_at(height, y_index)


@compiled
def _sum_row(row: Integers, table: Floats, below: int) -> tuple[int, float]:
    """All boxes of one row as (exponent, mantissa)."""
    size = len(table)
    starts_exponent, starts = 0, 1.0
    prefix = row[0]
    exponent, total = prefix, 1.0
    for x in range(1, len(row)):
        step = below - prefix - starts_exponent
        if step < 0:  # the new start lies above the scale: move the scale there
            starts *= table[2 * below - step] if 2 * below - step < size else 0.0
            starts_exponent += step - below
            step = below
        if step < size:
            starts += table[step]
        prefix += row[x]
        step = below + prefix + starts_exponent - exponent
        if step < 0:
            total *= table[2 * below - step] if 2 * below - step < size else 0.0
            exponent += step - below
            step = below
        if step < size:
            total += starts * table[step]
    return exponent, total


@compiled
def _row_ends(row: Integers, table: Floats, below: int) -> tuple[Integers, Floats]:
    """The boxes of one row by where they end, as exponents and mantissas."""
    size = len(table)
    exponents, mantissas = np.empty(len(row), np.int64), np.empty(len(row))
    starts_exponent, starts = 0, 1.0
    prefix = row[0]
    exponents[0], mantissas[0] = prefix, 1.0
    for x in range(1, len(row)):
        step = below - prefix - starts_exponent
        if step < 0:
            starts *= table[2 * below - step] if 2 * below - step < size else 0.0
            starts_exponent += step - below
            step = below
        if step < size:
            starts += table[step]
        prefix += row[x]
        exponents[x], mantissas[x] = prefix + starts_exponent, starts
    return exponents, mantissas


@compiled
def _sum_ranges(moves: Integers, table: Floats, below: int, exponents: Integers, mantissas: Floats) -> None:
    """The sum of every outer range, in the order of `outer_range`."""
    depth, height, width = moves.shape
    at = 0
    for z in range(depth):
        plane = np.zeros((height, width), np.int64)
        for z_last in range(z, depth):
            plane += moves[z_last]
            for y in range(height):
                row = np.zeros(width, np.int64)
                for y_last in range(y, height):
                    for x in range(width):
                        row[x] += plane[y_last, x]
                    exponents[at], mantissas[at] = _sum_row(row, table, below)
                    at += 1


@dataclass(frozen=True, eq=False, repr=False)
class RectangleSums:
    """The sums of one law in floats with a proven error.

    `moves[z, y, x]` is what a box pays more for holding that group of the grid than for leaving it out.
    """

    moves: Integers
    ratio: Fraction
    members: int

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of groups along the three axes."""
        depth, height, width = self.moves.shape
        return depth, height, width

    @cached_property
    def powers(self) -> Powers:
        """Prefix sums lie between -W and W for W the sum of all sizes of moves, differences within 4W."""
        largest = 4 * int(np.abs(self.moves).sum()) if self.ratio < 1 else 0
        return Powers.of(self.ratio, largest=largest, slack=_SLACK)

    @cached_property
    def error(self) -> float:
        """Relative error of every weight below; see docs/proofs/rectangle-sums.md."""
        dropped = 6 * 2.0 ** (self.members.bit_length() + 2 * _SLACK - SMALLEST_BITS)
        return 1.01 * ((10 * self.shape[2] + 12) * UNIT_ROUNDOFF + dropped)

    def ranges(self) -> Floats:
        """Weight of each outer range, and of the empty box at the end."""
        (depth, height, _), powers = self.shape, self.powers
        count = _range_count(depth) * _range_count(height)
        exponents, mantissas = np.zeros(count + 1, np.int64), np.ones(count + 1)
        _sum_ranges(self._priced_moves(self.moves), powers.table, powers.below, exponents, mantissas)
        return powers.aligned(exponents, mantissas)

    def ends(self, outer: OuterRange) -> Floats:
        """Weight of each place where a box of this outer range can end in x."""
        row = self._priced_moves(self.row(outer))
        return self.powers.aligned(*_row_ends(row, self.powers.table, self.powers.below))

    def starts(self, outer: OuterRange, end: int) -> Floats:
        """Weight of each start of a box of this outer range that ends at `end`."""
        row = self._priced_moves(self.row(outer))[:end]
        exponents = -np.concatenate([np.zeros(1, np.int64), np.cumsum(row)])
        return self.powers.aligned(exponents, np.ones(end + 1))

    def row(self, outer: OuterRange) -> Integers:
        """What each group of the last axis adds to the score, summed over a range of the outer two."""
        z, z_last, y, y_last = outer
        total: Integers = self.moves[z : z_last + 1, y : y_last + 1].sum(axis=(0, 1))
        return total

    def _priced_moves(self, moves: Integers) -> Integers:
        # At ratio 1 prices do not matter; without them the table of powers needs one entry only.
        return moves if self.ratio < 1 else np.zeros_like(moves)


class BoxLadder:
    """The same sums in exact or enclosing arithmetic: fractions to enumerate, balls for doubtful draws."""

    def __init__(self, sums: RectangleSums, *, ratio: Number, lift: Callable[[int], Number]) -> None:
        self._sums = sums
        self._ratio = ratio
        self._lift = lift
        self._powers: dict[int, Number] = {}

    @classmethod
    def exact(cls, sums: RectangleSums) -> BoxLadder:
        """The ladder in fractions."""
        return cls(sums, ratio=sums.ratio, lift=Fraction)

    @classmethod
    def in_balls(cls, sums: RectangleSums) -> BoxLadder:
        """The ladder in balls: midpoints with proved radii."""
        return cls(sums, ratio=ball(sums.ratio), lift=lambda n: arb(fmpz(n)))

    def ranges(self) -> list[Number]:
        """The weight of every outer range, and last that of the empty box."""
        weights, index = [], 0
        while (outer := outer_range(self._sums.shape, index)) is not None:
            index += 1
            total = self._lift(0)
            for weight in self._ends(self._sums.row(outer)):
                total = total + weight
            weights.append(total)
        return [*weights, self._lift(1)]

    def ends(self, outer: OuterRange) -> list[Number]:
        """The weight of every last group, for one outer range."""
        return list(self._ends(self._sums.row(outer)))

    def starts(self, outer: OuterRange, end: int) -> list[Number]:
        """The weight of every first group, for one outer range and last group."""
        weights, power = [self._lift(1)], self._lift(1)
        for move in self._sums.row(outer)[:end].tolist():
            power = power * self._power(-move)
            weights.append(power)
        return weights

    def _power(self, move: int) -> Number:
        if move not in self._powers:
            self._powers[move] = self._ratio**move
        return self._powers[move]

    def _ends(self, row: Integers) -> Iterator[Number]:
        inside, one = self._lift(0), self._lift(1)
        for move in row.tolist():
            inside = (inside + one) * self._power(move)
            yield inside
