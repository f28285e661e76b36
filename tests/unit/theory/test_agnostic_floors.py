"""Floors of noisy labels: their values, what they refuse, and the rows of a plan that they bind."""

from __future__ import annotations

import pytest

from privpac import plan
from privpac.errors import ParameterError
from privpac.theory.agnostic_floors import floor_agnostic, least_failure_agnostic


def test_values() -> None:
    assert [floor_agnostic(1, excess=e, failure=0.05) for e in ("0.2", "0.1", "0.05")] == [67, 269, 1081]
    assert floor_agnostic(3, excess=0.9, failure=0.05) == 1
    assert (
        float(least_failure_agnostic(269, excess=0.1)) < 0.05 < float(least_failure_agnostic(268, excess=0.1))
    )


def test_a_failure_of_one_half_is_refused() -> None:
    with pytest.raises(ParameterError, match="failure"):
        floor_agnostic(1, excess=0.1, failure=0.5)


def test_promises_against_the_best_rule_carry_a_floor_of_their_own() -> None:
    """A floor for perfect labels stood there: 154 records where noise alone takes 269."""
    found = plan.needed("thresholds", bits=32, error="0.1", epsilon=1)
    noisy = found.option("occam", "agnostic")
    assert (noisy.floor, noisy.limit.source) == (269, "floor-agnostic")
    assert found.option("occam", "realizable").floor == 154
    assert (
        "Where labels are noisy, no method that releases a rule, private or not, can do it with fewer than 269 records."
        in str(found)
    )
    longer = plan.needed("thresholds", bits=64, error="0.1", epsilon=1).option("occam", "agnostic")
    assert (longer.floor, longer.limit.source) == (278, "floor-thresholds-proper"), "the larger of the two"


def test_answers_that_toss_coins_have_a_floor_of_their_own() -> None:
    """269 stood in the headline, and 8 in the row: the former is proved only for what releases a rule."""
    found = plan.needed("trees:2", columns=5, error="0.1", epsilon=1, protect="predictions")
    assert (found.option("fresh-draws").floor, found.option("fresh-draws").limit.source) == (
        67,
        "floor-agnostic-answers",
    )
    assert found.option("occam", "agnostic").floor == 67, "the bound is that of what was asked"


def test_densities_are_not_bound() -> None:
    dense = plan.needed("reference:10", error="0.1", epsilon=1).option("reference-cover", "agnostic")
    assert dense.limit.source != "floor-agnostic"


def test_the_error_that_records_reach_is_bound_too() -> None:
    found = plan.reachable("thresholds", bits=8, records=269, epsilon=5).option("occam", "agnostic")
    assert found.limit.source == "floor-agnostic"
    assert found.floor == pytest.approx(0.1, abs=1e-3)
