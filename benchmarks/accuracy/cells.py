"""One training set: the default classifier at every epsilon, and what is best without privacy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.accuracy.expected import Test, expectation, figures
from benchmarks.accuracy.tables import Remembered, Table
from privpac.coins import Coins, SeededCoins
from privpac.concepts.base import Hypothesis
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.mixture import TreeMixture
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.occam import Merged
from privpac.constructions.draw.refined_trees import RefinedTrees
from privpac.constructions.words import Request, learner_for
from privpac.numbers.exact import ratio_for
from privpac.request import LearnRequest

__all__ = ["Row", "measure"]

DRAWS = 3
"""Draws per split; peers are drawn once, so the summary also gives our first draw alone."""

OPTIMUM_DEPTH = 3
OPTIMUM_EXPONENT = Fraction(500)
"""One more mistake is e^-500 times as likely: the draw is an optimal tree, ties broken by the prior."""
OPTIMUM_DRAWS = 3


@dataclass(frozen=True)
class Row:
    """What was measured on one training set at one epsilon (0: the non-private optimum of depth-3 trees)."""

    table: str
    n: int
    split: int
    epsilon: float
    method: str
    expected: float | None
    """Expected accuracy over the draw of a mixture (`expected`); the draws say it where that is not known."""
    accuracy: list[float]
    """On the test records, one number per draw."""
    balanced: float
    """Balanced accuracy, mean over the draws."""
    leaves: float
    seconds: float
    """Processor seconds per draw; the first epsilon of a training set also pays for the counts."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    table: Table, *, n: int, split: int, epsilons: tuple[Fraction, ...], word: str, optimum: bool
) -> Iterator[Row]:
    """The rows of one training set."""
    positions, tested = table.split(split)
    train = Remembered(table.sample.take(positions[:n]))
    block = table.sample.take(tested).block()
    assert block.labels is not None
    test = Test(Remembered(table.sample.take(tested)), block.cells, block.labels)
    for number, epsilon in enumerate(epsilons):
        learner = learner_for(word, Request(table.schema, train.size, LearnRequest(epsilon=epsilon)))
        coins = SeededCoins(1_000 * split + number)
        mean = _expected(learner, train, test, epsilon, coins)
        found = _drawn(learner, train, coins)
        yield _row(table, n, split, epsilon, _name(word, learner), found, test, mean)
    if optimum:
        trees = Trees(table.schema, OPTIMUM_DEPTH, Binarisation.default(table.schema, n=n), threads=1)
        law = trees.gibbs(train.reduce(trees.statistic), ratio=ratio_for(OPTIMUM_EXPONENT), costs=(1, 1))
        coins = SeededCoins(split)
        found = (law.draw(coins).merged() for _ in range(OPTIMUM_DRAWS))
        yield _row(table, n, split, Fraction(0), "optimum", found, test)


def _expected(
    learner: Learner, train: Remembered, test: Test, epsilon: Fraction, coins: Coins
) -> float | None:
    concepts = learner.concepts
    if not isinstance(learner, Merged) or not isinstance(concepts, TreeMixture):
        return None
    found = list(figures(concepts.parts, train, test, epsilon=epsilon, coins=coins))
    return round(expectation(found, concepts.shares, concepts.charged, epsilon=epsilon), 6)


def _name(word: str, learner: Learner) -> str:
    if isinstance(learner, RefinedTrees):
        return f"{word} {learner.first.word}+{max(learner.depths)}"
    return f"{word} {learner.concepts.word}"


def _drawn(learner: Learner, train: Remembered, coins: Coins) -> Iterator[Hypothesis]:
    for _ in range(DRAWS):
        yield learner.learn(train, coins)


def _row(
    table: Table,
    n: int,
    split: int,
    epsilon: Fraction,
    method: str,
    found: Iterator[Hypothesis],
    test: Test,
    expected: float | None = None,
) -> Row:
    start = time.process_time()
    hypotheses = list(found)
    seconds = (time.process_time() - start) / len(hypotheses)
    scores = [_scores(test, hypothesis) for hypothesis in hypotheses]
    return Row(
        table=table.name,
        n=n,
        split=split,
        epsilon=float(epsilon),
        method=method,
        expected=expected,
        accuracy=[round(accuracy, 5) for accuracy, _ in scores],
        balanced=round(float(np.mean([balanced for _, balanced in scores])), 5),
        leaves=round(float(np.mean([_leaves(hypothesis) for hypothesis in hypotheses])), 2),
        seconds=round(seconds, 4),
    )


def _scores(test: Test, hypothesis: Hypothesis) -> tuple[float, float]:
    """Accuracy and balanced accuracy."""
    right = hypothesis.predict(test.cells) == test.labels
    recalls = [float(right[test.labels == label].mean()) for label in np.unique(test.labels)]
    return float(right.mean()), float(np.mean(recalls))


def _leaves(hypothesis: Hypothesis) -> int:
    leaves = getattr(hypothesis, "leaves", None)
    return 0 if leaves is None else len(list(leaves()))
