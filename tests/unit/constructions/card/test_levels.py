"""Levels below the leaves of a tree: the statistic, what grows on a leaf, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from privpac import Schema
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Binarisation, Test
from privpac.concepts.trees.tree import Leaf, Split
from privpac.constructions.card.levels import (
    Growth,
    LeafWeights,
    asks_anew,
)
from privpac.data.engines.memory import MemorySample

COLUMNS: list[dict[str, Any]] = [
    {"name": "a", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
    {"name": "b", "kind": "numeric", "lower": 0, "upper": 7, "integer": True},
]
SCHEMA = Schema.from_json({"label": "y", "classes": [0, 1], "columns": COLUMNS})
TESTS = Binarisation.of(SCHEMA)
TREE = Split(Test("a", 4, "at least"), Leaf(0), Leaf(1))
HALF = Fraction(1, 2)


def sample(n: int) -> MemorySample:
    random = np.random.default_rng(5)
    a, b = random.integers(0, 8, n), random.integers(0, 8, n)
    return MemorySample.of({"a": a, "b": b, "y": (b >= 3).astype(int)}, SCHEMA)


def test_weights_are_added_up_by_leaf_and_code() -> None:
    block, weights = sample(200).block(), ((-3, -5), (7, 11))
    sums = sample(200).reduce(LeafWeights(TESTS, TREE, weights))
    assert block.labels is not None
    leaves = (block.cells["a"] >= 4).astype(int)
    own = np.array(weights)[block.labels, leaves]
    codes = TESTS.codes(block)
    start = 0
    for row, group in zip(codes, TESTS.groups, strict=True):
        for leaf in (0, 1):
            for code in range(len(group.cells) + 1):
                assert sums[leaf, start + code] == own[(leaves == leaf) & (row == code)].sum()
        start += len(group.cells) + 1
    halves = [LeafWeights(TESTS, TREE, weights).zero() for _ in range(2)]
    assert (LeafWeights(TESTS, TREE, weights).merge(*halves) == 0).all()


def test_a_level_may_ask_other_columns_than_the_tree_it_grows_on() -> None:
    below = Binarisation(SCHEMA, tuple(test for test in TESTS.tests if test.column == "b"))
    statistic = LeafWeights(below, TREE, ((-1, -1), (1, 1)))
    assert set(statistic.columns) == {"a", "b"}
    assert sample(50).reduce(statistic).shape == (2, len(below.tests) + 1)


def test_what_grows_keeps_labels_facts_and_order() -> None:
    growth = Growth.on(TREE, iter([HALF, HALF]))
    assert [stem.label for stem in growth.stems] == [0, 1]
    grown = growth.level(sample(400), TESTS, points=4, ratio=Fraction(1, 2), coins=SeededCoins(1))
    assert (
        [leaf.label for leaf in grown.tree.leaves()] == [stem.label for stem in grown.stems] == [0, 0, 1, 1]
    )
    assert [stem.points for stem in grown.stems] == [-4, 4, -4, 4]
    assert {test.column for stem in grown.stems for test, _ in stem.facts[1:]} == {"b"}
    assert asks_anew(grown.tree)
    assert grown.tree.merged() == TREE


def test_a_test_whose_answer_is_known_splits_nothing_and_moves_the_points() -> None:
    only = Schema.from_json({"label": "y", "classes": [0, 1], "columns": [{"name": "a", "kind": "boolean"}]})
    tests = Binarisation.of(only)
    records = MemorySample.of({"a": [True] * 9, "y": [1] * 9}, only)
    tree = Split(tests.tests[0], Leaf(0), Leaf(0))
    grown = Growth.on(tree, iter([HALF, HALF])).level(
        records, tests, points=2, ratio=Fraction(1, 4), coins=SeededCoins(1)
    )
    assert grown.tree == tree
    assert grown.stems[1].points == 2
    assert [len(stem.facts) for stem in grown.stems] == [1, 1]
