"""Decision lists: draws follow the listed law, sums equal exact recursion, lists are values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.lists import DecisionList, DecisionLists, Rule
from privpac.data.columns import Categorical, Column, Numeric
from privpac.data.schema import Schema
from tests.unit.tiny import (
    Listing,
    Mask,
    assert_enclosed,
    counted,
    flags,
    mixed_columns,
    normalised,
    some_regions,
    table,
)

HALF = Fraction(1, 2)


def every_list(listing: Listing, mask: Mask, left: int) -> Iterator[tuple[DecisionList, Fraction]]:
    stop = listing.prior.stop_at(left) if left else Fraction(1)
    support = [y for y, prior in enumerate(listing.prior.labels) if prior > 0]
    for label in support:
        if stop > 0:
            yield DecisionList((), label), stop * listing.leaf(mask, label)
    for f in range(len(listing.held) if left else 0):
        for positive in (False, True):
            here = listing.held[f] == positive
            for rest, rest_weight in every_list(listing, mask & ~here, left - 1):
                for label in support:
                    rule = Rule(listing.tests.tests[f], positive, label)
                    weight = listing.prior.option(f, left) * listing.leaf(mask & here, label) * rest_weight
                    yield DecisionList((rule, *rest.rules), rest.default), weight


TINY: list[tuple[tuple[Column, ...], int, int, dict[str, Any]]] = [
    (flags(2), 2, 1, {}),
    (mixed_columns(), 3, 1, {"stop": Fraction(1, 3), "root_splits": False}),
    (flags(2), 2, 2, {"stop": Fraction(1, 3), "weights": (2, 3)}),
    (
        (Categorical("c", categories=("u", "v", "w")),),
        2,
        2,
        {"label_prior": (Fraction(3, 4), Fraction(1, 4))},
    ),
    (flags(2), 2, 3, {"label_prior": (1, 0), "stop": HALF, "root_splits": False}),
    (flags(1), 2, 3, {"stop": Fraction(1, 7)}),
    (flags(1), 3, 4, {"label_prior": (1, 0, 2), "stop": HALF, "root_splits": False}),
]


@pytest.mark.parametrize(("columns", "classes", "length", "options"), TINY)
def test_the_law_of_the_draw_is_the_listed_law(
    columns: tuple[Column, ...], classes: int, length: int, options: dict[str, Any]
) -> None:
    schema, block = table(columns, n=7, classes=classes, seed=length)
    lists = DecisionLists(schema, length, **options)
    costs, ratio = (1, 2, 3)[:classes], Fraction(3, 7)
    gibbs = lists.gibbs(counted(lists.statistic, block), ratio=ratio, costs=costs)
    listing = Listing(lists.prior, lists.tests, block, ratio=ratio, costs=costs)
    want = normalised(dict(every_list(listing, listing.everyone, length)))
    assert law(gibbs.draw) == want
    assert lists.size == len(want)


@pytest.mark.long_cases(
    "3-4",
)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("classes", [2, 3])
def test_floats_equal_exact_recursion_on_the_records(length: int, classes: int) -> None:
    schema, block = table(mixed_columns()[:2], n=30, classes=classes, seed=length)
    p = len(Binarisation.of(schema).tests)
    lists = DecisionLists(schema, length, stop=Fraction(1, 3), weights=tuple(range(1, p + 1)))
    costs, ratio = (2, 1, 3)[:classes], Fraction(13, 16)
    gibbs = lists.gibbs(counted(lists.statistic, block), ratio=ratio, costs=costs)
    listing = Listing(lists.prior, lists.tests, block, ratio=ratio, costs=costs)
    for left in range(1, length + 1):
        sizes = range(length - left + 1) if left < length else range(1)
        for region in [r for size in sizes for r in some_regions(p, size, seed=left)[:15]]:
            weights = gibbs.law.node(region, left)
            want = listing.options(listing.region(region), left)
            assert list(weights.exact()) == want
            assert_enclosed(weights, want)


def example() -> tuple[Schema, DecisionList]:
    schema = Schema(
        (Numeric("dose", 0, 40, integer=True), Categorical("ward", categories=("a", "b", "c"))),
        "ill",
        classes=("no", "yes", "maybe"),
    )
    rules = (
        Rule(Test("dose", 10, "at least"), True, 1),
        Rule(Test("ward", 1, "equals"), False, 2),
        Rule(Test("dose", 20, "at least"), True, 0),
    )
    return schema, DecisionList(rules, 0)


def test_predict_describe_sql_and_json_agree() -> None:
    schema, rule_list = example()
    generator = np.random.default_rng(0)
    cells = {c.name: generator.integers(0, c.size, 300).astype(c.dtype) for c in schema.columns}
    predicted = rule_list.predict(cells)
    assert set(predicted.tolist()) == {0, 1, 2}
    assert DecisionList.from_json(rule_list.to_json()) == rule_list
    rows = [(i, int(d), "abc"[w]) for i, (d, w) in enumerate(zip(*cells.values(), strict=True))]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (i INTEGER, dose INTEGER, ward VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    answers = connection.execute(f"SELECT {rule_list.to_sql(schema)} FROM t ORDER BY i").fetchall()
    assert [answer for (answer,) in answers] == predicted.tolist()
    assert rule_list.describe(schema).splitlines() == [
        "if dose >= 10: yes",
        "else if ward is not b: maybe",
        "else if dose >= 20: no",
        "else: no",
    ]
    assert DecisionList((), 1).describe(schema) == "always yes"
    assert DecisionList((), 1).to_sql(schema) == "1"
    assert rule_list.columns == ("dose", "ward")


def test_merging_keeps_the_function() -> None:
    _, rule_list = example()
    assert rule_list.merged() == DecisionList(rule_list.rules[:2], 0)
    always = DecisionList((rule_list.rules[0], Rule(Test("dose", 10, "at least"), False, 2)), 0)
    assert always.merged() == DecisionList(rule_list.rules[:1], 2)
    table_schema, block = table(mixed_columns(), n=200, seed=5)
    lists = DecisionLists(table_schema, 4)
    gibbs = lists.gibbs(counted(lists.statistic, block), ratio=Fraction(99, 100), costs=(1, 1))
    coins = SeededCoins(0)
    shorter = 0
    for _ in range(30):
        drawn = gibbs.draw(coins)
        assert np.array_equal(drawn.predict(block.cells), drawn.merged().predict(block.cells))
        shorter += len(drawn.merged().rules) < len(drawn.rules)
    assert shorter > 5
