"""The delta of several releases whose log-odds move by at most epsilon each, as a number that can be written down.

The worst pair of laws has a loss with density proportional to e^(y/2) on [-epsilon, epsilon]: a tilted uniform law. The
loss of k of them is a tilted B-spline, whose tail is a finite sum of exponentials.
Proof: docs/proofs/range-fold.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpz

from privpac.numbers.concentrated import spendable
from privpac.numbers.exact import ball, rounded_up

__all__ = ["DELTA_DIGITS", "LARGEST_TIMES", "draw_epsilon", "fold_epsilon", "range_fold_delta"]

DELTA_DIGITS = 30
"""Decimals to which a delta is rounded up."""

LARGEST_TIMES = 64
"""Releases the sum is computed for: beyond a dozen, adding rho is better, and needs no number fixed beforehand."""

_STEPS = 10**9
"""An epsilon that is searched for is a decimal of nine places."""


def range_fold_delta(epsilon: Fraction, *, times: int, total: Fraction) -> Fraction:
    """The smallest delta of `times` releases of log-odds `epsilon` each, at the epsilon `total`, rounded up.

    With y = e^(epsilon/2), t_j = (times - 2j)·epsilon, T_j = t_j - total and S(x) = 1 + x + … + x^(times-1)/(times-1)!,
    it is (y - 1/y)^(-times) times the sum over j with T_j > 0 of (-1)^j·C(times, j)·(e^(t_j/2) - e^(total/2)·S(T_j/2)
    - (-1)^times·(e^(total - t_j/2) - e^(total/2)·S(-T_j/2))).

    >>> round(float(range_fold_delta(Fraction(1), times=1, total=Fraction(1, 2))), 10)
    0.0774046863
    """
    if epsilon == 0 or total >= times * epsilon:
        return Fraction(0)
    delta = rounded_up(lambda: _fold_ball(epsilon, times, total), DELTA_DIGITS)
    return min(Fraction(1), delta)


def _fold_ball(epsilon: Fraction, times: int, total: Fraction) -> arb:
    """A ball at the present precision and as many bits more as the alternating sum takes away."""
    with ctx.workprec(ctx.prec + 16 * times + 64):
        half, sign, fold = ball(total / 2).exp(), (-1) ** times, arb(0)
        for j in range(times + 1):
            top = (times - 2 * j) * epsilon
            if top <= total:
                break
            above = ball(top / 2).exp() - half * _start(ball((top - total) / 2), times)
            below = half * half * ball(-top / 2).exp() - half * _start(ball((total - top) / 2), times)
            fold += fmpz((-1) ** j * math.comb(times, j)) * (above - sign * below)
        y = ball(epsilon / 2).exp()
        return fold / (y - 1 / y) ** times


def _start(x: arb, terms: int) -> arb:
    """The first `terms` terms of the series of e^x."""
    term, total = arb(1), arb(1)
    for i in range(1, terms):
        term = term * x / i
        total += term
    return total


@lru_cache(maxsize=256)
def fold_epsilon(epsilon: Fraction, *, times: int, delta: Fraction) -> Fraction:
    """The smallest total, in millionths, at which `times` releases of log-odds `epsilon` each have this delta at most.

    >>> float(fold_epsilon(Fraction(3, 10), times=4, delta=Fraction(1, 10**6)))
    1.101871
    """
    low, high = (
        -1,
        math.ceil(times * epsilon * 10**6),
    )  # `high` keeps the promise; a larger total has a smaller delta
    while high - low > 1:
        middle = (low + high) // 2
        fits = range_fold_delta(epsilon, times=times, total=Fraction(middle, 10**6)) <= delta
        low, high = (low, middle) if fits else (middle, high)
    return Fraction(high, 10**6)


@lru_cache(maxsize=256)
def draw_epsilon(*, times: int, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest epsilon of one exponential draw, to nine places, so that `times` of them keep (epsilon, delta).

    The best of three ways: by adding epsilons, by adding rhos, and by this file's fold.

    >>> float(draw_epsilon(times=4, epsilon=Fraction(1), delta=Fraction(1, 10**6)))
    0.272968604
    """
    by_sum = _floor(epsilon / times)
    if delta == 0 or times == 1:
        return by_sum
    rho = spendable(epsilon, delta).rho / times
    by_rho = Fraction(math.isqrt(math.floor(8 * rho * _STEPS**2)), _STEPS)
    best = max(by_sum, by_rho)
    if times > LARGEST_TIMES or not _folds(best + Fraction(1, _STEPS), times, epsilon, delta):
        return best
    low, high = best, epsilon  # `low` keeps the promise; a larger epsilon has a larger delta
    while high - low > Fraction(1, _STEPS):
        middle = _floor((low + high) / 2)
        low, high = (middle, high) if _folds(middle, times, epsilon, delta) else (low, middle)
    return low


def _floor(value: Fraction) -> Fraction:
    return Fraction(math.floor(value * _STEPS), _STEPS)


def _folds(epsilon: Fraction, times: int, total: Fraction, delta: Fraction) -> bool:
    return range_fold_delta(epsilon, times=times, total=total) <= delta
