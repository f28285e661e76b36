"""Rare classes and probabilities on real tables: what balanced costs, leaf counts and cards give.

    python -m benchmarks.rare_classes --data DIR [--splits 2] [--json FILE]
    python -m benchmarks.rare_classes --data DIR --cells [--further] [--json FILE]

Without `--cells`: the seven tables with the rarest second class, all records, epsilon 1; the base rate that
`costs="balanced"` uses is the share of the table, rounded to two digits, as somebody would know it. With `--cells`:
the 40 cells of `benchmarks.scores` (six tables, 2,000 records and all, epsilon .1 to 3), plain costs, or the 48 of the
six further tables. Accuracy, balanced accuracy, the share of the second class
that is found, AUC and log-loss on the test part; one draw per split. Everything stays within epsilon: trees give a
fifth of it to the counts of their leaves.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.accuracy.run import DATA
from benchmarks.accuracy.tables import Table, load
from benchmarks.measuring import Row, publish
from benchmarks.scores import CHOSEN, EPSILONS, FURTHER, sizes
from privpac.coins import SeededCoins
from privpac.concepts.cards.card import Card
from privpac.concepts.trees.tree import Tree
from privpac.constructions.recipe import Recipe
from privpac.data.engines.memory import MemorySample
from privpac.request import LearnRequest

RARE = ("caravan", "framingham", "shoppers", "credit_default", "adult", "oulad", "pima")
CERTAIN = 1e-6
FIGURES = ("accuracy", "balanced", "found", "auc", "log_loss")
METHODS: dict[str, dict[str, object]] = {
    "default tree": {"probabilities": True},
    "default tree, balanced": {"probabilities": True, "costs": "balanced"},
    "card": {"aim": "rank"},
    "card, balanced": {"aim": "rank", "costs": "balanced"},
}


def figures_on(train: MemorySample, test: MemorySample, wishes: LearnRequest, seed: int) -> list[float]:
    """What is said of the test part by what was learnt from the other."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, recall_score, roc_auc_score

    recipe = Recipe.of(wishes, schema=train.schema, size=train.size)
    released, block = recipe.run(train, SeededCoins(seed)), test.block()
    rule, truth = released.hypothesis, block.labels
    if isinstance(rule, Card):
        risks = rule.proba(block.cells)[:, 1]
    elif isinstance(rule, Tree) and released.leaf_counts is not None:
        risks = released.leaf_counts.proba(rule, block.cells, n=block.n)[:, 1]
    else:
        raise ValueError("this rule tells no risks")
    labels = rule.predict(block.cells) if rule.columns else np.full(block.n, next(iter(rule.leaves())).label)
    return [
        accuracy_score(truth, labels),
        balanced_accuracy_score(truth, labels),
        recall_score(truth, labels),
        roc_auc_score(truth, risks),
        log_loss(truth, np.clip(risks, CERTAIN, 1 - CERTAIN)),
    ]


def measured(
    table: Table, n: int, epsilons: Sequence[Fraction], splits: int, methods: Sequence[str]
) -> Iterator[Row]:
    """One row per epsilon and method."""
    rate = round(float((table.sample.block().labels == 1).mean()), 2)
    found = defaultdict(list)
    for split in range(splits):
        training, testing = table.split(split)
        train, test = (table.sample.take(part) for part in (training[:n], testing))
        known = replace(table.schema, base_rate=(1 - rate, rate))
        for epsilon in epsilons:
            for method in methods:
                wishes = LearnRequest.read(epsilon=epsilon, estimate_epsilon=None, **METHODS[method])
                declared = MemorySample(known, cells=train.block().cells, labels=train.block().labels, n=n)
                found[epsilon, method].append(figures_on(declared, test, wishes, 1000 * split))
    for (epsilon, method), rows in found.items():
        means = dict(zip(FIGURES, np.mean(rows, axis=0).round(4).tolist(), strict=True))
        yield {"table": table.name, "n": n, "epsilon": float(epsilon), "method": method, **means}


def means(rows: Sequence[Row]) -> Iterator[Row]:
    """Over all cells, by method."""
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        yield {
            "method": method,
            "cells": len(own),
            **{name: round(float(np.mean([row[name] for row in own])), 4) for name in FIGURES},
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get(DATA), required=DATA not in os.environ)
    parser.add_argument("--cells", action="store_true", help="The 40 cells of benchmarks.scores.")
    parser.add_argument(
        "--further", action="store_true", help="With --cells: the six tables that chose nothing."
    )
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--json", type=Path)
    wishes = parser.parse_args()
    rows: list[Row] = []
    methods = [name for name in METHODS if not (wishes.cells and name.endswith("balanced"))]
    for name in (FURTHER if wishes.further else CHOSEN) if wishes.cells else RARE:
        table = load(name, Path(wishes.data))
        for n in sizes(table) if wishes.cells else sizes(table)[-1:]:
            rows += measured(table, n, EPSILONS if wishes.cells else [Fraction(1)], wishes.splits, methods)
            print(name, n, flush=True)
    title = "probabilities by cell" if wishes.cells else "rare classes on seven tables"
    publish(title, [*rows, *means(rows)], wishes.json)


if __name__ == "__main__":
    main()
