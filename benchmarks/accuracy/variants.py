"""What was tried besides the default: `python -m benchmarks.accuracy.variants --data DIR --rows variants.jsonl`.

Two kinds of rows, both read by `choose`. Parts that could join the mixture have a total weight, like those of
`expected`: majorities of five tests (on at most 24 tests, or one per column), beside majorities of three on the same
tests, and trees and majorities on 128 tests taken at random from all 31 cuts of every column. Whole learners have
draws: committees of three and five draws, each with its share of epsilon, or each on its own part of the records with
all of it (the majority answers), and trees grown in stages with other shares, or drawn at once where the
default grows them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.expected import Figure, Test, figures
from benchmarks.accuracy.tables import EPSILONS, Remembered, Table, load, names
from privpac.coins import Coins, SeededCoins
from privpac.compiled import compiled, popcount
from privpac.concepts.literals.binarise import Binarisation
from privpac.concepts.literals.scales import SCALES, on_each_scale, on_scale
from privpac.concepts.trees.majority import Majorities
from privpac.concepts.trees.trees import Trees
from privpac.constructions.base import Learner
from privpac.constructions.draw.default import FEW_TESTS, coarse_tests, default_mixture
from privpac.constructions.draw.occam import Merged, Occam
from privpac.constructions.draw.staged_trees import StagedTrees
from privpac.constructions.words import Request, learner_for

DRAWS = 1
MEMBERS = (3, 5)
FIVE_TESTS = 24
COMMITTEES_UP_TO = 4_000
"""Records, for time's sake."""
MOST_SETS = 200_000
"""Sets of five tests that are enumerated, at most."""
STAGED_FROM, MIXED_UP_TO = 1_500, 5_000
"""n·epsilon from which stages are tried, and up to which parts of the mixture are."""

Words = NDArray[np.uint64]
Answers = NDArray[np.uint8]


@compiled
def majority_mistakes(rows: Words, sets: NDArray[np.int64], labels: Words, spare: int) -> NDArray[np.int64]:
    """mistakes[set, signs] of the majority of five signed tests, the first sign being +: the others are opposites.

    Bits beyond the last record are 0 in rows and labels; `spare` of them are answered 1 where the signs make it so.
    """
    out = np.zeros((len(sets), 16), np.int64)
    full = ~np.uint64(0)
    for i in range(len(sets)):
        for signs in range(16):
            wrong = 0
            for w in range(rows.shape[1]):
                x = rows[sets[i, 0], w]
                y = rows[sets[i, 1], w] ^ (full if signs & 1 else np.uint64(0))
                z = rows[sets[i, 2], w] ^ (full if signs & 2 else np.uint64(0))
                u = rows[sets[i, 3], w] ^ (full if signs & 4 else np.uint64(0))
                v = rows[sets[i, 4], w] ^ (full if signs & 8 else np.uint64(0))
                two = (x & y) | ((x ^ y) & z)
                one = x ^ y ^ z
                more = u & v
                last = one & (u ^ v)
                odd = one ^ u ^ v
                many = (two & more) | (two & last) | (more & last) | ((two | more | last) & odd)
                wrong += np.int64(popcount(many ^ labels[w]))
            turned = (signs & 1) + (signs >> 1 & 1) + (signs >> 2 & 1) + (signs >> 3 & 1)
            out[i, signs] = wrong - (spare if turned >= 3 else 0)
    return out


def fives(
    table: Table, train: Remembered, test: Test, epsilons: list[Fraction]
) -> Iterator[tuple[Fraction, Figure]]:
    """Majorities of five on few tests, by enumeration: exact weights and expectations."""
    for tests in dict.fromkeys(on_scale(table.schema, scale, most=FIVE_TESTS) for scale in SCALES):
        p = len(tests.tests)
        if not p >= 5 or comb(p, 5) > MOST_SETS:
            return
        sets = np.array(list(combinations(range(p), 5)), dtype=np.int64)
        found = []
        for sample in (
            train.take(np.arange(train.size.labelled)),
            test.sample.take(np.arange(len(test.labels))),
        ):
            block = sample.block()
            assert block.labels is not None
            bits = tests.bits(block)
            labels = np.packbits(block.labels, bitorder="little")
            packed = np.pad(labels, (0, 8 * bits.shape[1] - len(labels))).view("<u8").astype(np.uint64)
            found.append(
                (majority_mistakes(bits, sets, packed, 64 * bits.shape[1] - block.n).ravel(), block.n)
            )
        (own, n), (other, tested) = found
        mistakes, tests_wrong = np.concatenate([own, n - own]), np.concatenate([other, tested - other])
        for epsilon in epsilons:
            logs = -float(epsilon) / 2 * mistakes
            weights = np.exp(logs - logs.max())
            accuracy = 1 - float(weights @ tests_wrong / weights.sum()) / tested
            yield (
                epsilon,
                Figure("majorities:5", p, float(logs.max() + np.log(weights.mean())), round(accuracy, 6)),
            )


