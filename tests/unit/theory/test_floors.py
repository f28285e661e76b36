"""Floors: reference numbers, certified binomial sums, monotone, fast, below what learners need."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.numbers.binomial import mean_over_binomial, rounded_up
from privpac.numbers.exact import ball, certainly_above, certainly_below
from privpac.theory.floors import (
    floor_minimal_class,
    floor_point_counts,
    floor_points_any,
    floor_points_light,
    floor_points_proper,
    floor_thresholds_few_switches,
    floor_thresholds_proper,
    least_failure_points,
    least_failure_points_any,
    least_failure_thresholds,
    most_success_points_light,
    most_success_thresholds_few_switches,
)
from privpac.theory.sizes import records_occam

USUAL = {"error": 0.1, "failure": 0.05, "epsilon": 1}


def plain_mean(outcome, *, n: int, chance: Fraction) -> float:
    """An independent sum over all n + 1 terms, in fractions and floats."""
    total = 0.0
    for k in range(n + 1):
        total += float(math.comb(n, k) * chance**k * (1 - chance) ** (n - k)) * outcome(k)
    return total


class TestCertifiedSums:
    @given(
        n=st.integers(0, 150),
        chance=st.integers(1, 19).map(lambda k: Fraction(k, 20)),
        epsilon=st.sampled_from([0.1, 1.0, 4.0]),
        rivals=st.sampled_from([1, 7, 10**6, 2**128]),
    )
    @settings(max_examples=60, deadline=None)
    def test_enclose_the_plain_sum(self, n, chance, epsilon, rivals):
        with ctx.workprec(128):
            growth = ball(Fraction(str(epsilon))).exp()
            found = mean_over_binomial(lambda e: rivals / (rivals + e), n=n, chance=chance, growth=growth)
            assert float(found.rad()) < 1e-25
        plain = plain_mean(lambda k: 1 / (1 + math.exp(epsilon * k) / rivals), n=n, chance=chance)
        assert abs(float(found.mid()) - plain) < 1e-9

    @pytest.mark.parametrize("n", [50, 5_000, 400_000])
    def test_the_window_keeps_the_mean_of_a_known_variable(self, n):
        """E[growth^-K] = (1 - p + p/growth)^n exactly: the window and its tail must enclose it."""
        chance = Fraction(3, 10)
        for growth in (Fraction(11, 10), Fraction(3)):
            with ctx.workprec(96):
                found = mean_over_binomial(lambda e: 1 / e, n=n, chance=chance, growth=ball(growth))
            with ctx.workprec(4000):
                exact = ball(1 - chance + chance / growth) ** n
                assert found.contains(exact) or found.overlaps(exact)
            assert float(found.rad()) < 1e-20

    def test_undecided_ties_count_as_not_proved(self):
        third = Fraction(1, 3)
        assert not certainly_above(lambda: ball(third), third)
        assert not certainly_below(lambda: ball(third), third)
        assert certainly_above(lambda: ball(third) + ball(Fraction(1, 10**40)), third)
        assert certainly_below(lambda: ball(third) - ball(Fraction(1, 10**40)), third)
        assert certainly_below(lambda: arb("0.5"), Fraction(1, 2))

    @given(st.fractions(min_value=Fraction(1, 10**9), max_value=Fraction(2)))
    @settings(max_examples=100, deadline=None)
    def test_rounding_up_is_up_and_close(self, value):
        with ctx.workprec(96):
            shown = rounded_up(ball(value))
        assert shown == 1 if value >= 1 else value <= shown <= value * (1 + Fraction(1, 10**10))


class TestMeaning:
    @pytest.mark.parametrize("bits", [3, 8, 40])
    @pytest.mark.parametrize("epsilon", [0.2, 1, 3])
    def test_one_record_less_is_impossible_and_this_many_is_not_excluded(self, bits, epsilon):
        ask = {"domain": 2**bits, "error": 0.1, "epsilon": epsilon}
        for floor, least in (
            (floor_points_proper, least_failure_points),
            (floor_thresholds_proper, least_failure_thresholds),
            (floor_points_any, least_failure_points_any),
        ):
            n = floor(failure=0.05, **ask)
            assert n > 0
            assert least(n - 1, **ask) > Fraction(5, 100)
            assert least(n, **ask) <= Fraction(5, 100) + Fraction(1, 10**9)

    def test_light_and_few_switches_are_the_first_not_excluded(self):
        n = floor_points_light(2**20, weight=5, success=0.5, error=0.1, epsilon=1)
        ask = {"domain": 2**20, "weight": 5, "error": 0.1, "epsilon": 1}
        assert most_success_points_light(n - 1, **ask) < Fraction(1, 2) <= most_success_points_light(n, **ask)
        n = floor_thresholds_few_switches(2**20, switches=5, success=0.5, error=0.1, epsilon=1)
        ask = {"domain": 2**20, "switches": 5, "error": 0.1, "epsilon": 1}
        success = most_success_thresholds_few_switches
        assert success(n - 1, **ask) < Fraction(1, 2) <= success(n, **ask)

    @pytest.mark.parametrize("error", [0.01, 0.1, 0.3])
    @pytest.mark.parametrize("epsilon", [0.1, 1, 5])
    def test_no_floor_is_above_what_a_learner_needs(self, error, epsilon):
        ask = {"error": error, "failure": 0.05, "epsilon": epsilon}
        for bits in (2, 8, 32):
            enough = records_occam(2**bits, **ask)
            assert floor_points_proper(2**bits, **ask) <= enough
            assert floor_thresholds_proper(2**bits, **ask) <= records_occam(2**bits + 1, **ask)
            assert floor_points_any(2**bits, **ask) <= enough
            assert floor_minimal_class(2**bits, failure=0.05, epsilon=epsilon) <= enough

    def test_floors_fall_with_epsilon_and_error_and_grow_with_the_domain(self):
        for floor in (floor_points_proper, floor_thresholds_proper, floor_points_any, floor_point_counts):
            grid = [
                [floor(2**bits, error=0.1, failure=0.05, epsilon=e) for e in (0.1, 0.5, 1, 2)]
                for bits in (4, 8, 32)
            ]
            for row in grid:
                assert row == sorted(row, reverse=True)
            for column in zip(*grid, strict=True):
                assert list(column) == sorted(column)
            wide = [floor(2**16, error=a, failure=0.05, epsilon=1) for a in (0.01, 0.1, 0.4)]
            assert wide == sorted(wide, reverse=True)

    def test_tiny_domains_have_no_floor(self):
        assert floor_points_proper(2, **USUAL) == 0
        assert floor_thresholds_proper(1, **USUAL) == 0
        assert floor_thresholds_proper(2, **USUAL) == 21, "two cuts are told apart by a record near them"
        assert floor_minimal_class(1, failure=0.05, epsilon=1) == 0
        assert floor_minimal_class(2, failure=0.5, epsilon=1) == 0
        assert least_failure_points(10, domain=2, error=0.1, epsilon=1) == 0

    def test_the_corrected_constants_are_in_force(self):
        """T - 1 targets, not T; and the finite-domain term of the improper floor."""
        light = most_success_points_light(1, domain=2, weight=1, error=0.4, epsilon=1)
        assert light == 1, "one record, two points: a learner succeeds 0.73106 of the time, more than 0.7"
        assert least_failure_points_any(1, domain=3, error=0.2, epsilon=1) <= 1 - Fraction("0.4304")
        assert least_failure_points_any(1, domain=5, error=0.1, epsilon=1) <= 1 - Fraction("0.2320")


@pytest.mark.parametrize(
    "floor", [floor_points_proper, floor_thresholds_proper], ids=["points", "thresholds"]
)
def test_a_hundred_thousand_records_take_less_than_a_second(floor):
    begin = time.process_time()
    assert floor(2**64, error=0.01, failure=0.05, epsilon=0.03) > 50_000
    assert time.process_time() - begin < 1.0
