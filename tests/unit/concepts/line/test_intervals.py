"""Intervals: their own names and texts, on top of the sums tested in test_unions.py."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import Coins, SeededCoins, law
from privpac.concepts.catalogue import hypothesis_from_json
from privpac.concepts.line.intervals import Interval, Intervals
from privpac.concepts.line.union_law import UnionGibbs
from privpac.data.columns import Boolean, Categorical, Numeric
from privpac.data.schema import Schema
from privpac.errors import NotCertified, ParameterError
from privpac.numbers.exact import ratio_for
from tests.unit.concepts.line.test_unions import Record, evidence, schema
from tests.unit.tiny import DoubtfulCoins, chi_square_p, drawn_counts

RATIO = Fraction(3, 5)


def brute_force(concepts: Intervals, records: list[Record], costs: tuple[int, int]) -> dict[Any, Fraction]:
    cells = concepts.schema.column("x").size
    bounds = [(0, 0), *((low, high) for low in range(cells) for high in range(low + 1, cells + 1))]
    members = [Interval("x", low, high, concepts.inside) for low, high in bounds]
    weights = {}
    for member in members:
        guesses = member.predict({"x": np.array([cell for cell, _ in records], dtype=np.uint32)})
        wrong = [label for (_, label), guess in zip(records, guesses, strict=True) if guess != label]
        weights[member] = RATIO ** sum(costs[label] for label in wrong)
    total = sum(weights.values())
    return {member: weight / total for member, weight in weights.items()}


@pytest.mark.parametrize(
    "records",
    [[], [(3, 1), (3, 1), (3, 0)], [(0, 1), (6, 1)], [(0, 0), (1, 1), (2, 1), (2, 0), (5, 1), (6, 0)]],
    ids=["empty", "inconsistent", "ends", "mixed"],
)
@pytest.mark.parametrize(("costs", "inside"), [((1, 1), 1), ((1, 3), 1), ((2, 1), 0)])
def test_the_enumerated_law_is_the_gibbs_law(
    records: list[Record], costs: tuple[int, int], inside: int
) -> None:
    concepts = Intervals(schema(7), "x", inside)
    seen = evidence(concepts, records)

    def run(coins: Coins) -> Any:
        return concepts.gibbs(seen, ratio=RATIO, costs=costs).draw(coins)

    found = law(run)
    assert found == brute_force(concepts, records, costs)
    assert len(found) == concepts.size == 7 * 8 // 2 + 1


def test_public_facts() -> None:
    concepts = Intervals(schema(2**64), "x")
    assert concepts.size == 2**63 * (2**64 + 1) + 1
    assert concepts.odds == concepts.size - 1
    assert concepts.vc == 2
    assert concepts.word == "intervals:x"
    assert concepts.statistic.columns == ("x",)


@pytest.mark.long
def test_seeded_draws_follow_the_law() -> None:
    concepts = Intervals(schema(8), "x")
    records = [(0, 0), (2, 1), (3, 1), (3, 0), (5, 1), (7, 0), (7, 0)]
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=RATIO, costs=(1, 2))
    counts = drawn_counts(gibbs.draw, draws=20_000, seed=2)
    assert chi_square_p(counts, brute_force(concepts, records, (1, 2))) > 1e-3
    assert chi_square_p(counts, brute_force(concepts, records, (1, 1))) < 1e-9


def many(cells: int, count: int) -> tuple[UnionGibbs[Any], list[Record]]:
    step = cells // count
    records = [(i * step, int(count // 3 <= i < count // 2)) for i in range(count)]
    concepts = Intervals(schema(cells), "x")
    gibbs = concepts.gibbs(evidence(concepts, records), ratio=ratio_for(Fraction(1, 2)), costs=(1, 1))
    return gibbs, records


@pytest.mark.parametrize("cells", [2**64, 2**128])
def test_huge_domains_find_the_interval(cells: int) -> None:
    gibbs, records = many(cells, 3000)
    kind = object if cells > 2**64 else np.uint64
    values = {"x": np.array([cell for cell, _ in records], dtype=kind)}
    for seed in range(5):
        member = gibbs.draw(SeededCoins(seed))
        assert isinstance(member, Interval)
        assert 0 <= member.low < member.high <= cells
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
    assert isinstance(gibbs.draw(coins), Interval)
    assert list(gibbs._ladders) == [192]
    assert len(gibbs._ladders[192]._starts) <= 56


class DoubtfulFloats(SeededCoins):
    """Refines every choice, without looking at the exact fractions (too large at this size)."""

    def choose(self, weights: Any) -> int:
        return self._refine(weights, self.bits(64))


def test_text_sql_and_json() -> None:
    described = Schema((Numeric("age", 18, 90, integer=True),), "y", classes=("0", "1"))
    member = Interval("age", 12, 27)
    assert member.describe(described) == "1 if 30 <= age < 45, else 0"
    assert member.to_sql(described) == 'CASE WHEN ("age" >= 30 AND "age" < 45) THEN 1 ELSE 0 END'
    assert member.columns == ("age",)
    assert Interval("age", 12, 73).describe(described) == "1 if age >= 30, else 0"
    assert Interval("age", 0, 12).describe(described) == "1 if age < 30, else 0"
    assert Interval("age", 0, 0).describe(described) == "always 0"
    assert Interval("age", 0, 73).to_sql(described) == "1"
    for rule in (member, Interval("age", 0, 0), Interval("age", 2**70, 2**128, inside=0)):
        assert hypothesis_from_json(rule.to_json()) == rule


def test_sql_agrees_with_predict_on_raw_values() -> None:
    raw = np.random.default_rng(1).normal(0, 4, 200)
    described = Schema((Numeric("x", -5.0, 5.0, resolution=1000),), "y")
    cells = {"x": described.column("x").encode(raw)}
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t ("row" INT, "x" DOUBLE)')
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(raw.tolist())))
    for low, high in ((0, 0), (0, 1000), (0, 400), (400, 1000), (250, 750), (999, 1000)):
        member = Interval("x", low, high)
        answer = connection.execute(f'SELECT {member.to_sql(described)} FROM t ORDER BY "row"').fetchall()
        assert [value for (value,) in answer] == member.predict(cells).tolist()


def test_a_boolean_column_has_four_intervals() -> None:
    described = Schema((Boolean("x"),), "y")
    concepts = Intervals(described, "x")
    assert concepts.size == 4
    assert Interval("x", 1, 2).to_sql(described) == (
        "CASE WHEN LOWER(CAST(\"x\" AS VARCHAR)) IN ('true', 'yes', '1.0', '1') THEN 1 ELSE 0 END"
    )


@pytest.mark.parametrize("change", [{"low": "5"}, {"low": "-2"}, {"inside": 7}, {"high": "x"}])
def test_malformed_stored_intervals_are_refused(change: dict[str, str]) -> None:
    stored = Interval("x", 2, 5).to_json()
    with pytest.raises(NotCertified):
        hypothesis_from_json({**stored, **change})


def test_refusals() -> None:
    mixed = Schema((Numeric("x", 0, 9, integer=True), Categorical("c", ("a", "b"))), "y")
    with pytest.raises(ParameterError, match="order"):
        Intervals(mixed, "c")
    with pytest.raises(ParameterError, match="inside"):
        Intervals(mixed, "x", inside=3)
