"""GenericLearner fails as rarely as promised, and with far fewer labels than promised it does fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Threshold, Thresholds
from privpac.constructions.few_labels.generic import GenericLearner
from privpac.data.engines.memory import MemorySample
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.data.semi import SemiSample
from privpac.numbers.exact import ratio_for
from privpac.theory import sizes

ERROR, UNLABELLED, RUNS = Fraction(1, 5), 40_000, 60
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 2**24 - 1, "integer": True}],
    }
)
CUT = 2**23
LEARNER = GenericLearner(Thresholds(SCHEMA, "x"), Fraction(1))


def draw(rng: np.random.Generator, n: int) -> np.ndarray:
    """Two thirds evenly spread, a third in one heap near the cut."""
    heap = CUT + rng.integers(1, 1000, n)
    return np.where(rng.random(n) < 1 / 3, heap, rng.integers(0, 2**24, n))


def failures(labels: int) -> int:
    """Runs whose hypothesis errs by more than the error promised."""
    rng = np.random.default_rng(labels)
    bad = 0
    test = draw(rng, 20_000)
    unlabelled = MemorySample.from_cells(SCHEMA, {"x": draw(rng, UNLABELLED)})
    for seed in range(RUNS):
        x = draw(rng, labels)
        labelled = MemorySample.from_cells(SCHEMA, {"x": x}, (x >= CUT).astype(np.uint8))
        found = LEARNER.learn(SemiSample(labelled, unlabelled), SeededCoins(seed))
        assert isinstance(found, Threshold)
        bad += np.mean((test >= found.cut) != (test >= CUT)) > float(ERROR)
    return int(bad)


@pytest.mark.long
def test_promised_labels_suffice_and_a_fortieth_does_not() -> None:
    low, high = 1, 1000
    while low < high:
        m = (low + high) // 2
        plan = LEARNER.plan(Size(m, UNLABELLED))
        low, high = (low, m) if plan is not None and plan.error <= ERROR else (m + 1, high)
    plan = LEARNER.plan(Size(low, UNLABELLED))
    assert plan is not None
    again = sizes.records_occam(
        LEARNER.hypotheses(plan.points),
        error=plan.error,
        tolerated=plan.tolerated,
        failure=LEARNER.failure / 3,
        ratio=ratio_for(Fraction(1, 2)),
    )
    assert again <= low
    # The promise is 1 in 20; twelve of sixty would be bad luck of one in 10^5.
    assert failures(low) <= 12
    assert failures(low // 40) > 20
