"""A risk card: points for public tests, and a table from their sum to the risk.

The points of a column are added up and shifted so that its smallest is 0. What is stored is what was drawn (tests in
their order, noisy counts); points, sums and risks follow from it, and are computed the same everywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.base import Cells, RuleBase
from privpac.concepts.cards.blocks import Block, blocks_of, reachable
from privpac.concepts.cards.both import Both
from privpac.concepts.cards.risks import BUCKETS, SCALE, Table, spread_of, start_share
from privpac.concepts.cards.tallies import MOST_POINTS, Points, most_points
from privpac.concepts.cards.words import description, sheet
from privpac.concepts.fitting import two_classes_misfit
from privpac.concepts.literals.binarise import Test
from privpac.concepts.shapes import PointsSheet
from privpac.data.schema import Schema
from privpac.fields import as_list, record, require, whole
from privpac.numbers.exact import plain, read_number

__all__ = ["Card", "bucket_count", "bucket_row"]

MOST_TESTS = 512
"""Tests of a card that is read."""

FINEST = 3
"""Points that make a fifth of log-odds, at most."""


def bucket_count(sums: tuple[int, ...]) -> int:
    """How many buckets this many different sums are counted in."""
    return min(BUCKETS, len(sums))


@lru_cache(maxsize=64)
def bucket_row(draws: tuple[Points, ...]) -> tuple[int, ...]:
    """The bucket of every number of signed points, from the smallest there could be on."""
    blocks = blocks_of(draws)
    sums = reachable(blocks)
    largest, lowest = most_points(draws), sum(block.lowest for block in blocks)
    totals = ((total - lowest) // 2 for total in range(-largest, largest + 1))
    places = (min(bisect_left(sums, total), len(sums) - 1) for total in totals)
    return tuple(place * bucket_count(sums) // len(sums) for place in places)


@dataclass(frozen=True)
class Card(RuleBase):
    """Class 1 where the risk that belongs to a record's points is worth the mistakes it saves."""

    kind: ClassVar[str] = "card"
    drawn: tuple[Points, ...]
    """Tests in the order in which they were drawn, each with its points; those of one round lie side by side."""
    ones: int
    """Noisy number of records of class 1."""
    records: int
    """How many records were counted: public."""
    counts: tuple[tuple[int, int], ...]
    """Noisy numbers of records of either class, by bucket of sums."""
    count_epsilon: Fraction
    """What `ones` cost a record."""
    table_epsilon: Fraction
    """What `counts` cost a record."""
    costs: tuple[int, int] = (1, 1)
    """Public price of misjudging a record of each class: it decides the cut-off."""
    fifth: int = 1
    """Signed points that make a fifth of log-odds."""

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The points, column by column."""
        return blocks_of(self.drawn)

    @cached_property
    def with_points(self) -> tuple[Block, ...]:
        """The blocks that bring points to anybody: in the others all that was drawn cancelled out."""
        return tuple(block for block in self.blocks if block.top)

    @property
    def top(self) -> int:
        """The largest sum of points."""
        return sum(block.top for block in self.blocks)

    @cached_property
    def table(self) -> Table:
        start = start_share(self.ones, self.records, spread_of(self.count_epsilon, 1))
        lowest = sum(block.lowest for block in self.blocks)
        spread = spread_of(self.table_epsilon, 2)
        return Table(self.counts, reachable(self.blocks), lowest, spread, start, self.fifth)

    @cached_property
    def risks(self) -> tuple[int, ...]:
        """The risk at every sum of points, from 0 on, in hundredths of a percent."""
        return tuple(self.table.risk(total) for total in range(self.top + 1))

    @cached_property
    def cutoff(self) -> int:
        """The smallest sum a record can have that is called class 1; one more than the largest if none is."""
        zero, one = self.costs
        worth = (s for s in self.table.sums if self.risks[s] * one >= (SCALE - self.risks[s]) * zero)
        return next(worth, self.top + 1)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column for block in self.with_points for column in block.columns))

    @property
    def title(self) -> str:
        return f"A risk card of {len(self.columns)} column{'s' * (len(self.columns) > 1)}"

    def total(self, cells: Cells) -> NDArray[np.int64]:
        """The points of every record."""
        count = len(next(iter(cells.values()))) if cells else 0
        points = np.zeros(count, dtype=np.int64)
        for block in self.with_points:
            points += block.points(cells)
        return points

    def predict(self, cells: Cells) -> NDArray[np.uint8]:
        return (self.total(cells) >= self.cutoff).astype(np.uint8)

    def proba(self, cells: Cells) -> NDArray[np.float64]:
        """The risk of either class for every record; rows add up to 1."""
        risk = np.array(self.risks, dtype=np.float64)[self.total(cells)]
        return np.column_stack([SCALE - risk, risk]) / SCALE  # so that each has four decimals

    def margins(self, cells: Cells) -> NDArray[np.float64]:
        """Points above those of the cut-off; a tie counts as half a point above."""
        margins: NDArray[np.float64] = self.total(cells).astype(np.float64) - self.cutoff + 0.5
        return margins

    def describe(self, schema: Schema) -> str:
        return description(self.with_points, self.table, self.risks, self.cutoff, self.costs, schema)

    def shape(self, schema: Schema) -> PointsSheet:
        return sheet(self.with_points, self.table, self.risks, self.cutoff, self.costs, schema)

    def to_sql(self, schema: Schema) -> str:
        return f"CASE WHEN {self.points_sql(schema)} >= {self.cutoff} THEN 1 ELSE 0 END"

    def points_sql(self, schema: Schema) -> str:
        """An SQL expression for the sum of points."""
        return "(" + (" + ".join(block.sql(schema) for block in self.with_points) or "0") + ")"

    def risk_sql(self, schema: Schema) -> str:
        """An SQL expression for the risk of class 1."""
        rows = " ".join(f"WHEN {total} THEN {risk / SCALE:.4f}" for total, risk in enumerate(self.risks))
        return f"CASE {self.points_sql(schema)} {rows} END"

    def sql_columns(self, schema: Schema) -> Mapping[str, str]:
        return {"points": self.points_sql(schema), "risk": self.risk_sql(schema)}

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "drawn": [{"test": one.test.to_json(), "points": one.points} for one in self.drawn],
            "ones": self.ones,
            "records": self.records,
            "counts": [list(row) for row in self.counts],
            "count_epsilon": plain(self.count_epsilon),
            "table_epsilon": plain(self.table_epsilon),
            "costs": list(self.costs),
            "fifth": self.fifth,
            "risks": list(self.risks),
        }

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Card:
        count_fields = ("ones", "records", "counts", "count_epsilon", "table_epsilon")
        record(tree, "kind", "drawn", *count_fields, "costs", "fifth", "risks")
        rows = [record(one, "test", "points") for one in as_list(tree["drawn"])]
        require(1 <= len(rows) <= MOST_TESTS, "a card has tests, and not too many of them")
        draws = tuple(Points(_test(row["test"]), _points(row["points"])) for row in rows)
        require(_one_kind(draws), "the tests of a column are of two kinds")
        zero, one = (whole(cost, least=1) for cost in _pair(tree["costs"]))
        epsilons = read_number(tree["count_epsilon"]), read_number(tree["table_epsilon"])
        require(all(epsilon > 0 for epsilon in epsilons), "a share of epsilon is not positive")
        records = whole(tree["records"], least=1)
        counts = tuple(_counts(row, records) for row in as_list(tree["counts"]))
        require(
            len(counts) == bucket_count(reachable(blocks_of(draws))),
            "the counts are not those of these points",
        )
        ones = whole(tree["ones"], least=0, most=records)
        fifth = whole(tree["fifth"], least=1, most=FINEST)
        card = cls(draws, ones, records, counts, *epsilons, (zero, one), fifth)
        require(as_list(tree["risks"]) == list(card.risks), "the risks do not follow from the counts")
        return card

    def column_weights(self, schema: Schema) -> Mapping[str, Fraction]:
        """The most points that a column can bring; those of two columns count for both."""
        weights = dict.fromkeys(self.columns, Fraction(0))
        for block in self.with_points:
            for column in block.columns:
                weights[column] += block.top
        return weights

    def misfit(self, schema: Schema) -> str | None:
        if not {column for block in self.blocks for column in block.columns} <= set(schema.names):
            return "it has a test of a column that the schema does not have"
        reasons = (one.test.misfit(schema) for one in self.drawn)
        return next((reason for reason in reasons if reason is not None), two_classes_misfit(schema))


def _test(tree: Mapping[str, Any]) -> Test | Both:
    return Both.from_json(tree) if isinstance(tree, Mapping) and "both" in tree else Test.from_json(tree)


def _points(value: object) -> int:
    points = whole(value, least=-MOST_POINTS, most=MOST_POINTS)
    require(points != 0, "a test has no points")
    return points


def _one_kind(draws: tuple[Points, ...]) -> bool:
    tests = (
        test for one in draws for test in (one.test.tests if isinstance(one.test, Both) else (one.test,))
    )
    kinds = {(test.column, test.kind) for test in tests}
    return len({column for column, _ in kinds}) == len(kinds)


def _pair(value: object) -> tuple[object, object]:
    rows = as_list(value)
    require(len(rows) == 2, "two numbers are expected")
    return rows[0], rows[1]


def _counts(value: object, records: int) -> tuple[int, int]:
    zeros, ones = (whole(count, least=0, most=records) for count in _pair(value))
    return zeros, ones
