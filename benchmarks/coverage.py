"""How often printed intervals hold the truth: every kind of them, on tables whose truth is known exactly.

`python -m benchmarks.coverage [--runs 400] [--json benchmarks/results/coverage.json]`

Six columns of five equally likely values; the chance of the second class is a coin toss, hardly depends on three of
them (weak), depends on them much (strong), or is about one in twenty (rare). For each of 300, 3,000 and 30,000 records
a rule is learnt with epsilon 1 and everything that prints an interval is asked; the truth is summed over all 15,625
kinds of records. A kind of interval fails where it holds less often than its level less three standard errors. Ends
that were not printed, because nothing could be said, are counted apart. The control: figures of leaf counts of the
default tree with intervals of two standard deviations, as they once were printed.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import publish
from privpac import Schema
from privpac.coins import SeededCoins
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.cards.card import Card
from privpac.concepts.cards.risks import SCALE
from privpac.concepts.cards.words import risk_rows
from privpac.concepts.trees.tree import Tree
from privpac.constructions.estimates.confusion import CONFIDENCE
from privpac.constructions.estimates.leaf_counts import LeafCounts
from privpac.constructions.estimates.ranks import LEVEL, RankFigures, Share, ranks_of_card, ranks_of_tree
from privpac.constructions.recipe import Recipe
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.request import LearnRequest

NAMES = "abcdef"
VALUES = 5
SIZES = (300, 3_000, 30_000)
RUNS = 400
CONTROL = "control: a tree's leaf counts"
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "classes": [0, 1],
        "columns": [
            {"name": name, "kind": "numeric", "lower": 0, "upper": VALUES - 1, "integer": True}
            for name in NAMES
        ],
    }
)
LOG_ODDS = {
    "coin tosses": (0.0, 0.0),
    "weak": (0.0, 0.15),
    "strong": (0.0, 0.9),
    "rare": (-3.3, 0.4),
}
"""Log-odds in the middle, and what a step of each of three columns adds."""
WISHES: dict[str, dict[str, Any]] = {
    "card": {"concepts": "card"},
    "card, a class costs more": {"concepts": "card", "costs": (1, 4)},
    "card, labels protected": {"concepts": "card", "protect": "labels"},
    "card, estimate": {"concepts": "card", "estimate_epsilon": "0.2", "holdout": "0.2"},
    "tree": {"leaf_epsilon": "0.5", "estimate_epsilon": "0.1", "holdout": 0},
    "tree, kept aside": {"estimate_epsilon": "0.2", "holdout": "0.2"},
}


class World(NamedTuple):
    """All kinds of records, each as likely as any other, and the chance of the second class in each."""

    table: dict[str, NDArray[np.int64]]
    cells: Cells
    risk: NDArray[np.float64]

    def draw(self, n: int, seed: int) -> MemorySample:
        random = np.random.default_rng(seed)
        kinds = random.integers(0, len(self.risk), n)
        labels = (random.random(n) < self.risk[kinds]).astype(np.int64)
        table = {**{name: values[kinds] for name, values in self.table.items()}, "y": labels}
        return MemorySample.of(table, SCHEMA)


class Seen(NamedTuple):
    """One printed interval: its kind, its level, whether there was one, and whether it held."""

    kind: str
    level: float
    said: bool
    held: bool


@cache
def world(name: str) -> World:
    table = np.array(list(product(range(VALUES), repeat=len(NAMES))))
    middle, step = LOG_ODDS[name]
    odds = middle + step * (table[:, :3] - (VALUES - 1) / 2).sum(axis=1)
    columns = {column: table[:, i] for i, column in enumerate(NAMES)}
    sample = MemorySample.of({**columns, "y": np.zeros(len(table), dtype=np.int64)}, SCHEMA)
    return World(columns, sample.block().cells, 1 / (1 + np.exp(-odds)))


@cache
def recipe(name: str, n: int) -> Recipe:
    wishes = {"concepts": "auto", "delta": 0, "protect": "records", **WISHES[name]}
    return Recipe.of(LearnRequest.read(epsilon=1, **wishes), schema=SCHEMA, size=Size(n))


def area(scores: NDArray[np.float64], risk: NDArray[np.float64]) -> float:
    """How often a record of the second class has the larger score, ties counted as half."""
    _, place = np.unique(scores, return_inverse=True)
    ones, zeros = np.bincount(place, risk), np.bincount(place, 1 - risk)
    return float((ones * (np.cumsum(zeros) - zeros / 2)).sum() / ones.sum() / zeros.sum())


def truths(rule: Hypothesis, where: World) -> dict[str, float]:
    """What is true of fresh records."""
    found, risk = np.asarray(rule.predict(where.cells)).astype(float), where.risk
    found = np.broadcast_to(found, risk.shape)
    sensitivity = float((risk * found).sum() / risk.sum())
    specificity = float(((1 - risk) * (1 - found)).sum() / (1 - risk).sum())
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "balanced": (sensitivity + specificity) / 2,
        "accuracy": float(np.where(found > 0, risk, 1 - risk).mean()),
    }


def of_ranks(name: str, figures: RankFigures, true: dict[str, float], where: World) -> Iterator[Seen]:
    """The figures of counts."""
    for kind in ("auc", "sensitivity", "specificity", "balanced", "accuracy"):
        yield _seen(f"{name}: {kind}", getattr(figures, kind), true[kind])
    commonest, share = figures.majority or ("0", None)
    one = float(where.risk.mean())
    yield _seen(f"{name}: commonest class", share, one if commonest == "1" else 1 - one)


def _seen(kind: str, share: Share | None, true: float) -> Seen:
    said = share is not None and share.low is not None and share.high is not None
    held = share is None or share.low is None or share.high is None or share.low <= true <= share.high
    return Seen(kind, LEVEL, said, held)


def of_sums(name: str, card: Card, where: World) -> Iterator[Seen]:
    """The risks counted for sums of points, as the card prints them."""
    totals = card.total(where.cells)
    for row in risk_rows(card.table, card.risks, card.cutoff):
        inside = (totals >= row.within[0]) & (totals <= row.within[1])
        if inside.any():
            true = float(where.risk[inside].mean())
            low, high = row.counted.low / SCALE, row.counted.high / SCALE
            yield Seen(f"{name}: risk of a sum", LEVEL, bool(row.interval), low <= true <= high)


def once(distribution: str, n: int, seed: int) -> Iterator[Seen]:
    """All intervals of one table."""
    where = world(distribution)
    sample = where.draw(n, seed)
    for name in WISHES:
        released = recipe(name, n).run(sample, SeededCoins(seed))
        rule, estimate, counts = released.hypothesis, released.estimate, released.leaf_counts
        true = truths(rule, where)
        if estimate is not None:
            held = float(estimate.low) <= true["accuracy"] <= float(estimate.high)
            yield Seen(f"{name}: private estimate", float(CONFIDENCE), estimate.tells, held)
        if isinstance(rule, Card):
            true["auc"] = area(rule.proba(where.cells)[:, 1], where.risk)
            yield from of_ranks(name, ranks_of_card(rule, SCHEMA.classes), true, where)
            yield from of_sums(name, rule, where)
        elif isinstance(rule, Tree) and counts is not None:
            yield from _of_tree(name, rule, counts, true, where)


def _of_tree(
    name: str, tree: Tree, counts: LeafCounts, true: dict[str, float], where: World
) -> Iterator[Seen]:
    true["auc"] = area(counts.proba(tree, where.cells, n=len(where.risk))[:, 1], where.risk)
    figures = ranks_of_tree(tree, counts, SCHEMA.classes)
    assert figures is not None
    yield from of_ranks(name, figures, true, where)
    yield from of_ranks(CONTROL, replace(figures, flattering=False, tells_order=True), true, where)


def coverage(runs: int, sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """One row for each kind, distribution and number of records."""
    rows: list[dict[str, Any]] = []
    for n in sizes:
        for distribution in LOG_ODDS:
            rows += _rows(distribution, n, runs)
            print(distribution, n, "done", flush=True)
    return rows


def _rows(distribution: str, n: int, runs: int) -> Iterator[dict[str, Any]]:
    said: Counter[str] = Counter()
    held: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    levels: dict[str, float] = {}
    for seed in range(runs):
        for seen in once(distribution, n, seed):
            levels[seen.kind] = seen.level
            asked[seen.kind] += 1
            said[seen.kind] += seen.said
            held[seen.kind] += seen.said and seen.held
    for kind, level in levels.items():
        least = level - 3 * math.sqrt(level * (1 - level) / runs)
        share = held[kind] / said[kind] if said[kind] else None
        yield {
            "kind": kind,
            "distribution": distribution,
            "records": n,
            "runs": runs,
            "level": level,
            "asked": asked[kind],
            "said": said[kind],
            "held": None if share is None else round(share, 4),
            "holds": share is None or share >= least,
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = coverage(asked.runs, tuple(asked.sizes))
    publish("coverage", rows, asked.json)
    failed = [row for row in rows if not row["holds"] and not row["kind"].startswith(CONTROL)]
    print("failed:", json.dumps(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
