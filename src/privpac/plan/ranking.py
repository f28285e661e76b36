"""What a card can be expected to reach, by trying it: nothing useful is proved of it (register `boosted-rounds`).

Cards are learnt from records drawn of a public or synthetic table and judged on all of it, so nothing here ever sees a
private record. As many are tried as public estimates of their seconds allow: the numbers are the same on every machine.
Tested by tests/unit/plan/test_ranking.py.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.concepts.cards.card import Card
from privpac.constructions.words import Request, learner_for, stands_for
from privpac.data.sample import Size
from privpac.plan.populations import Population, from_table, read_marginals, synthetic
from privpac.plan.question import Question
from privpac.plan.runs.base import EACH, EACH_RECORD, FLIPPED_SHARE, as_schema
from privpac.plan.simulation import Simulation
from privpac.plan.trials import outcomes

__all__ = ["area_under", "expected_ranking"]

EACH_LOOK = 4e-9
"""Seconds of one look at one cell of a record: every pass looks at all columns."""
LEAST, MOST = 8, 60
"""Cards that are tried; with fewer, their range says little."""
EASE = 0.5
"""The part of the seconds that trials may take by their estimate."""


def expected_ranking(question: Question, simulation: Simulation) -> str | None:
    """AUC and mistakes of the card that so many records would give, in words; None where no card is asked for, or not
    for a number of records and an epsilon."""
    word, n, epsilon = question.card, question.records, question.epsilon
    if word is None or n is None or epsilon is None:
        return None
    schema = as_schema(question.subject)
    request = Request(schema, Size(n), epsilon, delta=question.delta, protect=question.protect)
    learner = learner_for(stands_for(word, request), request)
    each = EACH + n * (EACH_RECORD + EACH_LOOK * len(schema.columns) * learner.passes)
    trials = min(MOST, int(EASE * simulation.seconds / each))
    if trials < LEAST:
        return f"A card for {n:,} records takes about {each:.1g} s, too long to simulate it often enough."
    population = _population(question, simulation)
    errors: list[float] = []

    def trial(coins: Any) -> float:
        card = learner.learn(population.sample(n, coins), coins)
        assert isinstance(card, Card)  # what the word is for
        errors.append(population.error(card))
        if simulation.progress is not None:
            simulation.progress("card", len(errors), trials)
        return _area(card, population)

    areas = sorted(outcomes(trial, trials))
    return (
        f"Simulated, not proved: cards for {n:,} records ranked with an AUC of {np.mean(areas):.3f}"
        f" ({areas[0]:.3f} to {areas[-1]:.3f} in {trials} runs) and were wrong {np.mean(errors):.3f} of the time, where"
        f" always naming the more frequent class is wrong {_constant(population):.3f} of it. Tried on {population.on}."
    )


def _population(question: Question, simulation: Simulation) -> Population:
    """A table of one's own, or a synthetic one with labels from a tree, which no card was made for."""
    schema = as_schema(question.subject)
    if simulation.table is not None:
        return from_table(simulation.table, schema)
    noise: Fraction = FLIPPED_SHARE if question.noise is None else question.noise
    return synthetic(schema, flipped=float(noise), marginals=read_marginals(simulation.marginals))


def _area(card: Card, population: Population) -> float:
    block = population.records.block()
    assert block.labels is not None
    return area_under(card.total(block.cells), block.labels)


def area_under(points: NDArray[np.int64], labels: NDArray[np.uint8]) -> float:
    """How often a record of class 1 has more points than one of class 0, equal points counting one half.

    >>> area_under(np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1], dtype=np.uint8))
    0.875
    """
    _, places = np.unique(points, return_inverse=True)
    zeros, ones = (np.bincount(places[labels == label], minlength=places.max() + 1) for label in (0, 1))
    pairs = int(zeros.sum()) * int(ones.sum())
    if not pairs:
        return 0.5
    below = np.cumsum(zeros) - zeros
    return float((ones * (2 * below + zeros)).sum() / (2 * pairs))


def _constant(population: Population) -> float:
    labels = population.records.block().labels
    assert labels is not None
    share = float(np.mean(labels))
    return min(share, 1 - share)
