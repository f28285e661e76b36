"""Boxes from few labels and many records without (Beimel–Nissim–Stemmer, Corollary 4.17), on columns of 2^16 cells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac import plan
from privpac.coins import SeededCoins
from privpac.concepts.boxes.rectangles import Rectangles
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.semi import SemiSample
from privpac.planning.table import Row
from tests.statistical.test_boxes import FAILURE, population, schema

ERROR, EPSILON, BITS, POOL = Fraction(1, 4), Fraction(2), 16, 200_000


def planned(word: str, error: Fraction, epsilon: Fraction) -> Row:
    return plan.needed(
        word, bits=BITS, error=error, epsilon=epsilon, failure=FAILURE, unlabelled=POOL
    ).option("generic")


def learner() -> GenericLearner:
    return GenericLearner(Rectangles(schema(BITS), ("a", "b")), EPSILON, failure=FAILURE)


def failures(size: Size, runs: int) -> int:
    """How often the rule errs by more than the error, on a pool and labels drawn anew each time."""
    described, learnt, wrong = schema(BITS), learner(), 0
    test_cells, test_labels = population(np.random.default_rng(0), 20_000, BITS)
    for seed in range(runs):
        cells, labels = population(np.random.default_rng(seed + 1), size.total, BITS)
        typed = {name: values.astype(described.column(name).dtype) for name, values in cells.items()}
        few = {name: values[: size.labelled] for name, values in typed.items()}
        rest = {name: values[size.labelled :] for name, values in typed.items()}
        sample = SemiSample(
            MemorySample.from_cells(described, few, labels[: size.labelled]),
            MemorySample.from_cells(described, rest),
        )
        rule = learnt.learn(sample, SeededCoins(seed))
        wrong += bool(np.mean(rule.predict(test_cells) != test_labels) > ERROR)
    return wrong


def test_the_planned_size_is_certified_and_runs() -> None:
    need = planned("rectangles:2", ERROR, EPSILON)
    size = Size(need.records, need.unlabelled)
    (accuracy,) = learner().certify(size).accuracy
    assert accuracy.fact.error <= ERROR
    assert failures(size, 3) == 0


@pytest.mark.long
def test_the_failure_rate_at_the_planned_size_is_within_the_promise() -> None:
    need = planned("rectangles:2", ERROR, EPSILON)
    # More failures than a rate of 1/20 makes with probability 1/1000 would speak against the promise.
    assert failures(Size(need.records, need.unlabelled), 400) <= 38


def test_unlabelled_records_save_labels_on_fine_columns_and_reach_three_columns() -> None:
    fine = plan.needed("rectangles:2", bits=32, error="0.1", epsilon=1, unlabelled=10**8)
    assert fine.option("generic").records < fine.option("occam", "realizable").records / 1.9
    space = plan.needed("rectangles:3", bits=16, error="0.3", epsilon=1, unlabelled=10**8)
    assert space.option("generic").word == "rectangles:c1,c2,c3"
    assert (
        space.option("occam", "realizable").word != "rectangles:c1,c2,c3"
    )  # sums over all cells take too long
