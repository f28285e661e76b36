"""Columns as small whole numbers: what a linear score adds up, fixed by the schema before any record is seen.

Every feature takes values 0..top. An ordered column has its cells put into equal steps, first and last cell at 0 and
top; a category is top where it holds and 0 elsewhere. With integer weights every projection is an integer, so a count
of mistakes is the same number whatever the order, the blocks or the processor: a sign that rounding could flip would
break the sensitivity that privacy rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells
from privpac.concepts.literals.cell_sets import CellSet
from privpac.data.columns import Boolean, Column
from privpac.data.sample import Block, labels_of
from privpac.data.schema import Schema

__all__ = ["MOST_LEVELS", "Feature", "LevelTable", "Levels", "features_of"]

MOST_LEVELS = 256
"""A level fits in a byte."""

_FITS = 2**55
"""Cells below this may be multiplied by 256 within 64 bits."""


@dataclass(frozen=True)
class Feature:
    """One column's steps, or whether it has one category, as a number from 0 to `top`."""

    column: str
    size: int
    """Cells of the column."""
    top: int
    category: int | None = None

    def belongs(self, schema: Schema) -> bool:
        """Whether the column has the cells it counts, and an order or the category that it looks at."""
        column = schema.column(self.column)
        if self.category is None:
            return column.ordered and column.size == self.size >= 2
        return not column.ordered and column.size == self.size and 0 <= self.category < column.size

    @property
    def steps(self) -> int:
        """How many different values it takes."""
        return 2 if self.category is not None else min(self.size, self.top + 1)

    def starts(self) -> list[int]:
        """The first cell of every step of an ordered column."""
        return [-(-step * self.size // self.steps) for step in range(self.steps)]

    def level(self, step: int) -> int:
        """The level of a step of the column."""
        return step * self.top // (self.steps - 1)

    def levels(self, cells: Cells) -> NDArray[np.uint8]:
        """The level of every record."""
        values = cells[self.column]
        if self.category is not None:
            return (np.asarray(values == self.category) * self.top).astype(np.uint8)
        if self.size <= _FITS:
            step = values.astype(np.int64) * self.steps // self.size
        else:
            edges = np.array(self.starts()[1:], dtype=object if self.size > 2**64 else np.uint64)
            step = np.searchsorted(edges, values, side="right").astype(np.int64)
        return (step * self.top // (self.steps - 1)).astype(np.uint8)

    def text(self, schema: Schema, points: int) -> str:
        """What it adds to a score, for people."""
        column = schema.column(self.column)
        if self.category is not None:
            return f"{column.called} is {column.show(self.category)}: {points * self.top:+d}"
        if isinstance(column, Boolean):
            return f"{column.called} is {column.show(1)}: {points * self.top:+d}"
        last = self.starts()[-1]
        return (
            f"{column.called}: 0 below {column.show(self.starts()[1])}, evenly to "
            f"{points * self.top:+d} from {column.with_unit(column.show(last))} on"
        )

    def sql(self, column: Column, points: int) -> str:
        """`points` times the level, as an SQL expression over the raw column."""
        if self.category is not None:
            here = CellSet.of(self.column, self.size, [(self.category, self.category)])
            return f"CASE WHEN {here.sql(column)} THEN {points * self.top} ELSE 0 END"
        ladder = [
            f"WHEN {CellSet.of(self.column, self.size, [(start, self.size - 1)]).sql(column)} "
            f"THEN {points * self.level(step)}"
            for step, start in reversed(list(enumerate(self.starts())))
            if step
        ]
        return f"CASE {' '.join(ladder)} ELSE 0 END"


def features_of(schema: Schema, *, top: int, columns: tuple[str, ...] | None = None) -> tuple[Feature, ...]:
    """The features of a schema: steps of every ordered column, one feature a category otherwise (one of two)."""
    features: list[Feature] = []
    for name in schema.names if columns is None else columns:
        column = schema.column(name)
        if column.size < 2:
            continue
        if column.ordered:
            features.append(Feature(name, column.size, top))
        else:
            categories = range(1, 2) if column.size == 2 else range(column.size)
            features += [Feature(name, column.size, top, category) for category in categories]
    return tuple(features)


@dataclass(frozen=True, repr=False, eq=False)
class Levels:
    """The levels of every record, a row per feature, apart for each class. No score depends on the records' order."""

    by_class: tuple[NDArray[np.uint8], ...]

    def __repr__(self) -> str:
        return f"Levels(classes={len(self.by_class)})"

    @property
    def records(self) -> tuple[int, ...]:
        """The number of records of each class."""
        return tuple(levels.shape[1] for levels in self.by_class)


@dataclass(frozen=True)
class LevelTable:
    """The statistic of linear scores: every record's levels, by class."""

    features: tuple[Feature, ...]
    classes: int = 2

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    def zero(self) -> Levels:
        return Levels(tuple(np.zeros((len(self.features), 0), np.uint8) for _ in range(self.classes)))

    def absorb(self, state: Levels, block: Block) -> Levels:
        labels = labels_of(block, self.classes)
        levels = np.empty((len(self.features), block.n), dtype=np.uint8)
        for row, feature in zip(levels, self.features, strict=True):
            row[:] = feature.levels(block.cells)
        parts: list[NDArray[Any]] = [levels[:, labels == label] for label in range(self.classes)]
        return self.merge(state, Levels(tuple(np.ascontiguousarray(part) for part in parts)))

    def merge(self, a: Levels, b: Levels) -> Levels:
        pairs = zip(a.by_class, b.by_class, strict=True)
        return Levels(tuple(y if x.shape[1] == 0 else np.concatenate([x, y], axis=1) for x, y in pairs))
