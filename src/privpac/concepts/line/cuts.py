"""Thresholds at public cuts: a cover of all thresholds, evenly spaced or listed.

Members are cuts; class 1 from the cut upwards, or below it. As for `Thresholds`, n records make at most n + 1 runs of
equal score, whatever the number of cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs, CountedByScore, DrawnByScore, Hypothesis, OverColumn, Stored
from privpac.concepts.derived.reference import Reference, _last_at_most
from privpac.concepts.line.thresholds import Threshold, cut_rows
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts
from privpac.errors import ParameterError
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs

__all__ = ["Cuts"]

MOST_LISTED = 2**20
"""Cuts of a reference that are found one by one; evenly spaced ones may be any number."""


@dataclass(frozen=True)
class Cuts(CountedByScore, DrawnByScore, OverColumn, Stored):
    """Thresholds at `count` evenly spaced cuts, or at listed `cells`."""

    schema: Schema
    column: str
    count: int | None = None
    cells: tuple[int, ...] | None = None
    up: bool = True

    def __post_init__(self) -> None:
        size = self.schema.column(self.column).size
        if (self.count is None) == (self.cells is None):
            raise ParameterError(
                "Cuts", "count", self.count, allowed="a number of cuts, or listed cells instead"
            )
        if self.count is not None and not 1 <= self.count <= size + 1:
            raise ParameterError("Cuts", "count", self.count, allowed=f"between 1 and {size + 1}")
        if self.cells is not None:
            cells = tuple(sorted({int(cell) for cell in self.cells}))
            object.__setattr__(self, "cells", cells)
            if not cells or not 0 <= cells[0] <= cells[-1] <= size:
                raise ParameterError("Cuts", "cells", len(cells), allowed=f"cuts between 0 and {size}")

    @classmethod
    def of_reference(
        cls, schema: Schema, column: str, reference: Reference, count: int, *, up: bool = True
    ) -> Cuts:
        """Cuts at the quantiles (i + 1/2)/count of a reference."""
        if not 1 <= count <= MOST_LISTED:
            raise ParameterError(
                "Cuts",
                "count",
                count,
                allowed=f"at most {MOST_LISTED} quantiles of a reference",
                remedy="Declare a smaller kappa, or use a uniform reference.",
            )
        size = schema.column(column).size
        quantiles = (Fraction(2 * i + 1, 2 * count) for i in range(count))
        return cls(
            schema, column, cells=tuple(_last_at_most(reference, column, size, q) for q in quantiles), up=up
        )

    @property
    def word(self) -> str:
        return f"cuts:{self.column}"

    @property
    def size(self) -> int:
        return self.count if self.count is not None else len(self.cells or ())

    @property
    def vc(self) -> int:
        return 1

    def level(self, reference: Reference) -> Fraction:
        """How far any threshold can be from the nearest cut, measured by the reference."""
        size = self.schema.column(self.column).size
        if self.count is not None:
            return Fraction(1, 2 * self.count) + Fraction(1, 2 * size)
        masses = [reference.below(self.column, cell) for cell in self.cells or ()]
        inner = max((b - a for a, b in pairwise(masses)), default=Fraction(0))
        return max(masses[0], 1 - masses[-1], inner / 2)

    def cut(self, index: int) -> int:
        """The index-th cut as a cell."""
        if self.cells is not None:
            return self.cells[index]
        assert self.count is not None
        size = self.schema.column(self.column).size
        return ((2 * index + 1) * size + self.count) // (2 * self.count)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Threshold):
            return False
        if (hypothesis.column, hypothesis.up) != (self.column, self.up):
            return False
        if self.cells is not None:
            return hypothesis.cut in self.cells
        size, count = self.schema.column(self.column).size, self.size
        # Of cuts at floor((2·index + 1)·size/(2·count) + 1/2) the last at or below this one.
        index = min(count - 1, (2 * hypothesis.cut * count + count - size) // (2 * size))
        return any(0 <= i < count and self.cut(i) == hypothesis.cut for i in (index, index + 1))

    @cached_property
    def _cell_array(self) -> NDArray[Any]:
        wide = self.schema.column(self.column).size >= 2**64
        return np.array(self.cells or (), dtype=object if wide else np.uint64)

    def _last(self, values: NDArray[Any]) -> NDArray[Any]:
        """The index of the last cut at or below each cell; -1 if there is none."""
        if self.cells is not None:
            return np.searchsorted(self._cell_array, values, side="right").astype(np.int64) - 1
        assert self.count is not None
        size, count = self.schema.column(self.column).size, self.count
        # cut(i) <= v exactly if (2i + 1)·size < count·(2v + 1)
        places = [-((size - count * (2 * int(v) + 1)) // (2 * size)) - 1 for v in values.tolist()]
        return np.array([min(count - 1, i) for i in places], dtype=object if count >= 2**63 else np.int64)

    def scores(self, evidence: ColumnCounts, *, costs: Costs) -> NamedScores[Hypothesis]:
        row = cut_rows(evidence, self.schema.column(self.column).size, costs, (self.up,), distinct=False)[0]
        # As members, cuts are numbered from 0; runs between values with no cut between them are empty.
        lasts = self._last(row.lasts)
        steps = np.flatnonzero(lasts != np.concatenate([[-1], lasts[:-1]]))
        scores = np.append(row.scores[:-1][steps], row.scores[-1])
        ends = lasts[steps]
        row = Row.of(0, ends if ends.dtype == object else ends.astype(np.uint64), scores, self.size - 1)

        def name(place: Place) -> Hypothesis:
            return Threshold(self.column, self.cut(place[1]), self.up)

        return NamedScores(Runs([row]), name)
