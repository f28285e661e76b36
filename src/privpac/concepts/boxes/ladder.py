"""The sums of `sums` in exact or enclosing arithmetic: fractions to enumerate, balls for doubtful draws.

Slow and simple on purpose: it is what the float kernels are checked against. There is no tree; every range of x is
walked through along y.
"""

from __future__ import annotations

from collections.abc import Iterator

from privpac.concepts.boxes.sums import BoxSums, Outer
from privpac.concepts.trees.powers import Arithmetic, Integers, Number

__all__ = ["BoxLadder"]


class BoxLadder(Arithmetic):
    """The same questions as `BoxSums` answers."""

    def __init__(self, sums: BoxSums, *, exact: bool) -> None:
        super().__init__(sums.ratio, exact=exact)
        self._sums = sums

    def lefts(self) -> list[Number]:
        """The weight of every outer range and first value of x, and last that of the boxes no record can lie in."""
        weights = []
        for outer, first in self._sums.listed():
            ways = self._sums.axes[-2].lefts[first]
            for axis, (low, high) in zip(self._sums.axes[:-2], outer, strict=True):
                ways *= axis.lefts[low] * axis.rights[high]
            weights.append(sum(self.rights(outer, first), self._number(0)) * self._number(ways))
        return [*weights, self._number(self._sums.blank)]

    def rights(self, outer: Outer, first: int) -> list[Number]:
        """The weight of every last value of x, from `first` on."""
        upper = self._sums.axes[-2].rights
        return [
            sum(self.ends(outer, first, last), self._number(0)) * self._number(upper[last])
            for last in range(first, len(upper))
        ]

    def ends(self, outer: Outer, first: int, last: int) -> list[Number]:
        """The weight of every last value of y."""
        return list(self._ends(self._sums.row(outer, first, last)))

    def starts(self, outer: Outer, first: int, last: int, end: int) -> list[Number]:
        """The weight of every first value of y of a box whose last is `end`."""
        lower, power, weights = self._sums.axes[-1].lefts, self._number(1), []
        for place, move in enumerate([0, *self._sums.row(outer, first, last)[:end].tolist()]):
            power = power * self._power(-move)
            weights.append(power * self._number(lower[place]))
        return weights

    def _ends(self, row: Integers) -> Iterator[Number]:
        axis, inside = self._sums.axes[-1], self._number(0)
        for move, lower, upper in zip(row.tolist(), axis.lefts, axis.rights, strict=True):
            inside = (inside + self._number(lower)) * self._power(move)
            yield inside * self._number(upper)
