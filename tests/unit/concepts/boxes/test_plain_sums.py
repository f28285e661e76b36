"""Sums over boxes without a scale: within their bound of those with one, and given up where doubles end."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from privpac.concepts.boxes.plain_sums import GIVEN_UP, LARGE, occupied_tree, plain_total, scaled
from privpac.concepts.boxes.sums import BoxSums
from privpac.mechanisms.gibbs import power_table
from privpac.numbers.exact import ratio_for
from tests.unit.concepts.boxes.test_sums import choice, sums_of
from tests.unit.concepts.line.test_unions import assert_encloses


def data(sizes: tuple[int, ...], count: int, moves: str, epsilon: Fraction) -> BoxSums:
    rng = np.random.default_rng(count)
    points = np.stack([rng.integers(0, size, count) for size in sizes], axis=1)
    signs = {"mixed": rng.choice([-1, 1], count), "inside": -np.ones(count), "outside": np.ones(count)}[moves]
    return sums_of(sizes, points, signs, ratio_for(epsilon / 2))


@pytest.mark.parametrize("moves", ["mixed", "inside", "outside"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(8), Fraction(60)])
def test_with_and_without_a_scale_sums_agree(
    moves: str, epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sizes, count in (((2**32, 2**32), 300), ((20, 30, 2**16), 60)):
        bare = data(sizes, count, moves, epsilon).lefts()
        with monkeypatch.context() as patch:
            patch.setattr(BoxSums, "_factors", lambda self, moves: np.full(len(moves) + 1, np.nan))
            other = data(sizes, count, moves, epsilon)
            with_scales, error = other.lefts(), other.error
        heaviest = int(np.argmax(with_scales))
        shares, expected = bare / bare[heaviest], with_scales / with_scales[heaviest]
        seen = expected > 1e-200
        assert np.abs(shares[seen] / expected[seen] - 1).max() < 4 * error


@pytest.mark.parametrize("moves", ["mixed", "inside", "outside"])
def test_they_stay_within_their_bound_of_balls(moves: str) -> None:
    for epsilon in (Fraction(1, 2), Fraction(20)):
        assert_encloses(choice(data((6, 7, 2**40), 14, moves, epsilon), "lefts"))
        assert_encloses(choice(data((2**20, 2**20), 40, moves, epsilon), "lefts"))


def test_values_that_do_not_occur_are_counted_with_their_neighbours() -> None:
    """Five values of y, of which two occur: every range of values is in the tree or blank, with its ends."""
    lefts, rights = np.array([2.0, 1, 3, 1, 4]), np.array([1.0, 3, 1, 4, 2])
    tree, places, blank = occupied_tree(np.array([3, 1, 3]), lefts, rights)
    everything = sum(lefts[c] * rights[d] for c in range(5) for d in range(c, 5))
    assert tree[1, 3] + blank == everything
    assert blank == lefts[0] * rights[0] + lefts[2] * rights[2] + lefts[4] * rights[4]
    assert places[[1, 3]].tolist() == [0, 1]
    nothing, _, all_blank = occupied_tree(np.empty(0, np.int64), lefts, rights)
    assert nothing[1, 3] == 0
    assert all_blank == everything


def test_what_leaves_the_range_is_given_up() -> None:
    empty, places, blank = occupied_tree(np.array([0, 1]), np.ones(2), np.ones(2))
    starts, runs = np.array([0, 2]), np.ones(1)
    within = plain_total(0, starts, places, np.full(2, LARGE**0.25), runs, empty, blank)
    assert 0 < within < LARGE
    for factor in (LARGE**0.75, LARGE**-0.75, LARGE):
        assert plain_total(0, starts, places, np.full(2, factor), runs, empty, blank) == GIVEN_UP
    assert plain_total(0, starts, places, np.ones(2), np.array([2 * LARGE]), empty, blank) == GIVEN_UP


@pytest.mark.parametrize("total", [1.0, 3.7, 1e-100, 1e100, 2 / LARGE, LARGE / 2])
def test_a_number_is_its_power_times_its_mantissa(total: float) -> None:
    table = power_table(Fraction(3, 5), 4000)
    exponent, mantissa = scaled(total, table)
    assert 1 - 1e-9 <= mantissa <= 5 / 3 + 1e-9
    exact = Fraction(mantissa) * Fraction(3, 5) ** exponent
    assert abs(exact / Fraction(total) - 1) < Fraction(1, 10**15)
    assert scaled(7.0, np.ones(3)) == (0, 7.0)
