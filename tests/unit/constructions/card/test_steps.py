"""Points of a round lie on neighbouring cuts; what no draw could have laid is no round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privpac.concepts.cards.tallies import Points
from privpac.concepts.literals.binarise import Binarisation
from privpac.constructions.card.steps import lay_points, rounds_in, steps_for
from privpac.constructions.card.weights import MIXED_ROUNDS
from privpac.data.schema import Schema

COLUMNS: list[dict[str, object]] = [
    {"name": "age", "kind": "numeric", "lower": 0, "upper": 10, "integer": True},
    {"name": "ward", "kind": "categorical", "categories": ["north", "south", "east"]},
    {"name": "smoker", "kind": "boolean"},
    {"name": "stage", "kind": "numeric", "lower": 0, "upper": 2, "integer": True},
]
TESTS = Binarisation.of(Schema.from_json({"label": "ill", "classes": [0, 1], "columns": COLUMNS}))
"""Ten cuts, three categories, one answer, two cuts."""


def cells(number: int, points: int) -> list[tuple[int, int]]:
    return [(one.test.cell, one.points) for one in lay_points(TESTS, number, points, cuts=abs(points))]


def test_points_lie_on_neighbouring_cuts_one_each() -> None:
    assert cells(4, 3) == [(4, 1), (5, 1), (6, 1)]
    assert cells(4, -2) == [(5, -1), (6, -1)]
    assert cells(4, 1) == [(5, 1)]


def test_where_there_are_few_cuts_or_none_to_choose_from_points_stay_together() -> None:
    assert cells(15, 5) == [(1, 3), (2, 2)]
    assert cells(11, 9) == [(1, 9)]
    assert cells(13, -6) == [(1, -6)]
    assert [one.points for one in lay_points(TESTS, 4, 3, cuts=1)] == [3]


@pytest.mark.parametrize("rounds", range(1, 33))
def test_steps_leave_no_more_tests_and_digits_than_hang_on_a_wall(rounds: int) -> None:
    steps = steps_for(rounds, fine=False)
    assert max(steps.schedule) <= 9
    assert sum(own.cuts for own in steps.rounds) <= 32
    assert {points / steps.fifth for points in steps.schedule} <= {1, 2, 3}


@pytest.mark.parametrize("rounds", range(1, MIXED_ROUNDS + 1))
def test_a_mixed_card_has_blocks_first_and_no_more_lines_than_hang_on_a_wall(rounds: int) -> None:
    own = steps_for(rounds, mixed=True).rounds
    alone = (rounds + 2) // 4
    assert [one.together for one in own] == [False] * alone + [True] * (rounds - alone)
    assert sum(one.cuts for one in own) <= 32
    assert {one.cuts for one in own if one.together} <= {1}
    assert {one.points for one in own} <= {5, 3, 2}


def test_points_that_no_equal_shares_make_are_shared_out_nearly_equally() -> None:
    assert [(one.test.cell, one.points) for one in lay_points(TESTS, 4, 5, cuts=3)] == [
        (4, 1),
        (5, 2),
        (6, 2),
    ]
    assert [(one.test.cell, one.points) for one in lay_points(TESTS, 4, -3, cuts=2)] == [(5, -1), (6, -2)]
    assert [(one.test.cell, one.points) for one in lay_points(TESTS, 15, 5, cuts=3)] == [(1, 3), (2, 2)]


def test_rounds_are_found_again_and_nothing_else_is_a_round() -> None:
    schedule = steps_for(3, fine=False).schedule
    parts = [
        lay_points(TESTS, number, points, cuts=abs(points))
        for number, points in zip((4, 11, 15), schedule, strict=True)
    ]
    drawn = tuple(one for part in parts for one in part)
    assert list(rounds_in(drawn, schedule)) == parts

    def count(changed: tuple[Points, ...]) -> int:
        return len(list(rounds_in(changed, schedule)))

    assert count(drawn) == 3
    assert count(drawn[1:]) < 3
    assert count(drawn[:-1]) < 3
    assert count((*drawn, drawn[-1])) == 4
    assert count(tuple(reversed(drawn))) < 3
    assert count((replace(drawn[0], points=-drawn[0].points), *drawn[1:])) < 3
