"""Floors of labels and of predictions: the best learner there is fails below them, and another one succeeds above.

Rare points with fair labels: whoever has not seen a point guesses it, and no learner does better. How many points are
not seen is counted exactly.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import binom

from privpac.constructions.few_labels.floors import labels_floor, transcript_labels_floor
from privpac.constructions.prediction.floors import floor_private_prediction, floor_stable_prediction
from privpac.theory.sizes import records_occam
from tests.statistical.claims import claims, moved, scaled
from tests.statistical.test_prediction_floors import RECORDS


def unseen(points: int, records: int, mass: float) -> NDArray[np.float64]:
    """The law of how many of so many rare points, which share `mass`, are not among the records."""
    seen = np.zeros(points + 1)
    seen[0] = 1.0
    new = mass * (points - np.arange(points + 1)) / points
    for _ in range(records):
        seen[1:] = seen[1:] * (1 - new[1:]) + seen[:-1] * new[:-1]
        seen[0] *= 1 - new[0]
    return seen[::-1]


def guesses_fail(points: int, records: int, *, mass: float, error: float) -> float:
    """The chance that wrong guesses weigh more than `error`."""
    most = math.floor(error * points / mass * (1 + 1e-12))
    counts = np.arange(points + 1)
    return float(unseen(points, records, mass) @ binom.sf(most, counts, 0.5))


@claims(labels_floor=scaled(2.5))
def test_with_fewer_labels_even_the_best_learner_fails() -> None:
    """Some mass of the rare points defeats the learner that remembers and guesses, the best one for fair labels."""
    for vc, error, failure in ((201, 0.05, 0.01), (41, 0.02, 0.1), (11, 0.05, 0.2), (2, 0.1, 0.05)):
        floor = labels_floor(vc, error=error, failure=failure)
        masses = [k * error for k in np.arange(1.05, 12, 0.25).tolist() if k * error <= 1]
        worst = max(guesses_fail(vc - 1, floor - 1, mass=mass, error=error) for mass in masses)
        assert worst > failure


@claims(transcript_labels_floor=scaled(30))
def test_private_questions_can_be_fewer_than_a_learner_asks_and_not_fewer_than_the_proof_counts() -> None:
    """Everybody asked, by the exponential mechanism: far above. And each step of the proof at its worst."""
    for error, failure, epsilon in ((0.01, 0.05, 0.1), (0.001, 0.2, 0.5), (0.1, 0.05, 1.0)):
        floor = transcript_labels_floor(error=error, failure=failure, epsilon=epsilon)
        assert floor <= records_occam(2**16, error=error, failure=failure, epsilon=epsilon) / 20
        # Someone among 9·error·n records is asked: a given one that often, another one by privacy.
        asked = (1 - failure) * (1 - 16 * failure / 9) / (9 * error)
        assert floor <= math.ceil(asked * math.exp(-2 * epsilon))


# --- answers ---


def least_worst_error(n: int, *, epsilon: float | None = None, stability: float | None = None) -> float:
    """The error of the best predictor against the worst mass of the rare point and its worse label, by linear
    programming: one answer probability a table, and the error as one variable more."""
    tables = list(itertools.product(RECORDS, repeat=n))
    index = {table: i for i, table in enumerate(tables)}
    rows: list[NDArray[np.float64]] = []
    limits: list[float] = []

    def demand(terms: dict[int, float], limit: float) -> None:
        row = np.zeros(len(tables) + 1)
        for at, value in terms.items():
            row[at] += value
        rows.append(row)
        limits.append(limit)

    grow = 1.0 if epsilon is None else math.exp(epsilon)
    for a, b in itertools.permutations(tables, 2):
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1:
            demand({index[a]: 1.0, index[b]: -grow}, 0.0 if stability is None else stability)
            if stability is None:
                demand({index[a]: -1.0, index[b]: grow}, grow - 1.0)
    for mass, label in itertools.product(np.linspace(0.05, 1, 39).tolist(), (0, 1)):
        terms, constant = {len(tables): -1.0}, 0.0
        for table in itertools.product(((0, 0), (1, label)), repeat=n):
            seen = sum(point for point, _ in table)
            chance = mass * mass**seen * (1 - mass) ** (n - seen)
            at = index[table]
            terms[at] = terms.get(at, 0.0) + (-chance if label else chance)
            constant += chance if label else 0.0
        demand(terms, -constant)
    cost = np.zeros(len(tables) + 1)
    cost[-1] = 1.0
    found = linprog(cost, A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0, 1))
    assert found.success
    return float(found.fun)


@claims(floor_private_prediction=moved(2), floor_stable_prediction=moved(2))
def test_some_predictor_does_with_the_floor_of_what_it_reaches() -> None:
    """Two points, one common: a predictor that reaches an error with n answers refutes any floor above n."""
    for n, epsilon in ((1, 0.5), (2, 1.0), (3, 2.0)):
        error = least_worst_error(n, epsilon=epsilon)
        assert floor_private_prediction(2, error=error + 1e-7, epsilon=epsilon) <= n
    for n, stability in ((2, 0.6), (3, 0.5)):
        error = least_worst_error(n, stability=stability)
        assert error > 0.25 or floor_stable_prediction(2, error=error + 1e-7, stability=stability) <= n
    assert error < 0.25
