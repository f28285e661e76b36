"""Arithmetic of the checker: rational numbers with directed rounding, written a second time.

A certificate may hold numbers too long to be written; they are rounded up to 256 significant bits, always to the same
value. Here such numbers are found again from integers alone, so that `check` can ask for equality. Nothing else in the
library uses this file, and it uses nothing of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt, log

__all__ = [
    "SCALE",
    "OutOfRange",
    "exp_bounds",
    "exp_ceiling",
    "few_above",
    "fold",
    "labellings",
    "ln_ceiling",
    "ln_floor",
    "ln_labellings",
    "mean_above",
    "power",
    "power_above",
    "power_at_most",
    "powers_above",
    "reaches",
    "root_ceiling",
    "shorten",
]

SCALE = 256
"""Probabilities in sums over binomial counts are whole multiples of 2^-SCALE, rounded up."""

_WHOLE_BITS = 4096
_KEPT_BITS = 256
_PRECISIONS = tuple(1024 << i for i in range(7))
_LARGEST_EXPONENT = 2**17  # far beyond what Python writes as text
_BOUND_BITS = 384
_MOST_TERMS = 10**6
_LARGEST_POWER_OF_E = 2**20
_LONGEST = 2**18


class OutOfRange(ArithmeticError):
    """A number is too long to be computed, or cannot be rounded: no certificate of ours holds it."""


@dataclass(frozen=True)
class _Between:
    """A non-negative number between low · 2^exponent and high · 2^exponent; integers of few bits."""

    low: int
    high: int
    exponent: int
    bits: int

    def _of(self, low: int, high: int, exponent: int) -> _Between:
        """Cut to `bits` bits, outwards."""
        excess = max(0, high.bit_length() - self.bits)
        return _Between(low >> excess, -(-high >> excess), exponent + excess, self.bits)

    def times(self, other: _Between) -> _Between:
        return self._of(self.low * other.low, self.high * other.high, self.exponent + other.exponent)

    def over(self, other: _Between) -> _Between:
        room = 2 * self.bits
        low, high = (self.low << room) // other.high, -((-self.high << room) // other.low)
        return self._of(low, high, self.exponent - other.exponent - room)

    def _at(self, exponent: int) -> tuple[int, int]:
        """Both ends in units of 2^exponent, outwards; for exponents that are not much smaller than the own."""
        shift = self.exponent - exponent
        if shift >= 0:
            return self.low << shift, self.high << shift
        return self.low >> -shift, -(-self.high >> -shift)

    def _common(self, other: _Between) -> int:
        """An exponent at which both together still have `bits` bits or more, and not many more."""
        tops = (end.exponent + end.high.bit_length() for end in (self, other) if end.high)
        return max(min(self.exponent, other.exponent), max(tops, default=0) - 2 * self.bits)

    def plus(self, other: _Between) -> _Between:
        exponent = self._common(other)
        (a, b), (c, d) = self._at(exponent), other._at(exponent)
        return self._of(a + c, b + d, exponent)

    def minus(self, other: _Between) -> _Between:
        exponent = self._common(other)
        (a, b), (c, d) = self._at(exponent), other._at(exponent)
        return self._of(max(0, a - d), b - c, exponent)

    def power(self, count: int) -> _Between:
        result, square = _exactly(Fraction(1), self.bits), self
        while count:
            if count & 1:
                result = result.times(square)
            square = square.times(square)
            count >>= 1
        return result

    def ceilings(self) -> tuple[Fraction, Fraction]:
        """Both ends rounded up to 256 significant bits."""
        if abs(self.exponent) > _LARGEST_EXPONENT:
            raise OutOfRange("a number is too large or too small to be written")
        unit = Fraction(2) ** self.exponent
        return _ceiling(self.low * unit), _ceiling(self.high * unit)


def _exactly(x: Fraction, bits: int) -> _Between:
    shift = x.numerator.bit_length() - x.denominator.bit_length() - bits
    numerator, denominator = x.numerator << max(0, -shift), x.denominator << max(0, shift)
    return _Between(numerator // denominator, -(-numerator // denominator), shift, bits)


def _ceiling(x: Fraction) -> Fraction:
    """The smallest number of 256 significant bits at or above x > 0."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > x  # now 2^exponent <= x < 2^(exponent + 1)
    unit = Fraction(2) ** (exponent + 1 - _KEPT_BITS)
    steps = x / unit
    return -(-steps.numerator // steps.denominator) * unit


def shorten(x: Fraction) -> Fraction:
    """As it is while numerator and denominator have at most 4,096 bits, else rounded up."""
    long = max(x.numerator.bit_length(), x.denominator.bit_length()) > _WHOLE_BITS
    return _ceiling(x) if long else x


def _common_rounding(at: Callable[[int], _Between]) -> Fraction:
    """The common rounding of both ends, at the first precision where there is one."""
    for bits in _PRECISIONS:
        between = at(bits)
        if between.low > 0:
            low, high = between.ceilings()
            if low == high:
                return high
    raise OutOfRange("a number could not be rounded")


def power(base: Fraction, count: int) -> Fraction:
    """base^count for base, count > 0: whole if count · bits of the base is at most 4,096, else rounded up."""
    if base == 1 or count * max(base.numerator.bit_length(), base.denominator.bit_length()) <= _WHOLE_BITS:
        return base**count if base != 1 else base
    return _common_rounding(lambda bits: _exactly(base, bits).power(count))


def fold(e: Fraction, times: int, saved: int) -> Fraction:
    """delta of `times` releases at ((times - 2·saved)·eps), e = e^eps: the hockey-stick distance of two binomials."""
    if e == 1 or saved == 0:
        return Fraction(0)
    if times * (e.numerator + e.denominator).bit_length() <= _WHOLE_BITS:
        terms = (comb(times, i) * (e ** (times - i) - e ** (times - 2 * saved + i)) for i in range(saved))
        return sum(terms, Fraction(0)) / (1 + e) ** times
    return _common_rounding(lambda bits: _fold_between(_exactly(e, bits), times, saved))


def _fold_between(e: _Between, times: int, saved: int) -> _Between:
    """Binomial weights p^(times-i)·q^i with p = e/(1 + e): the first `saved` of them, minus their mirror images."""
    one = _exactly(Fraction(1), e.bits)
    p = e.over(one.plus(e))
    weight, mirror = p.power(times), p.power(times).over(e.power(2 * saved))
    total = _exactly(Fraction(0), e.bits)
    ways = 1
    for i in range(saved):
        total = total.plus(_exactly(Fraction(ways), e.bits).times(weight.minus(mirror)))
        weight, mirror, ways = weight.over(e), mirror.times(e), ways * (times - i) // (i + 1)
    return total


def exp_bounds(x: Fraction, bits: int = 384) -> tuple[Fraction, Fraction]:
    """Rationals below and above e^x: a Taylor sum at x/2^k, then k squarings with directed rounding."""
    if x < 0:
        low, high = exp_bounds(-x, bits)
        return 1 / high, 1 / low
    if x > _LARGEST_POWER_OF_E:
        raise OutOfRange("an exponential is too large")
    halvings = (x.numerator // x.denominator).bit_length() + 1
    top, bottom = x.numerator, x.denominator << halvings  # x/2^halvings, at most 1/2
    below, above = _taylor(top, bottom, bits)
    for _ in range(halvings):
        below, above = below * below >> bits, -(-above * above >> bits)
    return Fraction(below, 1 << bits), Fraction(above, 1 << bits)


def _taylor(top: int, bottom: int, bits: int) -> tuple[int, int]:
    """Whole multiples of 2^-bits below and above e^(top/bottom), for an exponent of at most 1/2."""
    term = total = 1 << bits
    k = 1
    while term > 1:
        term = -(-term * top // (bottom * k))
        total += term
        k += 1
    # A term is at most 2·2^-bits above the true one (its own rounding, and at most half of its predecessor's), and
    # what follows the last term is below twice that term.
    return total - 2 * k, total + 2 * term


def exp_ceiling(x: Fraction, digits: int) -> Fraction:
    """e^x rounded up to `digits` decimals, for a rational x other than 0 (then e^x is irrational)."""
    scale = 10**digits
    for bits in (384 << i for i in range(9)):
        low, high = (end * scale for end in exp_bounds(x, bits))
        edges = {-(-end.numerator // end.denominator) for end in (low, high)}
        if len(edges) == 1:
            return Fraction(edges.pop(), scale)
    raise OutOfRange("an exponential could not be rounded")


def ln_ceiling(x: Fraction, digits: int = 12) -> Fraction:
    """ln x rounded up to `digits` decimals: the smallest such y with x <= e^y."""
    if x == 1:
        return Fraction(0)
    unit = Fraction(1, 10**digits)
    y = Fraction(round((log(x.numerator) - log(x.denominator)) / unit)) * unit  # where the search begins
    while not _at_most_exp(x, y):
        y += unit
    while _at_most_exp(x, y - unit):
        y -= unit
    return y


def ln_floor(x: Fraction, digits: int = 12) -> Fraction:
    """ln x rounded down."""
    return -ln_ceiling(1 / x, digits)


def _at_most_exp(x: Fraction, y: Fraction) -> bool:
    """Whether x <= e^y, for x other than 1 and a rational y: equality is impossible."""
    if y == 0:
        return x <= 1
    for bits in (384 << i for i in range(5)):
        low, high = exp_bounds(y, bits)
        if x <= low or x > high:
            return x <= low
    raise OutOfRange("a logarithm could not be rounded")


def root_ceiling(x: Fraction, digits: int = 12) -> Fraction:
    """The root of x rounded up to `digits` decimals."""
    scale = 10**digits
    steps = isqrt(x.numerator * scale**2 // x.denominator)
    while steps * steps * x.denominator < x.numerator * scale**2:
        steps += 1
    return Fraction(steps, scale)


def power_at_most(odds: Fraction, base: Fraction, count: int, limit: Fraction) -> bool:
    """Whether odds · base^count <= limit, for positive base and limit; False if it cannot be told."""
    if odds == 0:
        return True
    mantissa, exponent = _power_up(base, count)
    left = odds.numerator * mantissa * limit.denominator
    right = limit.numerator * odds.denominator
    gap = left.bit_length() + exponent - right.bit_length()
    if gap:  # different lengths decide; shifting by millions of bits would only take time
        return gap < 0
    return left << exponent <= right if exponent >= 0 else left <= right << -exponent


def _power_up(base: Fraction, count: int, bits: int = 384) -> tuple[int, int]:
    """Mantissa and exponent (of 2) of a number at or above base^count."""
    product = -((-base.numerator << bits) // base.denominator)
    mantissa, exponent = 1, 0
    square = _normal(product, -bits, bits)
    while count:
        if count & 1:
            mantissa, exponent = _normal(mantissa * square[0], exponent + square[1], bits)
        square = _normal(square[0] * square[0], 2 * square[1], bits)
        count >>= 1
    return mantissa, exponent


def _normal(mantissa: int, exponent: int, bits: int) -> tuple[int, int]:
    excess = mantissa.bit_length() - bits
    if excess <= 0:
        return mantissa, exponent
    return -(-mantissa >> excess), exponent + excess


def power_above(base: Fraction, count: int) -> Fraction:
    """A number at or above base^count, for 0 <= base; close to it."""
    if base == 0 or count == 0:
        return Fraction(int(count == 0))
    mantissa, exponent = _power_up(base, count)
    if exponent > _LARGEST_EXPONENT:
        raise OutOfRange("a power is too large")
    return mantissa * Fraction(2) ** max(exponent, -_LARGEST_EXPONENT)


def labellings(points: int, vc: int) -> int:
    """The most labellings of this many points by a class of this VC dimension: C(points, 0) + … + C(points, vc)."""
    if vc >= points:
        if points > _LONGEST:
            raise OutOfRange("there are too many labellings")
        return 1 << points
    ways = total = 1
    for i in range(1, vc + 1):
        ways = ways * (points - i + 1) // i
        total += ways
        if total.bit_length() > _LONGEST:
            raise OutOfRange("there are too many labellings")
    return total


def ln_labellings(points: int, vc: int) -> Fraction:
    """ln of the most labellings of this many points, rounded up."""
    return ln_ceiling(Fraction(labellings(points, vc)))


def reaches(base: int, count: int, size: int) -> bool:
    """Whether base^count is at least `size`, for base >= 2: without a power longer than that."""
    power_so_far = 1
    for _ in range(min(count, size.bit_length() + 1)):
        if power_so_far >= size:
            break
        power_so_far *= base
    return power_so_far >= size


def powers_above(base: Fraction, count: int, *, bits: int = SCALE) -> list[int]:
    """base^0, base^1, … up to `count` or until they vanish, in units of 2^-bits, rounded up; 0 < base < 1."""
    powers = [1 << bits]
    while len(powers) <= count and powers[-1] > 1:
        if len(powers) > _MOST_TERMS:
            raise OutOfRange("a sum has too many terms")
        powers.append(-(-powers[-1] * base.numerator // base.denominator))
    return powers


_WEIGHT = 4 * SCALE
"""Binomial weights are whole multiples of 2^-WEIGHT: the smallest one used is far above that."""


def _weight_above(n: int, k: int, chance: Fraction) -> int:
    """P[Binomial(n, chance) = k] in units of 2^-WEIGHT, rounded up; 0 < chance < 1."""
    (a, i), (b, j) = _power_up(chance, k), _power_up(1 - chance, n - k)
    shift, value = i + j + _WEIGHT, comb(n, k) * a * b
    return value << shift if shift >= 0 else -(-value >> -shift)


def _step_above(weight: int, up: Fraction) -> int:
    return -(-weight * up.numerator // up.denominator)


def mean_above(outcome: Callable[[int], int], *, n: int, chance: Fraction) -> Fraction:
    """A number at or above E[outcome(K)]/2^SCALE, K binomial, for an outcome in 0..2^SCALE that falls with K.

    A window around the mean is summed; what lies beyond it is bounded by geometric series.
    """
    if chance == 0 or n == 0:
        return Fraction(outcome(0), 1 << SCALE)
    odds, middle = chance / (1 - chance), int(n * chance)
    width = isqrt(int(2 * SCALE * n * chance * (1 - chance))) + SCALE // 2
    low, high = max(0, middle - width), min(n, middle + width)
    weight = _weight_above(n, low, chance)
    down = Fraction(low, n - low + 1) / odds  # the weight before is at most this much of the one at hand
    total = (_step_above(weight, down / (1 - down)) << SCALE) if low else 0
    for k in range(low, high + 1):
        total += weight * outcome(k)
        if k < high:
            weight = _step_above(weight, Fraction(n - k, k + 1) * odds)
    up = Fraction(n - high, high + 1) * odds
    if high < n:
        total += _step_above(weight, up / (1 - up)) * outcome(high)
    return Fraction(-(-total >> _WEIGHT), 1 << SCALE)


def few_above(n: int, *, chance: Fraction, hits: int) -> Fraction:
    """A number just above P[Binomial(n, chance) < hits]; 0 < chance <= 1. Below 2^-4096 it is that number."""
    if hits > n:
        return Fraction(1)
    if hits > _MOST_TERMS:
        raise OutOfRange("a sum has too many terms")
    if hits == 0 or chance == 1:
        return Fraction(0)
    odds = _exactly(chance / (1 - chance), _BOUND_BITS)
    term = total = _exactly(1 - chance, _BOUND_BITS).power(n)
    for k in range(hits - 1):
        term = term.times(odds).times(_exactly(Fraction(n - k, k + 1), _BOUND_BITS))
        total = total.plus(term)
    if total.exponent + total.high.bit_length() < -_WHOLE_BITS:
        return Fraction(1, 1 << _WHOLE_BITS)
    return total.high * Fraction(2) ** total.exponent
