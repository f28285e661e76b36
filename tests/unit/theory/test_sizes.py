"""Sample sizes: reference numbers, minimality against exact arithmetic, both directions, refusals."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.errors import ParameterError, SizeError
from privpac.numbers.exact import first_whole
from privpac.theory import generalisation, sizes
from privpac.theory.generalisation import gap_class, gap_holdout, records_class, records_holdout
from privpac.theory.occam import error_occam, excess_agnostic, tilt_agnostic
from privpac.theory.sizes import (
    Log,
    epsilon_agnostic,
    epsilon_occam,
    failure_agnostic,
    failure_occam,
    failure_prior,
    records_agnostic,
    records_occam,
    records_prior,
)

USUAL = {"error": 0.1, "failure": 0.05, "epsilon": 1}


chances = st.integers(1, 199).map(lambda k: Fraction(k, 200))
ratios = st.integers(1, 31).map(lambda k: Fraction(k, 32))
class_sizes = st.one_of(st.integers(1, 50), st.integers(2, 2**200))


class TestMinimalAndProved:
    @given(size=class_sizes, error=chances, failure=chances, ratio=ratios)
    @settings(max_examples=150, deadline=None)
    def test_rational_ratio_against_fractions(self, size, error, failure, ratio):
        """With everything rational the inequality is decided by integers, ties included."""
        n = records_occam(size, error=error, failure=failure, ratio=ratio)
        base = 1 - error * (1 - ratio)
        if n > 3000:
            return
        assert (size - 1) * base**n <= failure
        assert n == 0 or (size - 1) * base ** (n - 1) > failure

    def test_an_exact_tie_is_not_lost(self):
        # 1·(3/4)² = 9/16 exactly, and with ten thousandths less of failure one record more.
        tie = {"error": Fraction(1, 2), "ratio": Fraction(1, 2)}
        assert records_occam(2, failure=Fraction(9, 16), **tie) == 2
        assert records_occam(2, failure=Fraction(9, 16) - Fraction(1, 10**4), **tie) == 3
        assert records_occam(2, failure=Fraction(9, 16) - Fraction(1, 10**60), **tie) == 3
        # Beyond the working precision only the fractions can tell; without them one record more is safe.
        assert records_occam(2, failure=Fraction(9, 16) - Fraction(1, 10**200), **tie) == 3
        assert records_occam(Log(0), failure=Fraction(9, 16), **tie) == 3

    @given(size=st.integers(2, 2**64), excess=chances, failure=chances, ratio=ratios)
    @settings(max_examples=100, deadline=None)
    def test_agnostic_against_fractions(self, size, excess, failure, ratio):
        """The tilt handed out turns the size into a statement about fractions that a checker can repeat."""
        n = records_agnostic(size, excess=excess, failure=failure, ratio=ratio)
        x = tilt_agnostic(excess, ratio=ratio)
        assert ratio <= x < 1
        base = ((1 - excess) / x + (1 + excess) * x) / 2
        if n > 300 or excess < Fraction(1, 20):
            return
        assert (size - 1) * base**n <= failure
        assert n == 0 or (size - 1) * base ** (n - 1) > failure

    @given(
        size=st.integers(2, 2**80),
        excess=chances,
        failure=chances,
        noise=st.integers(0, 90).map(lambda k: Fraction(k, 100)),
        epsilon=st.sampled_from([0.05, 0.3, 1, 4, 30]),
    )
    @settings(max_examples=80, deadline=None)
    def test_no_exponent_beats_the_one_chosen(self, size, excess, failure, noise, epsilon):
        n = records_agnostic(size, excess=excess, failure=failure, epsilon=epsilon, noise=noise)
        e = min(float(noise), (1 - float(excess)) / 2)
        best = math.inf
        for step in range(1, 2001):
            t = epsilon / 2 * step / 2000
            base = 1 - (e + float(excess)) * -math.expm1(-t) + e * math.expm1(t)
            if 0 < base < 1:
                best = min(best, (math.log(size - 1) - math.log(failure)) / -math.log(base))
        assert n <= math.ceil(best + 1e-6)

    def test_two_exponents_with_many_good_hypotheses(self):
        """The learner's own exponent, or the best smaller one at the price of the good hypotheses' help."""
        ask = {"good": 100, "tolerated": 0.01, "error": 0.1, "failure": 0.05}
        size, best = 10_000, math.log(0.1 / 0.01) / 2

        def need(own: float, used: float) -> int:
            base = 1 - 0.1 * (1 - math.exp(-used)) + 0.01 * (math.exp(used) - 1)
            factor = (size - 100) * 100 ** (-used / own)
            return math.ceil(math.log(factor / 0.05) / -math.log(base)) if base < 1 else 10**9

        assert records_occam(size, epsilon=1, **ask) == need(0.5, 0.5)
        for epsilon in (2.4, 3, 4, 10):
            own = epsilon / 2
            assert own > best
            assert records_occam(size, epsilon=epsilon, **ask) == min(need(own, own), need(own, best))

    def test_a_slightly_larger_ratio_never_needs_fewer(self):
        exact = records_occam(2**40, **USUAL)
        assert records_occam(2**40, error=0.1, failure=0.05, ratio=0.6066) >= exact


class TestBothDirections:
    @given(
        n=st.integers(1, 5000),
        size=st.integers(2, 2**70),
        failure=st.sampled_from([0.2, 0.05, 0.001]),
        epsilon=st.sampled_from([0.1, 1, 3]),
    )
    @settings(max_examples=40, deadline=None)
    def test_error_and_excess_are_the_smallest_on_the_grid(self, n, size, failure, epsilon):
        error = error_occam(n, size=size, failure=failure, epsilon=epsilon)
        step = Fraction(1, 10_000)
        if error < 1:
            assert records_occam(size, error=error, failure=failure, epsilon=epsilon) <= n
            assert failure_occam(n, size=size, error=error, epsilon=epsilon) <= Fraction(str(failure))
        if error > step:
            assert records_occam(size, error=error - step, failure=failure, epsilon=epsilon) > n
        excess = excess_agnostic(n, size=size, failure=failure, epsilon=epsilon)
        assert excess >= error
        if excess < 1:
            assert records_agnostic(size, excess=excess, failure=failure, epsilon=epsilon) <= n
        if excess > step:
            assert records_agnostic(size, excess=excess - step, failure=failure, epsilon=epsilon) > n

    def test_nothing_proved_means_error_one(self):
        assert error_occam(0, size=2, failure=0.05, epsilon=1) == 1
        assert excess_agnostic(3, size=2**64, failure=0.05, epsilon=1) == 1
        assert failure_occam(3, size=2**64, error=0.1, epsilon=1) == 1

    def test_epsilon_is_the_smallest_on_the_grid(self):
        step = Fraction(1, 10_000)
        epsilon = epsilon_occam(628, size=2**32, error=0.1, failure=0.05)
        assert records_occam(2**32, error=0.1, failure=0.05, epsilon=epsilon) <= 628
        assert records_occam(2**32, error=0.1, failure=0.05, epsilon=epsilon - step) > 628
        epsilon = epsilon_agnostic(6698, size=2**32, excess=0.1, failure=0.05)
        assert epsilon == Fraction(1, 10)
        finer = epsilon_agnostic(6698, size=2**32, excess=0.1, failure=0.05, grid=Fraction(1, 10**7))
        assert Fraction(1, 10) - step < finer <= epsilon

    def test_too_few_records_at_any_epsilon(self):
        with pytest.raises(SizeError, match="239 are needed without privacy"):
            epsilon_occam(238, size=2**32, error=0.1, failure=0.05)
        assert epsilon_occam(239, size=2**32, error=0.1, failure=0.05) > 5
        with pytest.raises(SizeError):
            epsilon_agnostic(100, size=2**32, excess=0.1, failure=0.05)

    def test_tolerated_errors_are_found_too(self):
        error = error_occam(400, size=1000, failure=0.05, epsilon=1, tolerated=0.02)
        assert error > Fraction(2, 100)
        assert records_occam(1000, error=error, failure=0.05, epsilon=1, tolerated=0.02) <= 400

    def test_failures_agree_with_floats_and_are_rounded_up(self):
        bound = failure_occam(100, size=2**8, error=0.1, epsilon=1)
        plain = 255 * (1 - 0.1 * (1 - math.exp(-0.5))) ** 100
        assert bound == 1
        assert plain > 1
        bound = failure_occam(300, size=2**8, error=0.1, epsilon=1)
        plain = 255 * (1 - 0.1 * (1 - math.exp(-0.5))) ** 300
        assert 0 < float(bound) / plain - 1 < 1e-10
        exact = failure_occam(3, size=2, error=Fraction(1, 2), ratio=Fraction(1, 2))
        assert 0 <= exact - Fraction(27, 64) < Fraction(1, 10**11)
        assert failure_agnostic(5011, size=2**32, excess=0.1, epsilon=1) <= Fraction(1, 20)
        assert failure_occam(10**9, size=2**32, error=0.1, epsilon=1) == Fraction(1, 10**30)

    def test_a_single_hypothesis_needs_no_records(self):
        assert records_occam(1, **USUAL) == 0
        assert failure_occam(0, size=1, error=0.1, epsilon=1) == 0
        assert records_prior(1, **USUAL) == 0


class TestPriorAndLog:
    def test_uniform_prior_is_the_plain_bound(self):
        assert records_prior(Fraction(1, 2**32), **USUAL) == 628
        plain = {"error": 0.2, "failure": 0.05, "epsilon": 1, "tolerated": 0.1}
        assert records_prior(Fraction(1, 1000), size=1000, **plain) == records_occam(1000, **plain)

    def test_a_favoured_hypothesis_needs_fewer(self):
        assert records_prior(Fraction(1, 100), **USUAL) < records_occam(2**32, **USUAL)
        assert failure_prior(200, mass=Fraction(1, 100), error=0.1, epsilon=1) < Fraction(1, 10)

    def test_smaller_exponents_count_hypotheses_even_under_a_prior(self):
        """With (1 - mass)/mass alone the bound would be false at smaller exponents; see the proof page."""
        loose = {"error": 0.55, "tolerated": 0.45, "epsilon": 2}
        n = 2000
        few = failure_prior(n, mass=Fraction(1, 2), size=2, **loose)
        many = failure_prior(n, mass=Fraction(1, 2), size=10**6, **loose)
        assert few < many
        assert failure_prior(n, mass=Fraction(1, 2), **loose) == 1, "unknown size: only its own exponent"

    @given(
        shares=st.lists(st.integers(1, 1000), min_size=2, max_size=30),
        ratio=ratios,
        excess=chances,
        failure=chances,
    )
    @settings(max_examples=60, deadline=None)
    def test_the_smallest_prior_bounds_every_exponent(self, shares, ratio, excess, failure):
        """Odds of 1/least - 1 cover any best member at any exponent: what concept classes report."""
        least = Fraction(min(shares), sum(shares))
        worst = records_agnostic(1 / least, excess=excess, failure=failure, ratio=ratio)
        tolerated = (1 - excess) / 2
        ask = {"error": tolerated + excess, "tolerated": tolerated, "failure": failure, "ratio": ratio}
        for share in shares:
            assert records_prior(Fraction(share, sum(shares)), size=len(shares), **ask) <= worst

    def test_log_size(self):
        assert records_occam(Log(Fraction(2218071, 100000)), **USUAL) == 628
        assert records_agnostic(Log(22.18071), excess=0.1, failure=0.05, epsilon=1) == 5011
        with pytest.raises(ParameterError, match="Log"):
            records_occam(Log(3), good=2, **USUAL)

    def test_fractional_size(self):
        assert records_occam(Fraction(2**33 + 1, 2), **USUAL) == 628


class TestGaps:
    def test_hoeffding(self):
        width = math.sqrt(math.log(2 / 0.05) / 2000)
        assert 0 <= float(gap_holdout(1000, failure=0.05)) - width < 1e-6
        assert 0 <= float(gap_holdout(1000, failure=0.05, sides=1)) - math.sqrt(math.log(20) / 2000) < 1e-6
        assert gap_class(1000, size=1, failure=0.05) == gap_holdout(1000, failure=0.05)
        assert gap_class(1000, size=2**64, failure=0.05) > gap_holdout(1000, failure=0.05)
        assert gap_holdout(1, failure=0.05) == 1

    def test_records(self):
        assert records_holdout(0.01, failure=0.05) == math.ceil(math.log(40) / (2 * 0.01**2))
        n = records_class(0.05, size=2**32, failure=0.05)
        assert gap_class(n, size=2**32, failure=0.05) <= Fraction(5, 100)
        assert gap_class(n - 1, size=2**32, failure=0.05) > Fraction(5, 100)

    def test_sides(self):
        with pytest.raises(ParameterError, match="sides"):
            gap_holdout(10, failure=0.1, sides=3)


@given(answer=st.integers(0, 10**6), start=st.integers(0, 10**6), smallest=st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_the_search_finds_the_first_true(answer, start, smallest):
    asked = []

    def holds(n: int) -> bool:
        asked.append(n)
        return n >= answer

    assert first_whole(holds, start=start, smallest=smallest) == max(answer, smallest)
    assert min(asked) >= smallest
    assert len(asked) < 60


def test_planning_is_instant():
    begin = time.process_time()
    for name in ("records_occam", "records_agnostic"):
        for bits in (64, 1024, 65536):
            ask = {"failure": 0.05, "epsilon": 0.001, "error" if "occam" in name else "excess": 0.001}
            assert getattr(sizes, name)(2**bits, **ask) > 10**6
    assert time.process_time() - begin < 1.0
    assert generalisation.records_holdout(0.001, failure=0.05) > 10**6
