"""Unions of at most k intervals of one ordered column: one class inside, the other outside. Intervals are k = 1.

Every subset of the column's cells that can be written with at most k intervals is a member once, the empty set
included, whatever the number of cells (2^64 and more). `union_law` draws one, `union_labellings` labels points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, Costs, Hypothesis, MadeOfCuts, Move, OneColumn, OverColumn, Stored
from privpac.concepts.chains import Chains
from privpac.concepts.fitting import edges_misfit, labels_misfit, order_misfit, two_classes_misfit
from privpac.concepts.labellings.base import BySums, reduce_all
from privpac.concepts.line.union_labellings import RunLabellings, UnionLabellings, require_runs
from privpac.concepts.line.union_law import Range, UnionLaw, Walk
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.questions import Questions, ask_ranges
from privpac.concepts.shapes import Strip, strip
from privpac.data.column import Column
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError, SizeError
from privpac.fields import as_list, record, require, text, whole, written_whole

__all__ = [
    "Union",
    "Unions",
    "check_costs",
    "check_ordered",
    "interval",
    "intervals",
    "range_sql",
    "range_text",
]

MOST_SIZE_BITS = 14_000
"""Of the number of unions: some 4,200 decimal digits, as many as Python writes."""

_LARGEST_PRICE = 2**60
"""Total price of all records that sums of 64-bit integers can hold with room to spare."""


def range_text(column: Column, bounds: Range) -> str:
    """A range of cells in the column's own units; a bound that excludes nothing is left out."""
    low, high = bounds
    if low > 0 and high < column.size:
        return f"{column.show(low)} <= {column.called} < {column.with_unit(column.show(high))}"
    sign, end = (">=", low) if low > 0 else ("<", high)
    return f"{column.called} {sign} {column.with_unit(column.show(end))}"


def range_sql(column: Column, bounds: Range) -> str:
    """A range of cells as an SQL condition on the raw column; values beyond its bounds count as the bound."""
    low, high = bounds
    return CellSet.of(column.name, column.size, [(low, high - 1)]).sql(column)


@dataclass(frozen=True)
class Union(OneColumn):
    """Class `inside` where the cell lies in one of the ranges, ascending and apart; the other class elsewhere."""

    kind: ClassVar[str] = "union"
    column: str
    intervals: tuple[Range, ...]
    inside: int = 1

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        values = cells[self.column]
        within = np.zeros(len(values), dtype=bool)
        for low, high in self.intervals:
            # With high - 1 both ends are cells, so they fit the array's type.
            within |= np.asarray((values >= low) & (values <= high - 1), dtype=bool)
        return np.where(within, self.inside, 1 - self.inside).astype(np.uint8)

    def _constant(self, schema: Schema) -> int | None:
        if not self.intervals:
            return 1 - self.inside
        return self.inside if self.intervals == ((0, schema.column(self.column).size),) else None

    def describe(self, schema: Schema) -> str:
        constant = self._constant(schema)
        if constant is not None:
            return f"always {schema.class_names[constant]}"
        column = schema.column(self.column)
        ranges = " or ".join(range_text(column, bounds) for bounds in self.intervals)
        return f"{schema.class_names[self.inside]} if {ranges}, else {schema.class_names[1 - self.inside]}"

    def to_sql(self, schema: Schema) -> str:
        constant = self._constant(schema)
        if constant is not None:
            return str(constant)
        column = schema.column(self.column)
        spans = [(low, high - 1) for low, high in self.intervals]
        ranges = CellSet.of(self.column, column.size, spans).sql(column)
        return f"CASE WHEN {ranges} THEN {self.inside} ELSE {1 - self.inside} END"

    @property
    def is_ascending(self) -> bool:
        """Whether every set of cells is written in its one way."""
        ends = self.edges()
        return all(end >= 0 for end in ends) and all(a < b for a, b in pairwise(ends))

    def misfit(self, schema: Schema) -> str | None:
        order = two_classes_misfit(schema) or order_misfit(schema, self.columns)
        inside = labels_misfit(schema, [self.inside])
        return order or inside or edges_misfit(schema, self.column, self.edges())

    def edges(self) -> list[int]:
        return [end for bounds in self.intervals for end in bounds]

    def questions(self, schema: Schema) -> Questions:
        return ask_ranges(self.column, self.intervals, self.inside, schema)

    def shape(self, schema: Schema) -> Strip:
        return strip(self.column, schema.column(self.column).size, self.intervals, self.inside)

    def to_json(self) -> dict[str, object]:
        intervals = [[str(low), str(high)] for low, high in self.intervals]
        return {"kind": self.kind, "column": self.column, "intervals": intervals, "inside": self.inside}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Union:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "intervals", "inside")
        pairs = [as_list(bounds) for bounds in as_list(tree["intervals"])]
        require(all(len(bounds) == 2 for bounds in pairs), "an interval has two ends")
        union = cls(
            text(tree["column"]),
            tuple((written_whole(low), written_whole(high)) for low, high in pairs),
            whole(tree["inside"], least=0, most=1),
        )
        require(union.is_ascending, "the intervals of a union must be ascending, apart and not empty")
        return union

    def recut(self, move: Move) -> Union:
        ranges = ((move(self.column, low), move(self.column, high)) for low, high in self.intervals)
        return replace(self, intervals=tuple(ranges))


