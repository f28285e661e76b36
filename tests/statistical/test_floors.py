"""No private algorithm beats a floor, and some algorithm beats every floor with a broken constant.

On tiny instances the best private algorithm is found by linear programming over everything an algorithm could
do: its answer probabilities on every data set, constrained by privacy alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, identity, kron

from privpac.constructions.catalogue import formulas
from privpac.theory import floors, sizes
from tests.statistical.claims import Break, asked, claims, moved, scaled

CHECKS: dict[str, Callable[[], None]] = {}
"""One check a formula, by the formula's name; the last test asserts that none is missing."""

SLACK = 1e-7
"""Tolerance of the linear programs below."""


def check(**broken: Break):
    def mark(function: Callable[[], None]) -> Callable[[], None]:
        CHECKS.update(dict.fromkeys(broken, function))
        return claims(**broken)(function)

    return mark


Database = tuple[tuple[int, int], ...]


def best_success(
    databases: Sequence[tuple[Database, int, float]],
    *,
    outcomes: int,
    wins: Callable[[int, int], bool],
    epsilon: float,
) -> float:
    """The largest mean success of any epsilon-private algorithm, by linear programming.

    `databases` lists (database, target, probability); `wins(target, outcome)` says which answers are right.
    Privacy is demanded between all pairs, at their distance: what every private algorithm satisfies.
    """
    index = {database: i for i, database in enumerate(dict.fromkeys(d for d, _, _ in databases))}
    gain = np.zeros((len(index), outcomes))
    for database, target, chance in databases:
        for outcome in range(outcomes):
            if wins(target, outcome):
                gain[index[database], outcome] += chance
    pairs = list(itertools.permutations(index, 2))
    apart = [sum(x != y for x, y in zip(a, b, strict=True)) for a, b in pairs]
    # One row a pair and answer: f(a, o) - e^(epsilon·distance)·f(b, o) ≤ 0.
    values = np.concatenate([np.ones(len(pairs)), -np.exp(epsilon * np.array(apart))])
    columns = [index[a] for a, _ in pairs] + [index[b] for _, b in pairs]
    privacy = coo_matrix(
        (values, (np.tile(np.arange(len(pairs)), 2), columns)), shape=(len(pairs), len(index))
    )
    found = linprog(
        -gain.ravel(),
        A_ub=kron(privacy, identity(outcomes)).tocsr(),
        b_ub=np.zeros(len(pairs) * outcomes),
        A_eq=kron(identity(len(index)), np.ones((1, outcomes))).tocsr(),
        b_eq=np.ones(len(index)),
    )
    assert found.success
    return float(-found.fun)


def family(targets: Sequence[int], n: int, *, record: Callable[[int], dict[tuple[int, int], float]]):
    """Every data set of n records of every target, with its probability under a uniform choice of target."""
    rows = []
    for target in targets:
        options = record(target)
        for database in itertools.product(options, repeat=n):
            rows.append((database, target, math.prod(options[r] for r in database) / len(targets)))
    return rows


def point_records(error: float):
    return lambda j: {(j, 1): error, (1, 0): 1 - error}


def threshold_records(error: float, domain: int):
    """Labels are 1 below the cut j: mass `error` on each side of it, the rest on point 1.

    Beyond the last point the cut has one side only; beside the first it shares it with the rest.
    """

    def record(j: int) -> dict[tuple[int, int], float]:
        right = (j, 0) if j <= domain else (domain, 1)
        masses: dict[tuple[int, int], float] = {}
        for one, mass in (((j - 1, 1), error), (right, error), ((1, 1), 1 - 2 * error)):
            masses[one] = masses.get(one, 0.0) + mass
        return masses

    return record


def spread_records(error: float, domain: int):
    return lambda j: {
        (x, int(x == j)): error if x == j else (1 - error) / (domain - 1) for x in range(1, domain + 1)
    }


@check(least_failure_points=asked(epsilon=lambda epsilon: epsilon / 2), floor_points_proper=moved(1))
def floor_of_points():
    for domain, n, error, epsilon in ((3, 4, 0.5, 1.0), (4, 3, 0.3, 0.5), (5, 2, 0.4, 2.0)):
        rows = family(range(2, domain + 1), n, record=point_records(error))
        best = 1 - best_success(rows, outcomes=domain + 1, wins=lambda j, o: j == o, epsilon=epsilon)
        ask = {"domain": domain, "error": error}
        assert float(floors.least_failure_points(n, epsilon=epsilon, **ask)) <= best + SLACK
        assert float(floors.least_failure_points(n, epsilon=epsilon / 2, **ask)) > best, "must be caught"
    ask = {"error": 0.5, "epsilon": 1.0}
    n = floors.floor_points_proper(4, failure=0.3, **ask) - 1
    rows = family((2, 3, 4), n, record=point_records(0.5))
    assert n >= 3
    assert 1 - best_success(rows, outcomes=5, wins=lambda j, o: j == o, epsilon=1.0) > 0.3
    # The exponential mechanism is a private learner: the floor stays below what it achieves.
    achieved = float(sizes.failure_points(40, domain=8, error=0.2, epsilon=1))
    assert float(floors.least_failure_points(40, domain=8, error=0.2, epsilon=1)) <= achieved


