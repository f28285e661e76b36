"""Public yes-or-no tests on a table, from its schema alone.

A numeric or date column is cut at equally spaced points of its declared range, or of the part of it where the schema
says that most values lie (`usual`); a categorical one is tested for each category. Nothing here looks at a record:
quantiles, screening or dropping constant columns would have to be paid for in epsilon.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.fitting import cells_misfit, order_misfit
from privpac.concepts.grids import CUTS, FEWER_CUTS, MOST_TESTS
from privpac.concepts.literals.cell_sets import CellSet, edge
from privpac.data.column import hashed_once
from privpac.data.columns import Boolean, Column, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError
from privpac.fields import record, require, text, written_whole
from privpac.numbers.parameters import whole_positive

__all__ = ["Binarisation", "Facts", "Test", "cut_span", "implied"]

Kind = Literal["at least", "equals"]

SHORT_RANGE = 12
"""A range of at most this many values is cut at every one of them."""
MOST_WORK = 5_000_000_000
"""Wider or costlier tables (tests^3 · records / 384 word operations) get fewer cuts."""
DIRECT_TABLE = 1 << 16
"""Columns with at most this many cells are coded by a look-up table instead of a search."""
STRETCHES = 12
"""Bits by which the cells of a larger column are looked up; equally spaced cuts of a grid begin such a stretch."""
FEW = 1 << 8
"""Records up to which searching takes no longer than looking up."""


@dataclass(frozen=True)
class Test:
    """`column >= cell` or `column == cell`, in cells."""

    __test__ = False  # the name is not an invitation to pytest

    column: str
    cell: int
    kind: Kind

    def holds(self, cells: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Whether each record passes the test."""
        values = cells[self.column]
        answers = values >= self.cell if self.kind == "at least" else values == self.cell
        return np.asarray(answers, dtype=bool)

    def describe(self, schema: Schema, *, positive: bool = True) -> str:
        """In the column's own units; the opposite when not `positive`."""
        column = schema.column(self.column)
        if isinstance(column, Boolean):
            value = self.cell == 1  # what the column is where the test holds, of either kind
            return f"{column.called} is {column.show(int(value == positive))}"
        if self.kind == "at least" and isinstance(column, Numeric):
            sign, value_text = edge(column, self.cell, (">=", ">") if positive else ("<", "<="))
            return f"{column.called} {sign} {column.with_unit(value_text)}"
        signs = (">=", "<") if self.kind == "at least" else ("is", "is not")
        return f"{column.called} {signs[0 if positive else 1]} {column.with_unit(column.show(self.cell))}"

    def cells(self, column: Column) -> CellSet:
        """Where it holds."""
        last = column.size - 1 if self.kind == "at least" else self.cell
        return CellSet.of(self.column, column.size, [(self.cell, last)])

    def to_sql(self, schema: Schema, *, positive: bool = True) -> str:
        """The test, or its negation, as an SQL condition on the raw column."""
        column = schema.column(self.column)
        holds = self.cells(column)
        return (holds if positive else holds.complement()).sql(column)

    def to_json(self) -> dict[str, object]:
        """The test as JSON."""
        return {"column": self.column, "cell": str(self.cell), "kind": self.kind}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Test:
        """What `to_json` wrote, read back; refused if a field is missing, strange or out of range."""
        record(tree, "column", "cell", "kind")
        kind = text(tree["kind"])
        require(kind in ("at least", "equals"), "a test asks for 'at least' or 'equals'")
        cell = written_whole(tree["cell"])
        return cls(text(tree["column"]), cell, "equals" if kind == "equals" else "at least")

    def misfit(self, schema: Schema) -> str | None:
        """Why it is no test on a column of this schema; None if it is one."""
        order = None if self.kind == "equals" else order_misfit(schema, [self.column])
        return order or cells_misfit(schema, self.column, [self.cell])


Facts = tuple[tuple[Test, bool], ...]
"""Tests whose answers are known."""


def implied(test: Test, facts: Facts) -> bool | None:
    """The answer to a test where the facts hold, if it follows from one of them."""
    for fact, holds in facts:
        if fact.column != test.column or fact.kind != test.kind:
            continue
        if test.kind == "equals" and (holds or fact == test):
            return holds and fact == test
        if test.kind == "at least" and (test.cell <= fact.cell if holds else test.cell >= fact.cell):
            return holds
    return None