def parts(
    table: Table, train: Remembered, test: Test, split: int, n: int
) -> Iterator[tuple[Fraction, str, Figure]]:
    schema, epsilons = table.schema, [epsilon for epsilon in EPSILONS if 100 < n * epsilon <= MIXED_UP_TO]
    for epsilon, figure in fives(table, train, test, epsilons):
        yield epsilon, "fives", figure
    few = [
        Majorities(schema, tests) for tests in on_each_scale(schema, most=FIVE_TESTS) if len(tests.tests) >= 5
    ]
    generator = np.random.default_rng(split)
    some = [_random(tests, generator) for tests in on_each_scale(schema)]
    scattered = [rules(schema, binarisation=tests) for tests in some for rules in (Trees, Majorities)]
    for number, epsilon in enumerate(epsilons):
        coins = SeededCoins(7_000 + 10 * split + number)
        for figure in figures(few, train, test, epsilon=epsilon, coins=coins):
            yield epsilon, "threes", figure
        for figure in figures(scattered, train, test, epsilon=epsilon, coins=coins):
            yield epsilon, "random tests", figure


def _random(tests: Binarisation, generator: np.random.Generator) -> Binarisation:
    """128 of the tests, in order, chosen without the records."""
    kept = generator.permutation(len(tests.tests))[:FEW_TESTS]
    return Binarisation(tests.schema, tuple(tests.tests[i] for i in sorted(kept)))


Learnt = Callable[[Remembered, Coins], Callable[[Any], Answers]]


def learners(table: Table, n: int, epsilon: Fraction) -> Iterator[tuple[str, Learnt]]:
    """Every whole learner that is tried at this n·epsilon."""
    schema, evidence = table.schema, n * epsilon
    for members in MEMBERS:
        if evidence > 200 and n <= COMMITTEES_UP_TO:
            yield f"{members} draws, shares of epsilon", _shared(schema, members, epsilon)
            yield f"{members} draws, parts of the records", _apart(schema, members, epsilon)
    if evidence > STAGED_FROM:
        yield "at once", _single(Merged(Occam(default_mixture(schema, n=n), epsilon)))
        for shares in ((2, 8), (3, 7), (5, 5)):
            yield f"3+3 by {shares[0]}:{shares[1]}", _single(_grown(table, n, epsilon, (3, 3), shares))
    if evidence > 10_000:
        for three in ((2, 4, 4), (1, 1, 1)):
            name = ":".join(map(str, three))
            yield f"3+3+2 by {name}", _single(_grown(table, n, epsilon, (3, 3, 2), three))


def _grown(
    table: Table, n: int, epsilon: Fraction, stages: tuple[int, ...], shares: tuple[int, ...]
) -> StagedTrees:
    first, *others = coarse_tests(table.schema, n)
    parts = tuple(Fraction(share, sum(shares)) for share in shares)
    return StagedTrees(
        table.schema, epsilon, stages, first, shares=parts, others=tuple(others), majorities=True
    )


def _single(learner: Learner) -> Learnt:
    return lambda train, coins: learner.learn(train, coins).predict


def _shared(schema: Any, members: int, epsilon: Fraction) -> Learnt:
    def learn(train: Remembered, coins: Coins) -> Callable[[Any], Answers]:
        learner = learner_for("auto", Request(schema, train.size, epsilon / members))
        return _majority([learner.learn(train, coins).predict for _ in range(members)])

    return learn


def _apart(schema: Any, members: int, epsilon: Fraction) -> Learnt:
    def learn(train: Remembered, coins: Coins) -> Callable[[Any], Answers]:
        some = [train.take(np.arange(i, train.size.labelled, members)) for i in range(members)]
        rules = [learner_for("auto", Request(schema, part.size, epsilon)).learn(part, coins) for part in some]
        return _majority([rule.predict for rule in rules])

    return learn


def _majority(rules: list[Callable[[Any], Answers]]) -> Callable[[Any], Answers]:
    def answer(cells: Any) -> Answers:
        votes = np.sum([rule(cells) for rule in rules], axis=0)
        return np.asarray(2 * votes > len(rules), dtype=np.uint8)

    return answer


def measured(table: Table, *, n: int, split: int) -> Iterator[dict[str, Any]]:
    positions, tested = table.split(split)
    train, sample = Remembered(table.sample.take(positions[:n])), table.sample.take(tested)
    block = sample.block()
    assert block.labels is not None
    test = Test(Remembered(sample), block.cells, block.labels)
    where = {"table": table.name, "n": n, "split": split}
    for epsilon, setting, figure in parts(table, train, test, split, n):
        yield where | {"epsilon": float(epsilon), "setting": setting} | asdict(figure)
    for number, epsilon in enumerate(EPSILONS):
        for variant, learn in learners(table, n, epsilon):
            coins = SeededCoins(9_000 + 10 * split + number)
            right = [(learn(train, coins)(test.cells) == test.labels).mean() for _ in range(DRAWS)]
            yield where | {
                "epsilon": float(epsilon),
                "setting": variant,
                "accuracy": round(float(np.mean(right)), 6),
            }


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
