"""Floors by linear programming: limits by public numbers, and what one draw does beside them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from privpac.errors import ParameterError, SizeError
from privpac.theory.optimum import game
from privpac.theory.optimum_floors import draw_failure, floor_optimum, optimum, solvable

ASK = {"error": "0.3", "epsilon": 1}


def test_what_takes_too_long_is_refused_by_numbers() -> None:
    with pytest.raises(SizeError, match="fewer records or fewer cells"):
        optimum(11, kind="thresholds", cells=2, **ASK)
    with pytest.raises(SizeError):
        optimum(2, kind="points", cells=10**9, **ASK)
    assert not solvable("points", cells=9, records=1, proper=False)
    with pytest.raises(ParameterError, match="thresholds, points"):
        optimum(2, kind="intervals", cells=3, **ASK)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="error"):
        optimum(2, kind="points", cells=3, error="0.5", epsilon=1)


def test_one_draw_is_never_better_than_the_best() -> None:
    found = optimum(3, kind="thresholds", cells=3, **ASK)
    assert found.floor <= Fraction(found.solved) + Fraction(1, 10**9)
    assert found.solved < found.draw


def test_one_draw_with_one_record_by_hand() -> None:
    """Two cells, one record at the cut's side with probability 0.3: the weights are 1 and e^(-1/2)."""
    play = game("points", cells=2, records=1, error=Fraction(3, 10), epsilon=Fraction(1))
    right = 1 / (1 + 2.718281828459045**-0.5)
    assert draw_failure(play) == pytest.approx(1 - right)


def test_any_rule_may_do_better_than_one_of_the_class() -> None:
    proper = optimum(2, kind="points", cells=3, **ASK)
    free = optimum(2, kind="points", cells=3, proper=False, **ASK)
    assert free.floor < proper.floor


def test_the_floor_stops_where_the_program_does() -> None:
    assert floor_optimum("points", cells=40, error="0.3", failure="0.01", epsilon=1) == 1
