"""Concentrated privacy in numbers: what a release costs in rho, and how much rho an (epsilon, delta) promise allows.

A release costs rho if all Rényi divergences of order alpha between its laws on neighbours are at most alpha·rho. The
rho of a release is rounded up and what a promise allows is rounded down, so whatever is added in between is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.errors import ParameterError
from privpac.numbers.exact import ball

__all__ = [
    "BITS",
    "RHO_PLACES",
    "Spendable",
    "approximate_epsilon",
    "conversion",
    "log_odds_rho",
    "noise_rho",
    "order_epsilon",
    "outwards",
    "pure_rho",
    "range_rho",
    "rho_up",
    "spendable",
    "spendable_at",
    "subsampled_range",
]

RHO_PLACES = 24
"""Decimals that a sum of rhos needs at most: epsilon²/8 of a decimal epsilon with ten places is kept exactly."""

_PLACES = 12
"""Decimals of a number that is rounded outwards because it has no end."""

BITS = 512
"""Working precision: an end of a ball that is a little too careful costs at most one unit of the last place."""

_NO_CURVE = 60
"""From this epsilon on, tanh(epsilon/2) is 1 in more digits than are kept."""

_LARGEST_ORDER = 1e9


def rho_up(rho: Fraction) -> Fraction:
    """A rho at or above this one that has at most RHO_PLACES decimals; itself, if it has no more.

    >>> rho_up(Fraction(1, 8)), float(rho_up(Fraction(1, 3))) >= 1 / 3
    (Fraction(1, 8), True)
    """
    return Fraction(math.ceil(rho * 10**RHO_PLACES), 10**RHO_PLACES)


@lru_cache(maxsize=1024)
def pure_rho(epsilon: Fraction) -> Fraction:
    """The rho of a release of which only a pure epsilon is known, rounded up to 12 decimals.

    Statement: epsilon·tanh(epsilon/2), which is at most epsilon²/2; the smaller one, once rounded, is taken. It is
    tight: randomised response needs it.
    Source: every pure release is a post-processing of randomised response (Kairouz–Oh–Viswanath 2015), whose Rényi
    divergence is ln(cosh((alpha - 1/2)·epsilon)/cosh(epsilon/2))/(alpha - 1). Divided by alpha it is the slope of a
    chord of a concave function, so its limit at alpha = 1 is the largest.

    >>> float(pure_rho(Fraction(1))), float(pure_rho(Fraction(1, 10**6)))
    (0.462117157261, 5e-13)
    """
    if epsilon < 0:
        raise ValueError("a loss is not negative")
    if epsilon == 0:
        return Fraction(0)
    if epsilon >= _NO_CURVE:
        return rho_up(epsilon)
    with ctx.workprec(BITS):
        by_curve = outwards(ball(epsilon) * (ball(epsilon) / 2).tanh(), upper=True)
    return min(by_curve, rho_up(epsilon * epsilon / 2))


@dataclass(frozen=True)
class Spendable:
    """How much rho keeps an (epsilon, delta) promise, and the order at which that was computed."""

    order: Fraction
    """The witness: every order above 1 is right, and a bad one only allows less."""
    rho: Fraction


def spendable(epsilon: Fraction, delta: Fraction) -> Spendable:
    """How much rho keeps (epsilon, delta): searched in floats for the order, certified and rounded down at that order.

    Statement: with c = (order - 1)^(order - 1)/order^order, whatever costs
    rho = (epsilon - (ln c + ln(1/delta))/(order - 1))/order is (epsilon, delta)-private, for any order above 1.
    Source: (y - e^epsilon)/y^order is largest at y = e^epsilon·order/(order - 1) (Canonne–Kamath–Steinke 2020,
    Proposition 12).

    >>> spendable(Fraction(1), Fraction(1, 10**6))
    Spendable(order=Fraction(1099, 50), rho=Fraction(24355969223, 1000000000000))
    """
    _positive("spendable", epsilon=epsilon, delta=delta)
    order = _best_order(lambda order: -_rough_rho(order, epsilon, delta))
    return Spendable(order, spendable_at(order, epsilon, delta))


def spendable_at(order: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """How much rho keeps (epsilon, delta) by this order, rounded down to 12 decimals; 0 if nothing does."""
    with ctx.workprec(BITS):
        rho = (ball(epsilon) - conversion(order, delta)) / ball(order)
        return max(Fraction(0), outwards(rho, upper=False))


def approximate_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The epsilon of a *declared* amount of rho at this delta, rounded up to 12 decimals.

    Not for what was spent so far at a moment chosen by looking: only a total fixed beforehand is a promise.

    >>> float(approximate_epsilon(Fraction(1, 8), Fraction(1, 10**6)))
    2.419093369855
    """
    if rho == 0:
        return Fraction(0)
    _positive("approximate_epsilon", rho=rho, delta=delta)
    order = _best_order(lambda order: order * float(rho) + _rough_conversion(order, delta))
    with ctx.workprec(BITS):
        return max(Fraction(0), outwards(ball(order * rho) + conversion(order, delta), upper=True))


def _positive(owner: str, **amounts: Fraction) -> None:
    for name, amount in amounts.items():
        if amount <= 0 or (name == "delta" and amount >= 1):
            requirement = "a number between 0 and 1" if name == "delta" else "a positive number"
            raise ParameterError(owner, name, amount, allowed=requirement)


