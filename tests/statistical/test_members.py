"""Promises that rest on dimensions that count and on members in place of labellings, against what happens."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from privpac import MemorySample, Occam, Schema, SeededCoins, Size, Unions
from privpac.concepts.finite import Finite
from privpac.concepts.trees.trees import Trees
from privpac.constructions.prediction.fresh_draws import FreshDraws
from privpac.constructions.stable.stable import Stable
from privpac.constructions.wrappers.relabelling import Agnostic
from privpac.guarantee.facts import Accuracy, Against
from privpac.guarantee.proof import Proof

BITS, CELLS, NOISE, RUNS = 8, 256, 0.2, 20
BOOLEAN = Schema.from_json(
    {"label": "y", "columns": [{"name": f"b{i}", "kind": "boolean"} for i in range(BITS)]}
)
LINE = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "a", "kind": "numeric", "lower": 0, "upper": CELLS - 1, "integer": True}],
    }
)
ROWS = np.random.default_rng(7).integers(0, 2, (500, CELLS)).astype(np.uint8)
"""Far from each other: half of all cells tell any two apart."""

ONE = Fraction(1)
TREES = Trees(BOOLEAN, 2, threads=1)


def on_bits(n: int, seed: int) -> MemorySample:
    rng = np.random.default_rng(seed)
    cells = {name: rng.integers(0, 2, n) for name in BOOLEAN.names}
    labels = np.where(cells["b0"] == 1, cells["b1"], cells["b2"]) ^ (rng.random(n) < NOISE)
    return MemorySample.from_cells(BOOLEAN, cells, labels.astype(np.int64))


def on_line(truth: np.ndarray) -> Callable[[int, int], MemorySample]:
    def draw(n: int, seed: int) -> MemorySample:
        rng = np.random.default_rng(seed)
        cells = rng.integers(0, CELLS, n)
        labels = truth[cells] ^ (rng.random(n) < NOISE)
        return MemorySample.from_cells(LINE, {"a": cells}, labels.astype(np.int64))

    return draw


UNION = ((np.arange(CELLS) // 50) % 2).astype(np.uint8)

CASES = {
    "stable trees": (lambda: Stable(TREES, 1_000, ONE), 20_000, on_bits),
    "agnostic trees": (lambda: Agnostic(Occam(TREES, Fraction(2)), 6_000, ONE), 30_000, on_bits),
    "agnostic unions": (
        lambda: Agnostic(Occam(Unions(LINE, "a", 3), Fraction(2)), 10_000, ONE),
        50_000,
        on_line(UNION),
    ),
    "stable rows": (
        lambda: Stable(Finite.of_matrix(LINE, "a", ROWS), 1_000, ONE),
        20_000,
        on_line(ROWS[3]),
    ),
}


def _promise(proofs: tuple[Proof[Accuracy], ...]) -> Accuracy:
    return next(proof.fact for proof in proofs if proof.fact.against is Against.AGNOSTIC)


@pytest.mark.parametrize("name", CASES)
def test_promises_are_kept(name: str) -> None:
    """A promise fails in at most one of ten runs: six failures of twenty would be luck of one in a hundred."""
    make, n, draw = CASES[name]
    learner = make()
    fact = _promise(learner.certify(Size(n)).accuracy)
    assert fact.error < Fraction(1, 4)
    tested = draw(200_000, 10**6).block()
    assert tested.labels is not None
    bad = 0
    for seed in range(RUNS):
        rule = learner.learn(draw(n, seed), SeededCoins(seed))
        wrong = float((rule.predict(tested.cells) != tested.labels).mean())
        bad += wrong - NOISE > float(fact.error) + 0.005
    assert bad <= 5


def test_fresh_draws_of_trees_err_no_more_than_promised() -> None:
    predictor = FreshDraws.planned(TREES, ONE, records=12_000)
    fact = _promise(predictor.certify(Size(12_000)).accuracy)
    prepared = predictor.prepare(on_bits(12_000, 1), SeededCoins(1))
    asked = on_bits(400, 2).block()
    assert asked.labels is not None
    wrong = float((prepared.answer(asked.cells, SeededCoins(3)) != asked.labels).mean())
    assert wrong - NOISE <= float(fact.error) + 0.06


def test_too_few_candidates_would_break_a_promise() -> None:
    """The control: all five hundred rows for the price of a dimension that counts one of them are not told apart."""
    concepts, draw = Finite.of_matrix(LINE, "a", ROWS), on_line(ROWS[3])
    learner = Stable(concepts, 10, Fraction(1, 4))
    cells = np.arange(CELLS)
    missed = sum(
        not np.array_equal(learner.learn(draw(40, seed), SeededCoins(seed)).predict({"a": cells}), ROWS[3])
        for seed in range(RUNS)
    )
    assert missed > RUNS / 2
    assert learner.certify(Size(40)).accuracy == ()
