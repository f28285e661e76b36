"""Several columns read as one: the cells of their product, in one number.

The label may stand among them. The first column changes slowest, as when the columns are sorted by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privpac.data.raw import Array
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.data.statistics import ColumnCounts, merge_objects, merge_sorted
from privpac.errors import DataError, ParameterError

__all__ = ["JointCells"]


@dataclass(frozen=True)
class JointCells:
    """The additive statistic: how many records lie in each occupied cell of the product of some columns."""

    schema: Schema
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names or len(set(self.names)) != len(self.names):
            raise ParameterError("JointCells", "names", self.names, allowed="different columns, at least one")
        _ = self.sizes

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name != self.schema.label)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cells of each column."""
        classes = len(self.schema.classes)
        return tuple(
            classes if name == self.schema.label else self.schema.column(name).size for name in self.names
        )

    @property
    def size(self) -> int:
        """Cells of the product."""
        return math.prod(self.sizes)

    @property
    def labelled(self) -> bool:
        """Whether the label is one of the columns."""
        return self.schema.label in self.names

    @property
    def _dtype(self) -> Any:
        return np.uint64 if self.size <= 2**64 else object

    def zero(self) -> ColumnCounts:
        return ColumnCounts(np.empty(0, dtype=self._dtype), np.empty((0, 1), dtype=np.int64), 0)

    def absorb(self, state: ColumnCounts, block: Block) -> ColumnCounts:
        if block.n == 0:
            return state
        codes = np.zeros(block.n, dtype=self._dtype)
        for name, size in zip(self.names, self.sizes, strict=True):
            # Factors fit: the product of the sizes so far is at most the size of all.
            codes = codes * _whole(size, self._dtype) + self._axis(name, block).astype(self._dtype)
        values, counts = np.unique(codes, return_counts=True)
        return self.merge(state, ColumnCounts(values, counts.reshape(-1, 1).astype(np.int64), block.n))

    def _axis(self, name: str, block: Block) -> Array:
        if name != self.schema.label:
            return block.cells[name]
        if block.labels is None:
            raise DataError(
                f"These records have no label '{name}', and it is to be counted.", remedy="Give labels."
            )
        return block.labels

    def merge(self, a: ColumnCounts, b: ColumnCounts) -> ColumnCounts:
        if a.n == 0 or b.n == 0:
            return a if b.n == 0 else b
        merge = merge_objects if self._dtype is object else merge_sorted
        values, counts = merge((a.values, a.counts), (b.values, b.counts), dtype=np.int64)
        return ColumnCounts(values, counts, a.n + b.n)

    def cells(self, codes: Sequence[int]) -> dict[str, list[int]]:
        """The cells of each column behind some numbers of the product."""
        cells: dict[str, list[int]] = {}
        rest = list(codes)
        for name, size in zip(reversed(self.names), reversed(self.sizes), strict=True):
            cells[name] = [code % size for code in rest]
            rest = [code // size for code in rest]
        return {name: cells[name] for name in self.names}

    def code(self, cells: Sequence[int]) -> int:
        """The number of a cell of the product."""
        code = 0
        for cell, size in zip(cells, self.sizes, strict=True):
            code = code * size + cell
        return code


def _whole(size: int, dtype: object) -> Any:
    """A factor of the array's own type: a plain integer beyond 63 bits would turn uint64 into floats."""
    return size if dtype is object else np.uint64(size % 2**64)
