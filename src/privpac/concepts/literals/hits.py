"""How many records of each class every one of many formulas holds for: an additive statistic.

A chunk of records is sorted by class and every different set of cells is looked up once, as packed bits. A
formula then costs one operation on 64 records at a time, and memory does not grow with the number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Costs
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.formulas import Formula, atoms, evaluate
from privpac.data.sample import Block, labels_of

__all__ = ["Hits", "PredicateHits"]

_LARGEST_CHUNK = 2**18
_SMALLEST_CHUNK = 2**12
_PACKED_BITS = 2**29
"""Bits kept at a time for all sets together: 64 MB."""


@dataclass(frozen=True, repr=False, eq=False)
class Hits:
    """`records` by class, and for each member (a row) how many of each class it puts into class 1."""

    records: NDArray[np.int64]
    hits: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Hits(members={self.hits.shape[0]}, classes={self.hits.shape[1]})"

    def prices(self, costs: Costs) -> NDArray[np.int64]:
        """Summed cost of each member's mistakes: class 1 records it leaves out, others it takes in."""
        price = np.full(len(self.hits), int(self.records[1]) * costs[1], dtype=np.int64)
        for number, cost in enumerate(costs):
            price += self.hits[:, number] * (-cost if number == 1 else cost)
        return price


@dataclass(frozen=True)
class PredicateHits:
    """The statistic of a list of formulas."""

    formulas: tuple[Formula, ...]
    classes: int

    @cached_property
    def _atoms(self) -> tuple[CellSet, ...]:
        return tuple(dict.fromkeys(atom for formula in self.formulas for atom in atoms(formula)))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(atom.column for atom in self._atoms))

    def zero(self) -> Hits:
        return Hits(np.zeros(self.classes, np.int64), np.zeros((len(self.formulas), self.classes), np.int64))

    def merge(self, a: Hits, b: Hits) -> Hits:
        return Hits(a.records + b.records, a.hits + b.hits)

    def absorb(self, state: Hits, block: Block) -> Hits:
        labels = labels_of(block, self.classes)
        room = _PACKED_BITS // max(1, len(self._atoms))
        step = min(max(room, _SMALLEST_CHUNK), _LARGEST_CHUNK)
        for start in range(0, block.n, step):
            self._absorb_chunk(state, block, slice(start, start + step), labels)
        return state

    def _absorb_chunk(self, state: Hits, block: Block, part: slice, labels: NDArray[np.uint8]) -> None:
        order = np.argsort(labels[part], kind="stable")
        cells = {name: block.cells[name][part][order] for name in self.columns}
        counts = np.bincount(labels[part], minlength=self.classes)
        ends = np.cumsum(counts).tolist()
        for number, (count, end) in enumerate(zip(counts.tolist(), ends, strict=True)):
            if count:
                inside = {name: values[end - count : end] for name, values in cells.items()}
                state.records[number] += count
                state.hits[:, number] += self._count(inside, count)

    def _count(self, cells: dict[str, NDArray[Any]], count: int) -> NDArray[np.int64]:
        """For each formula, of how many of these records it is true."""
        bits = {atom: _pack(atom.contains(cells[atom.column])) for atom in self._atoms}
        constants = {value: _pack(np.full(count, value)) for value in (False, True)}
        counts = np.empty(len(self.formulas), dtype=np.int64)
        for index, formula in enumerate(self.formulas):
            words = evaluate(formula, bits.__getitem__, constants.__getitem__)
            counts[index] = np.bitwise_count(words).sum(dtype=np.int64)
        return counts


def _pack(holds: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bits in 64-bit words; those beyond the last record stay 0, since formulas have no negation."""
    octets = np.packbits(holds)
    return np.pad(octets, (0, -len(octets) % 8)).view(np.uint64)
