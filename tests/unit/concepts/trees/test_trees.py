"""Trees: draws follow the listed law, sums equal exact recursion on the records, trees are values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pytest

from privpac.coins import SeededCoins, law
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.concepts.trees.trees import Trees, TreesGibbs
from privpac.data.columns import Boolean, Categorical, Column, Numeric
from privpac.data.sample import Block
from privpac.data.schema import Schema
from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import ratio_for
from tests.unit.tiny import (
    Listing,
    assert_enclosed,
    counted,
    flags,
    mixed_columns,
    normalised,
    some_regions,
    table,
)

HALF = Fraction(1, 2)


def posterior(
    trees: Trees, block: Block, *, ratio: Fraction, costs: tuple[int, ...]
) -> tuple[TreesGibbs, Listing]:
    evidence = counted(trees.statistic, block)
    listing = Listing(trees.prior, trees.tests, block, ratio=ratio, costs=costs)
    return trees.gibbs(evidence, ratio=ratio, costs=costs), listing


TINY: list[tuple[tuple[Column, ...], int, int, dict[str, Any]]] = [
    (flags(2), 2, 1, {}),
    (mixed_columns(), 3, 1, {"stop": Fraction(1, 3), "root_splits": False}),
    (flags(3), 2, 2, {}),
    ((Boolean("b"), Numeric("dose", 0, 2, integer=True)), 2, 2, {"stop": Fraction(2, 5)}),
    (
        (Categorical("c", categories=("u", "v", "w")),),
        2,
        2,
        {"label_prior": (Fraction(3, 4), Fraction(1, 4))},
    ),
    (flags(2), 3, 2, {"label_prior": (1, 0, 2), "stop": HALF, "root_splits": False, "weights": (3, 5)}),
    (flags(1), 2, 3, {"stop": Fraction(1, 3)}),
    (flags(2), 2, 3, {"label_prior": (1, 0), "stop": HALF, "root_splits": False}),
    (flags(1), 2, 4, {"label_prior": (0, 1), "stop": Fraction(1, 7), "root_splits": False}),
]


@pytest.mark.parametrize(("columns", "classes", "depth", "options"), TINY)
def test_the_law_of_the_draw_is_the_listed_law(
    columns: tuple[Column, ...], classes: int, depth: int, options: dict[str, Any]
) -> None:
    schema, block = table(columns, n=7, classes=classes, seed=depth)
    trees = Trees(schema, depth, **options)
    gibbs, listing = posterior(trees, block, ratio=Fraction(3, 7), costs=(1, 2, 3)[:classes])
    weights: dict[Any, Fraction] = {}
    for tree, weight in listing.trees(listing.everyone, depth):
        weights[tree] = weights.get(tree, Fraction(0)) + weight
    assert law(gibbs.draw) == normalised(weights)
    assert trees.size == len(normalised(weights))


@pytest.mark.long_cases(
    "4-1",
)
@pytest.mark.parametrize(("depth", "p"), [(2, 4), (3, 2), (4, 1)])
def test_the_sum_is_that_of_the_list(depth: int, p: int) -> None:
    schema, block = table(flags(p), n=9, seed=p)
    trees = Trees(schema, depth)
    gibbs, listing = posterior(trees, block, ratio=HALF, costs=(1, 1))
    listed = [weight for _, weight in listing.trees(listing.everyone, depth)]
    assert len(listed) == trees.size
    assert sum(gibbs.law.node((), depth).exact()) == sum(listed)


@pytest.mark.long_cases(
    "stop0-4-3",
)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("stop", [Fraction(0), Fraction(1, 3)])
def test_floats_equal_exact_recursion_on_the_records(depth: int, classes: int, stop: Fraction) -> None:
    """Every level and every kind of region, with the bound itself as tolerance."""
    columns = mixed_columns()[: 4 if depth < 4 else 2]
    schema, block = table(columns, n=30, classes=classes, seed=10 * depth + classes)
    labels = (Fraction(1, 5), Fraction(4, 5)) if classes == 2 else (HALF, Fraction(0), HALF)
    p = len(Binarisation.of(schema).tests)
    trees = Trees(schema, depth, stop=stop, label_prior=labels, weights=tuple(range(1, p + 1)))
    gibbs, listing = posterior(trees, block, ratio=Fraction(0.8125), costs=(2, 1, 3)[:classes])
    for left in range(1, depth + 1):
        for region in [r for size in range(depth - left + 1) for r in some_regions(p, size, seed=left)] + [
            None
        ]:
            if left == depth and region != ():
                continue
            weights = gibbs.law.node(region, left)
            want = listing.options(listing.region(region), left)
            assert list(weights.exact()) == want
            assert_enclosed(weights, want)


@pytest.mark.long
def test_large_scores_use_wide_exponents_and_still_agree() -> None:
    schema, block = table(flags(3), n=20, seed=4)
    trees = Trees(schema, 2)
    gibbs, _ = posterior(trees, block, ratio=Fraction(7, 8), costs=(2**30, 2**30 + 1))
    values, error = gibbs.law.node((), 2).floats()
    assert error < 1e-12
    balls = gibbs.law.node((), 2).balls(200)
    shares = [float(weight / sum(balls)) for weight in balls]
    assert np.allclose(values / values.sum(), shares, rtol=1e-12, atol=1e-100)
    assert gibbs.law.total[0] % 2**30 <= 20


def test_best_is_the_smallest_score_in_the_class() -> None:
    schema, block = table(mixed_columns(), n=60, seed=2)
    trees = Trees(schema, 2)
    gibbs, _ = posterior(trees, block, ratio=HALF, costs=(1, 1))
    assert block.labels is not None
    rows = [test.holds(block.cells) for test in trees.tests.tests]
    wrong = [
        sum(
            min((block.labels[part] == y).sum() for y in (0, 1))
            for half, second in ((~first, low), (first, high))
            for part in (half & second, half & ~second)
        )
        for first in rows
        for low in rows
        for high in rows
    ]
    assert gibbs.law.total[0] == min(wrong)


def test_an_extreme_prior_is_left_to_balls() -> None:
    schema, block = table(flags(2), n=6)
    tiny = Fraction(1, 2**150)
    trees = Trees(schema, 2, label_prior=(1 - tiny, tiny))
    gibbs, listing = posterior(trees, block, ratio=HALF, costs=(1, 1))
    assert gibbs.law.node((), 2).floats()[1] == 1.0
    assert list(gibbs.law.node((), 2).exact()) == listing.options(listing.everyone, 2)
    assert isinstance(gibbs.draw(SeededCoins(3)), Split)


def test_depth_four_draws_on_a_larger_table() -> None:
    schema, block = table((*mixed_columns(), *flags(8)), n=5000, seed=6)
    trees = Trees(schema, 4)
    gibbs, _ = posterior(trees, block, ratio=ratio_for(HALF), costs=(1, 1))
    tree = gibbs.draw(SeededCoins(5))
    assert tree.depth == 4
    assert len(list(tree.leaves())) == 16
    assert block.labels is not None
    mistakes = int((tree.predict(block.cells) != block.labels).sum())
    assert gibbs.law.total[0] <= mistakes <= gibbs.law.total[0] + 400
    assert gibbs.draw(SeededCoins(5)) == tree


def test_counts_and_costs_that_do_not_fit_are_refused() -> None:
    schema, block = table(flags(3), n=20)
    trees, shallow = Trees(schema, 3), Trees(schema, 2)
    evidence = counted(shallow.statistic, block)
    with pytest.raises(ParameterError, match="evidence"):
        trees.gibbs(evidence, ratio=HALF, costs=(1, 1))
    for costs in ((1,), (1, 0), (1, 2**60)):
        with pytest.raises(ParameterError, match="costs"):
            shallow.gibbs(evidence, ratio=HALF, costs=costs)
    deeper = counted(trees.statistic, block)
    same = [shallow.gibbs(e, ratio=HALF, costs=(1, 1)).draw(SeededCoins(4)) for e in (evidence, deeper)]
    assert same[0] == same[1]


def example() -> tuple[Schema, Tree]:
    schema = Schema(
        (
            Numeric("dose", 0, 40, integer=True),
            Categorical("ward", categories=("a", "b's", "c")),
            Boolean('smo"ker'),
        ),
        "ill",
        classes=("no", "yes", "maybe"),
    )
    dose, ward = Test("dose", 10, "at least"), Test("ward", 1, "equals")
    flag = Test('smo"ker', 1, "at least")
    return schema, Split(dose, Split(ward, Leaf(0), Leaf(2)), Split(flag, Leaf(1), Leaf(1)))


def test_predict_describe_sql_and_json_agree() -> None:
    schema, tree = example()
    generator = np.random.default_rng(0)
    cells = {c.name: generator.integers(0, c.size, 500).astype(c.dtype) for c in schema.columns}
    predicted = tree.predict(cells)
    assert Tree.from_json(tree.to_json()) == tree
    rows = [(int(d), ("a", "b's", "c")[w], bool(s)) for d, w, s in zip(*cells.values(), strict=True)]
    connection = duckdb.connect()
    connection.execute('CREATE TABLE t (i INTEGER, dose INTEGER, ward VARCHAR, "smo""ker" BOOLEAN)')
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [(i, *row) for i, row in enumerate(rows)])
    answers = connection.execute(f"SELECT {tree.to_sql(schema)} FROM t ORDER BY i").fetchall()
    assert [answer for (answer,) in answers] == predicted.tolist()
    assert tree.merged().describe(schema).splitlines() == [
        "if dose >= 10: yes",
        "if dose < 10:",
        "  if ward is b's: maybe",
        "  if ward is not b's: no",
    ]
    assert tree.columns == ("dose", "ward", 'smo"ker')


def test_a_leaf_alone_is_a_constant() -> None:
    schema, _ = example()
    assert Leaf(2).describe(schema) == "always maybe"
    assert Leaf(2).to_sql(schema) == "2"
    assert Leaf(2).columns == ()
    assert Leaf(1).predict({"dose": np.zeros(3, dtype=np.uint32)}).tolist() == [1, 1, 1]
    assert Leaf(1).leaf_numbers({}, n=2).tolist() == [0, 0]
    with pytest.raises(ValueError, match="whole number"):
        Tree.from_json({"kind": "tree", "root": {"label": "yes"}})


def test_leaf_numbers_follow_the_order_of_leaves() -> None:
    _, tree = example()
    cells = {
        "dose": np.array([0, 0, 20, 20], dtype=np.uint32),
        "ward": np.array([0, 1, 0, 1], dtype=np.uint32),
        'smo"ker': np.array([0, 0, 0, 1], dtype=np.uint32),
    }
    assert tree.leaf_numbers(cells).tolist() == [0, 1, 2, 3]
    assert [leaf.label for leaf in tree.leaves()] == [0, 2, 1, 1]


def test_merging_keeps_the_function_and_never_adds_leaves() -> None:
    schema, block = table((*mixed_columns(), Numeric("x", 0, 30, integer=True)), n=300, seed=3)
    trees = Trees(schema, 4, stop=Fraction(1, 5))
    gibbs, _ = posterior(trees, block, ratio=Fraction(99, 100), costs=(1, 1))
    coins = SeededCoins(2)
    shorter = 0
    for _ in range(30):
        tree = gibbs.draw(coins)
        merged = tree.merged()
        assert np.array_equal(tree.predict(block.cells), merged.predict(block.cells))
        assert merged.merged() == merged
        shorter += len(list(merged.leaves())) < len(list(tree.leaves()))
    assert shorter > 10


def test_implied_answers_are_not_asked_again() -> None:
    at = {cell: Test("x", cell, "at least") for cell in (3, 5, 7)}
    ward = {cell: Test("w", cell, "equals") for cell in (0, 1)}
    nested = Split(at[5], Split(at[7], Leaf(0), Leaf(1)), Split(at[3], Leaf(1), Leaf(2)))
    assert nested.merged() == Split(at[5], Leaf(0), Leaf(2))
    exclusive = Split(ward[0], Leaf(0), Split(ward[1], Leaf(1), Leaf(2)))
    assert exclusive.merged() == Split(ward[0], Leaf(0), Leaf(1))
    open_case = Split(ward[0], Split(ward[1], Leaf(1), Leaf(2)), Leaf(0))
    assert open_case.merged() == open_case


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": 5}, "depth"),
        ({"depth": True}, "depth"),
        ({"stop": Fraction(1)}, "stop"),
        ({"stop": 0.5}, "stop"),
        ({"label_prior": (1, 1, 1)}, "label_prior"),
        ({"label_prior": (0, 0)}, "label_prior"),
        ({"weights": (1, 0)}, "weights"),
        ({"weights": (1,)}, "weights"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], name: str) -> None:
    schema, _ = table(flags(2), n=1)
    with pytest.raises(ParameterError, match=name):
        Trees(schema, **options)


def test_what_does_not_fit_is_refused_beforehand_with_what_would() -> None:
    schema = Schema(tuple(Numeric(f"x{i}", 0.0, 1.0) for i in range(10)), "y")
    with pytest.raises(SizeError, match=r"depth=4 with 310 tests needs about \d+\.\d GiB.*Use depth=3"):
        Trees(schema, 4)
    wide = Schema(flags(160), "y")
    Trees(wide, 4).require(1000)
    with pytest.raises(SizeError, match=r"seconds.*Use depth=3"):
        Trees(wide, 4).require(10**8)
