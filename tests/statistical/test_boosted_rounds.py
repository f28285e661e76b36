"""Rounds on capped weights: the facts behind the recursion on grids, and the recursion on tables with known edges."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.constructions.card.boosting_formulas import error_boosted, lost_edge
from privpac.constructions.card.weights import CAP, UNITS, residuals
from privpac.errors import ParameterError
from tests.statistical.claims import claims, moved, scaled

C = CAP / UNITS
BEND = math.log((1 - C) / C)
MARGINS = np.linspace(-8, 8, 321)


def v(m: np.ndarray) -> np.ndarray:
    return np.minimum(1 / (1 + np.exp(m)), C)


def loss(m: np.ndarray) -> np.ndarray:
    """By the integral of v, and not by the formula."""
    grid = np.linspace(-20, 60, 800_001)
    tails = np.concatenate([[0], np.cumsum((v(grid)[1:] + v(grid)[:-1]) / 2 * np.diff(grid))])
    return np.interp(m, grid, tails[-1] - tails)


def test_a_step_costs_no_more_than_the_slope_says() -> None:
    for step in (-3.0, -0.6, -0.2, 0.2, 0.4, 0.6, 3.0):
        bound = loss(MARGINS) + v(MARGINS) * (math.exp(-step) - 1)
        assert np.all(loss(MARGINS + step) <= bound + 1e-6)


def test_weight_and_loss_bound_each_other() -> None:
    quotients = loss(MARGINS) / v(MARGINS)
    assert np.all(quotients >= 1 - 1e-4)
    assert np.all(np.diff(quotients) <= 1e-4)
    assert quotients[0] == pytest.approx(float(loss(np.array([-8.0]))[0]) / C, rel=1e-6)


def test_weights_that_ship_are_the_nearest_whole_parts() -> None:
    zeros, ones = residuals(Fraction(1, 2), 15)
    points = np.arange(-15, 16)
    assert np.all(np.abs(np.array(ones) / UNITS - v(points / 5)) <= 0.5 / UNITS + 1e-9)
    assert np.all(np.abs(-np.array(zeros) / UNITS - v(-points / 5)) <= 0.5 / UNITS + 1e-9)


def boosted(seed: int, steps: list[Fraction], noise: float) -> tuple[float, float]:
    """The smallest edge of any round, and the part on the wrong side at the end: the best test is taken each time."""
    generator = np.random.default_rng(seed)
    features = 2 * generator.integers(0, 2, (60, 5)) - 1
    labels = np.where(features[:, :3].sum(axis=1) > 0, 1, -1) * np.where(generator.random(60) < noise, -1, 1)
    odds, smallest = np.zeros(60), 1.0
    for step in steps:
        weights = v(labels * odds)
        scores = (weights * labels) @ features
        best = int(np.argmax(np.abs(scores)))
        smallest = min(smallest, abs(scores[best]) / weights.sum())
        odds = odds + float(step) * np.sign(scores[best]) * features[:, best]
    return smallest, float(np.mean(labels * odds <= 0))


@claims(error_boosted=scaled("0.2"))
def test_no_table_is_judged_worse_than_its_edges_promise() -> None:
    proved = []
    for seed, size, count in product(range(60), ("0.6", "0.2", "0.05"), (1, 8, 40)):
        steps = [Fraction(size)] * count
        edge, wrong = boosted(seed, steps, noise=0.02 * (seed % 3))
        bound = error_boosted(steps, edge=Fraction(edge), lost=Fraction(0), cap=Fraction(CAP, UNITS))
        assert wrong <= bound
        proved.append(float(bound))
    assert min(proved) < 0.6, "the bound was void throughout"
    alone = error_boosted([Fraction(1, 5)], edge=Fraction(0), lost=Fraction(0), cap=Fraction(CAP, UNITS))
    assert alone >= Fraction(1, 2), "without an edge half of the records may be wrong"


@claims(lost_edge=moved(-Fraction(1, 64)))
def test_a_draw_loses_no_more_than_the_bound_more_often_than_promised() -> None:
    """All other candidates just beyond the bound: drawn as rarely as promised, also with weights that are rounded."""
    n, candidates, failure, ratio = 500, 200, Fraction(1, 20), Fraction(95, 100)
    lost = lost_edge(n, candidates=candidates, rounds=1, ratio=ratio, units=UNITS, failure=failure)
    behind = math.floor((lost - Fraction(1, UNITS)) * UNITS * n) + 1
    assert behind > 0
    others = (candidates - 1) * float(ratio) ** behind
    assert others / (1 + others) <= failure
    assert lost - Fraction(1, UNITS) > 0


def test_rounding_can_cost_what_it_is_charged_for() -> None:
    lost = lost_edge(
        10**12, candidates=2, rounds=1, ratio=Fraction(1, 2), units=UNITS, failure=Fraction(1, 2)
    )
    assert lost >= Fraction(1, UNITS)


def test_with_edges_as_tables_have_them_nothing_is_proved() -> None:
    steps = [Fraction(3, 5)] * 4 + [Fraction(2, 5)] * 13 + [Fraction(1, 5)] * 15
    assert error_boosted(steps, edge=Fraction(1, 5), lost=Fraction(0), cap=Fraction(CAP, UNITS)) >= Fraction(
        1, 2
    )


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(ParameterError):
        error_boosted([Fraction(1, 5)], edge=Fraction(1, 2), lost=Fraction(0), cap=Fraction(3, 4))
    with pytest.raises(ParameterError):
        lost_edge(10, candidates=2, rounds=1, ratio=Fraction(1), units=64, failure=Fraction(1, 20))
