"""Log-odds in decimal arithmetic that gives the same digits on every machine.

Weights of records and released risks are computed here. Each operation of `decimal` is rounded correctly by its
specification, whereas `exp` of floats may differ in its last digit from one platform to the next: two machines with
the same records would then draw with different weights, and a stored card could not be made anew.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache

__all__ = ["PARTS", "log_odds", "log_risk", "risk", "risk_from"]

_EXACTLY = Context(prec=40, rounding=ROUND_HALF_EVEN, Emin=-(10**6), Emax=10**6)

PARTS = 320
"""Log-odds are whole multiples of one part in this many: a fifth, its halves and its thirty-seconds all are."""

LOG_SCALE = 2**32
"""Logarithms of risks are whole numbers of this part of 1."""


def _decimal(value: Fraction) -> Decimal:
    return _EXACTLY.divide(Decimal(value.numerator), Decimal(value.denominator))


def risk_from(start: Fraction, parts: int, *, scale: int) -> int:
    """Where the odds of a share `start` are multiplied by e^(parts/PARTS): the new share, in whole parts of `scale`.

    >>> risk_from(Fraction(1, 2), 0, scale=64), risk_from(Fraction(1, 2), 320, scale=64)
    (32, 47)
    """
    growth = _EXACTLY.exp(_decimal(Fraction(parts, PARTS)))
    weight = _EXACTLY.multiply(Decimal(start.numerator), growth)
    rest = Decimal(start.denominator - start.numerator)
    share = _EXACTLY.divide(weight, _EXACTLY.add(weight, rest))
    return int(_EXACTLY.multiply(share, Decimal(scale)).to_integral_value(ROUND_HALF_EVEN))


def risk(parts: int, *, scale: int) -> int:
    """The risk whose log-odds are parts/PARTS, in whole parts of `scale`."""
    return risk_from(Fraction(1, 2), parts, scale=scale)


def log_odds(share: Fraction, *, per: int) -> int:
    """ln(share/(1 - share)) in whole parts of 1/per.

    >>> log_odds(Fraction(1, 2), per=32), log_odds(Fraction(3, 4), per=32)
    (0, 35)
    """
    logarithm = _EXACTLY.ln(_decimal(share / (1 - share)))
    return int(_EXACTLY.multiply(logarithm, Decimal(per)).to_integral_value(ROUND_HALF_EVEN))


@lru_cache(maxsize=2**15)
def log_risk(parts: int) -> int:
    """The logarithm of the risk whose log-odds are parts/PARTS, in whole parts of 1/LOG_SCALE; never positive."""
    shrunk = _EXACTLY.exp(_decimal(Fraction(-parts, PARTS)))
    logarithm = _EXACTLY.minus(_EXACTLY.ln(_EXACTLY.add(Decimal(1), shrunk)))
    return int(_EXACTLY.multiply(logarithm, Decimal(LOG_SCALE)).to_integral_value(ROUND_HALF_EVEN))
