"""Intervals of one ordered column: one class inside, the other outside.

Every set of cells low <= cell < high is a member once, the empty set included: size·(size + 1)/2 + 1 of them.
These are the unions of at most one interval, with their own name and text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from privpac.concepts.base import Costs, Hypothesis, MadeOfCuts, Move, OverColumn, Stored
from privpac.concepts.labellings.base import BySums, reduce_all
from privpac.concepts.labellings.intervals import FEW_RECORDS, FewIntervals, IntervalDichotomies, require_runs
from privpac.concepts.line.union_law import Range, UnionGibbs
from privpac.concepts.line.unions import InRanges, Unions, check_ordered
from privpac.data.sample import Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.fields import record, require, text, whole, written_whole

__all__ = ["Interval", "Intervals"]


@dataclass(frozen=True)
class Interval(InRanges):
    """Class `inside` where low <= cell < high, the other class elsewhere; low = high = 0: nowhere inside."""

    kind: ClassVar[str] = "interval"
    column: str
    low: int
    high: int
    inside: int = 1

    @property
    def intervals(self) -> tuple[Range, ...]:
        return ((self.low, self.high),) if self.low < self.high else ()

    def to_json(self) -> dict[str, object]:
        ends = {"low": str(self.low), "high": str(self.high)}
        return {"kind": self.kind, "column": self.column, **ends, "inside": self.inside}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Interval:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "low", "high", "inside")
        low, high = written_whole(tree["low"]), written_whole(tree["high"])
        require(0 <= low < high or low == high == 0, "an interval has 0 <= low < high, or low = high = 0")
        return cls(text(tree["column"]), low, high, whole(tree["inside"], least=0, most=1))

    def recut(self, move: Move) -> Interval:
        return replace(self, low=move(self.column, self.low), high=move(self.column, self.high))


@dataclass(frozen=True)
class Intervals(BySums, OverColumn, MadeOfCuts, Stored):
    """All intervals of one ordered `column` of a `schema`; records in the interval get class number `inside`."""

    schema: Schema
    column: str
    inside: int = 1
    ends: ClassVar[int] = 2
    differences_vc: ClassVar[int] = 4
    """Unions of two intervals."""

    def __post_init__(self) -> None:
        check_ordered("Intervals", self.schema, (self.column,), self.inside)

    @property
    def _unions(self) -> Unions:
        return Unions(self.schema, self.column, 1, self.inside)

    @property
    def word(self) -> str:
        return f"intervals:{self.column}"

    @property
    def size(self) -> int:
        return self._unions.size

    @property
    def vc(self) -> int:
        return self._unions.vc

    def require_relabelled(self, records: int, *, voters: int) -> None:
        require_runs(self.schema.column(self.column), records)

    def dichotomies(self, *points: Sample) -> IntervalDichotomies:
        """Its labellings of the distinct points of these records."""
        column = self.schema.column(self.column)
        distinct = reduce_all(CellCounts(column, classes=1), points).values
        few = sum(sample.size.total for sample in points) <= FEW_RECORDS
        kind = FewIntervals if few else IntervalDichotomies
        return kind(column, distinct, 2, self.inside, self._interval)

    def _interval(self, ranges: tuple[Range, ...]) -> Interval:
        low, high = ranges[0] if ranges else (0, 0)
        return Interval(self.column, low, high, self.inside)

    def contains(self, hypothesis: Hypothesis) -> bool:
        if not isinstance(hypothesis, Interval):
            return False
        ends = hypothesis.low, hypothesis.high
        return (ends[0] < ends[1] or ends == (0, 0)) and self._unions._has_ranges(hypothesis)

    def gibbs(self, evidence: ColumnCounts, *, ratio: Fraction, costs: Costs) -> UnionGibbs[Hypothesis]:
        return self._unions.law(evidence, ratio=ratio, costs=costs, name=self._interval)
