"""What noisy counts of patterns promise: the formula by another way, and its claim simulated."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import ctx

from privpac.constructions.clauses.family import clauses_for
from privpac.errors import ParameterError
from tests.statistical.claims import claims, scaled

TENTH, TWENTIETH = Fraction(1, 10), Fraction(1, 20)
WANTED = {"failure": TWENTIETH, "epsilon": Fraction(1)}


@claims(clause_counts=scaled(0.99))
def test_the_formula_is_what_the_page_says() -> None:
    bound = clauses_for(4, 2, **WANTED)
    g, s, t, m = float(bound.ratio), float(bound.tilt), bound.threshold, 24
    assert bound.clauses == m
    assert g == pytest.approx(math.exp(-1 / 12), rel=1e-12)
    assert bound.ratio >= Fraction(math.exp(-1 / 12)) * (1 - Fraction(1, 10**15))
    assert s == pytest.approx(1 - 7 / 8 * (1 - g))
    assert m * g ** (t + 1) / (1 + g) <= 0.025 < m * g**t / (1 + g)

    def failure(n: int, error: float) -> float:
        noise = (1 - g) ** 2 / ((1 - g * s) * (1 - g / s))
        return m * g ** (t + 1) / (1 + g) + m * noise * s**-t * (1 - error / m * (1 - s)) ** n

    n = bound.records(TENTH, TWENTIETH)
    assert failure(n, 0.1) <= 0.05 < failure(n - 1, 0.1)
    with ctx.workprec(192):
        assert float(bound.failure(n, TENTH)) == pytest.approx(failure(n, 0.1), rel=1e-9)
    error = bound.error(n + 999, TWENTIETH)
    assert failure(n + 999, float(error)) <= 0.05 < failure(n + 999, float(error) - 1e-4)
    assert bound.error(10, TWENTIETH) == 1


def test_records_are_a_power_of_the_number_of_tests() -> None:
    """Doubling the tests multiplies patterns and sets by about 4 each."""
    sizes = [clauses_for(tests, 2, **WANTED).records(TENTH, TWENTIETH) for tests in (5, 10, 20)]
    assert all(14 < after / before < 28 for before, after in pairwise(sizes))


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ParameterError, match="drown"):
        clauses_for(40, 2, failure=TWENTIETH, epsilon=Fraction("1e-14"))
