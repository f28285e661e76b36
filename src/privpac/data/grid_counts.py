"""Records counted in the boxes of a public grid over one to three columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privpac.compiled import compiled
from privpac.data.occupied import Grid
from privpac.data.raw import Array
from privpac.data.sample import Block, labels_of
from privpac.errors import ParameterError, SizeError

__all__ = ["GridCounts"]

LARGEST_GRID = 2**28  # boxes, eight bytes each
CHUNK = 2**16  # records binned at a time: codes stay in the processor's cache


@dataclass(frozen=True)
class GridCounts(Grid):
    """How many records of each class lie in each box of a public grid over one to three columns.

    Along an axis, cell c belongs to group c * bins // size. The state has shape (classes, *bins).
    """

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 3:
            raise ParameterError("GridCounts", "axes", self.columns, allowed="one to three columns")
        super().__post_init__()
        if math.prod(self.bins) * self.classes > LARGEST_GRID:
            raise SizeError(
                f"A grid of {' x '.join(map(str, self.bins))} boxes does not fit in memory.",
                remedy="Use fewer bins.",
            )

    def starts(self, axis: int) -> tuple[int, ...]:
        """The first cell of each group along an axis."""
        size, bins = self.axes[axis].size, self.bins[axis]
        return tuple(-(-group * size // bins) for group in range(bins))

    def zero(self) -> npt.NDArray[np.int64]:
        return np.zeros((self.classes, *self.bins), dtype=np.int64)

    def absorb(self, state: npt.NDArray[np.int64], block: Block) -> npt.NDArray[np.int64]:
        labels = labels_of(block, self.classes)
        flat = state.reshape(-1)
        for start in range(0, block.n, CHUNK):
            part = slice(start, start + CHUNK)
            codes = labels[part].astype(np.int64)
            for axis, column in enumerate(self.axes):
                self._fold(axis, block.cells[column.name][part], codes)
            _tally(codes, flat)
        return state

    def merge(self, a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return a + b

    def _fold(self, axis: int, cells: Array, codes: npt.NDArray[np.int64]) -> None:
        """codes = codes * bins + group, in place."""
        size, bins = self.axes[axis].size, self.bins[axis]
        if size <= 2**64:
            _fold_axis(cells, self._edges[axis], bins / size, codes)
        else:
            codes *= bins
            codes += np.array([cell * bins // size for cell in cells.tolist()], dtype=np.int64)

    @cached_property
    def _edges(self) -> tuple[Array, ...]:
        fits = [column.size <= 2**64 for column in self.axes]
        return tuple(
            np.array(self.starts(axis) if fit else (), dtype=np.uint64) for axis, fit in enumerate(fits)
        )


@compiled
def _fold_axis(cells: Array, edges: Array, factor: float, codes: Array) -> None:
    """codes = codes * bins + group: a guess in doubles, put right by the exact first cells of the groups."""
    last = len(edges) - 1
    for i in range(len(cells)):
        cell = np.uint64(cells[i])
        group: Any = np.int64(min(np.float64(cell) * factor, np.float64(last)))
        while edges[group] > cell:
            group -= 1
        while group < last and edges[group + 1] <= cell:
            group += 1
        codes[i] = codes[i] * (last + 1) + group


@compiled
def _tally(codes: Array, flat: Array) -> None:
    """flat[code] += 1 for every code."""
    for i in range(len(codes)):
        flat[codes[i]] += 1