@check(least_failure_thresholds=asked(epsilon=lambda epsilon: epsilon / 3), floor_thresholds_proper=moved(1))
def floor_of_thresholds():
    for domain, n, error, epsilon in ((5, 2, 0.3, 1.0), (4, 3, 0.2, 0.7), (6, 2, 0.4, 2.0)):
        rows = family(range(2, domain + 2), n, record=threshold_records(error, domain))
        best = 1 - best_success(rows, outcomes=domain + 2, wins=lambda j, o: j == o, epsilon=epsilon)
        ask = {"domain": domain, "error": error}
        assert float(floors.least_failure_thresholds(n, epsilon=epsilon, **ask)) <= best + SLACK
        assert float(floors.least_failure_thresholds(n, epsilon=epsilon / 3, **ask)) > best, "must be caught"
    n = floors.floor_thresholds_proper(4, error=0.4, failure=0.3, epsilon=1.0) - 1
    rows = family(range(2, 6), n, record=threshold_records(0.4, 4))
    assert n >= 1
    assert 1 - best_success(rows, outcomes=6, wins=lambda j, o: j == o, epsilon=1.0) > 0.3


def bits(outcome: int, domain: int) -> list[int]:
    """Hypothesis number `outcome` as labels of the points 1 … domain, with a leading blank."""
    return [0] + [outcome >> x & 1 for x in range(domain)]


@check(most_success_points_light=scaled(0.6), floor_points_light=moved(1))
def floor_of_light_hypotheses():
    cases = ((4, 3, 0.3, 0.5, 1, {"epsilon": 0.125}), (4, 2, 0.4, 1.0, 2, {"weight": 1}))
    for domain, n, error, epsilon, weight, broken in cases:
        rows = family(range(2, domain + 1), n, record=point_records(error))

        def wins(j: int, o: int, domain: int = domain, weight: int = weight) -> bool:
            labels = bits(o, domain)
            return bool(labels[j]) and sum(labels) <= weight

        best = best_success(rows, outcomes=2**domain, wins=wins, epsilon=epsilon)
        ask = {"domain": domain, "error": error, "weight": weight, "epsilon": epsilon}
        assert best <= float(floors.most_success_points_light(n, **ask)) + SLACK
        assert best > float(floors.most_success_points_light(n, **{**ask, **broken})), "must be caught"
    # Dividing by T instead of T - 1: a learner that names the point of its record breaks that.
    rows = family((2,), 1, record=point_records(0.4))
    named = best_success(
        rows, outcomes=4, wins=lambda j, o: bits(o, 2)[j] == 1 == sum(bits(o, 2)), epsilon=1.0
    )
    assert named <= float(floors.most_success_points_light(1, domain=2, weight=1, error=0.4, epsilon=1))
    assert named > 0.6 / 2 + 0.4 * min(1, math.e / 2)
    ask = {"weight": 1, "error": 0.4, "epsilon": 1.0}
    assert floors.floor_points_light(4, success=0.6, **ask) > 1
    for n in (1, 2, 3):
        rows = family((2, 3, 4), n, record=point_records(0.4))
        reached = best_success(rows, outcomes=5, wins=lambda j, o: j == o, epsilon=1.0)
        assert floors.floor_points_light(4, success=reached - SLACK, **ask) <= n


@check(most_success_thresholds_few_switches=scaled(0.5), floor_thresholds_few_switches=moved(1))
def floor_of_few_switches():
    domain, n, error, epsilon, switches = 5, 2, 0.2, 0.5, 1
    rows = family(range(2, domain + 2), n, record=threshold_records(error, domain))

    def wins(j: int, o: int) -> bool:
        labels = bits(o, domain)
        changes = sum(labels[x] != labels[x + 1] for x in range(1, domain))
        return labels[j - 1] == 1 and (j > domain or labels[j] == 0) and changes <= switches

    best = best_success(rows, outcomes=2**domain, wins=wins, epsilon=epsilon)
    ask = {"domain": domain, "error": error, "switches": switches}
    assert best <= float(floors.most_success_thresholds_few_switches(n, epsilon=epsilon, **ask)) + SLACK
    assert best > float(floors.most_success_thresholds_few_switches(n, epsilon=epsilon / 20, **ask))
    ask = {"switches": 1, "error": 0.2, "epsilon": 0.3}
    assert floors.floor_thresholds_few_switches(5, success=0.7, **ask) > 2
    for n in (1, 2):
        rows = family(range(2, 7), n, record=threshold_records(0.2, 5))
        reached = best_success(rows, outcomes=2**domain, wins=wins, epsilon=0.3)
        assert floors.floor_thresholds_few_switches(5, success=reached - SLACK, **ask) <= n


