"""A privacy loss as a guess: how often somebody who knows everything else can be right about one record."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

__all__ = ["CERTAIN", "exp_above", "guessed_at_most", "suspected_at_most"]

CERTAIN = "100 %"
MOST_DECIMALS = 6
PRECISION = 60
BEYOND = 40  # an epsilon at which no decimal that is shown is left below a hundred


def exp_above(epsilon: Fraction, digits: int) -> Fraction:
    """e^epsilon, rounded up to this many decimals.

    By the standard library alone, because the Verify page says it too: the power of a decimal is correctly rounded,
    so the next larger one is above it.
    """
    if not epsilon:
        return Fraction(1)
    up, near = Context(prec=PRECISION, rounding=ROUND_CEILING), Context(prec=PRECISION)
    power = near.next_plus(near.exp(up.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))))
    return Fraction(math.ceil(Fraction(power) * 10**digits), 10**digits)


def guessed_at_most(epsilon: Fraction, delta: Fraction = Fraction(0)) -> str:
    """(e^epsilon + delta)/(1 + e^epsilon), rounded up: the best chance of telling two possibilities apart.

    One decimal, and more only where fewer would round up to certainty.

    >>> guessed_at_most(Fraction(1)), guessed_at_most(Fraction(10)), guessed_at_most(Fraction(30))
    ('73.2 %', '99.996 %', '100 %')
    >>> guessed_at_most(Fraction(1), Fraction(1, 2))
    '86.6 %'
    """
    if epsilon > BEYOND or delta >= 1:
        return CERTAIN
    factor = exp_above(epsilon, 12)
    return _percent((factor + delta) / (1 + factor))


def suspected_at_most(epsilon: Fraction, before: Fraction) -> str:
    """What a suspicion of `before` grows to at most, for a loss without a delta: its odds are multiplied by e^epsilon.

    >>> suspected_at_most(Fraction(1), Fraction(1, 100)), suspected_at_most(Fraction(5), Fraction(1, 100))
    ('2.7 %', '60.0 %')
    """
    if epsilon > BEYOND:
        return CERTAIN
    factor = exp_above(epsilon, 12)
    return _percent(before * factor / (1 - before + before * factor))


def _percent(share: Fraction) -> str:
    for decimals in range(1, MOST_DECIMALS + 1):
        percent = Fraction(math.ceil(share * 100 * 10**decimals), 10**decimals)
        if percent < 100:
            return f"{float(percent):.{decimals}f} %"
    return CERTAIN
