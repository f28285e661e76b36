"""One law for all bounds: more records and a larger error never fail more, error and records are each other's inverse,
and what is proved the checker accepts."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from privpac.checker.check import check_derivation
from privpac.constructions import catalogue
from privpac.guarantee.theorem import AccuracyBound, ErrorBound
from privpac.theory.occam import GRID
from tests.contracts.examples import EXAMPLES
from tests.together import together
from tests.vectors.remaking import bound_of

BOUNDS = [key for key, theorem in catalogue.theorems().items() if issubclass(theorem, AccuracyBound)]
FAILURE = Fraction(1, 20)


@cache
def example(key: str) -> tuple[Any, int]:
    """The bound of the example, and its records."""
    step = EXAMPLES[key]()
    return bound_of(step), step.fact.records  # type: ignore[attr-defined]


@together(BOUNDS)
def test_more_records_and_a_larger_error_never_fail_more(key: str) -> None:
    bound, n = example(key)
    error = bound.error(n, FAILURE)
    assert bound.error(2 * n, FAILURE) <= error <= bound.error(n, FAILURE / 10)
    if not isinstance(bound, ErrorBound):
        assert bound.proves(n, error, FAILURE)
        assert error == GRID or not bound.proves(n, error - GRID, FAILURE)
        assert bound.proves(n, min(2 * error, (1 + error) / 2), FAILURE)


@together(BOUNDS)
def test_error_and_records_are_inverse(key: str) -> None:
    bound, n = example(key)
    error = bound.error(n, FAILURE)
    needed = bound.records(error, FAILURE)
    assert needed <= n
    assert bound.proves(needed, error, FAILURE)
    assert needed == 1 or not bound.proves(needed - 1, error, FAILURE)


@together(BOUNDS)
def test_the_checker_accepts_what_is_promised(key: str) -> None:
    bound, n = example(key)
    for records in (n, 3 * n):
        (proof,) = bound.promise(records, FAILURE)
        assert check_derivation(proof.to_json()) >= 1
    assert bound.promise(1, Fraction(1, 10**9)) == ()
