"""How large the default's trees are, what smaller ones cost, and what a page of a large one leaves out.

`python -m benchmarks.leaves priors|pages --data DIR [--tables adult magic] [--json out.json]`

Above n·epsilon 5,000 the default grows a tree in stages, and leaves that hardly any record reaches are decided by
chance. `priors`: trees under a prior that stops sooner and keeps labels more often; accuracy on test records, leaves,
and leaves with fewer than 100 training records. `pages`: a twentieth of epsilon buys counts of the leaves, and the tree
is shown with at most so many of them (`estimates.folding`): accuracy of the whole rule, of the default that buys no
counts, of the shown tree if somebody used it instead, and how often what is shown is not what the rule answers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.accuracy.tables import Remembered, Table, load, names
from privpac.coins import SeededCoins
from privpac.concepts.trees.tree import Tree
from privpac.constructions.draw import staged_trees
from privpac.constructions.draw.stages import KEEP_LABEL, LATER_STOP, SECOND_STAGE_ABOVE
from privpac.constructions.estimates.folding import PAGE, fold
from privpac.constructions.estimates.leaf_counts import release_leaf_counts
from privpac.constructions.words import Request, learner_for

EPSILONS = (Fraction(3, 10), Fraction(1), Fraction(3))
SPLITS, DRAWS, FEW = 3, 4, 100
SETTINGS = (
    (LATER_STOP, KEEP_LABEL),
    (Fraction(3, 4), Fraction(3, 4)),
    (Fraction(3, 4), Fraction(9, 10)),
    (Fraction(9, 10), Fraction(9, 10)),
    (Fraction(19, 20), Fraction(19, 20)),
)
COUNTING = Fraction(1, 20)
"""The share of epsilon that counts leaves."""
PAGES = (PAGE, 16, 12)

Row = dict[str, Any]


def priors(table: Table, epsilon: Fraction, split: int) -> Iterator[Row]:
    """One training set: the trees of every prior."""
    positions, tested = table.split(split)
    train, test = Remembered(table.sample.take(positions)), table.sample.take(tested).block()
    seen = table.sample.take(positions).block()
    assert test.labels is not None
    for stop, keep in SETTINGS:
        with patch.multiple(staged_trees, LATER_STOP=stop, KEEP_LABEL=keep):
            learner = learner_for("auto", Request(table.schema, train.size, epsilon))
            trees = [learner.learn(train, SeededCoins(100 * split + draw)) for draw in range(DRAWS)]
        reached = [np.bincount(tree.leaf_numbers(seen.cells), minlength=_size(tree)) for tree in trees]
        yield {
            "prior": f"stop {float(stop)}, keep {float(keep)}",
            "accuracy": float(np.mean([(tree.predict(test.cells) == test.labels).mean() for tree in trees])),
            "leaves": float(np.mean([_size(tree) for tree in trees])),
            "few": float(np.mean([(counts < FEW).sum() for counts in reached])),
        }


def pages(table: Table, epsilon: Fraction, split: int) -> Iterator[Row]:
    """One training set: the default without counts, and with counts as pages of every size show it."""
    positions, tested = table.split(split)
    train, test = Remembered(table.sample.take(positions)), table.sample.take(tested).block()
    assert test.labels is not None
    for draw in range(DRAWS):
        alone, tree = (
            learner_for("auto", Request(table.schema, train.size, epsilon * share)).learn(
                train, SeededCoins(100 * split + draw)
            )
            for share in (Fraction(1), 1 - COUNTING)
        )
        assert isinstance(tree, Tree)
        counts = release_leaf_counts(train, tree, epsilon=epsilon * COUNTING, coins=SeededCoins(draw))
        answers = tree.predict(test.cells)
        for most in PAGES:
            shown = fold(tree, counts, table.schema, most=most).tree
            told = shown.predict(test.cells)
            yield {
                "page": most,
                "without_counts": float((alone.predict(test.cells) == test.labels).mean()),
                "accuracy": float((answers == test.labels).mean()),
                "shown_accuracy": float((told == test.labels).mean()),
                "otherwise": float((told != answers).mean()),
                "leaves": _size(tree),
                "shown_leaves": _size(shown),
            }


def _size(tree: Tree) -> int:
    return sum(1 for _ in tree.leaves())


PARTS = {"priors": priors, "pages": pages}


def summary(rows: Sequence[Row], by: str) -> list[Row]:
    """The mean over all cells."""
    means = []
    for kind in dict.fromkeys(row[by] for row in rows):
        same = [row for row in rows if row[by] == kind]
        figures = {name: round(float(np.mean([row[name] for row in same])), 4) for name in list(same[0])[4:]}
        means.append({by: kind, "rows": len(same), **figures})
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--json", type=Path, help="its part of this file is replaced")
    asked = parser.parse_args()
    rows: list[Row] = []
    for name in asked.tables or names(asked.data):
        table = load(name, asked.data)
        for epsilon in EPSILONS:
            if table.sizes[-1] * epsilon > SECOND_STAGE_ABOVE:
                where = {"table": name, "epsilon": float(epsilon)}
                for split in range(SPLITS):
                    made = PARTS[asked.part](table, epsilon, split)
                    rows += [{**where, "split": split, **row} for row in made]
        print(
            name,
            *summary([row for row in rows if row["table"] == name], asked.part[:-1]),
            sep="\n",
            flush=True,
        )
    means = summary(rows, asked.part[:-1])
    print("all", *means, sep="\n")
    if asked.json is not None:
        kept = json.loads(asked.json.read_text()) if asked.json.exists() else {}
        kept[asked.part] = {"summary": means, "rows": rows}
        asked.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
