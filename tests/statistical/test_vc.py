"""Nets and deviations against exact laws of the worst classes known: uniform cuts, two concepts, rare points.

The distance of Kolmogorov has a known law, a choice between two concepts is a binomial, and points not seen can be
counted: nothing here is simulated. Where a bound is loose, the claim says how loose: what share of it is noticed.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, ksone, kstwo

from privpac.constructions.few_labels.after_labels import Family, transfer_error, transfer_excess
from privpac.constructions.few_labels.generic import plan_generic
from privpac.numbers.exact import ratio_for
from privpac.theory import sizes
from privpac.theory.vc import erm_excess, net_error, records_net, relative_error, uniform_gap
from tests.statistical.claims import claims, field, scaled

RARE = 1e-9
"""A failure probability at which the tails count, not the constants."""


def some_point_unseen(n: int, mass: float) -> float:
    """One over `mass` points, each as heavy: the chance that `n` records miss one (inclusion and exclusion)."""
    points = math.floor(1 / mass)
    terms = ((-1) ** (k + 1) * math.comb(points, k) * (1 - k * mass) ** n for k in range(1, points + 1))
    return math.fsum(terms)


@claims(net_error=scaled(0.15), records_net=scaled(0.15))
def test_no_point_of_a_net_is_missed_more_often_than_promised() -> None:
    """Points, each carrying a little more than the promised error: who is not seen may be the target."""
    for failure in (0.05, 0.3):
        n = records_net(0.1, failure=failure, vc=1)
        assert some_point_unseen(n, 0.1 + 1e-9) <= failure
        for n in (100, 400):
            error = float(net_error(n, failure=failure, vc=1))
            assert error >= 1 or some_point_unseen(n, error + 1e-9) <= failure
    assert some_point_unseen(records_net(0.1, failure=0.05, vc=1) // 7, 0.1) > 0.05


@claims(uniform_gap=scaled(0.45))
def test_cuts_lie_no_further_from_their_rates_than_promised() -> None:
    """Uniform points, all cuts at once: the one- and the two-sided distance of Kolmogorov."""
    for n, failure in product((20, 200, 2000), (0.05, RARE)):
        assert ksone.sf(float(uniform_gap(n, failure=failure, vc=1)), n) <= failure
        assert kstwo.sf(float(uniform_gap(n, failure=failure, vc=1, sides=2)), n) <= failure


def wrong_of_two(n: int, gap: float) -> float:
    """Two concepts that differ everywhere, one better by `gap`: the other makes no more mistakes, ties included."""
    return float(binom.cdf(n // 2, n, (1 + gap) / 2))


@claims(erm_excess=scaled(0.5))
def test_the_best_on_the_records_is_no_worse_than_promised() -> None:
    for n, failure in product((200, 2000), (0.05, RARE)):
        assert wrong_of_two(n, float(erm_excess(n, failure=failure, vc=1))) <= failure


@claims(transfer_excess=field("error", scaled(0.9)))
def test_an_excess_on_points_is_carried_over() -> None:
    two = Family(2, 1, Fraction(1))
    for n, failure in product((200, 2000), (0.05, RARE)):
        spread = transfer_excess(0, points=n, family=two, failure=failure)
        assert spread.error >= spread.uniform + spread.single
        assert wrong_of_two(n, float(spread.error)) <= failure


@claims(relative_error=scaled(0.6))
def test_a_rate_seen_is_no_smaller_in_truth_than_promised() -> None:
    """One concept that errs a little more than the bound says: how often is so little of it seen?"""
    for seen, n, failure in product((Fraction(0), Fraction(3, 10)), (300, 3000), (0.05, RARE)):
        for pairs in (False, True):
            most = float(relative_error(seen, n=n, failure=failure, vc=1, pairs=pairs))
            assert most >= 1 or binom.cdf(int(seen * n), n, most + 1e-9) <= failure


@claims(transfer_error=field("error", scaled(0.55)))
def test_a_rate_on_points_is_carried_over() -> None:
    """One concept, and many of which one has no record; by the number of concepts, and by growth."""
    one, many = Family(1, None, Fraction(1)), Family(10, 1, Fraction(9))
    for rate, n, failure in product((Fraction(0), Fraction(1, 5)), (300, 3000), (0.05, RARE)):
        error = float(transfer_error(rate, points=n, family=one, failure=failure).error)
        assert binom.cdf(int(rate * n), n, error + 1e-9) <= failure
    for n, failure in ((100, 0.05), (300, RARE)):
        error = float(transfer_error(0, points=n, family=many, failure=failure).error)
        assert some_point_unseen(n, max(0.1, error) + 1e-9) <= failure


# --- GenericLearner: a hypothesis that errs on a little, and bad ones that err together ---


def drawn_badly(n: int, *, odds: float, error: float, tolerated: float, rate: float) -> float:
    """The good hypothesis errs on an atom of mass `tolerated`, all bad ones on one of mass `error`: exact."""
    total = 0.0
    for bad in range(n + 1):
        chance = binom.pmf(bad, n, error)
        if chance < 1e-18:
            continue
        good = np.arange(n - bad + 1)
        weights = binom.pmf(good, n - bad, tolerated / (1 - error))
        total += chance * float(weights @ expit(math.log(odds) - rate * (bad - good)))
    return total


@pytest.mark.parametrize("tolerated", ["0.001", "0.03"])
@claims({"tolerated": "0.001"}, plan_generic=field("error", scaled(0.8)))
def test_labels_of_a_draw_from_a_listed_class_suffice(tolerated: str) -> None:
    allowed, failure, ratio = Fraction(tolerated), Fraction(1, 60), ratio_for(Fraction(1, 2))
    n = sizes.records_occam(1000, error=Fraction(1, 10), tolerated=allowed, failure=failure, ratio=ratio)
    hard = {"odds": 999.0, "rate": 0.5}
    assert drawn_badly(n, error=0.1, tolerated=float(allowed), **hard) <= failure
    assert drawn_badly(n // 2, error=0.1, tolerated=float(allowed), **hard) > failure
    plan = plan_generic(
        8, hypotheses=1000, seen=allowed, labelled=n, unlabelled=10**7, vc=1, ratio=ratio, failure=2 * failure
    )
    assert plan is not None
    found = drawn_badly(n, error=float(plan.error), tolerated=float(plan.tolerated), **hard)
    assert found <= failure
    assert plan.tolerated >= allowed
