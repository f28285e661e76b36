"""Label privacy on real tables: trees and scorecards against randomised response, equal epsilon, same splits.

    python -m benchmarks.label_privacy --data DIR [--json FILE]

Randomised response flips each label with probability 1/(1 + e^epsilon) and hands the table to scikit-learn: logistic
regression, or histogram boosting, with their defaults. Ours: `protect='labels'` with the default word and with deeper
trees. Splits are those of `benchmarks.accuracy`; accuracy on the test part, mean over splits.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy import DATA, Remembered, Table, load, names
from benchmarks.measuring import publish
from privpac.coins import SeededCoins
from privpac.constructions.words import Request, learner_for
from privpac.data.sample import Block
from privpac.request import LearnRequest

EPSILONS = (Fraction(3, 10), Fraction(1))
SPLITS_SMALL, SPLITS_LARGE, SMALL = 10, 3, 2_000
DRAWS_SMALL, DRAWS_LARGE = 4, 2

Predict = Callable[[Block], NDArray[Any]]


def encoded(table: Table, block: Block) -> NDArray[np.float64]:
    """Ordered columns scaled to [0, 1] by their public range, categories one-hot."""
    parts = []
    for column in table.schema.columns:
        cells = block.cells[column.name].astype(np.float64)
        if column.ordered:
            parts.append((cells / max(1, column.size - 1))[:, None])
        else:
            parts.append(np.eye(column.size)[cells.astype(np.int64)])
    return np.hstack(parts)


def flipped(labels: NDArray[np.uint8], epsilon: Fraction, seed: int) -> NDArray[np.uint8]:
    flip = np.random.default_rng(seed).random(len(labels)) < 1 / (1 + math.exp(float(epsilon)))
    return np.where(flip, 1 - labels, labels).astype(np.uint8)


def response(kind: str) -> Callable[..., float]:
    def run(table: Table, train: Remembered, test: Block, epsilon: Fraction, seed: int) -> float:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression

        block = train.inner.block()
        assert block.labels is not None
        model = LogisticRegression(max_iter=1000) if kind == "lr" else HistGradientBoostingClassifier()
        model.fit(encoded(table, block), flipped(block.labels, epsilon, seed))
        return float((model.predict(encoded(table, test)) == test.labels).mean())

    return run


def ours(word: str, protect: str = "labels") -> Callable[..., float]:
    def run(table: Table, train: Remembered, test: Block, epsilon: Fraction, seed: int) -> float:
        learner = learner_for(
            word, Request(table.schema, train.size, LearnRequest(epsilon=epsilon, protect=protect))
        )
        rule = learner.learn(train, SeededCoins(seed))
        return float((rule.predict(test.cells) == test.labels).mean())

    return run


METHODS: dict[str, Callable[..., float]] = {
    "labels: auto": ours("auto"),
    "records: scorecards:2": ours("scorecards:2", "records"),
    "randomised response + logistic regression": response("lr"),
    "randomised response + boosting": response("hgb"),
}


def measure(table: Table) -> list[dict[str, Any]]:
    found: dict[tuple[str, str], list[float]] = {}
    n = table.sizes[-1]
    small = n <= SMALL
    for split in range(SPLITS_SMALL if small else SPLITS_LARGE):
        positions, tested = table.split(split)
        train, test = Remembered(table.sample.take(positions)), table.sample.take(tested).block()
        for epsilon in EPSILONS:
            for name, run in METHODS.items():
                for draw in range(DRAWS_SMALL if small else DRAWS_LARGE):
                    accuracy = run(table, train, test, epsilon, 100 * split + draw)
                    found.setdefault((str(float(epsilon)), name), []).append(accuracy)
    return [
        {
            "table": table.name,
            "records": n,
            "epsilon": float(epsilon),
            "method": name,
            "accuracy": round(float(np.mean(values)), 4),
            "runs": len(values),
        }
        for (epsilon, name), values in found.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    folder = os.environ.get(DATA)
    parser.add_argument("--data", type=Path, default=Path(folder) if folder else None)
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for name in options.tables or names(options.data):
        start = time.process_time()
        rows += measure(load(name, options.data))
        print(f"{name}: {time.process_time() - start:.0f} processor seconds", flush=True)
        if options.json is not None:  # a long run that is stopped keeps what it has
            publish("Label privacy: accuracy against randomised response", rows, options.json)


if __name__ == "__main__":
    main()
