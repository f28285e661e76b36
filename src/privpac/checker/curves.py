"""What releases cost in rho, for the checker: curves of exponentials between rational bounds, written a second time.

A number that is no fraction is rounded up to 12 decimals. It is right if it is certainly at or above the true number,
and one unit less is not.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial

from privpac.checker import directed

__all__ = [
    "conversion",
    "ln_bounds",
    "log_odds",
    "noise",
    "places",
    "pure",
    "range_fold",
    "spread",
    "subsampled",
]

_UNIT = Fraction(1, 10**12)
_PLACES = 10**24
_FAR = 60
_BITS = 256


def places(rho: Fraction) -> Fraction:
    """Rounded up to 24 decimals."""
    return Fraction(-(-rho.numerator * _PLACES // rho.denominator), _PLACES)


def _up(bound: Fraction) -> Fraction:
    """Rounded up to 12 decimals: `bound` is above the true number by far less than that."""
    steps = bound / _UNIT
    return -(-steps.numerator // steps.denominator) * _UNIT


def _curve(x: Fraction, value: Callable[[Fraction], Fraction]) -> Fraction:
    """value(e^x) for a value that rises or falls with e^x: the larger end."""
    return _up(max(value(end) for end in directed.exp_bounds(x)))


def pure(epsilon: Fraction) -> Fraction:
    """epsilon·tanh(epsilon/2) = epsilon·(1 - 2/(e^epsilon + 1)), or epsilon²/2."""
    if epsilon == 0 or epsilon >= _FAR:
        return places(epsilon)
    curve = _curve(epsilon, lambda e: epsilon * (1 - 2 / (e + 1)))
    return min(curve, places(epsilon * epsilon / 2))


def spread(epsilon: Fraction) -> Fraction:
    """epsilon²/8."""
    return places(epsilon * epsilon / 8)


def log_odds(epsilon: Fraction) -> Fraction:
    """epsilon·coth(epsilon/2) - 2 = epsilon·(1 + 2/(e^epsilon - 1)) - 2, or epsilon²/6."""
    sixth = places(epsilon * epsilon / 6)
    if epsilon == 0 or epsilon >= _FAR:
        return min(sixth, places(epsilon))
    return min(sixth, _curve(epsilon, lambda e: epsilon * (1 + 2 / (e - 1)) - 2))


def noise(epsilon: Fraction, change: int, largest: int) -> Fraction:
    """epsilon·tanh(epsilon/(2·change)) for counts moved by 1, epsilon·(1 - e^(-epsilon/2)) for one moved by 2."""
    if epsilon == 0 or epsilon >= _FAR * (change if largest == 1 else 1):
        return places(epsilon)
    if largest == 1:
        return _curve(epsilon / change, lambda e: epsilon * (1 - 2 / (e + 1)))
    return _curve(epsilon / 2, lambda e: epsilon * (1 - 1 / e))


def subsampled(epsilon: Fraction, share: Fraction) -> Fraction:
    """The range q·e^E·E/(1 + q·(e^E - 1)) of a subsampled draw."""
    if epsilon == 0 or share == 1 or epsilon >= _FAR:
        return epsilon
    return _curve(epsilon, lambda e: share * e * epsilon / (1 + share * (e - 1)))


def conversion(rho: Fraction, delta: Fraction, order: Fraction) -> Fraction:
    """order·rho + ((order - 1)·ln(order - 1) - order·ln(order) - ln(delta))/(order - 1), 0 at least."""
    below = order - 1
    logs = below * ln_bounds(below)[1] - order * ln_bounds(order)[0] - ln_bounds(delta)[0]
    return max(Fraction(0), _up(order * rho + logs / below))


_DELTA_UNIT = Fraction(1, 10**30)


def range_fold(epsilon: Fraction, times: int, total: Fraction) -> Fraction:
    """delta of `times` releases of log-odds epsilon at `total`, rounded up to 30 decimals.

    2·e^(total/2)/(2·(y - 1/y))^times, y = e^(epsilon/2), times the sum over j with T_j > 0 of (-1)^j·C(times, j) times
    the sum over odd n of 2^-n·T_j^(n+times)/(n+times)!, where T_j = (times - 2j)·epsilon - total.
    """
    if epsilon == 0 or total >= times * epsilon:
        return Fraction(0)
    for bits in (512 + 32 * times << i for i in range(6)):
        low, high = (end / _DELTA_UNIT for end in _fold_bounds(epsilon, times, total, bits))
        edges = {-(-end.numerator // end.denominator) for end in (low, high)}
        if len(edges) == 1:
            return min(Fraction(1), edges.pop() * _DELTA_UNIT)
    raise directed.OutOfRange("a delta could not be rounded")


def _fold_bounds(epsilon: Fraction, times: int, total: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    low = high = Fraction(0)
    for j in range(times + 1):
        left = (times - 2 * j) * epsilon - total
        if left <= 0:
            break
        ways, (small, large) = (-1) ** j * comb(times, j), _tail(left, times, bits)
        low, high = low + min(ways * small, ways * large), high + max(ways * small, ways * large)
    (y, above), (half, over) = directed.exp_bounds(epsilon / 2, bits), directed.exp_bounds(total / 2, bits)
    thin, thick = (2 * (y - 1 / y)) ** times, (2 * (above - 1 / above)) ** times
    return 2 * half * max(Fraction(0), low) / thick, 2 * over * high / thin


def _tail(x: Fraction, times: int, bits: int) -> tuple[Fraction, Fraction]:
    """The sum over odd n of 2^-n·x^(n+times)/(n+times)! between bounds."""
    term, n = x ** (times + 1) / 2 / factorial(times + 1), 1
    unit = Fraction(1, 1 << bits)
    total = off = slip = Fraction(0)  # `slip`: how far the term is cut below the true one; `off`: all of them
    while True:
        term = Fraction((term.numerator << bits) // term.denominator, 1 << bits)
        slip += unit
        total, off, n = total + term, off + slip, n + 2
        step = x * x / 4 / ((n + times - 1) * (n + times))
        if term <= unit and step < Fraction(1, 2):  # what follows is then below the last term and its slip
            return total, total + off + slip + unit
        term, slip = term * step, -(-slip * step // unit) * unit


def ln_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above ln x: x = m·2^k, ln m = 2·artanh((m - 1)/(m + 1)), and ln 2 = 2·artanh(1/3)."""
    halvings = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2) ** halvings  # between 1/2 and 2
    ends = (_artanh((m - 1) / (m + 1)), _artanh(Fraction(1, 3)))
    (low, high), (two, above) = ends if halvings >= 0 else (ends[0], ends[1][::-1])
    return 2 * (low + halvings * two), 2 * (high + halvings * above)


def _artanh(z: Fraction) -> tuple[Fraction, Fraction]:
    """z + z³/3 + z⁵/5 + … between bounds, for |z| at most 1/3: what follows is below twice the last power."""
    if z < 0:
        low, high = _artanh(-z)
        return -high, -low
    power, low, high, i = z, Fraction(0), Fraction(0), 1
    unit = Fraction(1, 1 << _BITS)
    while power > unit:
        term = power / i
        low, high = low + _cut(term) - i * unit, high + _cut(term) + unit
        power, i = _cut(power * z * z) + unit, i + 2
    return low, high + 2 * power


def _cut(x: Fraction) -> Fraction:
    """Rounded down to a multiple of 2^-_BITS."""
    return Fraction((x.numerator << _BITS) // x.denominator, 1 << _BITS)