@check(least_failure_points_any=scaled(2), floor_points_any=moved(3))
def floor_of_any_learner():
    for domain, n, error, epsilon in ((3, 1, 0.2, 1.0), (4, 2, 0.2, 0.5), (5, 1, 0.1, 1.0)):
        rows = family(range(1, domain + 1), n, record=spread_records(error, domain))
        spare = int(Fraction(str(error)) * (domain - 1) / (1 - Fraction(str(error))))

        def wins(j: int, o: int, domain: int = domain, spare: int = spare) -> bool:
            labels = bits(o, domain)
            return bool(labels[j]) and sum(labels) <= 1 + spare

        best = 1 - best_success(rows, outcomes=2**domain, wins=wins, epsilon=epsilon)
        found = floors.least_failure_points_any(n, domain=domain, error=error, epsilon=epsilon)
        assert float(found) <= best + SLACK
        assert floors.floor_points_any(domain, failure=best + SLACK, error=error, epsilon=epsilon) <= n
        if n == 1:
            # The limit for large domains is not a floor for small ones: it must be caught.
            share = error / (1 - error)
            limit = 1 - (1 - error) * min(1, share) - error * min(1, share * math.exp(epsilon))
            assert limit > best
    assert floors.floor_points_any(2**20, error=0.1, failure=0.05, epsilon=1) < 236, (
        "a learner with 236 exists"
    )


@check(floor_generated_points=moved(1))
def floor_of_generated_points():
    """Copies of one value, averaged over all values: what remains if generated values look random."""
    best = 1 - best_success(
        [(((i, 1),) * 2, i, 1 / 5) for i in range(5)], outcomes=5, wins=lambda j, o: j == o, epsilon=0.7
    )
    assert floors.floor_generated_points(5, failure=best - 1e-3, epsilon=0.7) > 2, "two records are too few"
    assert floors.floor_generated_points(5, failure=best + 1e-3, epsilon=0.7) <= 2, "a higher floor is false"
    lucky = floors.floor_generated_points(2**64, failure=0.05, epsilon=1, advantage=0.3)
    assert lucky < floors.floor_generated_points(2**64, failure=0.05, epsilon=1) == 48
    assert floors.floor_generated_points(2**64, failure=0.35, epsilon=1) == lucky


@check(floor_minimal_class=moved(1), floor_point_counts=moved(5))
def floor_of_packings():
    """N data sets at pairwise distance k: randomized response is the best, and meets the floor."""

    def response(rivals: int, distance: int, epsilon: float) -> float:
        return rivals / (rivals + math.exp(epsilon * distance))

    rows = [(((i, 0),) * 2, i, 1 / 4) for i in range(4)]
    best = 1 - best_success(rows, outcomes=4, wins=lambda j, o: j == o, epsilon=0.7)
    assert abs(best - response(3, 2, 0.7)) < SLACK
    for size, failure, epsilon in ((2**8, 0.05, 1.0), (17, 0.2, 0.1), (2**64, 0.001, 2.0)):
        n = floors.floor_minimal_class(size, failure=failure, epsilon=epsilon)
        assert response(size - 1, n - 1, epsilon) > failure, "one record less is impossible"
        assert response(size - 1, n, epsilon) <= failure + SLACK, "a higher floor would be false"
        n = floors.floor_point_counts(size, error=0.1, failure=failure, epsilon=epsilon)
        assert response(size - 1, (n - 1) // 5 + 1, epsilon) > failure
        assert response(size - 1, n // 5 + 1, epsilon) <= failure + SLACK


@pytest.mark.long_cases(
    "floor_thresholds_proper",
    "least_failure_thresholds",
    "floor_points_any",
    "least_failure_points_any",
    "most_success_thresholds_few_switches",
    "floor_thresholds_few_switches",
)
@pytest.mark.parametrize("name", sorted(floors.__all__))
def test_floor_holds_and_broken_versions_are_caught(name):
    CHECKS[name]()


def test_no_floor_is_forgotten():
    assert sorted(CHECKS) == sorted(floors.__all__)
    assert set(CHECKS) <= set(formulas())
