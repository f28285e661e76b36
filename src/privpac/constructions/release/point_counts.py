"""Released counts of combinations of values: synthetic records of several columns, the label maybe among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from privpac.concepts.base import Hypothesis
from privpac.data.engines.memory import MemorySample
from privpac.data.joint import JointCells
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = ["PointCounts"]


@dataclass(frozen=True)
class PointCounts:
    """This many synthetic records have these values; combinations that are not listed have none."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, int], ...]
    """Cell of the product of the columns (the first changes slowest), and its count: ascending, more than none."""
    total: int
    """What counts are divided by: the public number of records, whatever the counts add up to."""

    def __post_init__(self) -> None:
        cells = [cell for cell, _ in self.counts]
        if sorted(set(cells)) != cells or any(cell < 0 or count < 1 for cell, count in self.counts):
            raise ValueError("counts must be ascending by cell, and positive")
        if self.total < 1 or not self.names:
            raise ValueError("there must be records and columns")

    @cached_property
    def _by_cell(self) -> dict[int, int]:
        return dict(self.counts)

    def query(self, schema: Schema, cells: Sequence[int]) -> Fraction:
        """The share of records with these cells, one per column."""
        code = JointCells(schema, self.names).code(cells)
        return Fraction(self._by_cell.get(code, 0), self.total)

    def share(self, schema: Schema, condition: Hypothesis) -> Fraction:
        """The share of records on which a released rule says 1."""
        joint = JointCells(schema, self.names)
        columns = joint.cells([cell for cell, _ in self.counts])
        arrays = {
            name: np.array(cells, dtype=schema.column(name).dtype)
            for name, cells in columns.items()
            if name != schema.label
        }
        inside = condition.predict(arrays).tolist() if self.counts else []
        total = sum(count for (_, count), yes in zip(self.counts, inside, strict=True) if yes)
        return Fraction(total, self.total)

    def records(self, schema: Schema) -> MemorySample:
        joint = JointCells(schema, self.names)
        rows = np.repeat(np.arange(len(self.counts)), [count for _, count in self.counts])
        columns = joint.cells([cell for cell, _ in self.counts])
        cells = {
            name: np.array(columns[name], dtype=schema.column(name).dtype)[rows] for name in joint.columns
        }
        labels = np.array(columns[schema.label], dtype=np.uint8)[rows] if joint.labelled else None
        return MemorySample(schema, cells=cells, labels=labels, n=len(rows))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "points",
            "columns": list(self.names),
            "counts": [[str(cell), count] for cell, count in self.counts],
            "total": self.total,
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> PointCounts:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "columns", "counts", "total")
        rows = [as_list(row) for row in as_list(tree["counts"])]
        require(all(len(row) == 2 for row in rows), "a point has a cell and a count")
        counts = tuple((written_whole(cell), whole(count)) for cell, count in rows)
        return cls(tuple(text(name) for name in as_list(tree["columns"])), counts, whole(tree["total"]))

    def fits(self, schema: Schema) -> bool:
        """Whether these can be records of this schema."""
        are_columns = set(self.names) <= {*schema.names, schema.label}
        if not are_columns or len(set(self.names)) < len(self.names):
            return False
        return not self.counts or self.counts[-1][0] < JointCells(schema, self.names).size
