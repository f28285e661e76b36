"""Numbers a guarantee may rest on: exact decimals, certified logarithms and comparisons, outward rounding.

A float never enters a guarantee except through a function of this file, and then with a proven error bound.
Ball arithmetic is python-flint's `arb`: a ball always contains the true value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

from privpac.checker.document import MOST_DIGITS
from privpac.errors import ParameterError, SizeError
from privpac.numbers.decimals import decimal_text
from privpac.numbers.spelling import spelled

__all__ = [
    "EXACT_BITS",
    "PRECISIONS",
    "ROUNDED_BITS",
    "SMALLEST_POWER",
    "UNIT_ROUNDOFF",
    "about_log",
    "ball",
    "certainly_above",
    "certainly_below",
    "decimal_text",
    "exact_decimal",
    "exp_down",
    "exp_up",
    "first_power",
    "first_whole",
    "flint_of",
    "fraction_of",
    "ln_down",
    "ln_up",
    "plain",
    "power_up",
    "ratio_for",
    "read_number",
    "rounded_up",
    "shortened",
    "shortened_whole",
    "sign_of_log_sum",
    "significant_up",
    "sqrt_up",
    "written",
]

UNIT_ROUNDOFF = 2.0**-53
"""Largest relative error of one correctly rounded float64 operation."""

SMALLEST_POWER = 2.0**-900
"""Powers below this are dropped from float tables (and counted in the error bound): far enough from the
underflow threshold 2^-1022 that the double-double products below stay free of subnormals."""

EXACT_BITS = 4096
"""A number whose numerator or denominator needs more bits is rounded up before it enters a guarantee: Python
refuses to write integers beyond 14,000 bits as text, and nobody reads them."""

ROUNDED_BITS = 256
"""Significant bits of a number that is rounded up."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?")

_LARGEST_EXPONENT = 1000
"""Decimal exponents beyond this are typing errors: 1e999999999 would fill the memory as an exact number."""

_EVERY_PRECISION = tuple(128 << i for i in range(12))
"""Working precisions of a comparison that must be decided; the last is 2^18 bits, far beyond any seen."""

PRECISIONS = (96, 192, 384)
"""Working precisions, in bits, where a tie may stay open. A sum needs about a hundred; the rest is for near ties."""

_AT_A_GLANCE = 40
"""Bits that decide most comparisons, in a quarter of the time; a ball that leaves one open says so."""


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
        text = spelled(str(value))
        if isinstance(value, str) and "/" in text:
            return Fraction(text)
        number = Decimal(text)
    except (ArithmeticError, ValueError):
        raise ParameterError(owner, name, value, allowed=allowed) from None
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ParameterError(owner, name, value, allowed=allowed)
    return Fraction(number)


