"""How large the default's trees are, and what smaller ones cost in accuracy.

`python -m benchmarks.leaves --data DIR [--tables adult magic] [--json out.json]`

Above n·epsilon 5,000 the default grows a tree in stages, and leaves that hardly any record reaches are decided by
chance. Two ways to have fewer of them: a prior that stops sooner and keeps labels more often (`settings`), or cutting
off, after the draw, the leaves that cover the smallest share of the public domain (`pruned`). Both are free of privacy
cost. For each: accuracy on test records, leaves, and leaves with fewer than 100 training records.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.accuracy.tables import Remembered, Table, load, names
from privpac.coins import SeededCoins
from privpac.concepts.literals.binarise import Test
from privpac.concepts.trees.tree import Leaf, Split, Tree
from privpac.constructions.draw import staged_trees
from privpac.constructions.draw.stages import KEEP_LABEL, LATER_STOP, SECOND_STAGE_ABOVE
from privpac.constructions.words import Request, learner_for
from privpac.data.schema import Schema

EPSILONS = (Fraction(3, 10), Fraction(1), Fraction(3))
SPLITS, DRAWS, FEW = 3, 4, 100
SETTINGS = (
    (LATER_STOP, KEEP_LABEL),
    (Fraction(3, 4), Fraction(3, 4)),
    (Fraction(3, 4), Fraction(9, 10)),
    (Fraction(9, 10), Fraction(9, 10)),
    (Fraction(19, 20), Fraction(19, 20)),
)
CAPS = (32, 24, 16)

Row = dict[str, Any]
Free = Mapping[str, frozenset[int] | range]
"""The cells of each column that can still occur; all of them where a column is not named."""


def measure(table: Table, epsilon: Fraction, split: int) -> Iterator[Row]:
    """One training set: every prior, and the default's own trees cut down to each size."""
    positions, tested = table.split(split)
    train, test = Remembered(table.sample.take(positions)), table.sample.take(tested).block()
    seen = table.sample.take(positions).block()
    assert test.labels is not None
    for stop, keep in SETTINGS:
        with patch.multiple(staged_trees, LATER_STOP=stop, KEEP_LABEL=keep):
            learner = learner_for("auto", Request(table.schema, train.size, epsilon))
            trees = [learner.learn(train, SeededCoins(100 * split + draw)) for draw in range(DRAWS)]
        caps = (None, *CAPS) if (stop, keep) == SETTINGS[0] else (None,)
        for cap in caps:
            shown = [tree if cap is None else pruned(tree, table.schema, cap) for tree in trees]
            reached = [np.bincount(tree.leaf_numbers(seen.cells), minlength=_size(tree)) for tree in shown]
            yield {
                "table": table.name,
                "epsilon": float(epsilon),
                "split": split,
                "stop": float(stop),
                "keep": float(keep),
                "most": cap,
                "accuracy": float(
                    np.mean([(tree.predict(test.cells) == test.labels).mean() for tree in shown])
                ),
                "leaves": float(np.mean([_size(tree) for tree in shown])),
                "few": float(np.mean([(counts < FEW).sum() for counts in reached])),
            }


def _size(tree: Tree) -> int:
    return sum(1 for _ in tree.leaves())


def pruned(tree: Tree, schema: Schema, most: int) -> Tree:
    """At most so many leaves: the one that covers least of the domain goes first, and its sibling takes its place."""
    while _size(tree) > most:
        smallest = min(_loose(tree, schema, {}, 1.0))[1]
        tree = _without(tree, smallest).merged()
    return tree


def _loose(node: Tree, schema: Schema, free: Free, share: float) -> Iterator[tuple[float, str]]:
    """Leaves with the share of the domain that they cover, and the way to them: a letter per test."""
    if not isinstance(node, Split):
        return
    for child, letter, holds in ((node.low, "l", False), (node.high, "h", True)):
        cells, part = _left(node.test, schema, free, holds=holds)
        below = share * part
        if isinstance(child, Leaf):
            yield below, letter
        else:
            inside = _loose(child, schema, {**free, node.test.column: cells}, below)
            yield from ((covered, letter + way) for covered, way in inside)


def _left(test: Test, schema: Schema, free: Free, *, holds: bool) -> tuple[frozenset[int] | range, float]:
    """The cells of the test's column that one of its answers leaves, and their share."""
    before = free.get(test.column, range(schema.column(test.column).size))
    if isinstance(before, range) and test.kind == "at least":
        cut = min(max(test.cell, before.start), before.stop)
        after: frozenset[int] | range = range(cut, before.stop) if holds else range(before.start, cut)
    else:
        after = frozenset([test.cell]) if holds else frozenset(before) - {test.cell}
    return after, len(after) / max(1, len(before))


def _without(node: Tree, way: str) -> Tree:
    assert isinstance(node, Split)
    if len(way) == 1:
        return node.high if way == "l" else node.low
    if way[0] == "l":
        return Split(node.test, _without(node.low, way[1:]), node.high)
    return Split(node.test, node.low, _without(node.high, way[1:]))


def summary(rows: list[Row]) -> list[Row]:
    """The mean over all cells, by setting and size."""
    kinds = dict.fromkeys((row["stop"], row["keep"], row["most"]) for row in rows)
    means = []
    for stop, keep, most in kinds:
        same = [row for row in rows if (row["stop"], row["keep"], row["most"]) == (stop, keep, most)]
        figures = {
            name: round(float(np.mean([row[name] for row in same])), 4)
            for name in ("accuracy", "leaves", "few")
        }
        means.append({"stop": stop, "keep": keep, "most": most, "cells": len(same), **figures})
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows: list[Row] = []
    for name in asked.tables or names(asked.data):
        table = load(name, asked.data)
        for epsilon in EPSILONS:
            if table.sizes[-1] * epsilon > SECOND_STAGE_ABOVE:
                for split in range(SPLITS):
                    rows += measure(table, epsilon, split)
    means = summary(rows)
    for row in means:
        print(row)
    if asked.json is not None:
        asked.json.write_text(json.dumps({"summary": means, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
