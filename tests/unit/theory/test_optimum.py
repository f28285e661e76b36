"""The best private learner: its certificate, and what happens to wrong dual numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from privpac.theory.optimum import Duals, Game, game, program_rows, proved_floor, solve

RULES = {
    "points": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "thresholds": [(1, 1, 1), (0, 1, 1), (0, 0, 1), (0, 0, 0)],
}
ASK = {"error": Fraction(3, 10), "epsilon": Fraction(1)}


@pytest.fixture(scope="module", params=[("thresholds", True), ("points", True), ("points", False)], ids=str)
def play(request: pytest.FixtureRequest) -> Game:
    kind, proper = request.param
    return game(RULES[kind], records=2, proper=proper, **ASK)


def test_the_program_has_the_size_that_was_foreseen(play: Game) -> None:
    rows = len(play.neighbours) * len(play.answers)
    assert rows == program_rows(cells=3, answers=len(play.answers), records=2)


def test_chances_add_up(play: Game) -> None:
    for member in play.family:
        assert sum(chance for _, chance in play.chances(member)) == 1


def test_the_certificate_is_as_good_as_the_solver_says(play: Game) -> None:
    found = solve(play)
    floor = proved_floor(play, found)
    assert found.value - 1e-6 <= float(floor) <= found.value + 1e-9


def test_wrong_dual_numbers_never_prove_more(play: Game) -> None:
    found = solve(play)
    coins = np.random.default_rng(0)
    for scale in (0.0, 0.5, 2.0):
        noise = coins.uniform(0, scale, found.privacy.shape)
        wrong = replace(found, privacy=found.privacy * noise)
        assert proved_floor(play, wrong) <= Fraction(found.value) + Fraction(1, 10**9)
    some = Duals(1.0, np.ones(len(play.family)), np.zeros_like(found.privacy))
    assert proved_floor(play, some) <= Fraction(found.value) + Fraction(1, 10**9)


def test_no_distribution_proves_nothing(play: Game) -> None:
    duals = solve(play)
    for members in (np.zeros_like(duals.members), -duals.members):
        assert proved_floor(play, replace(duals, members=members)) == 0


def test_an_answer_whose_error_only_just_fits_is_accepted() -> None:
    """The rest weighs 1 - 2·error = error at error 1/3, and less than the error just above it."""
    third = game(RULES["thresholds"], records=1, error=Fraction(1, 3), epsilon=Fraction(1), proper=False)
    below = game(RULES["thresholds"], records=1, error=Fraction(33, 100), epsilon=Fraction(1), proper=False)
    assert sum(map(sum, (m.accurate for m in third.family))) > sum(
        map(sum, (m.accurate for m in below.family))
    )
