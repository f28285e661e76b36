"""Exact worst cases computed independently, to five digits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from privpac.audit.exact import Case, audit
from privpac.audit.registry import learner_case, tiny_schema
from privpac.concepts.line.thresholds import Thresholds
from privpac.concepts.sets.hashes import HashFamily
from privpac.concepts.sets.keys import KeyedFamily
from privpac.concepts.sets.points import Points
from privpac.concepts.sets.sparse import ListedFamily
from privpac.constructions.draw.occam import Occam
from privpac.constructions.points import clipped, coded, sampled, sparse
from privpac.constructions.points.sampled import Family, rate_star


@pytest.mark.long_cases("thresholds-3-6-0.97234", "points-3-6-0.95911", "points-4-6-0.97234")
@pytest.mark.parametrize(
    ("kind", "cells", "n", "loss"),
    [
        ("points", 3, 6, 0.95911),
        ("points", 4, 6, 0.97234),
        ("points", 2, 2, 0.62011),
        ("points", 4, 4, 0.92845),
        ("thresholds", 4, 4, 0.94529),
        ("thresholds", 3, 6, 0.97234),
    ],
)
def test_worst_case_loss_of_the_exponential_mechanism(kind: str, cells: int, n: int, loss: float) -> None:
    schema = tiny_schema(cells)
    concepts = Points(schema, "a") if kind == "points" else Thresholds(schema, "a", "down")
    finding = audit(learner_case(kind, Occam(concepts, Fraction(1)), schema, n))
    assert finding.exact is not None
    assert math.log(finding.exact) == pytest.approx(loss, abs=1e-5)


@pytest.mark.long_cases("4-5-3-2-0.8-0.8", "4-6-4-3-0.6-0.7131")
@pytest.mark.parametrize(
    ("cells", "n", "threshold", "margin", "rate", "loss"),
    [
        (3, 6, 4, 3, "0.6", 0.73587),
        (4, 6, 4, 3, "0.6", 0.71310),
        (3, 6, 6, 3, "0.6", 0.41413),
        (4, 5, 3, 2, "0.8", 0.80000),
    ],
)
def test_worst_case_loss_of_clipped_margins(
    cells: int, n: int, threshold: int, margin: int, rate: str, loss: float
) -> None:
    case = clipped.clipped_case(cells=cells, n=n, threshold=threshold, margin=margin, rate=Fraction(rate))
    assert worst(case) == pytest.approx(loss, abs=1e-5)


@pytest.mark.long
def test_worst_case_loss_of_a_code_and_of_cells_drawn_one_by_one() -> None:
    assert worst(coded.coded_case()) == pytest.approx(0.84090, abs=1e-5)
    assert worst(sparse.sparse_case(n=6, flip=Fraction(1, 100))) == pytest.approx(0.99914, abs=1e-5)


def printed(rate: Fraction) -> Case:
    """A_2 at error 1/4: flips and refusals with probability 1/32."""
    family = ListedFamily("a", 3, Fraction(1, 32))
    return sampled.sampled_case("A_2", family, cells=3, n=6, rate=rate, fail=Fraction(1, 32))


@pytest.mark.long
def test_worst_case_loss_of_the_printed_sampled_learner() -> None:
    assert worst(printed(Fraction(1, 16))) == pytest.approx(1.11903, abs=1e-5)
    # Lemma 4.4 on top, at epsilon 1/2 and the printed spread of 4: half of what is claimed is lost.
    starred = rate_star(epsilon="0.5", spread=Fraction(4)) / 16
    assert worst(printed(starred)) == pytest.approx(0.26172, abs=1e-5)


@pytest.mark.long_cases("family0-3-5-0.05-0.690381")
@pytest.mark.parametrize(
    ("family", "cells", "n", "rate", "loss"),
    [
        (ListedFamily("a", 3, Fraction(1, 20)), 3, 5, "0.05", 0.690381),
        (ListedFamily("a", 3, Fraction(1, 10)), 3, 4, "0.2", 1.151256),
        (HashFamily("a", 5, 1, 4), 4, 3, "0.1", 0.340326),
        (HashFamily("a", 7, 2, 3), 3, 3, "0.15", 0.297252),
        (KeyedFamily("a", 2, modulus=7, key_bits=1), 3, 4, "0.1", 0.201637),
    ],
)
def test_the_two_sided_learner_attains_its_bound(
    family: Family, cells: int, n: int, rate: str, loss: float
) -> None:
    case = sampled.sampled_case("two-sided", family, cells=cells, n=n, rate=Fraction(rate))
    finding = audit(case)
    assert finding.exact == case.claim.epsilon.factor
    assert math.log(finding.exact) == pytest.approx(loss, abs=1e-6)


def test_two_values_do_not_attain_it() -> None:
    family = ListedFamily("a", 2, Fraction(1, 10))
    case = sampled.sampled_case("two-sided", family, cells=2, n=4, rate=Fraction(1, 5))
    assert worst(case) < 0.99 * 1.151256


def worst(case: Case) -> float:
    finding = audit(case)
    assert finding.holds
    assert finding.exact is not None
    return math.log(finding.exact)
