"""Growth, nets and deviations: exact small cases, numbers known from elsewhere, and simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from privpac.numbers.exact import sqrt_up
from privpac.theory.vc import (
    counting_dimension,
    erm_excess,
    growth,
    ln_growth,
    net_error,
    records_net,
    relative_error,
    uniform_gap,
)
from tests.statistical.claims import claims, moved, scaled


def test_growth_is_the_sum_of_binomials_and_at_most_all_labellings():
    for n, vc in product(range(8), range(6)):
        assert growth(n, vc=vc) == min(2**n, sum(math.comb(n, i) for i in range(vc + 1)))


@claims(growth=scaled(0.9))
def test_growth_is_attained_by_sets_of_at_most_vc_points():
    n, vc = 6, 2
    labellings = {frozenset(chosen) for k in range(vc + 1) for chosen in combinations(range(n), k)}
    assert len(labellings) == growth(n, vc=vc)


@claims(counting_dimension=moved(-1))
def test_a_dimension_that_counts_is_the_least_that_covers_members_and_candidates():
    """A class of `size` concepts has min(size, 2^m, growth of its VC dimension) labellings of m points at most."""
    for size, vc, counted in product((2, 3, 37, 176, 10**4, 2**30), (None, 1, 2, 5, 13), (1, 6, 10, 500)):
        counts = counting_dimension(size, vc=vc, counted=counted)
        if counts is None:
            assert vc is None
            assert 2**counted < size
            continue
        assert counts >= 1
        for m in (counted, counted + 1, 2 * counted, 50 * counted):
            most = min(size, 2**m if vc is None else growth(m, vc=vc))
            assert growth(m, vc=counts) >= most
        # One less would not do, for the members or for the VC dimension that was taken.
        assert counts in (1, vc) or growth(counted, vc=counts - 1) < size
        for candidates, drawn in ((4, 2), (size, counted), (Fraction(7, 2) + 10**6, 12), (10**6, 30)):
            both = counting_dimension(size, vc=vc, counted=counted, candidates=candidates, drawn=drawn)
            if both is None:
                assert 2**drawn < candidates
                continue
            assert both >= counts
            assert growth(drawn, vc=both) >= candidates
            assert both == counts or growth(drawn, vc=both - 1) < candidates
    assert counting_dimension(None, vc=None, counted=10) is None
    assert counting_dimension(None, vc=3, counted=10) == 3


def test_ten_thousand_concepts_that_shatter_thirteen_points_count_for_two():
    """Sets of at most two of six points are 22: they attain dimension 2, and one concept more needs dimension 3."""
    assert counting_dimension(10_000, vc=13, counted=500) == 2
    assert counting_dimension(growth(6, vc=2), vc=6, counted=6) == 2
    assert counting_dimension(growth(6, vc=2) + 1, vc=6, counted=6) == 3


@claims(ln_growth=scaled(0.999))
def test_logarithms_and_roots_are_rounded_up():
    for n, vc in ((10, 1), (1000, 3), (10**6, 10)):
        log = ln_growth(n, vc=vc)
        assert 0 <= log - Fraction(math.log(growth(n, vc=vc))) < Fraction(1, 10**11)
    for value in (Fraction(2), Fraction(1, 3), Fraction(4), Fraction(0)):
        root = sqrt_up(value)
        assert root**2 >= value
        assert root == 0 or (root - Fraction(1, 10**12)) ** 2 < value
    assert sqrt_up(Fraction(9, 4)) == Fraction(3, 2)


@pytest.mark.parametrize(
    ("vc", "pairs", "records"), [(1, False, 291), (1, True, 506), (5, False, 1076), (10, False, 2075)]
)
def test_records_net_reproduces_known_numbers(vc: int, pairs: bool, records: int):
    assert records_net(0.1, failure=0.05, vc=vc, pairs=pairs) == records
    assert net_error(records, failure=0.05, vc=vc, pairs=pairs) <= Fraction(1, 10)
    assert net_error(records - 1, failure=0.05, vc=vc, pairs=pairs) > Fraction(1, 10)


@pytest.mark.parametrize(("vc", "records"), [(1, 2860), (5, 11016), (10, 20550)])
def test_uniform_gap_reproduces_known_numbers(vc: int, records: int):
    assert uniform_gap(records, failure=0.05, vc=vc, sides=2) <= Fraction(1, 10)
    assert uniform_gap(records - 5, failure=0.05, vc=vc, sides=2) > Fraction(1, 10)


def test_erm_excess_and_relative_error_are_their_formulas():
    n, vc = 5000, 2
    tau = math.log(growth(n, vc=vc))
    wanted = math.sqrt(2 * tau / n) + 2 * math.sqrt(math.log(2 / 0.05) / (2 * n))
    assert float(erm_excess(n, failure=0.05, vc=vc)) == pytest.approx(wanted, abs=1e-10)
    a = (2 * math.log(growth(2 * n, vc=vc)) + math.log(4 / 0.05)) / n
    seen = Fraction(1, 50)
    wanted = 0.02 + 2 * math.sqrt(0.02 * a) + 4 * a
    assert float(relative_error(seen, n=n, failure=0.05, vc=vc, pairs=True)) == pytest.approx(wanted)


def test_thresholds_keep_the_promises_in_simulation_and_a_tenth_of_the_gap_fails():
    """Uniform points in [0, 1], target 1/2; of 400 samples a 5 % bound fails in at most 42, but once in 10^6."""
    generator = np.random.default_rng(7)
    n, runs = 200, 400
    net, gap = float(net_error(n, failure=0.05, vc=1)), float(uniform_gap(n, failure=0.05, vc=1))
    too_far = above = far_too_far = 0
    for _ in range(runs):
        x = np.sort(generator.random(n))
        low, high = x[x < 0.5].max(initial=0.0), x[x >= 0.5].min(initial=1.0)
        worst = max(0.5 - low, high - 0.5)
        too_far += worst > net
        far_too_far += worst > net / 40
        # the rates of all intervals [0, t): the distance of Kolmogorov
        places = np.arange(n + 1) / n
        above += max(np.abs(x - places[:-1]).max(), np.abs(x - places[1:]).max()) > gap
    assert too_far <= 42
    assert above <= 42
    assert far_too_far > 42
