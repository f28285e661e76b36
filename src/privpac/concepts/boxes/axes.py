"""The ranges of one axis of a grid, told apart by the values that occur in it alone.

A range is low <= cell < high. Which of the `values` it holds decides everything, so a range stands for many: those
from values[i] to values[j] are lefts[i] · rights[j], and those that hold no value at all are `blank`. All of it is
counted in whole numbers, whatever the number of cells.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

__all__ = ["Axis", "Range", "blank_ranges", "blanks", "ranges_of"]

Range = tuple[int, int]
"""Cells low <= cell < high."""


def ranges_of(cells: int) -> int:
    """How many ranges of this many cells there are, none of them empty.

    >>> ranges_of(3)
    6
    """
    return cells * (cells + 1) // 2


@dataclass(frozen=True, repr=False)
class Axis:
    """An axis of `size` cells, of which `values`, ascending, occur. Private: it has no repr."""

    size: int
    values: tuple[int, ...]

    @cached_property
    def _bounds(self) -> tuple[int, ...]:
        return (-1, *self.values, self.size)

    @cached_property
    def lefts(self) -> tuple[int, ...]:
        """How many lower ends a range has whose first value is the i-th."""
        return tuple(b - a for a, b in pairwise(self._bounds[:-1]))

    @cached_property
    def rights(self) -> tuple[int, ...]:
        """How many upper ends a range has whose last value is the j-th."""
        return tuple(b - a for a, b in pairwise(self._bounds[1:]))

    @cached_property
    def _gaps(self) -> tuple[int, ...]:
        """Cells before, between and behind the values."""
        return tuple(b - a - 1 for a, b in pairwise(self._bounds))

    @cached_property
    def blank(self) -> int:
        """Ranges that hold no value."""
        return sum(map(ranges_of, self._gaps))

    @property
    def telling(self) -> int:
        """Ranges that hold a value."""
        return ranges_of(self.size) - self.blank

    def ends(self, first: int, last: int, left: int, right: int) -> Range:
        """The range from the `first` to the `last` value that has these of its lower and upper ends."""
        return self._bounds[first] + 1 + left, self._bounds[last + 1] + 1 + right

    def blank_range(self, index: int) -> Range:
        """The index-th range that holds no value."""
        sums = tuple(accumulate(map(ranges_of, self._gaps), initial=0))
        gap = bisect_right(sums, index) - 1
        low, high = any_range(self._gaps[gap], index - sums[gap])
        return self._bounds[gap] + 1 + low, self._bounds[gap] + 1 + high

    def telling_range(self, index: int) -> Range:
        """The index-th range that holds a value."""
        rights = (0, *accumulate(self.rights))
        above = [left * (rights[-1] - rights[i]) for i, left in enumerate(self.lefts)]
        sums = tuple(accumulate(above, initial=0))
        first = bisect_right(sums, index) - 1
        left, place = divmod(index - sums[first], rights[-1] - rights[first])
        last = bisect_right(rights, rights[first] + place) - 1
        return self.ends(first, last, left, rights[first] + place - rights[last])


def any_range(cells: int, index: int) -> Range:
    """The index-th range of this many cells, by their last cell.

    >>> [any_range(2, index) for index in range(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    last = (math.isqrt(8 * index + 1) - 1) // 2
    return index - ranges_of(last), last + 1


def blanks(axes: Sequence[Axis]) -> int:
    """Boxes that hold no value of some axis, so that no record can lie in them."""
    return math.prod(ranges_of(axis.size) for axis in axes) - math.prod(axis.telling for axis in axes)


def blank_ranges(axes: Sequence[Axis], index: int) -> tuple[Range, ...]:
    """The index-th of those boxes: by the first axis of which it holds no value."""
    sizes = [ranges_of(axis.size) for axis in axes]
    for place, axis in enumerate(axes):
        before, behind = axes[:place], sizes[place + 1 :]
        count = math.prod(other.telling for other in before) * axis.blank * math.prod(behind)
        if index < count:
            ranges = []
            for other in before:
                index, number = divmod(index, other.telling)
                ranges.append(other.telling_range(number))
            index, number = divmod(index, axis.blank)
            ranges.append(axis.blank_range(number))
            for other, size in zip(axes[place + 1 :], behind, strict=True):
                index, number = divmod(index, size)
                ranges.append(any_range(other.size, number))
            return tuple(ranges)
        index -= count
    raise IndexError("no such box")
