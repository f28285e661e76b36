"""What each part of a mixture weighs and reaches, so that any prior over the parts can be judged without drawing anew:
`python -m benchmarks.accuracy.expected --data DIR --rows parts.jsonl`.

One draw from a mixture is a part, chosen by share times total weight, and a rule of it. So its expected accuracy is the
mean of the parts' own, weighted in that way, for every choice of the shares. Total weights are those the learner
computes. Accuracy is exact for single tests and constants, and a mean over draws for trees. Training
sets that are in the file already are not measured again. `choose` reads the file.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.tables import EPSILONS, Remembered, Table, load, names
from privpac.coins import Coins, SeededCoins
from privpac.concepts.base import Cells
from privpac.concepts.literals.cooccurrence import DEEPEST
from privpac.concepts.literals.scales import on_each_scale
from privpac.concepts.trees.parts import Constants, OneTest, PartGibbs, TreePart
from privpac.concepts.trees.trees import Trees
from privpac.constructions.draw.default import REFINED_ABOVE, deep_tests, default_mixture
from privpac.numbers.exact import ratio_for

__all__ = ["FOURS", "Figure", "Test", "expectation", "figures"]

DRAWS = 16
"""Draws from each class of trees."""
WIDTHS = (64, 128, 256)
"""Numbers of tests that rules of three tests are tried with."""
CUTS = (7, 15, 31)
"""Numbers of cuts per column that rules of one test are tried with."""

FOURS = "four levels"
"""The setting of trees of depth 4, where the default draws from them."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Test:
    """Test records."""

    __test__ = False

    sample: Remembered
    cells: Cells
    labels: NDArray[np.uint8]


@dataclass(frozen=True)
class Figure:
    """One part: its word, how many tests it has, the logarithm of its total weight, and the accuracy of its draws."""

    part: str
    tests: int
    log: float
    accuracy: float


def figures(
    parts: Iterable[TreePart], train: Remembered, test: Test, *, epsilon: Fraction, coins: Coins
) -> Iterator[Figure]:
    """Every part on one training set, costs being equal."""
    for part in parts:
        if isinstance(part, Constants | OneTest):
            log, accuracy = _exact(*(_mistakes(part, sample) for sample in (train, test.sample)), epsilon)
        else:
            law = part.gibbs(train.reduce(part.statistic), ratio=ratio_for(epsilon / 2), costs=(1, 1))
            log, accuracy = _log_total(law, epsilon), _drawn(law, coins, test)
        yield Figure(part.word, len(part.statistic.binarisation.tests), log, round(accuracy, 6))


def expectation(
    found: Sequence[Figure], shares: Sequence[float], handicaps: Sequence[int], *, epsilon: Fraction
) -> float:
    """Expected accuracy of one draw from the mixture of these parts."""
    charged = float(epsilon) / 2 * np.array(handicaps, dtype=float)
    logs = np.array([figure.log for figure in found]) + np.log(np.array(shares, dtype=float)) - charged
    weights = np.exp(logs - logs.max())
    return float(weights @ np.array([figure.accuracy for figure in found]) / weights.sum())


def _mistakes(part: Constants | OneTest, sample: Remembered) -> Array:
    """Of each member, on these records; a rule and its opposite stand half of the list apart."""
    counts = sample.reduce(part.statistic).counts.astype(float)
    everyone, held = counts[0], counts[1:]
    if isinstance(part, Constants):
        return everyone[::-1].copy()
    wrong = held[:, 0] + everyone[1] - held[:, 1]  # where the test holds, the answer is class 1
    return np.concatenate([wrong, everyone.sum() - wrong])


def _exact(train: Array, test: Array, epsilon: Fraction) -> tuple[float, float]:
    logs = -float(epsilon) / 2 * train
    weights = np.exp(logs - logs.max())
    wrong = float(weights @ test / weights.sum())
    return float(logs.max() + np.log(weights.mean())), 1 - wrong / float(test[0] + test[len(test) // 2])


def _log_total(law: PartGibbs, epsilon: Fraction) -> float:
    score, mass, error = law.total
    if error < 1:
        return score * math.log(ratio_for(epsilon / 2)) + math.log(mass)
    return float(law.ball(256).log().mid())


def _drawn(law: PartGibbs, coins: Coins, test: Test) -> float:
    rules = (law.draw(coins).merged() for _ in range(DRAWS))
    return float(np.mean([(rule.predict(test.cells) == test.labels).mean() for rule in rules]))


def measured(table: Table, *, n: int, split: int) -> Iterator[dict[str, Any]]:
    """All parts of one training set, at every epsilon up to where trees are grown in stages."""
    positions, tested = table.split(split)
    train, sample = Remembered(table.sample.take(positions[:n])), table.sample.take(tested)
    block = sample.block()
    assert block.labels is not None
    test = Test(Remembered(sample), block.cells, block.labels)
    for number, epsilon in enumerate(epsilon for epsilon in EPSILONS if n * epsilon <= REFINED_ABOVE):
        coins = SeededCoins(100 * split + number)
        for setting, parts in _settings(table, n, epsilon):
            for figure in figures(parts, train, test, epsilon=epsilon, coins=coins):
                where = {"table": table.name, "n": n, "split": split, "epsilon": float(epsilon)}
                yield where | {"setting": setting} | asdict(figure)


def _settings(table: Table, n: int, epsilon: Fraction) -> Iterator[tuple[str, Sequence[TreePart]]]:
    """The default, and its parts on other numbers of tests."""
    schema = table.schema
    yield "default", default_mixture(schema, n=n, epsilon=epsilon).parts
    if deep := deep_tests(schema, n):
        yield FOURS, [Trees(schema, DEEPEST, tests) for tests in deep]
    for cuts in CUTS:
        yield f"cuts {cuts}", [OneTest(schema, tests) for tests in on_each_scale(schema, cuts=cuts)]
    for width in WIDTHS:
        sets = on_each_scale(schema, most=width)
        yield (
            f"tests {width}",
            [Trees(schema, binarisation=tests) for tests in sets],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of tables; the bundled table without one")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--tables", type=lambda text: text.split(","))
    parser.add_argument(
        "--splits", type=lambda text: [int(number) for number in text.split(",")], default=[0]
    )
    options = parser.parse_args()
    lines = options.rows.read_text(encoding="utf-8").splitlines() if options.rows.exists() else []
    done = {(row["table"], row["n"], row["split"]) for row in map(json.loads, lines)}
    for split in options.splits:
        for name in options.tables or names(options.data):
            table = load(name, options.data)
            for n in table.sizes:
                if (name, n, split) not in done:
                    rows = list(measured(table, n=n, split=split))
                    with options.rows.open("a", encoding="utf-8") as file:
                        file.write("".join(json.dumps(row) + "\n" for row in rows))
                    print(name, n, split, flush=True)


if __name__ == "__main__":
    main()