def ball(value: Fraction | int) -> arb:
    """The smallest ball of the current precision that contains a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def flint_of(value: Fraction | int) -> fmpq:
    """The same number, to be reckoned with in a fraction of the time."""
    return fmpq(value.numerator, value.denominator)


def fraction_of(number: fmpq) -> Fraction:
    """The same number. Its parts have no common divisor: to look for one again would take longer than all else."""
    value = Fraction()
    value._numerator, value._denominator = int(number.p), int(number.q)  # type: ignore[attr-defined]
    return value


def _precisions() -> Iterator[int]:
    yield from _EVERY_PRECISION
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


def _round_outwards(upper: bool, value_at: Callable[[], arb], digits: int) -> Fraction:
    """An irrational number rounded outwards to `digits` decimals; `value_at()` gives balls around it.

    The answer does not depend on the working precision: both ends of the ball must round to it.
    """
    scale = 10**digits
    for bits in _precisions():
        with ctx.workprec(bits):
            product = value_at() * scale
            ends = (product.lower(), product.upper())
            low, high = ((end.ceil() if upper else end.floor()).unique_fmpz() for end in ends)
            if low is not None and low == high:
                return Fraction(int(low), scale)
    raise AssertionError("unreachable: the precisions end with an error")


def rounded_up(value_at: Callable[[], arb], digits: int) -> Fraction:
    """An irrational number rounded up to `digits` decimals; `value_at()` gives balls around it at any precision."""
    return _round_outwards(True, value_at, digits)


def _significant_ceiling(value: Fraction) -> Fraction:
    """The smallest number with ROUNDED_BITS significant bits at or above a positive rational."""
    shift = value.numerator.bit_length() - value.denominator.bit_length() - ROUNDED_BITS
    # value / 2^shift lies in (2^(R-1), 2^(R+1)); one more halving if it has R + 1 bits before the point.
    if value >= Fraction(2) ** (shift + ROUNDED_BITS):
        shift += 1
    unit = Fraction(2) ** shift
    return math.ceil(value / unit) * unit


def significant_up(value_at: Callable[[], arb]) -> Fraction:
    """A positive real rounded up to ROUNDED_BITS significant bits; `value_at()` gives balls around it.

    As in `_round_outwards`, both ends of the ball must agree. A number that has no more significant bits must come in a
    ball of radius 0 once the precision suffices, as powers of dyadic numbers do.
    """
    for bits in _precisions():
        with ctx.workprec(2 * bits + 2 * ROUNDED_BITS):
            value = value_at()
            if value > 0:
                low, high = (_significant_ceiling(_rational(end)) for end in (value.lower(), value.upper()))
                if low == high:
                    return high
    raise AssertionError("unreachable: the precisions end with an error")


def _rational(exact: arb) -> Fraction:
    """The value of a ball of radius 0."""
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def shortened(value: Fraction) -> Fraction:
    """The number itself while both its parts fit in EXACT_BITS, else rounded up to ROUNDED_BITS significant bits.

    >>> shortened(Fraction(2, 3)), shortened(Fraction(2**5000 + 1)) - 2**5000 == 2**4745
    (Fraction(2, 3), True)
    """
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= EXACT_BITS:
        return value
    return _significant_ceiling(value)


def power_up(base: Fraction, count: int) -> Fraction:
    """base^count of a positive base: exactly while count times the bits of the base is at most EXACT_BITS, else
    rounded up to ROUNDED_BITS significant bits.

    >>> power_up(Fraction(2, 3), 3), power_up(Fraction(3, 2), 10**6) > 1
    (Fraction(8, 27), True)
    """
    if abs(count) * max(base.numerator.bit_length(), base.denominator.bit_length()) <= EXACT_BITS:
        return base**count
    if base == 1:
        return base
    return significant_up(lambda: ball(base) ** count)


def sqrt_up(value: Fraction, digits: int = 12) -> Fraction:
    """The smallest decimal of `digits` places at or above the root.

    >>> float(sqrt_up(Fraction(2)))
    1.414213562374
    """
    scale = 10**digits
    whole = math.ceil(value * scale**2)
    root = math.isqrt(whole)
    return Fraction(root + (root * root < whole), scale)


def ln_up(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or above ln(value).

    >>> float(ln_up(Fraction(2), 4))
    0.6932
    """
    return Fraction(0) if value == 1 else _round_outwards(True, lambda: ball(value).log(), digits)


