"""The points of a card, column by column: what each range or category of a column is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.tallies import Points, merged
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import number_sql
from privpac.concepts.shapes import PointsBar
from privpac.data.columns import Boolean, Column, Numeric
from privpac.data.schema import Schema

__all__ = ["PointsBlock", "blocks_of", "reachable"]


@dataclass(frozen=True)
class PointsBlock:
    """The tests of one column, those that were drawn twice put together, by cell."""

    column: str
    merged: tuple[Points, ...]

    @property
    def nested(self) -> bool:
        return self.merged[0].test.kind == "at least"

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Points before the shift: below the first cut and from each cut on; or of the other categories and of each."""
        points = [one.points for one in self.merged]
        return tuple(np.cumsum([0, *points]).tolist()) if self.nested else (0, *points)

    @property
    def base(self) -> int:
        """What is added so that the smallest points of the column are 0."""
        return -min(self.steps)

    @property
    def top(self) -> int:
        return max(self.steps) + self.base

    @property
    def lowest(self) -> int:
        """The fewest signed points (more than none where a test holds, less where not) the column can bring."""
        return -2 * self.base - sum(one.points for one in self.merged)

    def points(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The points of these cells."""
        points = np.full(len(values), self.base, dtype=np.int64)
        for one in self.merged:
            points += one.points * one.test.holds({self.column: values})
        return points

    def rows(self, schema: Schema) -> tuple[PointsBar, ...]:
        """All values of the column in words, those of equal points together."""
        column = schema.column(self.column)
        return tuple(self._ranges(column) if self.nested else self._categories(column))

    def sql(self, schema: Schema) -> str:
        """The points of a raw cell: the largest cut first, each condition with one end; an empty cell by itself."""
        column = schema.column(self.column)
        if not isinstance(column, Numeric) or column.missing is None:
            return self._cases_sql(schema)
        bare = replace(
            schema,
            columns=tuple(replace(column, missing=None) if one is column else one for one in schema.columns),
        )
        (filled,) = self.points(column.encode([None])).tolist()
        return f"(CASE WHEN {number_sql(column)} THEN {self._cases_sql(bare)} ELSE {filled} END)"

    def _cases_sql(self, schema: Schema) -> str:
        cases = [
            f"WHEN {one.test.to_sql(schema)} THEN {step + self.base}"
            for one, step in zip(self.merged, self.steps[1:], strict=True)
            if one.points  # else it is answered by the cut below, or with what is left
        ]
        return f"(CASE {' '.join(reversed(cases))} ELSE {self.steps[0] + self.base} END)"

    def _ranges(self, column: Column) -> Iterator[PointsBar]:
        cuts = [0, *(one.test.cell for one in self.merged), column.size]
        levels = zip(cuts, cuts[1:], self.steps, strict=False)
        joined: list[tuple[int, int, int]] = []
        for first, end, points in levels:
            if joined and joined[-1][2] == points:
                joined[-1] = (joined[-1][0], end, points)
            else:
                joined.append((first, end, points))
        for first, end, points in joined:
            yield PointsBar(_range(column, first, end), points + self.base)

    def _categories(self, column: Column) -> Iterator[PointsBar]:
        named = {one.test.cell: one.points for one in self.merged if one.points}
        by_points: dict[int, list[str]] = {}
        for cell, points in named.items():
            by_points.setdefault(points, []).append(column.show(cell))
        others = [cell for cell in range(column.size) if cell not in named]
        if others and column.size == 2:
            by_points.setdefault(0, []).extend(column.show(cell) for cell in others)
        elif others:
            by_points.setdefault(0, []).append("other" if by_points else "any")
        for points in sorted(by_points):
            yield PointsBar(", ".join(by_points[points]), points + self.base)


def _range(column: Column, first: int, end: int) -> str:
    """Cells from `first` to before `end` of an ordered column."""
    if isinstance(column, Boolean):
        return "any" if end - first > 1 else ("true" if first else "false")
    if first == 0:
        return "any" if end == column.size else f"below {column.show(end)}"
    if end == column.size:
        return f"{column.show(first)} or more"
    if end == first + 1 and _whole(column):
        return column.show(first)
    last = f"to {column.show(end - 1)}" if _whole(column) else f"to below {column.show(end)}"
    return f"{column.show(first)} {last}"


def _whole(column: Column) -> bool:
    """Whether the value before a cut has a short name of its own."""
    return not isinstance(column, Numeric) or column.integer


def blocks_of(drawn: Sequence[Points]) -> tuple[PointsBlock, ...]:
    """The blocks of all columns, in the order in which columns were first drawn."""
    columns: dict[str, dict[Test, int]] = {}
    for test, points in merged(drawn).items():
        columns.setdefault(test.column, {})[test] = points
    return tuple(
        PointsBlock(
            column,
            tuple(Points(test, tests[test]) for test in sorted(tests, key=lambda test: test.cell)),
        )
        for column, tests in columns.items()
    )


def reachable(blocks: Iterable[PointsBlock]) -> tuple[int, ...]:
    """Every sum that points of these columns can have, ascending."""
    sums = {0}
    for block in blocks:
        steps = {points + block.base for points in block.steps}
        sums = {total + points for total in sums for points in steps}
    return tuple(sorted(sums))
