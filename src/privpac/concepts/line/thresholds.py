"""Thresholds on one ordered column: class 1 from a cut upwards, below a cut, or either.

Members are cuts t = 0..size; `up` predicts class 1 where cell >= t, `down` where cell < t (INTERVAL_d of Beimel et
al. 2013, Definition 5.1). `either` holds both, each function once. The score changes only where a record lies, so
n records make at most n + 1 runs of equal score, whatever the size of the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.base import (
    Cells,
    Costs,
    CountedByScore,
    DrawnByScore,
    Hypothesis,
    MadeOfCuts,
    Move,
    OneColumn,
    OverColumn,
    Stored,
)
from privpac.concepts.chains import Chains
from privpac.concepts.fitting import edges_misfit, order_misfit, two_classes_misfit
from privpac.concepts.labellings.base import AnyPoints, reduce_all
from privpac.concepts.labellings.cuts import CutDichotomies
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.questions import Questions, ask
from privpac.concepts.shapes import Strip, strip
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError
from privpac.fields import flag, record, text, written_whole
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs

__all__ = ["Threshold", "Thresholds", "cut_rows"]

Direction = Literal["up", "down", "either"]


@dataclass(frozen=True)
class Threshold(OneColumn):
    """Class 1 where cell >= cut (`up`) or cell < cut (not `up`)."""

    kind: ClassVar[str] = "threshold"
    column: str
    cut: int
    up: bool

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        values = cells[self.column]
        # The cut may lie one beyond the largest cell and not fit the array's type: then nothing reaches it.
        if values.dtype != object and not 0 <= self.cut <= np.iinfo(values.dtype).max:
            above = np.full(len(values), self.cut < 0)
        else:
            above = np.asarray(values >= self.cut, dtype=bool)
        labels: NDArray[np.uint8] = (above == self.up).astype(np.uint8)
        return labels

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        constant = self._constant(schema)
        if constant is not None:
            return f"always {schema.class_names[constant]}"
        test = Test(self.column, self.cut, "at least").describe(schema, positive=self.up)
        return f"{one} if {test}, else {zero}"

    def _constant(self, schema: Schema) -> int | None:
        if self.cut <= 0:
            return int(self.up)
        if self.cut >= schema.column(self.column).size:
            return int(not self.up)
        return None

    def to_sql(self, schema: Schema) -> str:
        constant = self._constant(schema)
        if constant is not None:
            return str(constant)
        column = schema.column(self.column)
        span = (self.cut, column.size - 1) if self.up else (0, self.cut - 1)
        return f"CASE WHEN {CellSet.of(self.column, column.size, [span]).sql(column)} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column, "cut": str(self.cut), "up": self.up}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Threshold:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "cut", "up")
        return cls(text(tree["column"]), written_whole(tree["cut"]), flag(tree["up"]))

    def misfit(self, schema: Schema) -> str | None:
        order = two_classes_misfit(schema) or order_misfit(schema, self.columns)
        return order or edges_misfit(schema, self.column, [self.cut])

    def edges(self) -> Iterable[int]:
        return (self.cut,)

    def recut(self, move: Move) -> Threshold:
        return replace(self, cut=move(self.column, self.cut))

    def questions(self, schema: Schema) -> Questions:
        return ask(Test(self.column, self.cut, "at least"), True, int(self.up), int(not self.up), schema)

    def shape(self, schema: Schema) -> Strip:
        size = schema.column(self.column).size
        return strip(self.column, size, [(min(max(self.cut, 0), size), size)], int(self.up))


@dataclass(frozen=True)
class Thresholds(AnyPoints, CountedByScore, DrawnByScore, OverColumn, MadeOfCuts, Stored):
    """All thresholds on one ordered `column` of a `schema`: class 1 from the cut "up", "down" from it, or "either" way
    (`direction`)."""

    schema: Schema
    column: str
    direction: Direction = "up"
    ends: ClassVar[int] = 1

    @property
    def differences_vc(self) -> int:
        """Intervals; with either direction also complements: three points have eight labellings, four have not 16."""
        return 3 if self.direction == "either" else 2

    def __post_init__(self) -> None:
        if self.direction not in ("up", "down", "either"):
            raise ParameterError(
                "Thresholds", "direction", self.direction, allowed="'up', 'down' or 'either'"
            )
        if not self.schema.column(self.column).ordered:
            raise ParameterError(
                "Thresholds",
                "column",
                self.column,
                allowed="a column with an order (numeric, date or boolean)",
                remedy="Categories have no order; use concepts='stumps' to test for one of them.",
            )

    @property
    def word(self) -> str:
        suffix = "" if self.direction == "up" else f":{self.direction}"
        return f"thresholds:{self.column}{suffix}"

    @property
    def size(self) -> int:
        cells = self.schema.column(self.column).size
        return 2 * cells if self.direction == "either" else cells + 1

    @property
    def vc(self) -> int:
        return 2 if self.direction == "either" else 1

    def chains(self, groups: int) -> Chains:
        """Two, whatever the groups: the cut moves up, or down. Cuts both ways go on beyond the end, so that the two
        meet the same records."""
        return Chains(2, apart=self.direction != "either")

    @property
    def _upward(self) -> tuple[bool, ...]:
        return {"up": (True,), "down": (False,), "either": (True, False)}[self.direction]

    def dichotomies(self, *points: Sample) -> CutDichotomies:
        """Its labellings of the distinct points of these records."""
        column = self.schema.column(self.column)
        distinct = reduce_all(CellCounts(column, classes=1), points).values
        return CutDichotomies(column, distinct, self._upward, lambda cut, up: Threshold(self.column, cut, up))

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Threshold) or hypothesis.column != self.column:
            return False
        size, once = self.schema.column(self.column).size, self.direction == "either" and not hypothesis.up
        first, last = (1, size - 1) if once else (0, size)  # both constants are drawn as upward cuts
        return hypothesis.up in self._upward and first <= hypothesis.cut <= last

    def scores(self, evidence: ColumnCounts, *, costs: Costs) -> NamedScores[Hypothesis]:
        size = self.schema.column(self.column).size
        upward = self._upward
        rows = cut_rows(evidence, size, costs, upward, distinct=self.direction == "either")

        def name(place: Place) -> Threshold:
            row, cut = place
            return Threshold(self.column, cut, upward[row])

        return NamedScores(Runs(rows), name)


def cut_rows(
    evidence: ColumnCounts, size: int, costs: Costs, upward: Sequence[bool], *, distinct: bool
) -> list[Row]:
    """A row of cuts for each direction asked for; with `distinct` the downward one leaves out the two constants."""
    scores = _upward_scores(evidence.counts, costs[0], costs[1])
    rows = []
    for up in upward:
        if up:
            rows.append(Row.of(0, evidence.values, scores, size, evidence.words))
        else:  # a downward cut errs exactly where the upward one does not
            total = int(scores[0]) + int(scores[-1])
            first, last = (1, size - 1) if distinct else (0, size)
            rows.append(Row.of(first, evidence.values, total - scores, last, evidence.words))
    return rows


@compiled
def _upward_scores(counts: NDArray[np.int64], cost0: int, cost1: int) -> NDArray[np.int64]:
    """Price of the mistakes of an upward cut in each gap: all of class 0 at first, then one value less at a time."""
    k = len(counts)
    scores = np.empty(k + 1, np.int64)
    running = np.int64(0)
    for i in range(k):
        running += np.int64(counts[i, 0]) * cost0
    scores[0] = running
    for i in range(k):
        running += np.int64(counts[i, 1]) * cost1 - np.int64(counts[i, 0]) * cost0
        scores[i + 1] = running
    return scores