def ln_down(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or below ln(value)."""
    return Fraction(0) if value == 1 else _round_outwards(False, lambda: ball(value).log(), digits)


def about_log(value: Fraction | int) -> float:
    """About ln(value) of any size, 0 for what is not positive: decides what is tried, never what is promised."""
    return math.log(value.numerator) - math.log(value.denominator) if value > 0 else 0.0


def exp_up(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or above e^value."""
    return _exp(True, value, digits)


def exp_down(value: Fraction, digits: int = 12) -> Fraction:
    """A decimal at or below e^value."""
    return _exp(False, value, digits)


LARGEST_EXPONENT = 10**5
"""e to a larger power has too many digits to be worked with, and a far larger one would end the whole process."""


def _exp(upper: bool, value: Fraction, digits: int) -> Fraction:
    if value > LARGEST_EXPONENT:
        raise SizeError(
            f"The exponential of a number beyond {LARGEST_EXPONENT} is not computed.",
            remedy="Use a smaller epsilon.",
        )
    return Fraction(1) if value == 0 else _round_outwards(upper, lambda: ball(value).exp(), digits)


def read_number(text: object) -> Fraction:
    """A number as `plain` or `str` writes it, read back from a file.

    Exponents are refused with everything else: '1e999999999' in an edited file would fill the memory.

    >>> read_number("0.25"), read_number("1/3")
    (Fraction(1, 4), Fraction(1, 3))
    """
    if not isinstance(text, str) or _NUMBER.fullmatch(text) is None:
        raise ValueError("not a number as it is written to files")
    return Fraction(text)


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
    return f"{Decimal(f'{value.numerator * 10**digits // value.denominator}e-{digits}'):f}"


_TOO_LONG = 10**MOST_DIGITS


def shortened_whole(value: int) -> int:
    """A positive count itself while its digits can be written, else rounded up to ROUNDED_BITS significant bits.

    >>> shortened_whole(10**4000 + 1) == 10**4000 + 1, written(shortened_whole(2**20_000 + 1)).endswith("*2^19745")
    (True, True)
    """
    return value if value < _TOO_LONG else int(_significant_ceiling(Fraction(value)))


def written(value: Fraction | int) -> str:
    """An exact number as files have it: digits, or p/q; a whole number that is too long for these as m*2^k.

    What has more than 4,300 digits and no such form is to be rounded by whoever states it: a number is never changed
    while it is written.

    >>> written(Fraction(2, 3)), written(3 * 2**20_000)
    ('2/3', '3*2^20000')
    """
    number = Fraction(value)
    if max(abs(number.numerator), number.denominator) < _TOO_LONG:
        return str(number)
    if number.denominator == 1 and number > 0:
        whole = number.numerator
        shift = (whole & -whole).bit_length() - 1
        if (whole >> shift).bit_length() <= ROUNDED_BITS:
            return f"{whole >> shift}*2^{shift}"
    raise SizeError(
        f"A number of the certificate has more than {MOST_DIGITS:,} digits, so no file could hold it.",
        remedy="Ask for fewer records, fewer cells or rounder numbers.",
    )


@lru_cache(maxsize=256)
def ratio_for(exponent: Fraction) -> Fraction:
    """The smallest double at or above e^(-exponent), as an exact rational.

    This is the weight of one more unit of score in the exponential mechanism. Rounding *upwards* makes the
    true loss 2·ln(1/ratio) at most what was declared. Exponents beyond 624 are cut to 2^-900 > e^-624: the
    loss is then smaller than declared, never larger.

    >>> ratio_for(Fraction(1, 2)) >= Fraction("0.60653065971263342")
    True
    """
    if exponent < 0:
        raise ValueError("exponent must not be negative")
    if exponent == 0:
        return Fraction(1)
    if exponent > 624:
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


def certainly_above(value: Callable[[], arb], threshold: Fraction) -> bool:
    """Whether a real number is proved to exceed a threshold; a tie that stays undecided counts as no."""
    return _decide(value, threshold, above=True)


def certainly_below(value: Callable[[], arb], threshold: Fraction) -> bool:
    """Whether a real number is proved to be at most a threshold; a tie that stays undecided counts as no."""
    return _decide(value, threshold, above=False)


def _decide(value: Callable[[], arb], threshold: Fraction, *, above: bool) -> bool:
    for bits in (_AT_A_GLANCE, *PRECISIONS):
        with ctx.workprec(bits):
            result, edge = value(), ball(threshold)
            if result > edge:
                return above
            if result <= edge:
                return not above
    return False


def first_whole(
    holds: Callable[[int], bool], *, start: int, smallest: int = 0, step: int | None = None
) -> int:
    """The smallest whole number from `smallest` on at which a monotone condition holds.

    Steps of doubling length away from the guess `start`, the first a sixteenth of it or as given, then bisection.
    """
    guess = max(start, smallest)
    step = max(1, guess // 16) if step is None else step
    if holds(guess):
        yes, no = guess, smallest - 1
        while yes > smallest:
            trial = max(smallest, yes - step)
            if not holds(trial):
                no = trial
                break
            yes, step = trial, 2 * step
    else:
        no, yes = guess, guess + step
        while not holds(yes):
            no, step = yes, 2 * step
            yes += step
    while yes - no > 1:
        middle = (yes + no) // 2
        yes, no = (middle, no) if holds(middle) else (yes, middle)
    return yes


def first_power(ratio: Fraction, log_limit: Callable[[], arb]) -> int:
    """The smallest k >= 0 with ratio^k certainly at most a limit, whose logarithm comes as a ball.

    A tie that no precision decides counts as one more.
    """
    for bits in PRECISIONS:
        with ctx.workprec(bits):
            need = log_limit() / ball(ratio).log()
            whole = need.ceil().unique_fmpz()
            if whole is not None:
                return max(0, int(whole))
            upper = need.upper()
    return max(0, int(upper.ceil().unique_fmpz()) + 1)
