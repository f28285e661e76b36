"""Conjunctions and disjunctions: counted by score like a list of all of them, drawn from the listed law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import law
from privpac.concepts.literals.binarise import Test
from privpac.concepts.literals.conjunctions import Conjunction, Conjunctions, Disjunction, Disjunctions
from privpac.data.columns import Boolean, Categorical, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from tests.unit.tiny import (
    counted,
    mixed_columns,
    normalised,
    table,
)

CLASSES: list[tuple[Any, Any]] = [(Conjunctions, Conjunction), (Disjunctions, Disjunction)]


def members(concepts: Any, kind: Any) -> Iterator[Any]:
    for size in range(concepts.literals + 1):
        for tests in combinations(concepts.tests.tests, size):
            for signs in product((False, True), repeat=size):
                yield kind(tuple(zip(tests, signs, strict=True)))


def price(member: Any, block: Block, costs: tuple[int, int]) -> int:
    assert block.labels is not None
    wrong = member.predict(block.cells) != block.labels
    return sum(cost * int((wrong & (block.labels == y)).sum()) for y, cost in enumerate(costs))


@pytest.mark.parametrize(("many", "one"), CLASSES)
@pytest.mark.parametrize("literals", [1, 2, 3, 4])
def test_every_member_is_counted_and_found(many: Any, one: Any, literals: int) -> None:
    schema, block = table(mixed_columns(), n=40, seed=literals)
    concepts = many(schema, literals)
    costs = (2, 3)
    scores = concepts.scores(counted(concepts.statistic, block), costs=costs)
    listed = Counter(price(member, block, costs) for member in members(concepts, one))
    histogram = scores.histogram(None)
    assert histogram.best == min(listed)
    assert dict(zip((histogram.best + histogram.steps).tolist(), histogram.counts, strict=True)) == dict(
        listed
    )
    assert sum(histogram.counts) == concepts.size
    score = histogram.best + int(histogram.steps[1])
    found = [scores.locate(score, index) for index in range(histogram.counts[1])]
    assert len(set(found)) == len(found)
    assert all(price(member, block, costs) == score for member in found)
    with pytest.raises(IndexError):
        scores.locate(score, histogram.counts[1])


def test_a_span_cuts_off_and_counts_the_rest() -> None:
    schema, block = table(mixed_columns(), n=40, seed=2)
    concepts = Conjunctions(schema, 2)
    scores = concepts.scores(counted(concepts.statistic, block), costs=(1, 1))
    whole, near = scores.histogram(None), scores.histogram(3)
    assert near.steps.max() <= 3
    assert sum(near.counts) + near.beyond == sum(whole.counts)
    assert near.counts == whole.counts[: len(near.counts)]


@pytest.mark.parametrize(("many", "one"), CLASSES)
@pytest.mark.parametrize("shares", [None, (1, 5, 2)])
def test_the_law_of_the_draw_is_the_listed_law(many: Any, one: Any, shares: Any) -> None:
    schema, block = table((Boolean("b"), Numeric("dose", 0, 2, integer=True)), n=9, seed=4)
    concepts = many(schema, 2, shares=shares)
    costs, ratio = (1, 2), Fraction(5, 8)
    gibbs = concepts.gibbs(counted(concepts.statistic, block), ratio=ratio, costs=costs)
    sizes = Counter(len(member.literals) for member in members(concepts, one))
    prior = normalised(
        {
            member: Fraction(1 if shares is None else shares[len(member.literals)])
            / (1 if shares is None else sizes[len(member.literals)])
            for member in members(concepts, one)
        }
    )
    weights = {member: weight * ratio ** price(member, block, costs) for member, weight in prior.items()}
    assert law(gibbs.draw) == normalised(weights)
    assert concepts.odds == 1 / min(prior.values()) - 1


def example() -> Schema:
    columns = (Numeric("dose", 0, 40, integer=True), Categorical("ward", categories=("a", "b", "c")))
    return Schema(columns, "ill", classes=("no", "yes"))


@pytest.mark.parametrize("kind", [Conjunction, Disjunction])
def test_predict_describe_sql_and_json_agree(kind: Any) -> None:
    schema = example()
    member = kind(((Test("dose", 10, "at least"), True), (Test("ward", 1, "equals"), False)))
    generator = np.random.default_rng(0)
    cells = {c.name: generator.integers(0, c.size, 200).astype(c.dtype) for c in schema.columns}
    predicted = member.predict(cells)
    word, combine = ("and", np.logical_and) if kind is Conjunction else ("or", np.logical_or)
    assert predicted.tolist() == combine(cells["dose"] >= 10, cells["ward"] != 1).astype(int).tolist()
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (i INTEGER, dose INTEGER, ward VARCHAR)")
    rows = [(i, int(d), "abc"[w]) for i, (d, w) in enumerate(zip(*cells.values(), strict=True))]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    answers = connection.execute(f"SELECT {member.to_sql(schema)} FROM t ORDER BY i").fetchall()
    assert [answer for (answer,) in answers] == predicted.tolist()
    assert kind.from_json(member.to_json()) == member
    assert member.describe(schema) == f"yes if dose >= 10 {word} ward is not b, else no"
    assert kind(()).describe(schema) == ("always yes" if kind is Conjunction else "always no")
    assert kind(()).to_sql(schema) == ("1" if kind is Conjunction else "0")
    assert member.columns == ("dose", "ward")


def test_merging_drops_what_follows() -> None:
    weak, strong = Test("dose", 5, "at least"), Test("dose", 9, "at least")
    assert Conjunction(((weak, True), (strong, True))).merged() == Conjunction(((strong, True),))
    assert Disjunction(((weak, True), (strong, True))).merged() == Disjunction(((weak, True),))
    both = Conjunction(((weak, True), (strong, False)))
    assert both.merged() == both