@dataclass(frozen=True)
class Group:
    """The tests of one column: cells in ascending order, nested (`at least`) or disjoint (`equals`)."""

    column: str
    cells: tuple[int, ...]
    nested: bool

    def codes(self, values: NDArray[Any], *, size: int, dtype: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        """Nested: how many tests hold. Disjoint: one plus the number of the test that holds, or 0."""
        if self.nested and len(self.cells) == 1:
            return np.asarray(values >= self.cells[0], dtype=bool).astype(dtype)
        if size <= DIRECT_TABLE:
            return _table(self.cells, self.nested, size, np.dtype(dtype))[values.astype(np.intp)]
        if self.nested:
            return self._steps(values, size, dtype)
        codes = np.zeros(len(values), dtype=dtype)
        for j, cell in enumerate(self.cells):
            codes[np.asarray(values == cell, dtype=bool)] = j + 1
        return codes

    def _steps(self, values: NDArray[Any], size: int, dtype: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
        """How many cuts lie at or below each value: looked up by its first bits, and searched where
        these do not tell."""
        cuts = np.array(self.cells, dtype=values.dtype)
        if size > 2**64 or len(values) <= FEW:
            return np.searchsorted(cuts, values, side="right").astype(dtype)
        shift = (size - 1).bit_length() - STRETCHES
        codes, doubts = _stretches(self.cells, shift, np.dtype(dtype))
        stretch = (values >> values.dtype.type(shift)).astype(np.intp)
        steps: NDArray[Any] = codes[stretch]
        if doubts.any():
            unsure = np.flatnonzero(doubts[stretch])
            steps[unsure] = np.searchsorted(cuts, values[unsure], side="right")
        return steps


@hashed_once  # it goes over all cuts, and is asked for with every part of the records
@dataclass(frozen=True)
class Coding:
    """From the cells of a column to codes, as `Group.codes` says: what an engine may keep between stages."""

    group: Group
    size: int
    dtype: type[np.unsignedinteger[Any]]

    def __call__(self, cells: NDArray[Any], /) -> NDArray[Any]:
        return self.group.codes(cells, size=self.size, dtype=self.dtype)


@lru_cache(maxsize=256)
def _table(cells: tuple[int, ...], nested: bool, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The code of every cell of a small column."""
    if nested:
        return np.searchsorted(np.array(cells), np.arange(size), side="right").astype(dtype)
    table = np.zeros(size, dtype=dtype)
    table[list(cells)] = np.arange(1, len(cells) + 1)
    return table


@lru_cache(maxsize=256)
def _stretches(
    cells: tuple[int, ...], shift: int, dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The code of the first cell of every stretch of 2^shift cells, and whether a later cell has another one."""
    starts = [number << shift for number in range((1 << STRETCHES) + 1)]
    first = np.array([bisect_right(cells, start) for start in starts[:-1]], dtype=dtype)
    last = np.array([bisect_left(cells, end) for end in starts[1:]], dtype=dtype)
    return first, first != last


@hashed_once  # plans look hundreds of sets of tests up, each for many numbers of records
@dataclass(frozen=True)
class Binarisation:
    """Tests grouped by column, in ascending order of cells within each."""

    schema: Schema
    tests: tuple[Test, ...]

    def __post_init__(self) -> None:
        if not self.tests:
            raise ParameterError(
                "Binarisation",
                "tests",
                (),
                allowed="at least one test",
                remedy="Use a column of two values.",
            )
        times = Counter(group.column for group in self.groups)
        for group in self.groups:
            column = self.schema.column(group.column)
            inside = range(1 if group.nested else 0, column.size)
            sorted_once = all(a < b for a, b in zip(group.cells, group.cells[1:], strict=False))
            fits = all(cell in inside for cell in group.cells) and (column.ordered or not group.nested)
            if times[group.column] > 1 or not sorted_once or not fits:
                raise ParameterError(
                    "Binarisation",
                    f"tests of column {group.column!r}",
                    group.cells,
                    allowed="tests of one kind, side by side, with ascending cells of the column",
                    remedy="Make them with Binarisation.of(schema).",
                )

    @classmethod
    def of(
        cls, schema: Schema, *, cuts: int = CUTS, cut_values: Mapping[str, Sequence[object]] | None = None
    ) -> Binarisation:
        """Equally spaced cuts, one test per category; `cut_values` replaces those of some columns."""
        whole_positive(cuts, owner="Binarisation", name="cuts")
        values = cut_values or {}
        for name in values:
            schema.column(name)
        tests: list[Test] = []
        for column in schema.columns:
            kind: Kind = "at least" if column.ordered else "equals"
            cells = (
                _given_cells(column, values[column.name]) if column.name in values else _cells(column, cuts)
            )
            tests += [Test(column.name, cell, kind) for cell in cells]
        return cls(schema, tuple(tests))

    @classmethod
    def default(cls, schema: Schema, *, n: int) -> Binarisation:
        """31 cuts per column, or 15 where the table is too wide or too long; n is public."""
        full = cls.of(schema)
        p = len(full.tests)
        if p > MOST_TESTS or p**3 * n > 384 * MOST_WORK:
            return cls.of(schema, cuts=FEWER_CUTS)
        return full

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested."""
        return tuple(group.column for group in self.groups)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The tests by column, in order."""
        runs = groupby(self.tests, key=lambda test: (test.column, test.kind))
        return tuple(
            Group(name, tuple(test.cell for test in run), kind == "at least") for (name, kind), run in runs
        )

    @cached_property
    def code_type(self) -> type[np.unsignedinteger[Any]]:
        """The smallest type that holds the number of a test within its group."""
        most = max(len(group.cells) for group in self.groups)
        return np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32

    @cached_property
    def _codings(self) -> tuple[Coding, ...]:
        return tuple(
            Coding(group, self.schema.column(group.column).size, self.code_type) for group in self.groups
        )

    def codes(self, block: Block, *, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """One row per column: the code of each record from `start` to `stop` (see `Group.codes`)."""
        stop = block.n if stop is None else stop
        codes = np.empty((len(self.groups), stop - start), dtype=self.code_type)
        for row, coding in zip(codes, self._codings, strict=True):
            row[:] = block.derive(coding.group.column, coding, start=start, stop=stop)
        return codes

    def pack(self, codes: NDArray[Any]) -> NDArray[np.uint64]:
        """One row of bits per test: bit i % 64 of word i // 64 says whether it holds for record i."""
        n = codes.shape[1]
        words = (n + 63) // 64
        rows = np.zeros((len(self.tests), 8 * words), dtype=np.uint8)
        first = 0
        for row, group in zip(codes, self.groups, strict=True):
            last = first + len(group.cells)
            numbers = np.arange(1, len(group.cells) + 1, dtype=codes.dtype)[:, None]
            passes = row >= numbers if group.nested else row == numbers
            rows[first:last, : (n + 7) // 8] = np.packbits(passes, axis=1, bitorder="little")
            first = last
        return rows.view("<u8").astype(np.uint64, copy=False)

    def bits(self, block: Block) -> NDArray[np.uint64]:
        """The tests of a block as bit rows, records in their own order."""
        return self.pack(self.codes(block))


def _cells(column: Column, cuts: int) -> list[int]:
    """Cells tested by default; a column with one cell has nothing to test."""
    if column.size < 2:
        return []
    if not column.ordered:
        return [1] if column.size == 2 else list(range(column.size))
    first, last, steps = cut_span(column)
    if last - first < SHORT_RANGE:
        return list(range(first + 1, last + 1))
    # Where there are more cuts than cells, the last fractions round up to the upper bound, which no cell exceeds.
    places = (first + -(-i * steps // (cuts + 1)) for i in range(1, cuts + 1))
    return sorted({cell for cell in places if cell <= last})


def cut_span(column: Column) -> tuple[int, int, int]:
    """Where an ordered column is cut: its first and its last cell there, and how many steps lie between.

    Of integers as many steps as cells lie above the first one; of a grid of reals each cell is a step.
    """
    if not isinstance(column, Numeric):
        return 0, column.size - 1, column.size - 1
    first, last = column.cut_cells
    return first, last, last - first + (0 if column.integer else 1)


def _given_cells(column: Column, values: Sequence[object]) -> list[int]:
    """Cells of cut points or categories a person gave; they must be public."""
    cells = {_given_cell(column, value) for value in values}
    if column.ordered and 0 in cells:
        raise ParameterError(
            "Binarisation",
            f"given[{column.name!r}]",
            tuple(values),
            allowed="cut points above the column's lower bound, because every record is at least that",
        )
    return sorted(cells)


def _given_cell(column: Column, value: object) -> int:
    if not isinstance(column, Numeric):
        return column.cell(value)
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, np.integer, np.floating)):
        raise ParameterError("Binarisation", f"given[{column.name!r}]", value, allowed="numbers")
    if not column.lower <= value <= column.upper:
        raise ParameterError(
            "Binarisation",
            f"given[{column.name!r}]",
            value,
            allowed=f"between the column's bounds {column.lower} and {column.upper}",
        )
    # x >= 3.5 means x >= 4 for integers; encoding would round down.
    return column.cell(math.ceil(value)) if column.integer else column.cell(float(value))
