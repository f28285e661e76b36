"""From cells to the numbers a scikit-learn classifier wants, by the public schema alone.

Ordered columns become one number from 0 (first cell) to 1 (last cell), categories one column of zeros and ones each.
Nothing is estimated from records: a mean or a scale taken from all of them would tie the models of a vote together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells
from privpac.data.column import Column
from privpac.data.schema import Schema

__all__ = ["Encoding"]


@dataclass(frozen=True)
class Encoding:
    """The default public encoding of a schema's columns."""

    schema: Schema

    @property
    def width(self) -> int:
        """The number of columns of the matrix."""
        return sum(1 if column.ordered else column.size for column in self.schema.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for every encoded column."""
        names: list[str] = []
        for column in self.schema.columns:
            if column.ordered:
                names.append(column.name)
            else:
                names += [f"{column.name}={column.value(cell)}" for cell in range(column.size)]
        return tuple(names)

    def matrix(self, cells: Cells) -> NDArray[np.float64]:
        """One row per record: ordered columns scaled, categories one column each."""
        n = len(next(iter(cells.values())))
        matrix = np.zeros((n, self.width))
        place = 0
        for column in self.schema.columns:
            values = cells[column.name]
            if column.ordered:
                matrix[:, place] = _scaled(column, values)
                place += 1
            else:
                matrix[np.arange(n), place + values.astype(np.int64)] = 1.0
                place += column.size
        return matrix


def _scaled(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    last = max(column.size - 1, 1)
    if values.dtype == object:  # beyond 64 bits
        return np.array([int(value) / last for value in values], dtype=np.float64)
    return values.astype(np.float64) / float(last)
