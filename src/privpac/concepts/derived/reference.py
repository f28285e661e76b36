"""Public reference distributions: what is known about where records lie before any of them is seen.

A reference must not be computed from the records it is used on. A table of public records may serve as one: its
empirical distribution.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.concepts.base import Cells
from privpac.data.columns import Column, Numeric
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import DataError, ParameterError, SchemaError

__all__ = ["ByCdf", "PublicTable", "Reference", "Uniform", "UniformSphere"]

KNOTS = 1024
"""Places at which a distribution function is read."""

DIGITS = 12
"""Decimals of a distribution function."""


class Reference(Protocol):
    """A public distribution over the cells of some columns."""

    @property
    def name(self) -> str:
        """As certificates call it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is a distribution of."""

    def below(self, column: str, cell: int) -> Fraction:
        """The probability of cells below `cell`, for 0 ≤ cell ≤ size."""

    def draw(self, count: int, coins: Coins) -> Cells:
        """Independent draws, for estimates about the reference itself."""


def _ordered_column(schema: Schema, name: str, owner: str) -> Column:
    column = schema.column(name)
    if not column.ordered:
        raise ParameterError(
            owner, "columns", name, allowed="columns with an order", remedy="Categories have no range."
        )
    return column


def _cells(column: Column, values: list[int]) -> NDArray[Any]:
    cells = np.empty(len(values), dtype=column.dtype)
    cells[:] = values
    return cells


@dataclass(frozen=True)
class Uniform:
    """Uniform on the declared ranges of some columns: an interval, or a box."""

    schema: Schema
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        names: object = self.columns
        object.__setattr__(self, "columns", (names,) if isinstance(names, str) else tuple(self.columns))
        for name in self.columns:
            if _ordered_column(self.schema, name, "Uniform").size < 2:
                raise ParameterError("Uniform", "columns", name, allowed="columns with at least two cells")

    @property
    def name(self) -> str:
        return f"the uniform distribution on the declared range of {', '.join(self.columns)}"

    def below(self, column: str, cell: int) -> Fraction:
        return Fraction(cell, self.schema.column(column).size)

    def draw(self, count: int, coins: Coins) -> Cells:
        cells = {}
        for name in self.columns:
            column = self.schema.column(name)
            cells[name] = _cells(column, [coins.below(column.size) for _ in range(count)])
        return cells


@dataclass(frozen=True)
class UniformSphere:
    """Uniform on the sphere that touches the sides of the declared box: rotations about its middle change nothing."""

    schema: Schema
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        columns = [self.schema.column(name) for name in self.columns]
        if len(set(self.columns)) < 2 or len(set(self.columns)) != len(self.columns):
            raise ParameterError(
                "UniformSphere", "columns", self.columns, allowed="at least two different columns"
            )
        if not all(isinstance(column, Numeric) for column in columns):
            raise ParameterError("UniformSphere", "columns", self.columns, allowed="numeric columns")
        if len({column.size for column in columns}) > 1:
            raise ParameterError(
                "UniformSphere",
                "columns",
                self.columns,
                allowed="columns with the same number of cells",
                remedy="Declare the same resolution, or the same range of integers, for all of them.",
            )

    @property
    def name(self) -> str:
        return f"the uniform distribution on the sphere of {', '.join(self.columns)}"

    @property
    def cells(self) -> int:
        """The number of cells of each column."""
        return self.schema.column(self.columns[0]).size

    def below(self, column: str, cell: int) -> Fraction:
        raise ParameterError(
            "UniformSphere", "column", column, allowed="half-spaces", remedy="Use Uniform for thresholds."
        )

    def draw(self, count: int, coins: Coins) -> Cells:
        """Integer points of a ball, put on the sphere and rounded to cells: within a cell of the uniform law."""
        rows = [self._point(coins) for _ in range(count)]
        return {
            name: _cells(self.schema.column(name), [row[i] for row in rows])
            for i, name in enumerate(self.columns)
        }

    def _point(self, coins: Coins) -> list[int]:
        reach = 2**20
        while True:
            point = [coins.below(2 * reach + 1) - reach for _ in self.columns]
            norm = math.isqrt(sum(x * x for x in point))
            if reach // 1000 < norm <= reach:  # the direction of a uniform point of a ball is uniform
                half = Fraction(self.cells, 2)
                return [
                    min(self.cells - 1, max(0, math.floor(half * (1 + Fraction(x, norm + 1))))) for x in point
                ]


@dataclass(frozen=True)
class ByCdf:
    """A distribution of one column by its distribution function at evenly spaced cells, linear in between."""

    schema: Schema
    column: str
    values: tuple[Fraction, ...]
    """F at the cells size·i/(number of values - 1): from 0 to 1, never falling."""

    def __post_init__(self) -> None:
        _ordered_column(self.schema, self.column, "ByCdf")
        heights = tuple(Fraction(value) for value in self.values)
        object.__setattr__(self, "values", heights)
        falls = any(b < a for a, b in pairwise(heights))
        if len(heights) < 2 or heights[0] != 0 or heights[-1] != 1 or falls:
            raise ParameterError(
                "ByCdf",
                "values",
                f"{len(heights)} values",
                allowed="values of a distribution function, from 0 to 1 and never falling",
            )

    @classmethod
    def of(cls, schema: Schema, column: str, cdf: Callable[[float], float], *, knots: int = KNOTS) -> ByCdf:
        """Read off any distribution function of the raw values, cut off at the declared bounds."""
        grid = _ordered_column(schema, column, "ByCdf")
        count = min(knots, grid.size)
        cells = [grid.size * i // count for i in range(1, count)]
        inner = []
        for cell in cells:
            value = float(cdf(float(grid.value(cell))))
            if not 0 <= value <= 1:
                raise ParameterError("ByCdf", "cdf", "a value", allowed="a function with values from 0 to 1")
            inner.append(Fraction(round(value * 10**DIGITS), 10**DIGITS))
        return cls(schema, column, (Fraction(0), *inner, Fraction(1)))

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(",".join(str(value) for value in self.values).encode("ascii")).hexdigest()

    @property
    def name(self) -> str:
        return f"the distribution function {self._digest[:16]} of {self.column}"

    def below(self, column: str, cell: int) -> Fraction:
        place = Fraction(cell * (len(self.values) - 1), self.schema.column(self.column).size)
        knot = min(int(place), len(self.values) - 2)
        low, high = self.values[knot], self.values[knot + 1]
        return low + (high - low) * (place - knot)

    def draw(self, count: int, coins: Coins) -> Cells:
        column = self.schema.column(self.column)
        cells = []
        for _ in range(count):
            level = Fraction(coins.below(2**60), 2**60)
            cells.append(min(column.size - 1, _last_at_most(self, self.column, column.size, level)))
        return {self.column: _cells(column, cells)}


def _last_at_most(reference: Reference, column: str, size: int, level: Fraction) -> int:
    """The largest cell with at most this much probability below it."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reference.below(column, middle) <= level else (low, middle)
    return low


