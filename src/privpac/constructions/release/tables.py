"""Released tables: counts of ranges of one column, and of points of a grid."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.data.engines.memory import MemorySample
from privpac.data.joint import JointCells
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = ["Bucket", "Buckets", "PointCounts", "stride"]


# --- counts of ranges of one column ---


Bucket = tuple[int, int, int]
"""First cell, first cell behind it, and how many records lie between: more than none."""


@dataclass(frozen=True)
class Buckets:
    """Synthetic records of one ordered column."""

    column: str
    buckets: tuple[Bucket, ...]

    def __post_init__(self) -> None:
        edges = [edge for first, end, _ in self.buckets for edge in (first, end)]
        in_order = all(a <= b for a, b in pairwise(edges))
        if not in_order or any(not (0 <= first < end and count > 0) for first, end, count in self.buckets):
            raise ValueError("buckets must be ascending, apart and full")

    @classmethod
    def of(cls, column: str, edges: list[int], counts: list[int]) -> Buckets:
        """Ranges between neighbouring edges with their counts; empty ones are left out."""
        spans = zip(edges[:-1], edges[1:], counts, strict=True)
        return cls(column, tuple((first, end, count) for first, end, count in spans if count and first < end))

    @cached_property
    def total(self) -> int:
        return sum(count for _, _, count in self.buckets)

    @cached_property
    def _before(self) -> list[int]:
        """Records in front of each bucket."""
        return list(accumulate((count for _, _, count in self.buckets), initial=0))

    @cached_property
    def _firsts(self) -> list[int]:
        return [first for first, _, _ in self.buckets]

    def below(self, cell: int) -> int:
        """How many synthetic records lie in cells smaller than this one."""
        at = bisect_right(self._firsts, cell) - 1
        if at < 0:
            return 0
        first, end, count = self.buckets[at]
        return self._before[at] + _below(cell - first, end - first, count)

    def query(self, low: int, high: int) -> Fraction:
        """The share of records in cells low <= cell < high."""
        return Fraction(max(0, self.below(high) - self.below(low)), self.total)

    def cells(self) -> list[int]:
        """The cell of every synthetic record, ascending: the middles of `count` equal parts of a bucket."""
        return [_middle(bucket, i) for bucket in self.buckets for i in range(bucket[2])]

    def thinned(self, points: int) -> list[int]:
        """Every so-many-th of `cells`, at most `points` of them."""
        step = stride(self.total, points)
        places = range(step - 1, self.total, step)[:points]
        buckets = (bisect_right(self._before, place) - 1 for place in places)
        return [
            _middle(self.buckets[at], place - self._before[at])
            for at, place in zip(buckets, places, strict=True)
        ]

    def records(self, schema: Schema) -> MemorySample:
        dtype = schema.column(self.column).dtype
        cells: NDArray[Any] = np.array(self.cells(), dtype=dtype)
        return MemorySample.from_cells(schema, {self.column: cells})

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "buckets",
            "column": self.column,
            "buckets": [[str(first), str(end), count] for first, end, count in self.buckets],
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Buckets:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "buckets")
        rows = [as_list(row) for row in as_list(tree["buckets"])]
        require(all(len(row) == 3 for row in rows), "a bucket has two ends and a count")
        read = ((written_whole(first), written_whole(end), whole(count)) for first, end, count in rows)
        return cls(text(tree["column"]), tuple(read))

    def on_cells(self, cells: int) -> bool:
        """Whether every bucket is one of this many cells."""
        return all(end == first + 1 <= cells for first, end, _ in self.buckets)

    def fits(self, schema: Schema) -> bool:
        """Whether these can be records of this schema."""
        return self.column in schema.names and (
            not self.buckets or self.buckets[-1][1] <= schema.column(self.column).size
        )


def stride(total: int, points: int) -> int:
    """How many records apart `points` of them lie, spread over all."""
    return max(1, -(-total // (points + 1)))


def _middle(bucket: Bucket, part: int) -> int:
    first, end, count = bucket
    return first + (2 * part + 1) * (end - first) // (2 * count)


def _below(cells: int, width: int, count: int) -> int:
    """How many of the middles of `count` equal parts of 0..width lie below `cells`: (2i + 1)·width < 2·count·cells."""
    over = 2 * count * min(cells, width) - width
    return 0 if over <= 0 else min(count, -(-over // (2 * width)))


# --- counts of points ---


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
