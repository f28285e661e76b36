"""Numbers a guarantee may rest on: exact decimals, certified logarithms, outward rounding, tables of powers.

A float never enters a guarantee except through a function of this file, and then with a proven error bound.
Ball arithmetic is python-flint's `arb`: a ball always contains the true value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.errors import ParameterError

__all__ = [
    "SMALLEST_POWER",
    "UNIT_ROUNDOFF",
    "ball",
    "decimal_text",
    "exact_decimal",
    "exp_down",
    "exp_up",
    "ln_down",
    "ln_up",
    "plain",
    "power_table",
    "ratio_for",
    "sign_of_log_sum",
]

UNIT_ROUNDOFF = 2.0**-53
"""Largest relative error of one correctly rounded float64 operation."""

SMALLEST_POWER = 2.0**-900
"""Powers below this are dropped from float tables (and counted in the error bound): far enough from the
underflow threshold 2^-1022 that the double-double products below stay free of subnormals."""

_PRECISIONS = tuple(128 << i for i in range(12))
"""Working precisions tried in turn; the last is half a million bits, far beyond any comparison seen."""


def exact_decimal(value: object, *, owner: str, name: str, allowed: str = "a number") -> Fraction:
    """Read a number the way a person wrote it: the float 0.1 means the decimal 0.1.

    >>> exact_decimal(0.1, owner="f", name="epsilon") * 10 == 1
    True
    """
    if isinstance(value, bool) or value is None:
        raise ParameterError(owner, name, value, allowed=allowed)
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, str) and "/" in value:
            return Fraction(value)
        number = Decimal(str(value).strip())
    except (ArithmeticError, ValueError):
        raise ParameterError(owner, name, value, allowed=allowed) from None
    if not number.is_finite():
        raise ParameterError(owner, name, value, allowed=allowed)
    return Fraction(number)


def ball(value: Fraction | int) -> arb:
    """The smallest ball of the current precision that contains a rational."""
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def _precisions() -> Iterator[int]:
    yield from _PRECISIONS
    raise ArithmeticError("a comparison could not be decided at the largest working precision")


def sign_of_log_sum(log: Fraction, factor: Fraction) -> int:
    """The sign of `log + ln(factor)`, certified.

    Terminates because the sum of a rational and the logarithm of a rational is zero only when the log is 0
    and the factor is 1 (Lindemann), and those cases are decided exactly.
    """
    if log == 0:
        return (factor > 1) - (factor < 1)
    if factor == 1:
        return (log > 0) - (log < 0)
    for bits in _precisions():
        with ctx.workprec(bits):
            total = ball(log) + ball(factor).log()
            if total > 0:
                return 1
            if total < 0:
                return -1
    return 0


def _directed(upper: bool, value_at: object, digits: int) -> Fraction:
    """Round a certified real outwards to `digits` decimals; `value_at(bits)` gives balls around it."""
    scale = 10**digits
    for bits in _precisions():
        with ctx.workprec(bits):
            scaled = value_at() * scale  # type: ignore[operator]
            edge = (scaled.upper().ceil() if upper else scaled.lower().floor()).unique_fmpz()
            if edge is not None:
                return Fraction(int(edge), scale)
    return Fraction(0)


def ln_up(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or above ln(value).

    >>> float(ln_up(Fraction(2), 4))
    0.6932
    """
    return Fraction(0) if value == 1 else _directed(True, lambda: ball(value).log(), digits)


