"""A released ordered column: ranges of cells, each with a whole number of synthetic records spread evenly over it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = ["Bucket", "Buckets", "stride"]

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
