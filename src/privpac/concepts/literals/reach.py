"""Who can arrive where some answers were given, as far as the schema tells: all that may be said without a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import CellSet
from privpac.data.columns import Column, Numeric
from privpac.data.schema import Schema

__all__ = ["NOBODY", "UNUSUAL", "Arrival", "Reach"]

Arrival = Literal["", "unusual values only", "no value left"]
"""Nothing, or why hardly any record arrives."""
UNUSUAL: Arrival = "unusual values only"
"""The column says between which numbers most values lie (`usual`), and only others are left."""
NOBODY: Arrival = "no value left"
"""The answers contradict each other: a ward that is none of all wards there are."""


@dataclass(frozen=True)
class Reach:
    """The cells of each column that the answers so far leave."""

    schema: Schema
    left: Mapping[str, CellSet] = field(default_factory=dict)
    """Columns without an entry have all their cells."""

    def after(self, test: Test, *, holds: bool) -> Reach:
        """What is left where this test holds, or does not."""
        column = self.schema.column(test.column)
        cells = test.cells(column) if holds else test.cells(column).complement()
        before = self.left.get(test.column)
        rest = cells if before is None else before.intersection(cells)
        return Reach(self.schema, {**self.left, test.column: rest})

    @property
    def arrival(self) -> Arrival:
        """Why hardly any record has such answers; empty if nothing is known of that."""
        if any(cells.empty for cells in self.left.values()):
            return NOBODY
        columns = ((self.schema.column(name), cells) for name, cells in self.left.items())
        return UNUSUAL if any(_unusual(column, cells) for column, cells in columns) else ""


def _unusual(column: Column, cells: CellSet) -> bool:
    """Whether none of the cells is usual. What stands for an empty cell is: nobody knows how many cells are empty."""
    if not isinstance(column, Numeric) or column.usual is None:
        return False
    defaults = [] if column.missing is None else [column.cell(column.missing)]
    usual = CellSet.of(column.name, column.size, [column.cut_cells, *((cell, cell) for cell in defaults)])
    return cells.intersection(usual).empty