def ln_down(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or below ln(value)."""
    return Fraction(0) if value == 1 else _directed(False, lambda: ball(value).log(), digits)


def exp_up(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or above e^value."""
    return Fraction(1) if value == 0 else _directed(True, lambda: ball(value).exp(), digits)


def exp_down(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or below e^value."""
    return Fraction(1) if value == 0 else _directed(False, lambda: ball(value).exp(), digits)


def decimal_text(value: Fraction, digits: int = 6) -> str:
    """A short decimal at or above `value`: what people are shown is never better than what is true.

    >>> decimal_text(Fraction(1, 3)), decimal_text(Fraction(1, 10)), decimal_text(Fraction(1, 10**9))
    ('0.333334', '0.1', '1e-9')
    """
    if value == 0:
        return "0"
    if value < 0:
        raise ValueError("decimal_text shows non-negative numbers")
    if value < Fraction(1, 10 ** (digits - 3)):
        exponent = -math.floor(math.log10(value)) + 3
        scaled = -((-value.numerator * 10**exponent) // value.denominator)
        return _short(f"{Decimal(scaled).scaleb(-exponent).normalize():e}")
    scaled = -((-value.numerator * 10**digits) // value.denominator)
    return f"{Decimal(scaled).scaleb(-digits).normalize():f}"


def plain(value: Fraction) -> str:
    """The number itself: as a finite decimal when it is one, else as a fraction. `Fraction(plain(x)) == x`.

    >>> plain(Fraction(3, 2)), plain(Fraction(1, 3)), plain(Fraction(2))
    ('1.5', '1/3', '2')
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    digits = max(twos, fives)
    if rest != 1 or digits > 20:
        return str(value)
    return f"{Decimal(value.numerator * 10**digits // value.denominator).scaleb(-digits):f}"


def _short(text: str) -> str:
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"


@lru_cache(maxsize=256)
def ratio_for(exponent: Fraction) -> Fraction:
    """The smallest double at or above e^(-exponent), as an exact rational.

    This is the weight of one more unit of score in the exponential mechanism. Rounding *upwards* makes the
    true loss 2·ln(1/ratio) at most what was declared. Exponents beyond 600 are cut to 2^-900: the loss is
    then smaller than declared, never larger.

    >>> ratio_for(Fraction(1, 2)) >= Fraction("0.60653065971263342")
    True
    """
    if exponent < 0:
        raise ValueError("exponent must not be negative")
    if exponent == 0:
        return Fraction(1)
    if exponent > 600:
        return Fraction(SMALLEST_POWER)
    guess = math.exp(-float(exponent))
    while not _at_least_exp(guess, exponent):
        guess = math.nextafter(guess, math.inf)
    while _at_least_exp(math.nextafter(guess, 0.0), exponent):
        guess = math.nextafter(guess, 0.0)
    return Fraction(guess)


def _at_least_exp(candidate: float, exponent: Fraction) -> bool:
    """Whether a double is certainly at or above e^(-exponent)."""
    return sign_of_log_sum(exponent, Fraction(candidate)) >= 0


@compiled
def _split(x: float) -> tuple[float, float]:
    scaled = 134217729.0 * x  # 2^27 + 1: Veltkamp's splitting
    high = scaled - (scaled - x)
    return high, x - high


@compiled
def _powers(high: float, low: float, count: int, smallest: float) -> NDArray[np.float64]:
    """Powers of `high + low` in double-double, each rounded to the nearest double, stopping below `smallest`."""
    table = np.empty(count)
    a, b = 1.0, 0.0
    rh, rl = _split(high)
    for k in range(count):
        table[k] = a + b
        if table[k] < smallest:
            return table[:k]
        product = a * high
        ah, al = _split(a)
        error = ((ah * rh - product) + ah * rl + al * rh) + al * rl
        tail = error + (a * low + b * high)
        a = product + tail
        b = tail - (a - product)
    return table


@lru_cache(maxsize=64)
def power_table(ratio: Fraction, limit: int) -> NDArray[np.float64]:
    """ratio^0, ratio^1, … as doubles, at most `limit + 1` of them, ending before 2^-900.

    Claim: every entry has relative error at most 2^-52.
    Proof: a double-double product loses less than 2^-100 relatively (the ratio itself is represented to
    2^-105), fewer than 2^40 products are chained, and the final rounding adds 2^-53; see
    docs/proofs/certified-choice.md. Tested by tests/unit/test_exact.py against rational powers.
    """
    high = float(ratio)
    low = float(ratio - Fraction(high))
    table = _powers(high, low, limit + 1, SMALLEST_POWER)
    table.setflags(write=False)
    return table
