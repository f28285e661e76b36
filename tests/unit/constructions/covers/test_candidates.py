"""Covers as they are built: planned sizes are those the learner takes, and one record less is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.concepts.derived.reference import Uniform, UniformSphere
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.linear.centred import CentredHalfspaces
from privpac.constructions.covers.candidates import (
    direction_cover,
    least_records,
    records_candidates,
    root_up,
    weight,
)
from privpac.constructions.covers.formulas import records_reference
from privpac.constructions.covers.reference import ReferenceCover
from privpac.data.sample import Size
from privpac.data.schema import Schema
from privpac.errors import SizeError
from privpac.guarantee.facts import Against

GOAL = {"error": Fraction(1, 10), "failure": Fraction(1, 20)}


def learner(dimension: int, *, kappa: int = 1, epsilon: int = 1, against: Against) -> ReferenceCover:
    names = [f"x{i}" for i in range(dimension)]
    columns = [{"name": name, "kind": "numeric", "lower": -1, "upper": 1} for name in names]
    schema = Schema.from_json({"label": "y", "columns": columns})
    if dimension == 1:
        return ReferenceCover(
            Thresholds(schema, "x0"),
            Uniform(schema, ("x0",)),
            Fraction(epsilon),
            kappa=Fraction(kappa),
            against=against,
        )
    return ReferenceCover(
        CentredHalfspaces(schema, schema.names),
        UniformSphere(schema, schema.names),
        Fraction(epsilon),
        kappa=Fraction(kappa),
        against=against,
    )


@pytest.mark.long_cases(
    "4-agnostic",
    "3-realizable",
)
@pytest.mark.parametrize("against", [Against.REALIZABLE, Against.AGNOSTIC])
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5])
def test_as_many_records_as_are_needed_are_learnt_from(dimension: int, against: Against) -> None:
    """338 records for half-spaces in space were refused up to 370."""
    found = learner(dimension, against=against)
    need = found.records_needed
    fact = found.certify(Size(need)).accuracy[0].fact
    assert (fact.error, fact.failure) == (GOAL["error"], GOAL["failure"])
    with pytest.raises(SizeError, match=f"At least {need} records"):
        found.certify(Size(need - 1))


def test_what_the_learner_builds_is_a_little_more_than_the_theorem() -> None:
    for dimension, more in ((2, 1.04), (3, 1.1), (4, 1.15), (5, 1.5)):
        least = records_reference(1, epsilon=1, dimension=dimension, **GOAL)
        need = records_candidates(
            Fraction(1), epsilon=Fraction(1), dimension=dimension, against=Against.REALIZABLE, **GOAL
        )
        assert need is not None
        assert least < need < more * least


def test_a_cover_with_too_many_directions_says_so() -> None:
    with pytest.raises(SizeError, match="more than 4194304 directions"):
        learner(4, kappa=10, against=Against.REALIZABLE).plan(10**9)


def test_numbers_on_the_safe_side() -> None:
    assert root_up(Fraction(2)) ** 2 >= 2
    assert direction_cover(Fraction(1, 10**12), dimension=3, cells=10) is None, "the cells are too wide"
    assert direction_cover(Fraction(1, 10), dimension=6, cells=2**32) is None
    found = direction_cover(Fraction(1, 100), dimension=2, cells=2**32)
    assert found is not None
    assert found[1] > 100
    one = Fraction(1)
    assert weight(one, error=GOAL["error"], lost=GOAL["error"], against=Against.REALIZABLE) is None
    ratio = weight(one, error=GOAL["error"], lost=Fraction(1, 200), against=Against.REALIZABLE)
    assert ratio is not None
    numbers = {"lost": Fraction(1, 200), "ratio": ratio, "against": Against.REALIZABLE}
    assert least_records(Fraction(50), **GOAL, **numbers) == 188  # type: ignore[arg-type]
    assert least_records(Fraction(50), **GOAL, **{**numbers, "lost": GOAL["error"]}) is None  # type: ignore[arg-type]
