"""Intervals: their own names and texts, on top of the sums tested in test_unions.py."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.union_law import UnionLaw
from privpac.concepts.line.unions import Union, interval, intervals
from privpac.data.columns import Boolean
from privpac.data.schema import Schema
from privpac.numbers.exact import ratio_for
from tests.unit.concepts.line.test_unions import Record, evidence, schema
from tests.unit.tiny import DoubtfulCoins

RATIO = Fraction(3, 5)


def many(cells: int, count: int) -> tuple[UnionLaw[Any], list[Record]]:
    step = cells // count
    records = [(i * step, int(count // 3 <= i < count // 2)) for i in range(count)]
    concepts = intervals(schema(cells), "x")
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=ratio_for(Fraction(1, 2)), costs=(1, 1))
    return gibbs, records


@pytest.mark.parametrize("cells", [2**64, 2**128])
def test_huge_domains_find_the_interval(cells: int) -> None:
    gibbs, records = many(cells, 3000)
    kind = object if cells > 2**64 else np.uint64
    values = {"x": np.array([cell for cell, _ in records], dtype=kind)}
    for seed in range(5):
        member = gibbs.draw(SeededCoins(seed))
        assert isinstance(member, Union)
        ((low, high),) = member.intervals
        assert 0 <= low < high <= cells
        assert np.mean(member.predict(values) == [label for _, label in records]) > 0.98


def test_forced_doubt_across_several_blocks() -> None:
    gibbs, _ = many(2**64, 200)
    refined = 0
    for seed in range(5):
        coins = DoubtfulCoins(seed, error=1.0)
        gibbs.draw(coins)
        refined += coins.refined
        assert coins.refined == coins.decisions >= 1
    assert refined > 10


def test_balls_at_a_few_thousand_records_keep_only_block_rows() -> None:
    gibbs, _ = many(2**64, 3000)
    coins = DoubtfulFloats(1)
    assert isinstance(gibbs.draw(coins), Union)
    assert len(gibbs.slowly(192)._starts) <= 57


class DoubtfulFloats(SeededCoins):
    """Refines every choice, without looking at the exact fractions (too large at this size)."""

    def choose(self, weights: Any) -> int:
        return self._refine(weights, self.bits(64))


def test_a_boolean_column_has_four_intervals() -> None:
    described = Schema((Boolean("x"),), "y")
    concepts = intervals(described, "x")
    assert concepts.size == 4
    assert interval("x", 1, 2).to_sql(described) == (
        "CASE WHEN LOWER(CAST(\"x\" AS VARCHAR)) IN ('true', 'yes', '1.0', '1') THEN 1 ELSE 0 END"
    )
