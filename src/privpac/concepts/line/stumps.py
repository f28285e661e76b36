"""Stumps: one test on one column, in both directions, and the two constants.

Ordered columns are cut at any cell, categorical ones tested for any category. The public prior shares the weight
evenly among the columns and the constants (or as `shares` says) and evenly within each: a column with 2^32 cells
does not drown one with two categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import (
    AnyNumber,
    Cells,
    Costs,
    CountedByScore,
    Hypothesis,
    MadeOfCuts,
    MixtureGibbs,
    Move,
    OneColumn,
    RuleBase,
    Stored,
)
from privpac.concepts.chains import Chains
from privpac.concepts.fitting import cells_misfit, labels_misfit, two_classes_misfit
from privpac.concepts.labellings.base import BySums
from privpac.concepts.labellings.stumps import Names, StumpDichotomies, require_stumps, stump_dichotomies
from privpac.concepts.line.thresholds import Threshold, cut_rows
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.cell_sets import CellSet
from privpac.concepts.literals.questions import Questions, ask
from privpac.concepts.shapes import Everywhere, Strip, strip
from privpac.data.columns import Column
from privpac.data.sample import Block, Sample
from privpac.data.schema import Schema
from privpac.data.statistics import CellCounts, ColumnCounts
from privpac.errors import ParameterError
from privpac.fields import flag, record, text, whole
from privpac.mechanisms.scores import NamedScores, Place, Row, Runs, Scores

__all__ = ["Constant", "Match", "Stumps"]


@dataclass(frozen=True)
class Constant(RuleBase):
    """The same class for everyone."""

    kind: ClassVar[str] = "constant"
    label: int

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        count = len(next(iter(cells.values()))) if cells else 0
        return np.full(count, self.label, dtype=np.uint8)

    def describe(self, schema: Schema) -> str:
        return f"always {schema.class_names[self.label]}"

    def to_sql(self, schema: Schema) -> str:
        return str(self.label)

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "label": self.label}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Constant:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        return cls(whole(record(tree, "kind", "label")["label"]))

    def misfit(self, schema: Schema) -> str | None:
        return labels_misfit(schema, [self.label])

    def edges(self) -> Iterable[int]:
        return ()

    def recut(self, move: Move) -> Constant:
        return self

    def questions(self, schema: Schema) -> Questions:
        return self.label

    def shape(self, schema: Schema) -> Everywhere:
        return Everywhere(self.label)


@dataclass(frozen=True)
class Match(OneColumn):
    """Class 1 where a categorical column has one value (`equal`), or where it has any other."""

    kind: ClassVar[str] = "match"
    column: str
    category: int
    equal: bool

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        matches = np.asarray(cells[self.column] == self.category, dtype=bool)
        return np.asarray(matches == self.equal).astype(np.uint8)

    def describe(self, schema: Schema) -> str:
        zero, one = schema.class_names
        sign = "is" if self.equal else "is not"
        column = schema.column(self.column)
        return f"{one} if {column.called} {sign} {column.show(self.category)}, else {zero}"

    def to_sql(self, schema: Schema) -> str:
        column = schema.column(self.column)
        here = CellSet.of(self.column, column.size, [(self.category, self.category)])
        inside = here if self.equal else here.complement()
        return f"CASE WHEN {inside.sql(column)} THEN 1 ELSE 0 END"

    def to_json(self) -> dict[str, object]:
        return {"kind": self.kind, "column": self.column, "category": self.category, "equal": self.equal}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Match:
        """The rule that `to_json` wrote; refused if a field is missing, strange or out of range."""
        record(tree, "kind", "column", "category", "equal")
        return cls(text(tree["column"]), whole(tree["category"]), flag(tree["equal"]))

    def misfit(self, schema: Schema) -> str | None:
        if schema.column(self.column).ordered:
            return "it looks for a category where there are none"
        return two_classes_misfit(schema) or cells_misfit(schema, self.column, [self.category])

    def recut(self, move: Move) -> Match:
        return self

    def questions(self, schema: Schema) -> Questions:
        return ask(
            Test(self.column, self.category, "equals"), True, int(self.equal), int(not self.equal), schema
        )

    def shape(self, schema: Schema) -> Strip:
        size = schema.column(self.column).size
        return strip(self.column, size, [(self.category, self.category + 1)], int(self.equal))


Evidence = tuple[tuple[int, ...], dict[str, ColumnCounts]]
"""Records by class, and the cell counts of every column."""


@dataclass(frozen=True)
class ColumnByColumn:
    """The additive statistic of stumps: how many records of each class, and every column's cell counts."""

    counts: tuple[CellCounts, ...]
    classes: int

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(count.columns[0] for count in self.counts)

    def zero(self) -> Evidence:
        return (0,) * self.classes, {count.columns[0]: count.zero() for count in self.counts}

    def absorb(self, state: Evidence, block: Block) -> Evidence:
        totals = np.bincount(block.labels, minlength=self.classes) if block.labels is not None else [0, 0]
        return (
            tuple(int(a) + int(b) for a, b in zip(state[0], totals, strict=True)),
            {c.columns[0]: c.absorb(state[1][c.columns[0]], block) for c in self.counts},
        )

    @property
    def cell_counts(self) -> tuple[CellCounts, ...]:
        return self.counts

    def of_cell_counts(self, counts: Sequence[ColumnCounts]) -> Evidence:
        totals = counts[0].counts.sum(axis=0, dtype=np.int64)
        tallies = {c.columns[0]: tally for c, tally in zip(self.counts, counts, strict=True)}
        return tuple(int(total) for total in totals), tallies

    def merge(self, a: Evidence, b: Evidence) -> Evidence:
        return (
            tuple(x + y for x, y in zip(a[0], b[0], strict=True)),
            {c.columns[0]: c.merge(a[1][c.columns[0]], b[1][c.columns[0]]) for c in self.counts},
        )