def conversion(order: Fraction, delta: Fraction) -> arb:
    """(ln c + ln(1/delta))/(order - 1)."""
    above, below = ball(order), ball(order - 1)
    return (below * below.log() - above * above.log() - ball(delta).log()) / below


def outwards(value: arb, *, upper: bool) -> Fraction:
    """The end of the ball, rounded outwards to 12 decimals."""
    product = value * 10**_PLACES
    whole = (product.upper().ceil() if upper else product.lower().floor()).unique_fmpz()
    if whole is None:
        raise ArithmeticError("a number is too large for the working precision")
    return Fraction(int(whole), 10**_PLACES)


def _rough_conversion(order: float, delta: Fraction) -> float:
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    return ((order - 1) * math.log1p(-1 / order) - math.log(order) - log_delta) / (order - 1)


def _rough_rho(order: float, epsilon: Fraction, delta: Fraction) -> float:
    return (float(epsilon) - _rough_conversion(order, delta)) / order


def _best_order(cost: Callable[[float], float]) -> Fraction:
    """About the order of the smallest cost, which first falls and then rises, as a decimal of two places above 1."""
    low, high = math.log(0.01), math.log(_LARGEST_ORDER)
    for _ in range(200):
        third = (high - low) / 3
        left, right = low + third, high - third
        if cost(1 + math.exp(left)) <= cost(1 + math.exp(right)):
            high = right
        else:
            low = left
    middle = Fraction(round(100 * math.exp((low + high) / 2)))
    around = [1 + max(Fraction(1), middle + step) / 100 for step in (-1, 0, 1)]
    return min(around, key=lambda order: cost(float(order)))


# What mechanisms cost in rho, and back: Rényi divergences of known laws, each a bound on D_alpha/alpha for all orders
# alpha > 1. Proof: docs/proofs/concentrated.md.

_FAR = 60
"""From this epsilon on, the curves below have no use: they are as large as epsilon in all digits that are kept."""


def _ceiling(value_at: Callable[[], arb]) -> Fraction:
    with ctx.workprec(BITS):
        return outwards(value_at(), upper=True)


def range_rho(epsilon: Fraction) -> Fraction:
    """epsilon²/8: the loss has a range of epsilon under every tilted law, hence a variance of at most epsilon²/4.

    >>> range_rho(Fraction(1, 100)) * 8 == Fraction(1, 10**4)
    True
    """
    return rho_up(epsilon * epsilon / 8)


def log_odds_rho(epsilon: Fraction) -> Fraction:
    """epsilon·coth(epsilon/2) - 2, at most epsilon²/6: the log-odds of events move by at most epsilon.

    >>> float(log_odds_rho(Fraction(1)))
    0.163953413739
    """
    sixth = rho_up(epsilon * epsilon / 6)
    if epsilon == 0 or epsilon >= _FAR:
        return min(sixth, rho_up(epsilon))
    return min(sixth, _ceiling(lambda: ball(epsilon) * (ball(epsilon) / 2).coth() - 2))


def noise_rho(epsilon: Fraction, *, counts: int, largest: int) -> Fraction:
    """Geometric noise, epsilon in all, on `counts` counts that move by 1 each, or on one count that moves by 2.

    Moved by 1 each: epsilon·tanh(epsilon/(2·counts)), randomised responses of epsilon/counts. One count moved by 2:
    epsilon·(1 - e^(-epsilon/2)).

    >>> noise_rho(Fraction(1), counts=2, largest=1) < noise_rho(Fraction(1), counts=1, largest=2)
    True
    """
    if epsilon == 0 or epsilon >= _FAR * counts:
        return rho_up(epsilon)
    if largest == 1:
        return _ceiling(lambda: ball(epsilon) * (ball(epsilon) / (2 * counts)).tanh())
    return _ceiling(lambda: ball(epsilon) * (1 - (ball(epsilon) / -2).exp()))


def subsampled_range(epsilon: Fraction, share: Fraction) -> Fraction:
    """The range of one mixture of `share` parts of a mechanism of range epsilon with what it does without the record.

    q·e^E/(1 + q·(e^E - 1))·E, rounded up to 12 decimals.

    >>> float(subsampled_range(Fraction(1), Fraction(1, 10)))
    0.231969316685
    """
    if epsilon == 0 or share == 1 or epsilon >= _FAR:
        return epsilon
    return _ceiling(lambda: ball(share * epsilon) / (ball(share) + ball(1 - share) * ball(-epsilon).exp()))


def order_epsilon(rho: Fraction, delta: Fraction, order: Fraction) -> Fraction:
    """The epsilon of rho at delta by one order: order·rho + (ln c + ln(1/delta))/(order - 1), rounded up.

    c = (order - 1)^(order - 1)/order^order. Any order above 1 is sound; a bad one only costs. 0 at least.

    >>> float(order_epsilon(Fraction(1, 8), Fraction(1, 10**6), Fraction(1057, 100)))
    2.419093369855
    """
    with ctx.workprec(BITS):
        return max(Fraction(0), outwards(ball(order * rho) + conversion(order, delta), upper=True))
