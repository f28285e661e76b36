"""No learner beats the floors of noisy labels; versions that promise too much are beaten."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from privpac.theory.agnostic_floors import (
    floor_agnostic,
    floor_agnostic_answers,
    least_failure_agnostic,
    least_failure_agnostic_answers,
)
from tests.statistical.claims import claims, moved, scaled


def majority_failure(n: int, excess: Fraction) -> Fraction:
    """How often a majority of n labels, ties by a coin, names the rarer one: the best that anybody can do."""
    rare = (1 - excess) / 2
    total = Fraction(0)
    for labels in range(n + 1):
        weight = math.comb(n, labels) * rare**labels * (1 - rare) ** (n - labels)
        total += weight * (1 if 2 * labels > n else Fraction(1, 2) if 2 * labels == n else 0)
    return total


@claims(least_failure_agnostic=scaled("1.001"))
def test_a_majority_fails_as_often_as_the_floor_says() -> None:
    for n, excess in itertools.product(
        (1, 2, 3, 8, 15, 40), (Fraction(1, 10), Fraction(1, 3), Fraction(9, 10))
    ):
        exact = majority_failure(n, excess)
        found = least_failure_agnostic(n, excess=excess)
        assert exact - Fraction(1, 10**9) <= found <= exact
    assert least_failure_agnostic(0, excess="0.1") == Fraction(1, 2)


@claims(floor_agnostic=moved(2))
def test_the_floor_is_where_a_majority_begins_to_do() -> None:
    for excess, failure in ((Fraction(3, 10), Fraction(1, 10)), (Fraction(1, 5), Fraction(1, 4))):
        n = floor_agnostic(1, excess=excess, failure=failure)
        assert majority_failure(n - 1, excess) > failure
        assert majority_failure(n, excess) <= failure, (
            "a vote among so many does it: a higher floor would be false"
        )


def coin_failure(n: int, bias: float, excess: float, against: Callable[[float], float]) -> float:
    """How often an answer at one point errs by more than `excess` above the better label, on average over its coins.

    The label is 1 with probability (1 + bias)/2; `against` is how likely an answer is that contradicts a majority, by
    how clear that is.
    """
    share, failed = (1 + bias) / 2, 0.0
    for ones in range(n + 1):
        lead = (2 * ones - n) / n
        one = 0.5 if lead == 0 else against(abs(lead)) if lead < 0 else 1 - against(lead)
        wrong = 1 - one if bias > 0 else one
        if abs(bias) * wrong > excess + 1e-12:
            failed += math.comb(n, ones) * share**ones * (1 - share) ** (n - ones)
    return failed


def hedged(lead: float) -> float:
    """Nearly fair coins where the majority is unclear: half wrong at a bias of up to 0.2 is within 0.1."""
    return min(0.5, 0.1 / (lead + 0.2))


def test_answers_that_toss_coins_do_with_fewer_records_than_any_rule() -> None:
    """80 records, where `floor_agnostic` excludes 268 for rules: its proof needs one answer per point."""
    worst = max(coin_failure(80, k / 200, 0.1, hedged) for k in range(-199, 200))
    assert worst <= 0.05
    assert floor_agnostic(1, excess="0.1", failure="0.05") == 269
    assert floor_agnostic_answers(1, excess="0.1", failure="0.05") <= 80
    too_few = floor_agnostic_answers(1, excess="0.1", failure="0.05") - 1
    assert max(coin_failure(too_few, b, 0.1, hedged) for b in (-0.2001, 0.2001)) > 0.05


@claims(least_failure_agnostic_answers=scaled("1.001"))
def test_coins_fail_as_often_as_a_majority_at_twice_the_bias() -> None:
    random = np.random.default_rng(1)
    for n, excess in itertools.product((1, 2, 3, 8, 15), (Fraction(1, 10), Fraction(1, 3))):
        found = least_failure_agnostic_answers(n, excess=excess)
        exact = majority_failure(n, 2 * excess)
        assert exact - Fraction(1, 10**9) <= found <= exact, "a majority does that well at such a bias"
        bias = 2 * float(excess) + 1e-9
        for _ in range(20):
            table = random.random(n + 1) ** random.integers(1, 5)
            against = {abs(2 * ones - n) / n: float(table[ones]) for ones in range(n + 1)}
            worst = max(coin_failure(n, sign * bias, float(excess), against.__getitem__) for sign in (1, -1))
            assert worst >= float(found) - 1e-6
    assert least_failure_agnostic_answers(3, excess="0.5") == 0


@claims(floor_agnostic_answers=moved(2))
def test_the_floor_of_answers_is_where_a_majority_begins_to_do() -> None:
    for excess, failure in ((Fraction(3, 20), Fraction(1, 10)), (Fraction(1, 10), Fraction(1, 4))):
        n = floor_agnostic_answers(1, excess=excess, failure=failure)
        assert majority_failure(n - 1, 2 * excess) > failure >= majority_failure(n, 2 * excess)
    assert floor_agnostic_answers(1000, excess="0.1", failure="0.05") == 1212, "means over many points"
    assert floor_agnostic_answers(1, excess="0.6", failure="0.05") == 0


@pytest.mark.parametrize("points", [2, 3])
def test_many_points_are_not_told_better_than_by_affinities(points: int) -> None:
    """The best guesses of all signs, by listing all records: their mean share of wrong points is above the bound."""
    bias, n = 0.6, 4
    affinity = 1 - (1 - math.sqrt(1 - bias**2)) / points
    bound = (1 - math.sqrt(1 - affinity ** (2 * n))) / 2
    wrong = 0.0
    for records in itertools.product(range(2 * points), repeat=n):
        for point in range(points):
            ones = sum(record == 2 * point + 1 for record in records)
            zeros = sum(record == 2 * point for record in records)
            up = ((1 + bias) / 2) ** ones * ((1 - bias) / 2) ** zeros
            down = ((1 - bias) / 2) ** ones * ((1 + bias) / 2) ** zeros
            wrong += min(up, down) / 2 * points ** -(ones + zeros) * (1 / points / 2) ** (n - ones - zeros)
    assert wrong / points >= bound


def test_the_dimension_counts_once_it_is_large() -> None:
    found = [floor_agnostic(d, excess=0.1, failure=0.05) for d in (1, 10, 1000, 10_000)]
    assert found[0] == found[1] == 269
    assert found[3] == pytest.approx(10 * found[2], rel=0.01)
    assert found[2] / 1000 * 0.01 == pytest.approx(0.0121, abs=0.0005)
