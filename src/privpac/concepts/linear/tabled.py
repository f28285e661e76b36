"""Half-spaces in many columns: single features, sums and differences of two, and the public table of directions.

Statement, source and proof: as `halfspaces`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from privpac.concepts.base import Stored
from privpac.concepts.grids import LEVELS, MOST_FEATURES, TABLE_SIZE, tabled_grid
from privpac.concepts.linear.direction_table import direction_table
from privpac.concepts.linear.directions import Directions, Linear, named_columns
from privpac.data.schema import Schema
from privpac.errors import ParameterError

__all__ = ["TabledHalfspaces"]


@dataclass(frozen=True)
class TabledHalfspaces(Linear, Stored):
    """Half-spaces over all features of some columns, in `size_of_table` directions of the public table and along each
    feature, each sum and each difference of two. These three parts share the prior evenly."""

    schema: Schema
    columns: tuple[str, ...]
    size_of_table: int = TABLE_SIZE
    levels: int = LEVELS

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", named_columns(self.columns, "TabledHalfspaces"))
        size = self.size_of_table
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= 2**16:
            raise ParameterError(
                "TabledHalfspaces", "size_of_table", size, allowed=f"a whole number between 1 and {2**16}"
            )
        if not 2 <= len(self.features) <= MOST_FEATURES:
            raise ParameterError(
                "TabledHalfspaces",
                "columns",
                list(self.columns),
                allowed=f"columns of 2 to {MOST_FEATURES} features: one per column with an order, one per category",
                remedy="Name fewer columns, or use scorecards:K.",
            )
        self._check(self.levels)

    @property
    def grid(self) -> str:
        """Which half-spaces are listed."""
        return tabled_grid(len(self.features), self.size_of_table, self.levels)

    @cached_property
    def parts(self) -> tuple[Directions, ...]:
        """Single features, pairs of them, and the table."""
        count = len(self.features)
        table = Directions(count, count, direction_table(count, self.size_of_table))
        return (Directions.sparse(count, 1, 1), Directions.sparse(count, 2, 1), table)

    def _has_direction(self, points: Mapping[int, int]) -> bool:
        values = tuple(points.values())
        if any(part.chosen == len(values) and values in part.patterns for part in self.parts[:2]):
            return True
        return tuple(points.get(place, 0) for place in range(len(self.features))) in self.parts[2].patterns
