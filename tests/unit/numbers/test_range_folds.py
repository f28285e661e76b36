"""Declared draws: the fold of their log-odds against brute force, from below and from above, and whole workloads."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.checker.functions import FUNCTIONS
from privpac.constructions.cuts import rules as cuts_rules
from privpac.errors import RuleRefused
from privpac.guarantee import rules
from privpac.guarantee.workload import together
from privpac.numbers.composition import rough_fold_delta
from privpac.numbers.exact import ratio_for
from privpac.numbers.range_folds import draw_epsilon, range_fold_delta

MILLIONTH = Fraction(1, 10**6)


def _limit(epsilon: float, times: int, total: float) -> float:
    """The largest delta of so many fixed two-point draws of range epsilon, over their common log-odds."""

    def delta(odds: float) -> float:
        p, q = (1 / (1 + math.exp(-value)) for value in (odds + epsilon, odds))
        chances = (
            (math.comb(times, yes), p**yes * (1 - p) ** (times - yes), q**yes * (1 - q) ** (times - yes))
            for yes in range(times + 1)
        )
        return sum(ways * max(0.0, a - math.exp(total) * b) for ways, a, b in chances)

    return max(delta(i / 100) for i in range(-1600, 1601))


def _adaptive(epsilon: float, times: int, total: float) -> float:
    """About the delta of the best adversary, who picks the log-odds of each draw by what came before; from below."""
    odds = np.linspace(-8, 8, 161)
    p, q = (1 / (1 + np.exp(-value)) for value in (odds + epsilon, odds))
    grid = np.linspace(-times * epsilon, times * epsilon, 1201)
    value = np.maximum(0.0, np.exp(grid) - math.exp(total))
    for _ in range(times):
        moves = ((q, np.log(p / q)), (1 - q, np.log((1 - p) / (1 - q))))
        # Read off below the line between grid points of a convex function: the point to the left, in the quotient.
        after = sum(
            chance[:, None] * np.interp(grid[None, :] + step[:, None], grid, value, right=value[-1])
            for chance, step in moves
        )
        value = np.maximum(value, after.max(axis=0))
    return float(np.interp(0.0, grid, value))


@pytest.mark.parametrize(("epsilon", "times", "total"), [(0.5, 3, 0.4), (1.0, 5, 2.0), (0.2, 8, 0.9)])
def test_the_sum_is_the_tail_of_a_convolution(epsilon: float, times: int, total: float) -> None:
    cells = 4000
    width = 2 * epsilon / cells
    loss = -epsilon + width * (np.arange(cells) + 0.5)
    density = np.exp(loss / 2)
    density /= density.sum()
    law = np.array([1.0])
    for _ in range(times):
        law = np.convolve(law, density)
    sums = times * loss[0] + width * np.arange(len(law))
    expected = float((law * np.maximum(0.0, -np.expm1(total - sums))).sum())
    found = range_fold_delta(Fraction(str(epsilon)), times=times, total=Fraction(str(total)))
    assert float(found) == pytest.approx(expected, rel=2e-5)


@pytest.mark.parametrize(("times", "limit"), [(4, 0.275508), (8, 0.173335), (16, 0.120372), (32, 0.084369)])
def test_the_limit_lies_just_above_what_is_granted(times: int, limit: float) -> None:
    assert _limit(limit, times, 1.0) == pytest.approx(1e-6, rel=2e-3)
    granted = float(draw_epsilon(times=times, epsilon=Fraction(1), delta=MILLIONTH))
    assert granted < limit < 1.1 * granted


@pytest.mark.parametrize(
    ("epsilon", "times", "total"), [("0.5", 2, "0.6"), ("0.3", 4, "0.7"), ("1", 6, "2.5")]
)
def test_no_two_point_draws_exceed_the_fold_and_pure_releases_do(
    epsilon: str, times: int, total: str
) -> None:
    found = float(range_fold_delta(Fraction(epsilon), times=times, total=Fraction(total)))
    each, all_ = float(epsilon), float(total)
    fixed = _limit(each, times, all_)
    assert 0 < fixed <= found
    assert fixed * 0.9 <= _adaptive(each, times, all_) <= found * 1.02  # the grid's own error
    saved = int((times - all_ / each) // 2)
    pure = rough_fold_delta(each, times=times, saved=max(0, saved))
    assert saved < 1 or found <= pure or (times - 2 * saved) * each > all_


def test_one_release_alone_has_the_delta_of_the_logistic_pair() -> None:
    x, e = math.exp(1.0), math.exp(0.5)
    cells = np.linspace(0, 1, 200_001)
    middle = (cells[1:] + cells[:-1]) / 2
    density = x / (1 + (x - 1) * middle) ** 2
    expected = float(np.maximum(0.0, density - e).mean())
    found = range_fold_delta(Fraction(1), times=1, total=Fraction(1, 2))
    assert float(found) == pytest.approx(expected, rel=1e-6)


def test_nothing_is_left_over_beyond_the_sum() -> None:
    assert range_fold_delta(Fraction(1, 4), times=4, total=Fraction(1)) == 0
    assert range_fold_delta(Fraction(0), times=4, total=Fraction(0)) == 0
    assert FUNCTIONS["range_fold"](Fraction(1, 4), 4, Fraction(1)) == 0


@pytest.mark.parametrize(("epsilon", "times", "total"), [("0.1", 1, "0"), ("2", 12, "10"), ("15", 20, "200")])
def test_the_checker_agrees_by_another_series(epsilon: str, times: int, total: str) -> None:
    numbers = Fraction(epsilon), times, Fraction(total)
    assert FUNCTIONS["range_fold"](*numbers) == range_fold_delta(numbers[0], times=times, total=numbers[2])


def test_releases_with_a_delta_leave_less_of_it() -> None:
    rough = cuts_rules.stable_choice(ratio=ratio_for(Fraction("0.005")), threshold=4_000)
    assert rough.fact.delta < Fraction(2, 10**9)
    proof = together(rough, times=50, epsilon=Fraction(1), delta=MILLIONTH)
    assert 50 * rough.fact.delta < proof.premises[0].fact.delta <= MILLIONTH
    with pytest.raises(RuleRefused):
        together(rough, times=1001, epsilon=Fraction(20), delta=MILLIONTH)


def test_one_draw_may_cost_all() -> None:
    assert draw_epsilon(times=1, epsilon=Fraction(1), delta=MILLIONTH) == 1
    assert draw_epsilon(times=3, epsilon=Fraction(1), delta=Fraction(0)) == Fraction(333_333_333, 10**9)


def test_what_the_rule_refuses() -> None:
    odds = rules.bounded_range(ratio=Fraction(3, 5))
    for times, epsilon in ((0, Fraction(1)), (65, Fraction(1)), (4, Fraction(-1)), (4, Fraction(1001))):
        with pytest.raises(RuleRefused):
            rules.range_fold(odds, times=times, epsilon=epsilon)
    with pytest.raises(RuleRefused) as refused:
        rules.range_fold(rules.bounded_range(ratio=Fraction(1, 10**12)), times=60, epsilon=Fraction(1))
    assert refused.value.owner == "range-fold"
