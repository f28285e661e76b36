"""Points: class 1 on exactly one value of a column (POINT_d of Beimel et al. 2013).

A seen value x errs on its class-0 records and on everyone else's class-1 records; every unseen value errs on all
class-1 records. There are size - (distinct seen values) unseen ones. The paper prints 2^d - m with m the number of
records: with repeated values that is a different law with unbounded loss (register `points-outside-count`), and the
mutant suite plants exactly that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import (
    Cells,
    Costs,
    CountedByScore,
    DrawnByScore,
    Hypothesis,
    OneColumn,
    OverColumn,
    Stored,
)
from privpac.concepts.fitting import cells_misfit, two_classes_misfit
from privpac.concepts.labellings.base import AnyPoints, reduce_all
from privpac.concepts.labellings.points import PointDichotomies
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.questions import Questions, ask
from privpac.concepts.shapes import Strip, strip
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.fields import record, text, written_whole
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs
from privpac.mechanisms.sparse_noise import nth_absent

__all__ = ["Point", "Points"]


@dataclass(frozen=True)
class Point(OneColumn):
    """Class 1 where the column has one value."""

    kind: ClassVar[str] = "point"
    column: str
    cell: int

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return np.asarray(cells[self.column] == self.cell).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        column = schema.column(self.column)
        return f"{one} if {column.called} is {column.with_unit(column.show(self.cell))}, else {zero}"

    def to_sql(self, schema: Schema) -> str:
        column = schema.column(self.column)
        here = CellSet.of(self.column, column.size, [(self.cell, self.cell)])
        return f"CASE WHEN {here.sql(column)} THEN 1 ELSE 0 END" if column.size > 1 else "1"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column, "cell": str(self.cell)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Point:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "cell")
        return cls(text(tree["column"]), written_whole(tree["cell"]))

    def misfit(self, schema: Schema) -> str | None:
        return two_classes_misfit(schema) or cells_misfit(schema, self.column, [self.cell])

    def edges(self) -> Iterable[int]:
        return (self.cell, self.cell + 1)

    def questions(self, schema: Schema) -> Questions:
        return ask(Test(self.column, self.cell, "equals"), True, 1, 0, schema)

    def shape(self, schema: Schema) -> Strip:
        size = schema.column(self.column).size
        return strip(self.column, size, [(self.cell, self.cell + 1)], 1, marked=(self.cell,))


@dataclass(frozen=True)
class Points(AnyPoints, CountedByScore, DrawnByScore, OverColumn, Stored):
    """All points of one `column` of a `schema`; any number of cells, 128-bit keys included."""

    schema: Schema
    column: str
    differences_vc: ClassVar[int] = 2
    """Pairs of points."""

    def __post_init__(self) -> None:
        self.schema.column(self.column)  # refuses a name that no column has

    @property
    def word(self) -> str:
        return f"points:{self.column}"

    @property
    def size(self) -> int:
        return self.schema.column(self.column).size

    @property
    def vc(self) -> int:
        return 1

    def dichotomies(self, *points: Sample) -> PointDichotomies:
        """Its labellings of the distinct points of these records."""
        column = self.schema.column(self.column)
        distinct = reduce_all(CellCounts(column, classes=1), points).values
        elsewhere = nth_absent(distinct, 0) if self.size > len(distinct) else None
        return PointDichotomies(column, distinct, elsewhere, lambda cell: Point(self.column, cell))

    def scores(self, evidence: ColumnCounts, *, costs: Costs) -> NamedScores[Hypothesis]:
        count = len(evidence.values)
        counts = np.asarray(evidence.counts, dtype=np.int64)
        positives = int(counts[:, 1].sum()) * costs[1]
        rows = []
        if count:
            scores = positives - counts[:, 1] * costs[1] + counts[:, 0] * costs[0]
            rows.append(Row.of(0, np.arange(count - 1, dtype=np.uint64), scores, count - 1))
        unseen = self.size - count
        if unseen:
            empty = np.array([], dtype=np.uint64)
            rows.append(Row.of(0, empty, np.array([positives], dtype=np.int64), unseen - 1))

        def name(place: Place) -> Hypothesis:
            row, index = place
            if count and row == 0:
                return Point(self.column, int(evidence.values[index]))
            return Point(self.column, nth_absent(evidence.values, index))

        return NamedScores(Runs(rows), name)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Point) or hypothesis.column != self.column:
            return False
        return 0 <= hypothesis.cell < self.size
