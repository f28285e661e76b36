"""Floors by linear programming: limits by public numbers, and what one draw does beside them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from privpac import theory
from privpac.errors import ParameterError, SizeError
from privpac.theory.optimum import game, targets
from privpac.theory.optimum_floors import best_mechanism, draw_failure, floor_optimum, solvable

ASK = {"error": "0.3", "epsilon": 1}


def cuts(cells: int) -> list[list[int]]:
    return [[int(x >= cut) for x in range(cells)] for cut in range(cells + 1)]


def points(cells: int) -> list[list[int]]:
    return [[int(x == point) for x in range(cells)] for point in range(cells)]


def test_what_takes_too_long_is_refused_by_numbers() -> None:
    with pytest.raises(SizeError, match="fewer records or fewer cells"):
        best_mechanism(cuts(2), records=11, **ASK)
    with pytest.raises(SizeError):
        best_mechanism(points(30), records=2, **ASK)
    with pytest.raises(SizeError):
        best_mechanism(list(product((0, 1), repeat=7)), records=1, **ASK)
    assert not solvable(cells=9, rules=9, records=1, proper=False)
    for rules in ([[0, 1]], [[0, 1], [1]], [[0, 2], [1, 0]], []):
        with pytest.raises(ParameterError, match="rules"):
            best_mechanism(rules, records=2, **ASK)
    with pytest.raises(ParameterError, match="error"):
        best_mechanism(points(3), records=2, error="0.5", epsilon=1)


def test_one_draw_is_never_better_than_the_best() -> None:
    for rules in (cuts(3), [*points(3), [0, 0, 0]], list(product((0, 1), repeat=3))):
        found = best_mechanism(rules, records=2, **ASK)
        assert found.floor <= Fraction(found.solved) + Fraction(1, 10**9)
        assert found.solved < found.draw


def test_one_draw_with_one_record_by_hand() -> None:
    """Two cells, one record at the cut's side with probability 0.3: the weights are 1 and e^(-1/2)."""
    play = game(((1, 0), (0, 1)), records=1, error=Fraction(3, 10), epsilon=Fraction(1))
    right = 1 / (1 + 2.718281828459045**-0.5)
    assert draw_failure(play) == pytest.approx(1 - right)


def test_the_cells_that_tell_a_rule_are_the_fewest() -> None:
    of_cuts = targets([tuple(rule) for rule in cuts(4)], Fraction(3, 10))
    assert [atoms for _, atoms in of_cuts] == [(0,), (0, 1), (1, 2), (2, 3), (3,)]
    of_points = targets([tuple(rule) for rule in points(4)], Fraction(3, 10))
    assert [atoms for _, atoms in of_points] == [(0,), (1,), (2,), (3,)]
    every = targets(list(product((0, 1), repeat=4)), Fraction(3, 10))
    assert {len(atoms) for _, atoms in every} == {3}  # a fourth would have more than the whole mass


def test_any_rule_may_do_better_than_one_of_the_class() -> None:
    proper = best_mechanism(points(3), records=2, **ASK)
    free = best_mechanism(points(3), records=2, proper=False, **ASK)
    assert free.floor < proper.floor


def test_the_floor_stops_where_the_program_does() -> None:
    assert floor_optimum(points(40), error="0.3", failure="0.01", epsilon=1) == 1


def test_its_name_is_a_function_of_the_theory() -> None:
    assert theory.best_mechanism is best_mechanism
    with pytest.raises(AttributeError, match="no attribute 'worst'"):
        theory.worst  # type: ignore[attr-defined]
