"""What noisy counts of patterns promise: the formula by another way, and its claim simulated."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from privpac.constructions.clauses.formulas import (
    error_clauses,
    failure_clauses,
    plan_clauses,
    records_clauses,
)
from privpac.errors import ParameterError
from tests.statistical.claims import claims, field, moved, scaled

WANTED = {"error": 0.1, "failure": 0.05, "epsilon": 1}


@claims(
    failure_clauses=scaled(0.99),
    plan_clauses=field("threshold", moved(-1)),
    records_clauses=scaled(0.99),
    error_clauses=scaled(0.99),
)
def test_the_formula_is_what_the_page_says() -> None:
    plan = plan_clauses(4, 2, failure=0.05, epsilon=1)
    g, s, t, m = float(plan.ratio), float(plan.tilt), plan.threshold, 24
    assert plan.clauses == m
    assert g == pytest.approx(math.exp(-1 / 12), rel=1e-12)
    assert plan.ratio >= Fraction(math.exp(-1 / 12)) * (1 - Fraction(1, 10**15))
    assert s == pytest.approx(1 - 7 / 8 * (1 - g))
    assert m * g ** (t + 1) / (1 + g) <= 0.025 < m * g**t / (1 + g)

    def failure(n: int, error: float) -> float:
        noise = (1 - g) ** 2 / ((1 - g * s) * (1 - g / s))
        return m * g ** (t + 1) / (1 + g) + m * noise * s**-t * (1 - error / m * (1 - s)) ** n

    n = records_clauses(4, 2, **WANTED)
    assert failure(n, 0.1) <= 0.05 < failure(n - 1, 0.1)
    assert float(failure_clauses(n, error=0.1, plan=plan)) == pytest.approx(failure(n, 0.1), rel=1e-9)
    error = error_clauses(n + 999, failure=0.05, plan=plan)
    assert failure(n + 999, float(error)) <= 0.05 < failure(n + 999, float(error) - 1e-4)
    assert error_clauses(10, failure=0.05, plan=plan) == 1


def test_records_are_a_power_of_the_number_of_tests() -> None:
    """Doubling the tests multiplies patterns and sets by about 4 each."""
    sizes = [records_clauses(tests, 2, **WANTED) for tests in (5, 10, 20)]
    assert all(14 < after / before < 28 for before, after in pairwise(sizes))


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ParameterError, match="width"):
        plan_clauses(2, 3, failure=0.05, epsilon=1)
    with pytest.raises(ParameterError, match="drown"):
        plan_clauses(40, 2, failure=0.05, epsilon="1e-14")