@dataclass(frozen=True, eq=False)
class PublicTable:
    """The empirical distribution of a table that is public, such as a census of the same population."""

    records: MemorySample

    def __post_init__(self) -> None:
        if self.records.size.total < 1:
            raise DataError(
                "A public table without records is no reference.", remedy="Give one with records."
            )

    @classmethod
    def of(cls, table: object, schema: Schema) -> PublicTable:
        """Any table with the schema's columns; labels are not read."""
        return cls(MemorySample.of(table, schema, labelled=False))

    @property
    def columns(self) -> tuple[str, ...]:
        return self.records.schema.names

    @cached_property
    def digest(self) -> str:
        """Of the cells in their order."""
        sha = hashlib.sha256()
        block = self.records.block()
        for name in self.columns:
            sha.update(name.encode("utf-8") + b"\0")
            sha.update("\0".join(map(str, block.cells[name].tolist())).encode("ascii"))
        return sha.hexdigest()

    @property
    def name(self) -> str:
        return f"the public table {self.digest[:16]} of {self.records.size.total} records"

    @cached_property
    def _counts_by_column(self) -> dict[str, ColumnCounts]:
        return {}

    def counts(self, column: str) -> ColumnCounts:
        """Cells of a column and how often they occur, counted once."""
        if column not in self._counts_by_column:
            own_column = self.records.schema.column(column)
            self._counts_by_column[column] = self.records.reduce(CellCounts(own_column, classes=1))
        tally = self._counts_by_column[column]
        if len(tally.values) < 2:
            raise SchemaError(
                f"Column '{column}' is constant in the public table, so it tells nothing about where records lie.",
                column=column,
                remedy="Use another table, or a declared distribution.",
            )
        return tally

    def below(self, column: str, cell: int) -> Fraction:
        counts = self.counts(column)
        place = (
            int(np.searchsorted(counts.values, cell, side="left")) if cell <= int(counts.values[-1]) else None
        )
        count = counts.n if place is None else int(counts.counts[:place].sum())
        return Fraction(count, counts.n)

    def draw(self, count: int, coins: Coins) -> Cells:
        total = self.records.size.total
        rows = np.array([coins.below(total) for _ in range(count)], dtype=np.int64)
        return self.records.take(rows).block().cells

    def refuse_if_private(self, sample: Sample) -> None:
        """Refuse the very sample that is to be protected.

        By identity, never by value: a refusal of records that equal the reference would tell that they do.
        """
        if sample is self.records:
            raise DataError(
                "The reference is the private table itself: its cut points would reveal the records.",
                remedy="Use a table that is public, or a declared distribution.",
            )
