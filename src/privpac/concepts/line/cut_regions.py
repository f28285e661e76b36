"""Cuts of one column by the larger of their two kinds of mistakes, as nested regions, without touching the domain.

The cost of a cut is max(wrong below it, wrong above it). It falls, then rises, whatever the records: the cuts of cost
at most c form one region low(c)..high(c), which grows with c. One replaced record moves every cost by at most 1.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.data.statistics import ColumnCounts

__all__ = ["CutRegions"]


@dataclass(frozen=True, eq=False, repr=False)
class CutRegions:
    """Cuts 0..domain; `up`: class 1 from the cut on. Private: it has no repr."""

    evidence: ColumnCounts
    domain: int
    up: bool

    @cached_property
    def _values(self) -> list[int]:
        values: list[int] = self.evidence.values.tolist()  # Python integers: a cut may lie beyond 64 bits
        return values

    def _sums(self, label: int) -> NDArray[np.int64]:
        return np.cumsum(self.evidence.counts[:, label], dtype=np.int64)

    @cached_property
    def _below(self) -> NDArray[np.int64]:
        """Running totals of the records that are wrong below a cut: class 1 if it points up."""
        return self._sums(int(self.up))

    @cached_property
    def _above(self) -> NDArray[np.int64]:
        return self._sums(1 - int(self.up))

    @staticmethod
    def _total(sums: NDArray[np.int64]) -> int:
        return int(sums[-1]) if len(sums) else 0

    def mistakes(self, cut: int) -> tuple[int, int]:
        """Records wrong below the cut, and from the cut on."""
        place = bisect_left(self._values, cut)  # values below the cut
        below = int(self._below[place - 1]) if place else 0
        return below, self._total(self._above) - (int(self._above[place - 1]) if place else 0)

    def cost(self, cut: int) -> int:
        """The mistakes at a cut on its worse side."""
        return max(self.mistakes(cut))

    def high(self, cost: int) -> int:
        """The last cut with at most `cost` records wrong below it: the (cost + 1)-th of them, from the left."""
        if cost >= self._total(self._below):
            return self.domain
        return self._values[int(np.searchsorted(self._below, cost + 1))]

    def low(self, cost: int) -> int:
        """The first cut with at most `cost` records wrong above it: just after the (cost + 1)-th, from the right."""
        total = self._total(self._above)
        if cost >= total:
            return 0
        return self._values[int(np.searchsorted(self._above, total - cost))] + 1

    def width(self, cost: int) -> int:
        """How many cuts cost at most this much; not positive when there are none."""
        return self.high(cost) - self.low(cost) + 1

    @cached_property
    def worst(self) -> int:
        """A cost at which every cut is in the region."""
        return max(self._total(self._below), self._total(self._above))

    @cached_property
    def best(self) -> int:
        """The smallest cost of any cut; 0 if some cut makes no mistake."""
        return self.first_width(1)

    def first_width(self, width: int, *, start: int = 0) -> int:
        """The smallest cost from `start` on at which the region has at least `width` cuts; all of them at `worst`."""
        return bisect_left(range(self.worst + 1), width, lo=start, key=self.width)

    def lead(self, first: int, last: int) -> int:
        """By how much the cheapest cut of the block first..last, which holds low(best), beats every cut outside."""
        inside = bisect_left(
            range(self.worst + 1),
            True,
            lo=self.best,
            key=lambda cost: not (first <= self.low(cost) and self.high(cost) <= last),
        )
        return inside - self.best