@dataclass(frozen=True)
class Stumps(AnyNumber, BySums, CountedByScore, MadeOfCuts, Stored):
    """One test on any of the columns of a `schema`, or a constant; `shares` are public weights of the columns."""

    schema: Schema
    shares: Mapping[str, int] | None = None
    """Public weights of the columns; '' is the weight of the constants. All 1 when not given."""
    ends: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for name, share in (self.shares or {}).items():
            if name and all(column.name != name for column in self.schema.columns):
                raise ParameterError("Stumps", "shares", name, allowed="a mapping from column names")
            if not isinstance(share, int) or share < 1:
                raise ParameterError("Stumps", f"shares[{name!r}]", share, allowed="a positive integer")

    @property
    def word(self) -> str:
        return "stumps"

    @property
    def cut_columns(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.schema.columns if column.ordered)

    @cached_property
    def _columns(self) -> tuple[Column, ...]:
        return tuple(column for column in self.schema.columns if column.size > 1)

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return (2, *(_column_size(column) for column in self._columns))

    @cached_property
    def _shares(self) -> tuple[int, ...]:
        shares = self.shares or {}
        return tuple(shares.get(name, 1) for name in ("", *(column.name for column in self._columns)))

    @property
    def size(self) -> int:
        return sum(self._sizes)

    @property
    def odds(self) -> Fraction:
        total = sum(self._shares)
        parts = zip(self._shares, self._sizes, strict=True)
        return max(Fraction(total * size, share) for share, size in parts) - 1

    def chains(self, groups: int) -> Chains:
        """Cuts of one column and direction are known up to a group; tests for a category are counted one by one."""
        number, slack = 2, Fraction(0)
        for column in self._columns:
            cuts = Chains.by_ends([column.size], 1, groups)
            number += min(_column_size(column), 2 * cuts.number) if column.ordered else _column_size(column)
            slack = max(slack, cuts.slack) if column.ordered else slack
        return Chains(number, slack)

    @property
    def vc(self) -> int:
        """The largest m with 2^m at most 2·d·m + 2: on m points a column makes at most 2m dichotomies."""
        points = 1
        while 2 ** (points + 1) <= 2 * len(self._columns) * (points + 1) + 2:
            points += 1
        return points

    @property
    def statistic(self) -> ColumnByColumn:
        classes = len(self.schema.classes)
        return ColumnByColumn(tuple(CellCounts(c, classes=classes) for c in self._columns), classes)

    def require_listed(self, points: int, *, elsewhere: int = 0) -> None:
        require_stumps(self._columns, points)

    def require_relabelled(self, records: int, *, voters: int) -> None:
        require_stumps(self._columns, records)

    def dichotomies(self, *points: Sample) -> StumpDichotomies:
        """Its labellings of the distinct points of these records; the prior does not matter for them."""
        return stump_dichotomies(self._columns, points, Names(Constant, Threshold, Match))

    def contains(self, hypothesis: Hypothesis) -> bool:
        if isinstance(hypothesis, Constant):
            return hypothesis.label in (0, 1)
        if not isinstance(hypothesis, Threshold | Match):
            return False
        column = next((c for c in self._columns if c.name == hypothesis.column), None)
        if column is None:
            return False
        if isinstance(hypothesis, Threshold):
            return column.ordered and 1 <= hypothesis.cut < column.size
        # Of two categories one is looked for: the other is its opposite.
        return not column.ordered and 0 <= hypothesis.category < (1 if column.size == 2 else column.size)

    def parts(self, evidence: Evidence, *, costs: Costs) -> list[Scores[Hypothesis]]:
        """The members counted by score, from the counts in `evidence`, where a mistake has the price `costs` names for
        its class: first the constants, then those of each column. Nothing is refused.
        """
        totals, counts = evidence
        constant = np.array([totals[1] * costs[1], totals[0] * costs[0]], dtype=np.int64)
        constants = Row.of(0, np.array([0], dtype=np.uint64), constant, 1)
        parts: list[Scores[Hypothesis]] = [NamedScores(Runs([constants]), lambda place: Constant(place[1]))]
        for column in self._columns:
            parts.append((_cuts if column.ordered else _matches)(column, counts[column.name], costs))
        return parts

    def gibbs(self, evidence: Evidence, *, ratio: Fraction, costs: Costs) -> MixtureGibbs:
        return MixtureGibbs(tuple(self.parts(evidence, costs=costs)), self._shares, self._sizes, ratio)