def interval(column: str, low: int, high: int, inside: int = 1) -> Union:
    """Class `inside` where low <= cell < high; nowhere if there is no such cell."""
    return Union(column, ((low, high),) if low < high else (), inside)


@dataclass(frozen=True)
class Unions(BySums, OverColumn, MadeOfCuts, Stored):
    """All unions of at most `intervals` intervals of one ordered `column` of a `schema`; records in one of them get
    class number `inside`."""

    schema: Schema
    column: str
    intervals: int = 2
    inside: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.intervals, bool) or not isinstance(self.intervals, int) or self.intervals < 1:
            raise ParameterError("Unions", "intervals", self.intervals, allowed="an integer from 1 up")
        check_ordered("Unions", self.schema, (self.column,), self.inside)
        self._refuse_unwritable()

    @property
    def ends(self) -> int:
        return 2 * self.intervals

    def chains(self, groups: int) -> Chains:
        """One interval is known but for its upper end, which moves up, down, and to the left of the best interval."""
        if self.intervals > 1:
            return super().chains(groups)
        grouped = Chains.by_ends([self._cells], 1, groups)
        return grouped._replace(number=3 * grouped.number + 1)

    @property
    def differences_vc(self) -> int:
        """Unions of twice as many intervals."""
        return 4 * self.intervals

    def _refuse_unwritable(self) -> None:
        """Before anything of the size of the class is computed: certificates hold that number in decimal digits."""
        bits = self._cells.bit_length()
        most = MOST_SIZE_BITS // bits // 2
        if self._changes * bits <= MOST_SIZE_BITS:
            return
        if most == 0:
            raise SizeError(
                f"Unions: column '{self.column}' has too many cells for the number of its unions to be written.",
                remedy="Declare narrower bounds.",
            )
        raise ParameterError(
            "Unions",
            "intervals",
            self.intervals,
            allowed=f"at most {most} for a column of {bits} bits, so that the number of unions can be written",
        )

    @property
    def word(self) -> str:
        return f"intervals:{self.column}" if self.intervals == 1 else f"unions:{self.column}:{self.intervals}"

    @property
    def _cells(self) -> int:
        return self.schema.column(self.column).size

    @property
    def _changes(self) -> int:
        """Changes of side from left to right: two an interval, and no more than there are cells."""
        return min(2 * self.intervals, self._cells)

    @cached_property
    def size(self) -> int:
        return sum(math.comb(self._cells, changes) for changes in range(self._changes + 1))

    @property
    def vc(self) -> int:
        return self._changes

    @property
    def voted_as_members(self) -> bool:
        """The nearest run of points is found quickly; of several runs, members are voted on instead."""
        return self.intervals > 1

    members_from: ClassVar[None] = None

    def require_relabelled(self, records: int, *, voters: int) -> None:
        if self.intervals == 1:
            require_runs(self.schema.column(self.column), records)

    def dichotomies(self, *points: Sample) -> UnionLabellings:
        """Its labellings of the distinct points of these records."""
        column = self.schema.column(self.column)
        distinct = reduce_all(CellCounts(column, classes=1), points).values
        kind = RunLabellings if self.intervals == 1 else UnionLabellings
        return kind(column, distinct, 2 * self.intervals, self.inside, self._union)

    def _union(self, ranges: tuple[Range, ...]) -> Union:
        return Union(self.column, ranges, self.inside)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Union) or not hypothesis.is_ascending:
            return False
        ends = hypothesis.edges()
        same = (hypothesis.column, hypothesis.inside) == (self.column, self.inside)
        # An end at the last cell is no change of side.
        changes = len(ends) - bool(ends and ends[-1] == self._cells)
        return same and changes <= self._changes and all(end <= self._cells for end in ends)

    def gibbs(self, evidence: ColumnCounts, *, ratio: Fraction, costs: Costs) -> UnionLaw[Hypothesis]:
        prices = check_costs("Unions", costs, evidence.n)
        walk = Walk(evidence.values, evidence.counts, self._cells, prices, self.inside)
        return UnionLaw(walk, self._changes + 1, ratio, self.size, self._union)


def intervals(schema: Schema, column: str, inside: int = 1) -> Unions:
    """All intervals of one ordered `column`: unions of at most one."""
    return Unions(schema, column, 1, inside)


def check_ordered(owner: str, schema: Schema, columns: tuple[str, ...], inside: int) -> None:
    """Refuse columns without an order, and an `inside` that is not a class number."""
    for column in columns:
        if not schema.column(column).ordered:
            raise ParameterError(
                owner,
                "column",
                column,
                allowed="a column with an order (numeric, date or boolean)",
                remedy="Categories have no order; use concepts='stumps' to test for one of them.",
            )
    if isinstance(inside, bool) or inside not in (0, 1):
        raise ParameterError(owner, "inside", inside, allowed="0 or 1")


def check_costs(owner: str, costs: Costs, records: int) -> tuple[int, int]:
    """Two positive integers small enough for the price of all records to fit a 64-bit sum."""
    whole = all(isinstance(cost, int) and not isinstance(cost, bool) and cost > 0 for cost in costs)
    if len(costs) != 2 or not whole:
        raise ParameterError(owner, "costs", costs, allowed="two positive integers, one per class")
    if max(costs) * max(records, 1) > _LARGEST_PRICE:
        raise ParameterError(owner, "costs", costs, allowed="at most 2^60 divided by the number of records")
    return costs[0], costs[1]
