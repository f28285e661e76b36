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


def proves(bound: Any, n: int, error: Fraction) -> bool:
    found: bool = bound.suited(n, error, FAILURE).proves(n, error, FAILURE)
    return found


@together(BOUNDS)
def test_more_records_and_a_larger_error_never_fail_more(key: str) -> None:
    bound, n = example(key)
    error = bound.error(n, FAILURE)
    assert error <= bound.error(n, FAILURE / 10)
    assert bound.premises or bound.error(2 * n, FAILURE) <= error  # a premise speaks of its own records
    if not isinstance(bound, ErrorBound):
        assert proves(bound, n, error)
        assert error == GRID or not proves(bound, n, error - GRID)
        assert proves(bound, n, min(2 * error, (1 + error) / 2))


@together(BOUNDS)
def test_error_and_records_are_inverse(key: str) -> None:
    bound, n = example(key)
    error = bound.error(n, FAILURE)
    needed = bound.records(error, FAILURE)
    assert needed <= n
    assert proves(bound, needed, error)
    assert needed == 1 or not proves(bound, needed - 1, error)


@together(BOUNDS)
def test_the_checker_accepts_what_is_promised(key: str) -> None:
    bound, n = example(key)
    for records in (n,) if bound.premises else (n, 3 * n):
        (proof,) = bound.promise(records, FAILURE)
        assert check_derivation(proof.to_json()) >= 1
    assert bound.promise(1, Fraction(1, 10**9)) == ()
