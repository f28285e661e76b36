"""One training set: the default classifier at every epsilon, and what is best without privacy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.tables import Remembered, Table
from privpac.coins import Coins, SeededCoins
from privpac.concepts.base import Cells, Hypothesis
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.words import Request, learner_for
from privpac.numbers.exact import ratio_for

__all__ = ["EPSILONS", "Row", "measure"]

EPSILONS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.3", "1", "3"))

LITTLE_EVIDENCE, SMALL = 200, 2_000
MANY_DRAWS, SOME_DRAWS, FEW_DRAWS = 24, 6, 3
"""Draws a split: many where n·epsilon is at most 200 and draws vary most, some up to 2000 records, few above. Peers
are drawn once, so the summary also gives our first draw alone."""

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
    accuracy: list[float]
    """On the test records, one number per draw."""
    balanced: float
    """Balanced accuracy, mean over the draws."""
    leaves: float
    seconds: float
    """Processor seconds per draw; the first epsilon of a training set also pays for the counts."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Test:
    """Test records."""

    __test__ = False

    cells: Cells
    labels: NDArray[np.uint8]

    def scores(self, hypothesis: Hypothesis) -> tuple[float, float]:
        """Accuracy and balanced accuracy."""
        predicted = hypothesis.predict(self.cells)
        right = predicted == self.labels
        recalls = [float(right[self.labels == c].mean()) for c in np.unique(self.labels)]
        return float(right.mean()), float(np.mean(recalls))


def measure(
    table: Table, *, n: int, split: int, epsilons: tuple[Fraction, ...], word: str, optimum: bool
) -> Iterator[Row]:
    """The rows of one training set."""
    positions, tested = table.split(split)
    train = Remembered(table.sample.take(positions[:n]))
    block = table.sample.take(tested).block()
    assert block.labels is not None
    test = Test(block.cells, block.labels)
    for number, epsilon in enumerate(epsilons):
        learner = learner_for(word, Request(table.schema, train.size, epsilon))
        found = _drawn(learner, train, SeededCoins(1_000 * split + number), _draws(n, epsilon))
        yield _row(table, n, split, epsilon, _name(word, learner), found, test)
    if optimum:
        trees = Trees(table.schema, OPTIMUM_DEPTH, Binarisation.default(table.schema, n=n), threads=1)
        law = trees.gibbs(train.reduce(trees.statistic), ratio=ratio_for(OPTIMUM_EXPONENT), costs=(1, 1))
        coins = SeededCoins(split)
        found = (law.draw(coins).merged() for _ in range(OPTIMUM_DRAWS))
        yield _row(table, n, split, Fraction(0), "optimum", found, test)


def _draws(n: int, epsilon: Fraction) -> int:
    if n * epsilon <= LITTLE_EVIDENCE:
        return MANY_DRAWS
    return SOME_DRAWS if n <= SMALL else FEW_DRAWS


def _name(word: str, learner: Learner) -> str:
    if isinstance(learner, StagedTrees):
        return f"{word} {'+'.join(map(str, learner.stages))}"
    return f"{word} {learner.concepts.word}"


def _drawn(learner: Learner, train: Remembered, coins: Coins, draws: int) -> Iterator[Hypothesis]:
    """Independent draws; the sums of a single stage are made once for all of them."""
    if not isinstance(learner, StagedTrees) or len(learner.stages) > 1:
        for _ in range(draws):
            yield learner.learn(train, coins)
        return
    evidence = train.reduce(learner.concepts.statistic)
    law = learner.concepts.gibbs(evidence, ratio=learner.ratio(0), costs=learner.prices)
    for _ in range(draws):
        yield law.draw(coins).merged()


def _row(
    table: Table, n: int, split: int, epsilon: Fraction, method: str, found: Iterator[Hypothesis], test: Test
) -> Row:
    start = time.process_time()
    hypotheses = list(found)
    seconds = (time.process_time() - start) / len(hypotheses)
    scores = [test.scores(hypothesis) for hypothesis in hypotheses]
    return Row(
        table=table.name,
        n=n,
        split=split,
        epsilon=float(epsilon),
        method=method,
        accuracy=[round(accuracy, 5) for accuracy, _ in scores],
        balanced=round(float(np.mean([balanced for _, balanced in scores])), 5),
        leaves=round(float(np.mean([_leaves(hypothesis) for hypothesis in hypotheses])), 2),
        seconds=round(seconds, 4),
    )


def _leaves(hypothesis: Hypothesis) -> int:
    leaves = getattr(hypothesis, "leaves", None)
    return 0 if leaves is None else len(list(leaves()))
