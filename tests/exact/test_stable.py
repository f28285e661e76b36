"""The stable learner, enumerated: no event's probability moves further than certified, for all neighbours."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.registry import records_of, sample_of, tiny_schema
from privpac.coins import law
from privpac.concepts.labellings.base import Dichotomous
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.line.unions import intervals
from privpac.concepts.sets.points import Points
from privpac.constructions.stable.stable import Stable
from privpac.data.sample import Size


def exact_stability(learner: Stable, n: int) -> Fraction:
    """The most that one record moves the probability of a single prediction, anywhere."""
    schema = learner.concepts.schema
    records, every = records_of(schema), {"a": np.arange(schema.column("a").size)}
    chances = {}
    for data in itertools.combinations_with_replacement(records, n):
        found = law(lambda coins: learner.learn(sample_of(schema, data), coins), sets=True)  # noqa: B023
        ones = [Fraction(0)] * schema.column("a").size
        for hypothesis, mass in found.items():
            for cell, label in enumerate(hypothesis.predict(every).tolist()):
                ones[cell] += mass * label
        chances[data] = ones
    worst = Fraction(0)
    for data in chances:
        for i, new in itertools.product(range(n), records):
            other = tuple(sorted((*data[:i], new, *data[i + 1 :])))
            moves = zip(chances[data], chances[other], strict=True)
            worst = max(worst, *(abs(a - b) for a, b in moves))
    return worst


@pytest.mark.parametrize(
    ("concepts", "n", "kept", "epsilon"),
    [
        (Thresholds(tiny_schema(4), "a"), 4, 1, "0.4"),
        (Thresholds(tiny_schema(3), "a"), 3, 2, "1"),
        (Thresholds(tiny_schema(3), "a", "either"), 3, 1, "2"),
        (intervals(tiny_schema(3), "a"), 3, 1, "1"),
        (Points(tiny_schema(3), "a"), 3, 1, "1"),
    ],
    ids=lambda value: getattr(value, "word", str(value)),
)
def test_stability_is_never_exceeded(concepts: Dichotomous, n: int, kept: int, epsilon: str) -> None:
    learner = Stable(concepts, kept, Fraction(epsilon))
    promised = learner.stability(Size(n)).fact.gamma
    true = exact_stability(learner, n)
    assert true <= promised
    assert true > promised / 4, "not tight, but of the same size"


def test_a_learner_without_coins_is_not_stable() -> None:
    """The control: with a very large epsilon one record decides, and the certificate says so."""
    learner = Stable(Thresholds(tiny_schema(3), "a"), 1, Fraction(200))
    assert exact_stability(learner, 3) > Fraction(1, 2)
    assert learner.stability(Size(3)).fact.gamma > Fraction(99, 100)


def test_the_printed_bound_is_far_above() -> None:
    """q + 2g = 1 where q + (1 - q)·tanh(g/4) = 0.28: five records, one kept, g = 0.4."""
    learner = Stable(Thresholds(tiny_schema(4), "a"), 1, Fraction(2, 5))
    assert Fraction(1, 5) + 2 * Fraction(2, 5) == 1
    assert float(learner.stability(Size(5)).fact.gamma) == pytest.approx(0.27973, abs=1e-5)
