"""The sums of `sums` in exact or enclosing arithmetic: fractions to enumerate, balls for doubtful draws.

Slow and simple on purpose: it is what the float kernels are checked against. There is no tree; every range of x is
walked through along y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from flint import arb, fmpz

from privpac.concepts.boxes.sums import BoxSums, Outer
from privpac.concepts.trees.powers import Integers
from privpac.numbers.exact import ball

__all__ = ["BoxLadder"]

Number = Any
"""A Fraction or a ball; the arithmetic is the same text for both."""


class BoxLadder:
    """The same questions as `BoxSums` answers; with balls, ask all of them under the same working precision."""

    def __init__(self, sums: BoxSums, *, ratio: Number, lift: Callable[[int], Number]) -> None:
        self._sums = sums
        self._ratio = ratio
        self._lift = lift
        self._powers: dict[int, Number] = {}

    @classmethod
    def exact(cls, sums: BoxSums) -> BoxLadder:
        """The ladder in fractions."""
        return cls(sums, ratio=sums.ratio, lift=Fraction)

    @classmethod
    def in_balls(cls, sums: BoxSums) -> BoxLadder:
        """The ladder in balls: midpoints with proved radii."""
        return cls(sums, ratio=ball(sums.ratio), lift=lambda n: arb(fmpz(n)))

    def lefts(self) -> list[Number]:
        """The weight of every outer range and first value of x, and last that of the boxes no record can lie in."""
        weights = []
        for outer, first in self._sums.listed():
            ways = self._sums.axes[-2].lefts[first]
            for axis, (low, high) in zip(self._sums.axes[:-2], outer, strict=True):
                ways *= axis.lefts[low] * axis.rights[high]
            weights.append(sum(self.rights(outer, first), self._lift(0)) * self._lift(ways))
        return [*weights, self._lift(self._sums.blank)]

    def rights(self, outer: Outer, first: int) -> list[Number]:
        """The weight of every last value of x, from `first` on."""
        upper = self._sums.axes[-2].rights
        return [
            sum(self.ends(outer, first, last), self._lift(0)) * self._lift(upper[last])
            for last in range(first, len(upper))
        ]

    def ends(self, outer: Outer, first: int, last: int) -> list[Number]:
        """The weight of every last value of y."""
        return list(self._ends(self._sums.row(outer, first, last)))

    def starts(self, outer: Outer, first: int, last: int, end: int) -> list[Number]:
        """The weight of every first value of y of a box whose last is `end`."""
        lower, power, weights = self._sums.axes[-1].lefts, self._lift(1), []
        for place, move in enumerate([0, *self._sums.row(outer, first, last)[:end].tolist()]):
            power = power * self._power(-move)
            weights.append(power * self._lift(lower[place]))
        return weights

    def _power(self, move: int) -> Number:
        if move not in self._powers:
            self._powers[move] = self._ratio**move
        return self._powers[move]

    def _ends(self, row: Integers) -> Iterator[Number]:
        axis, inside = self._sums.axes[-1], self._lift(0)
        for move, lower, upper in zip(row.tolist(), axis.lefts, axis.rights, strict=True):
            inside = (inside + self._lift(lower)) * self._power(move)
            yield inside * self._lift(upper)
