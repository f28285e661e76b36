"""Proper against improper learners of points: where the floor of the one passes the promise of the other."""

from __future__ import annotations

import pytest

from privpac.constructions.points.covered import records_cover
from privpac.constructions.points.separation_formulas import separation_points
from privpac.theory.floors import floor_points_proper
from privpac.theory.sizes import records_occam
from tests.statistical.claims import claims, first, moved


@claims({"error": 0.1, "epsilon": 1}, separation_points=first(moved(-1)))
@pytest.mark.parametrize("epsilon", [1, 0.1])
@pytest.mark.parametrize("error", [0.1, 0.05])
def test_the_floor_passes_what_is_proved_exactly_there(error: float, epsilon: float) -> None:
    goal = {"error": error, "failure": 0.05, "epsilon": epsilon}
    bits, records = separation_points(**goal)
    assert floor_points_proper(2 ** (bits - 1), **goal) <= records < floor_points_proper(2**bits, **goal)
    assert records <= records_cover(**goal)
    assert records < records_occam(2**bits, **goal)
