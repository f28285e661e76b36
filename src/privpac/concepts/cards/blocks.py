"""The points of a card, column by column: what each range or category of a column is worth.

Points for two answers at once stand in a block of their two columns, one line each: all lines that hold count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.both import Both
from privpac.concepts.cards.tallies import Points, merged
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import number_sql
from privpac.concepts.shapes import PointsBar
from privpac.data.columns import Boolean, Column, Numeric
from privpac.data.schema import Schema

__all__ = ["Block", "BothBlock", "PointsBlock", "blocks_of", "reachable"]


@dataclass(frozen=True)
class PointsBlock:
    """The tests of one column, those that were drawn twice put together, by cell."""

    column: str
    tests: tuple[tuple[Test, int], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @cached_property
    def merged(self) -> tuple[Points, ...]:
        return tuple(Points(test, points) for test, points in self.tests)

    @property
    def nested(self) -> bool:
        return self.tests[0][0].kind == "at least"

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """Points before the shift: below the first cut and from each cut on; or of the other categories and of each."""
        points = [one for _, one in self.tests]
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
        return -2 * self.base - sum(points for _, points in self.tests)

    def points(self, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """The points of every record."""
        return _points(self, cells)

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
        (empty_points,) = self.points({self.column: column.encode([None])}).tolist()
        return f"(CASE WHEN {number_sql(column)} THEN {self._cases_sql(bare)} ELSE {empty_points} END)"

    def _cases_sql(self, schema: Schema) -> str:
        cases = [
            f"WHEN {one.test.to_sql(schema)} THEN {step + self.base}"
            for one, step in zip(self.merged, self.steps[1:], strict=True)
            if one.points  # else it is answered by the cut below, or with what is left
        ]
        return f"(CASE {' '.join(reversed(cases))} ELSE {self.steps[0] + self.base} END)"

    def _ranges(self, column: Column) -> Iterator[PointsBar]:
        cuts = [0, *(test.cell for test, _ in self.tests), column.size]
        levels = zip(cuts, cuts[1:], self.steps, strict=False)
        ranges: list[tuple[int, int, int]] = []
        for first, end, points in levels:
            if ranges and ranges[-1][2] == points:
                ranges[-1] = (ranges[-1][0], end, points)
            else:
                ranges.append((first, end, points))
        for first, end, points in ranges:
            yield PointsBar(_range(column, first, end), points + self.base)

    def _categories(self, column: Column) -> Iterator[PointsBar]:
        points_by_cell = {test.cell: points for test, points in self.tests if points}
        by_points: dict[int, list[str]] = {}
        for cell, points in points_by_cell.items():
            by_points.setdefault(points, []).append(column.show(cell))
        others = [cell for cell in range(column.size) if cell not in points_by_cell]
        if others and column.size == 2:
            by_points.setdefault(0, []).extend(column.show(cell) for cell in others)
        elif others:
            by_points.setdefault(0, []).append("other" if by_points else "any")
        for points in sorted(by_points):
            yield PointsBar(", ".join(by_points[points]), points + self.base)


@dataclass(frozen=True)
class BothBlock:
    """Points for answers about the same two columns. Where an answer costs points, its opposite brings them."""

    columns: tuple[str, str]
    merged: tuple[Points, ...]

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """All sums before the shift, as far as they do not contradict each other."""
        lines = [one for one in self.merged if isinstance(one.test, Both)]
        ends = [{-1, *(one.test.tests[side].cell for one in lines)} for side in (0, 1)]  # type: ignore[union-attr]
        cells = np.array([*product(*ends)], dtype=np.int64).T
        by_column = dict(zip(self.columns, cells, strict=True))
        sums = sum(one.points * one.test.holds(by_column).astype(np.int64) for one in lines)
        return tuple(np.unique(np.asarray(sums)).tolist())

    @property
    def base(self) -> int:
        """What the opposites of answers that cost points bring together."""
        return -sum(min(one.points, 0) for one in self.merged)

    @property
    def top(self) -> int:
        return max(self.steps) + self.base

    @property
    def lowest(self) -> int:
        """Signed points where no line holds."""
        return -sum(abs(one.points) for one in self.merged)

    def points(self, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """The points of every record."""
        return _points(self, cells)

    def rows(self, schema: Schema) -> tuple[PointsBar, ...]:
        """One line for every two answers, or for their opposite: each that holds counts."""
        return tuple(
            PointsBar(one.test.describe(schema, positive=one.points > 0), abs(one.points))
            for one in self.merged
            if one.points
        )

    def sql(self, schema: Schema) -> str:
        """The points of two raw cells: as the lines of the card say it, one by one."""
        lines = [
            f"(CASE WHEN {one.test.to_sql(schema)} THEN {max(one.points, 0)} ELSE {max(-one.points, 0)} END)"
            for one in self.merged
            if one.points
        ]
        return " + ".join(lines)


Block = PointsBlock | BothBlock


def _points(block: Block, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
    count = len(cells[block.columns[0]])
    points = np.full(count, block.base, dtype=np.int64)
    for one in block.merged:
        points += one.points * one.test.holds(cells)
    return points


def _range(column: Column, first: int, end: int) -> str:
    """Cells from `first` to before `end` of an ordered column."""
    if isinstance(column, Boolean):
        return "any" if end - first > 1 else column.show(first)
    if end == first + 1 and isinstance(column, Numeric) and column.integer:
        return column.show(
            first
        )  # at the ends of the declared range too: 1 and 3 rather than below 2 and 3 or more
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


def blocks_of(draws: Sequence[Points]) -> tuple[Block, ...]:
    """The blocks of all columns, in the order in which columns were first drawn, and then those of two columns."""
    alone: dict[str, dict[Test, int]] = {}
    together: dict[tuple[str, str], list[Points]] = {}
    for test, points in merged(draws).items():
        if isinstance(test, Both):
            together.setdefault(test.columns, []).append(Points(test, points))
        else:
            alone.setdefault(test.column, {})[test] = points
    singles = (
        PointsBlock(column, tuple(sorted(tests.items(), key=lambda pair: pair[0].cell)))
        for column, tests in alone.items()
    )
    return (*singles, *(BothBlock(columns, tuple(lines)) for columns, lines in together.items()))


def reachable(blocks: Iterable[Block]) -> tuple[int, ...]:
    """Every sum that points of these blocks can have, ascending: as if blocks knew nothing of each other."""
    sums = {0}
    for block in blocks:
        steps = {points + block.base for points in block.steps}
        sums = {total + points for total in sums for points in steps}
    return tuple(sorted(sums))
