"""Fewer cells per column, cut at places taken from public features; hypotheses on them, and back.

For label privacy only: where the cuts lie depends on the features of the records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Hypothesis
from privpac.data.column import Column
from privpac.data.columns import Numeric
from privpac.data.sample import Block, Sample, Statistic
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts

__all__ = ["OnGroups", "Regrid", "coarse_schema", "covering_edges", "most_groups"]

S = TypeVar("S")


def most_groups(n: int, spacing: int) -> int:
    """Groups that `covering_edges` makes of `n` records at most, whatever their values: n + 1 ranks, of which an edge
    takes spacing + 1, and the two ends."""
    return -(-(n + 1) // (spacing + 1)) + 1


def covering_edges(column: Column, sample: Sample, *, spacing: int) -> tuple[int, ...]:
    """Cells such that every cut of the column separates the records as one of them does, but for `spacing` records.

    Looks at features only. The ends of the column count as edges that are there anyway.
    """
    column_counts = sample.reduce(CellCounts(column, classes=1))
    counts = column_counts.counts[:, 0].astype(np.int64)
    ranks = np.concatenate([[0], np.cumsum(counts)[:-1]])  # records below a cut at each value
    edges: list[int] = []
    reach = spacing
    while True:
        place = int(np.searchsorted(ranks, reach, side="right"))
        if place >= len(ranks) or int(ranks[place]) >= column_counts.n - spacing:
            return tuple(edges)
        last = int(np.searchsorted(ranks, ranks[place] + spacing, side="right")) - 1
        edges.append(int(column_counts.values[last]))
        reach = int(ranks[last]) + spacing


def coarse_schema(schema: Schema, groups: Mapping[str, int]) -> Schema:
    """The schema with some columns replaced by this many groups."""
    columns = tuple(
        Numeric(column.name, 0, groups[column.name] - 1, integer=True)
        if column.name in groups and groups[column.name] > 1
        else column
        for column in schema.columns
    )
    return replace(schema, columns=columns)


@dataclass(frozen=True)
class Regrid:
    """Columns cut at `edges`: group j of a column begins at its j-th edge, group 0 at its first cell."""

    schema: Schema
    cut: tuple[tuple[str, tuple[int, ...]], ...]
    """Edges by column."""

    @cached_property
    def edges(self) -> Mapping[str, tuple[int, ...]]:
        """The first cells of all groups but the first, by column."""
        return dict(self.cut)

    @cached_property
    def coarse(self) -> Schema:
        """The schema whose cells are the groups."""
        return coarse_schema(self.schema, {name: len(edges) + 1 for name, edges in self.cut})

    def cells(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """The groups of these cells of a column."""
        edges = self.edges.get(name, ())
        if not edges:
            return values
        wide = self.schema.column(name).size > 2**64
        table = np.array(edges, dtype=object if wide else np.uint64)
        return np.searchsorted(table, values, side="right").astype(self.coarse.column(name).dtype)

    def sample(self, sample: Sample) -> RegriddedSample:
        """The same records, counted by group."""
        return RegriddedSample(sample, self)

    def edge(self, name: str, group: int) -> int:
        """The first cell of a group; the size of the column after the last one."""
        edges = self.edges.get(name, ())
        if not edges:
            return group
        if group <= 0:
            return 0
        return edges[group - 1] if group <= len(edges) else self.schema.column(name).size

    def fine(self, hypothesis: Hypothesis) -> Hypothesis:
        """The same rule on the original cells."""
        fine = hypothesis.recut(self.edge)
        return hypothesis if fine is None else fine


@dataclass(frozen=True)
class OnGroups(Statistic[S]):
    """A statistic of the coarse columns, computed from the fine ones."""

    inner: Statistic[S]
    grid: Regrid

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inner.columns

    def zero(self) -> S:
        return self.inner.zero()

    def absorb(self, state: S, block: Block) -> S:
        cells = {name: self.grid.cells(name, block.cells[name]) for name in self.columns}
        return self.inner.absorb(state, Block(cells, block.labels, block.n))

    def merge(self, a: S, b: S) -> S:
        return self.inner.merge(a, b)


@dataclass(frozen=True, repr=False)
class RegriddedSample:
    """A sample as it looks on the coarse columns, for statistics only."""

    fine: Sample
    grid: Regrid

    def reduce(self, statistic: Statistic[S]) -> S:
        """The statistic of all records, over groups instead of cells."""
        return self.fine.reduce(OnGroups(statistic, self.grid))
