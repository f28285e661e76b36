"""What small trees reach on average, exactly: `python -m benchmarks.accuracy.priors --data DIR [--relabelled]`.

For trees of at most two tests the expected test accuracy of a draw is a finite sum over pairs of tests, so priors are
compared without any noise from drawing. With `--relabelled` every column in turn is the label instead (its first
category, or at least its median; a share of 10 to 90 percent): more tasks, on the same records' features.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.tables import Table, load, names
from privpac.concepts.literals.binarise import Binarisation

Array = NDArray[np.float64]

EPSILONS = (0.05, 0.1, 0.3, 1.0)
EDGES = (25, 50, 100, 150, 200, 400, 1_000)
"""Bands of n·epsilon."""
SIZES, SPLITS, TEST_ROWS = (500, 2_000), 5, 4_000
BASE = "depth 2"


@dataclass(frozen=True)
class Counts:
    """Records by class (last axis): all of them, those passing a test, those passing both of two tests."""

    all: Array
    one: Array
    both: Array

    @classmethod
    def of(cls, passed: NDArray[np.bool_], labels: NDArray[Any]) -> Counts:
        parts = [passed[labels == label].astype(np.float32) for label in (0, 1)]
        both = np.stack([(part.T @ part).astype(float) for part in parts], axis=-1)
        totals = np.array([len(part) for part in parts], dtype=float)
        return cls(totals, np.einsum("iic->ic", both).copy(), both)

    def side(self, holds: bool) -> Array:
        return self.one if holds else self.all - self.one

    def corner(self, first: bool, second: bool) -> Array:
        """Records by the answers to the row's test and to the column's."""
        if first:
            return self.both if second else self.one[:, None] - self.both
        rest = self.one[None] - self.both
        return rest if second else self.all - self.one[:, None] - rest


Mass = tuple[Array, Array]
"""Logarithm of a total weight, and the expected number of right answers on the test records."""


def mixture(log_weights: Array, right: Array) -> Mass:
    """Over the first axis."""
    top = log_weights.max(axis=0)
    shares = np.exp(log_weights - top)
    total = shares.sum(axis=0)
    return top + np.log(total), (shares * right).sum(axis=0) / total


def labelled(train: list[Array], test: list[Array], answers: list[tuple[int, ...]], exponent: float) -> Mass:
    """Regions answered together, every tuple of answers equally likely beforehand."""
    weights = [-exponent * sum(n[..., 1 - y] for n, y in zip(train, ys, strict=True)) for ys in answers]
    right = [sum(t[..., y] for t, y in zip(test, ys, strict=True)) for ys in answers]
    return mixture(np.array(weights) - np.log(len(answers)), np.array(right))


Answers = list[tuple[int, ...]]

FREE: Answers = [(0, 0), (0, 1), (1, 0), (1, 1)]
DIFFERENT: Answers = [(0, 1), (1, 0)]


def one_test(train: Counts, test: Counts, exponent: float, answers: Answers) -> Mass:
    regions = ([train.side(False), train.side(True)], [test.side(False), test.side(True)])
    return mixture(*labelled(*regions, answers, exponent))


def two_levels(train: Counts, test: Counts, exponent: float, stop: float) -> Mass:
    """Every split free to take any test; below the root a node stops with probability `stop`."""
    weight, right = np.zeros(len(train.one)), np.zeros(len(train.one))
    for holds in (False, True):
        corners = [[c.corner(holds, other) for other in (False, True)] for c in (train, test)]
        split = labelled(corners[0], corners[1], FREE, exponent)
        grown = mixture(split[0].T - np.log(len(train.one)), split[1].T)
        leaf = labelled([train.side(holds)], [test.side(holds)], [(0,), (1,)], exponent)
        with np.errstate(divide="ignore"):
            shares = np.array([np.log(1 - stop) + grown[0], np.log(stop) + leaf[0]])
        node = mixture(shares, np.array([grown[1], leaf[1]]))
        weight, right = weight + node[0], right + node[1]
    return mixture(weight, right)


def accuracies(train: Counts, test: Counts, epsilon: float) -> dict[str, float]:
    exponent, total = epsilon / 2, float(test.all.sum())
    found = {
        "one test, different answers": one_test(train, test, exponent, DIFFERENT),
        "one test, free answers": one_test(train, test, exponent, FREE),
        BASE: two_levels(train, test, exponent, 0.0),
        "depth 2, stop 1/2": two_levels(train, test, exponent, 0.5),
        "depth 2, stop 3/4": two_levels(train, test, exponent, 0.75),
    }
    return {name: float(right) / total for name, (_, right) in found.items()} | {
        "majority": float(test.all.max()) / total
    }


@dataclass(frozen=True)
class Task:
    """A table with a label, its own or a column of its."""

    name: str
    table: Table
    labels: NDArray[Any]
    without: str | None


def tasks(table: Table, *, relabelled: bool) -> Iterator[Task]:
    block = table.sample.block()
    if not relabelled:
        yield Task(table.name, table, np.asarray(block.labels), None)
        return
    for column in table.schema.columns:
        cells = block.cells[column.name]
        labels = cells >= np.median(cells) if column.ordered else cells == 0
        if 0.1 <= labels.mean() <= 0.9:
            yield Task(f"{table.name}:{column.name}", table, labels.astype(np.uint8), column.name)


def measured(task: Task) -> Iterator[tuple[float, dict[str, float]]]:
    """(n·epsilon, accuracies) of every training set."""
    table = task.table
    block = table.sample.block()
    for n in sorted({min(n, table.sizes[-1]) for n in SIZES}):
        tests = Binarisation.default(table.schema, n=n)
        kept = [test for test in tests.tests if test.column != task.without]
        passed = np.stack([test.holds(block.cells) for test in kept], axis=1)
        for split in range(SPLITS):
            train, test = table.split(split)
            train, test = train[:n], test[:TEST_ROWS]
            counts = [Counts.of(passed[rows], task.labels[rows]) for rows in (train, test)]
            for epsilon in EPSILONS:
                if n * epsilon <= EDGES[-1]:
                    yield n * epsilon, accuracies(counts[0], counts[1], epsilon)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--relabelled", action="store_true")
    options = parser.parse_args()
    gains: dict[int, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    for name in names(options.data):
        for task in tasks(load(name, options.data), relabelled=options.relabelled):
            for evidence, found in measured(task):
                band = next(edge for edge in EDGES if evidence <= edge)
                for variant, accuracy in found.items():
                    gains[band][variant].setdefault(task.name, []).append(accuracy - found[BASE])
    for band in sorted(gains):
        print(f"n·epsilon up to {band}: gain over {BASE!r}, mean and standard error over tasks, tasks gained")
        for variant, by_task in gains[band].items():
            means = np.array([np.mean(values) for values in by_task.values()])
            error = means.std(ddof=1) / len(means) ** 0.5 if len(means) > 1 else float("nan")
            won = f"{int((means > 0).sum())}/{len(means)}"
            print(f"  {variant:28} {means.mean():+.4f} ± {error:.4f}  {won}")


if __name__ == "__main__":
    main()
