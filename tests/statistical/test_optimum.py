"""Floors by linear programming: no private learner is below them, and one of half the epsilon is above somebody."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory import floors
from privpac.theory.optimum_floors import floor_optimum, least_failure_optimum, optimum
from tests.statistical.claims import asked, claims, moved

ASK = {"error": Fraction(3, 10), "epsilon": Fraction(1)}


@claims(least_failure_optimum=asked(epsilon=lambda epsilon: epsilon / 2))
def test_nobody_is_below() -> None:
    """One draw and the solver's own table are private learners; formulas for every size are never above."""
    for kind, cells, n in (("thresholds", 3, 3), ("points", 3, 3), ("points", 4, 2)):
        floor = least_failure_optimum(n, kind=kind, cells=cells, **ASK)  # type: ignore[arg-type]
        best = optimum(n, kind=kind, cells=cells, **ASK)  # type: ignore[arg-type]
        assert floor <= Fraction(best.solved) + Fraction(1, 10**6) <= Fraction(best.draw) + Fraction(1, 10**6)
        packing = floors.least_failure_thresholds if kind == "thresholds" else floors.least_failure_points
        assert packing(n, domain=cells, **ASK) <= floor


@claims(floor_optimum=moved(1))
def test_with_as_many_records_somebody_succeeds() -> None:
    failure = Fraction(1, 5)
    n = floor_optimum("points", cells=2, failure=failure, **ASK)
    assert optimum(n, kind="points", cells=2, **ASK).solved <= failure
    assert optimum(n - 1, kind="points", cells=2, **ASK).floor > failure
