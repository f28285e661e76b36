"""Exact numbers as people are shown them: by the standard library alone, so that a page in a browser can do it too."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["decimal_text"]


def decimal_text(value: Fraction, digits: int = 6) -> str:
    """A short decimal at or above `value`: what people are shown is never better than what is true.

    >>> decimal_text(Fraction(1, 3)), decimal_text(Fraction(1, 10)), decimal_text(Fraction(1, 10**9))
    ('0.333334', '0.1', '1e-9')
    """
    if value == 0:
        return "0"
    if value < 0:
        raise ValueError("decimal_text shows non-negative numbers")
    if value >= Fraction(1, 10 ** (digits - 3)):
        return _with_point(math.ceil(value * 10**digits), digits)
    exponent = _decimal_exponent(value)
    mantissa = math.ceil(value / Fraction(10) ** (exponent - 3))
    if mantissa == 10**4:
        mantissa, exponent = 10**3, exponent + 1
    return f"{_with_point(mantissa, 3)}e{exponent}"


def _decimal_exponent(value: Fraction) -> int:
    """The largest e with 10^e <= value, for a positive value of any size."""
    guess = int((value.numerator.bit_length() - value.denominator.bit_length()) * math.log10(2.0))
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess


def _with_point(number: int, digits: int) -> str:
    """number / 10^digits as a decimal without trailing zeros, for a number that is not negative."""
    whole, part = divmod(number, 10**digits)
    return f"{whole}.{part:0{digits}}".rstrip("0").rstrip(".")
