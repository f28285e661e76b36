"""The different rows of cells over several columns, and how often each occurs: an additive statistic without labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from privpac.data.column import Column
from privpac.data.raw import Array
from privpac.data.sample import Block

__all__ = ["RowCounts", "Rows"]


@dataclass(frozen=True, repr=False, eq=False)
class Rows:
    """Distinct rows in ascending order, cells in 64-bit words, and the number of records of each."""

    words: Array
    counts: Array

    def __repr__(self) -> str:
        return "Rows()"


@dataclass(frozen=True)
class RowCounts:
    """How many records share each row of cells of `of`."""

    of: tuple[Column, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.of)

    @property
    def _widths(self) -> tuple[int, ...]:
        """Words a cell of each column needs."""
        return tuple(max(1, -(-(column.size - 1).bit_length() // 64)) for column in self.of)

    def zero(self) -> Rows:
        return Rows(np.empty((0, sum(self._widths)), dtype=np.uint64), np.empty(0, dtype=np.int64))

    def absorb(self, state: Rows, block: Block) -> Rows:
        if block.n == 0:
            return state
        parts = []
        for column, width in zip(self.of, self._widths, strict=True):
            cells = block.cells[column.name]
            for place in range(width - 1, -1, -1):
                word = cells if width == 1 else (cells >> (64 * place)) & (2**64 - 1)
                parts.append(np.asarray(word, dtype=np.uint64))
        words = np.stack(parts, axis=1)
        return self.merge(state, Rows(words, np.ones(block.n, dtype=np.int64)))

    def merge(self, a: Rows, b: Rows) -> Rows:
        words, place = np.unique(np.concatenate([a.words, b.words]), axis=0, return_inverse=True)
        counts = np.zeros(len(words), dtype=np.int64)
        np.add.at(counts, place.reshape(-1), np.concatenate([a.counts, b.counts]))
        return Rows(words, counts)

    def cells(self, rows: Rows) -> Mapping[str, Array]:
        """The rows as columns of cells."""
        cells: dict[str, Array] = {}
        first = 0
        for column, width in zip(self.of, self._widths, strict=True):
            words = rows.words[:, first : first + width]
            first += width
            if width == 1:
                cells[column.name] = words[:, 0].astype(column.dtype)
            else:
                wide = sum(words[:, i].astype(object) << (64 * (width - 1 - i)) for i in range(width))
                cells[column.name] = np.asarray(wide, dtype=object)
        return cells
