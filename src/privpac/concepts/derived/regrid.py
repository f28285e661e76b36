"""Fewer cells per column, cut at given places; hypotheses on them, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privpac.data.columns import Numeric
from privpac.data.sample import Block, Statistic
from privpac.data.schema import Schema

__all__ = ["OnGroups", "Regrid"]

S = TypeVar("S")


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

    def edge(self, name: str, group: int) -> int:
        """The first cell of a group; the size of the column after the last one."""
        edges = self.edges.get(name, ())
        if not edges:
            return group
        if group <= 0:
            return 0
        return edges[group - 1] if group <= len(edges) else self.schema.column(name).size


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
