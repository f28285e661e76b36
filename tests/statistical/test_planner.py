"""What the planner promises is kept: by draws of the learner that ships, and between floor and best possible learner.

A promise of `failure` is broken if so many of N runs fail that this has probability below 10^-6 under it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from privpac.coins import SeededCoins
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.sets.points import Points
from privpac.constructions.draw.occam import Occam
from privpac.data.engines.memory import MemorySample
from privpac.data.schema import Schema
from privpac.theory import floors, occam, sizes
from privpac.theory.occam import error_occam, excess_agnostic
from tests.statistical.test_floors import best_success, family, point_records, threshold_records

BITS, RUNS, LEVEL = 8, 300, 1e-6
SCHEMA = Schema.from_json(
    {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 2**BITS - 1, "integer": True}],
    }
)
ERROR, FAILURE = Fraction(1, 10), Fraction(1, 20)


def too_many(failed: int, runs: int, promised: float) -> bool:
    """Whether so many failures have probability below the level if each has at most the promised one."""
    tail = math.fsum(
        math.comb(runs, k) * promised**k * (1 - promised) ** (runs - k) for k in range(failed, runs + 1)
    )
    return tail < LEVEL


def failures(n: int, epsilon: Fraction, *, right: float = 1.0, concepts: type = Points) -> int:
    """Runs on the hard distribution: an atom of mass `error` (or everything, with noisy labels) decides."""
    learner = Occam(concepts(SCHEMA, "x"), epsilon)
    generator = np.random.default_rng(n)
    failed = 0
    for _ in range(RUNS):
        at_atom = np.ones(n, dtype=bool) if right < 1 else generator.random(n) < float(ERROR)
        cells = np.where(at_atom, 1, 0).astype(np.uint32)
        labels = (at_atom & (generator.random(n) < right)).astype(np.uint8)
        sample = MemorySample.from_cells(SCHEMA, {"x": cells}, labels)
        rule = learner.learn(sample, SeededCoins(int(generator.integers(2**62))))
        failed += int(rule.predict({"x": np.array([1], dtype=np.uint32)})[0] == 0)
    return failed


SIZE = 2**BITS
NOISY = float((1 + ERROR) / 2)

PROMISES: dict[str, Callable[[], tuple[int, Fraction, float, float]]] = {
    # formula: (records, epsilon, probability of a right label at the atom, promised failure)
    "records_occam": lambda: (
        sizes.records_occam(SIZE, error=ERROR, failure=FAILURE, epsilon=1), Fraction(1), 1.0, 0.05),
    "failure_occam": lambda: (
        150, Fraction(2), 1.0, float(sizes.failure_occam(150, size=SIZE, error=ERROR, epsilon=2))),
    "error_occam": lambda: (
        next(n for n in range(100, 400) if error_occam(n, size=SIZE, failure=FAILURE, epsilon=1) <= ERROR),
        Fraction(1), 1.0, 0.05),
    "epsilon_occam": lambda: (
        300, sizes.epsilon_occam(300, size=SIZE, error=ERROR, failure=FAILURE), 1.0, 0.05),
    "records_agnostic": lambda: (
        sizes.records_agnostic(SIZE, excess=ERROR, failure=FAILURE, epsilon="0.1"), Fraction(1, 10), NOISY, 0.05),
    "failure_agnostic": lambda: (
        1500, Fraction(1, 10), NOISY, float(sizes.failure_agnostic(1500, size=SIZE, excess=ERROR, epsilon="0.1"))),
    "epsilon_agnostic": lambda: (
        2400, sizes.epsilon_agnostic(2400, size=SIZE, excess=ERROR, failure=FAILURE), NOISY, 0.05),
    "excess_agnostic": lambda: (
        next(n for n in range(1700, 5000, 100)
             if excess_agnostic(n, size=SIZE, failure=FAILURE, epsilon="0.1") <= ERROR),
        Fraction(1, 10), NOISY, 0.05),
    "records_prior": lambda: (
        sizes.records_prior(Fraction(1, SIZE), error=ERROR, failure=FAILURE, epsilon=1), Fraction(1), 1.0, 0.05),
    "failure_prior": lambda: (
        150, Fraction(2), 1.0, float(sizes.failure_prior(150, mass=Fraction(1, SIZE), error=ERROR, epsilon=2))),
    "records_points": lambda: (
        sizes.records_points(SIZE, error=ERROR, failure=FAILURE, epsilon=1), Fraction(1), 1.0, 0.05),
    "failure_points": lambda: (
        150, Fraction(1), 1.0, float(sizes.failure_points(150, domain=SIZE, error=ERROR, epsilon=1))),
}  # fmt: skip


@pytest.mark.parametrize("name", PROMISES)
def test_the_learner_keeps_what_the_formula_promises(name: str) -> None:
    n, epsilon, right, promised = PROMISES[name]()
    failed = failures(n, epsilon, right=right)
    assert not too_many(failed, RUNS, min(promised, 1.0)), f"{failed} of {RUNS} fail, promised {promised}"


def test_broken_promises_are_noticed() -> None:
    n = sizes.records_occam(SIZE, error=ERROR, failure=FAILURE, epsilon=1)
    assert too_many(failures(n // 2, Fraction(1)), RUNS, 0.05), "half of the records"
    assert too_many(failures(n, Fraction(2, 5)), RUNS, 0.05), "two fifths of the epsilon"
    assert too_many(failures(n, Fraction(1, 3), concepts=Thresholds), RUNS, 0.05), "thresholds, a third of it"


def test_every_formula_of_sizes_is_simulated() -> None:
    names = (*sizes.__all__, *occam.__all__)
    assert {"tilt_agnostic", *PROMISES} == {name for name in names if name[0].islower()}


@pytest.mark.parametrize(
    ("domain", "n", "error", "epsilon"), [(3, 4, 0.5, 1.0), (4, 3, 0.3, 0.5), (5, 2, 0.4, 2.0)]
)
def test_points_floor_then_best_possible_then_learner(
    domain: int, n: int, error: float, epsilon: float
) -> None:
    rows = family(range(2, domain + 1), n, record=point_records(error))
    best = 1 - best_success(rows, outcomes=domain + 1, wins=lambda j, o: j == o, epsilon=epsilon)
    floor = float(floors.least_failure_points(n, domain=domain, error=error, epsilon=epsilon))
    learner = float(sizes.failure_points(n, domain=domain, error=error, epsilon=epsilon))
    assert floor <= best + 1e-7
    assert best <= learner + 1e-7


@pytest.mark.long_cases(
    "4-3-0.2-0.7",
)
@pytest.mark.parametrize(("domain", "n", "error", "epsilon"), [(5, 2, 0.3, 1.0), (4, 3, 0.2, 0.7)])
def test_thresholds_floor_then_best_possible_then_learner(
    domain: int, n: int, error: float, epsilon: float
) -> None:
    rows = family(range(2, domain + 2), n, record=threshold_records(error, domain))
    best = 1 - best_success(rows, outcomes=domain + 2, wins=lambda j, o: j == o, epsilon=epsilon)
    floor = float(floors.least_failure_thresholds(n, domain=domain, error=error, epsilon=epsilon))
    assert floor <= best + 1e-7
    assert best <= _drawn_wrongly(rows, domain, epsilon) + 1e-7


def _drawn_wrongly(
    rows: list[tuple[tuple[tuple[int, int], ...], int, float]], domain: int, epsilon: float
) -> float:
    """The failure of the exponential mechanism over all cuts, on the same data sets."""
    failed = 0.0
    for database, target, chance in rows:
        mistakes = [sum((x < cut) != bool(y) for x, y in database) for cut in range(1, domain + 2)]
        weights = [math.exp(-epsilon / 2 * count) for count in mistakes]
        failed += chance * (1 - weights[target - 1] / sum(weights))
    return failed