def _column_size(column: Column) -> int:
    """Different functions on the column besides the constants (a two-valued one has a test and its opposite)."""
    return 2 * (column.size - 1) if column.ordered or column.size == 2 else 2 * column.size


def _cuts(column: Column, counts: ColumnCounts, costs: Costs) -> Scores[Hypothesis]:
    up, down = cut_rows(counts, column.size, costs, (True, False), distinct=True)
    up = Row.of(1, up.lasts, up.scores, column.size - 1)

    def name(place: Place) -> Hypothesis:
        return Threshold(column.name, place[1], place[0] == 0)

    return NamedScores(Runs([up, down]), name)


def _matches(column: Column, counts: ColumnCounts, costs: Costs) -> Scores[Hypothesis]:
    """Predicting class 1 exactly on category c costs its class-0 records and everyone else's class-1 records."""
    table = np.zeros((column.size, 2), dtype=np.int64)
    table[counts.values.astype(np.int64)] = counts.counts
    inside = table[:, 0] * costs[0]
    outside = table[:, 1].sum() * costs[1] - table[:, 1] * costs[1]
    equal = inside + outside
    total = int(table[:, 0].sum() * costs[0] + table[:, 1].sum() * costs[1])
    if column.size == 2:
        equal = equal[:1]
    lasts: NDArray[Any] = np.arange(len(equal) - 1, dtype=np.uint64)
    rows = [Row.of(0, lasts, scores, len(equal) - 1) for scores in (equal, total - equal)]

    def name(place: Place) -> Hypothesis:
        return Match(column.name, place[1], place[0] == 0)

    return NamedScores(Runs(rows), name)
