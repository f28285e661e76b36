"""Floors by linear programming: no private learner is below them, and one of half the epsilon is above somebody."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory import floors
from privpac.theory.optimum_floors import best_mechanism, floor_optimum, least_failure_optimum
from tests.statistical.claims import asked, claims, moved

ASK = {"error": Fraction(3, 10), "epsilon": Fraction(1)}


def rules_of(kind: str, cells: int) -> list[list[int]]:
    if kind == "points":
        return [[int(x == point) for x in range(cells)] for point in range(cells)]
    return [[int(x >= cut) for x in range(cells)] for cut in range(cells + 1)]


@claims(least_failure_optimum=asked(epsilon=lambda epsilon: epsilon / 2))
def test_nobody_is_below() -> None:
    """One draw and the solver's own table are private learners; formulas for every size are never above."""
    for kind, cells, n in (("thresholds", 3, 3), ("points", 3, 3), ("points", 4, 2)):
        floor = least_failure_optimum(n, rules=rules_of(kind, cells), **ASK)
        best = best_mechanism(rules_of(kind, cells), records=n, **ASK)
        assert floor <= Fraction(best.solved) + Fraction(1, 10**6) <= Fraction(best.draw) + Fraction(1, 10**6)
        packing = floors.least_failure_thresholds if kind == "thresholds" else floors.least_failure_points
        assert packing(n, domain=cells, **ASK) <= floor


@claims(floor_optimum=moved(1))
def test_with_as_many_records_somebody_succeeds() -> None:
    failure = Fraction(1, 5)
    two = rules_of("points", 2)
    n = floor_optimum(two, failure=failure, **ASK)
    assert best_mechanism(two, records=n, **ASK).solved <= failure
    assert best_mechanism(two, records=n - 1, **ASK).floor > failure
