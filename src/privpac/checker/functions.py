"""What formulas of the rule book may call: roundings of `directed`, and the few that are more than a formula.

Numbers come as fractions; whoever needs a whole number refuses others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, factorial, floor, isqrt, prod
from typing import Any

from privpac.checker import directed

__all__ = ["FUNCTIONS", "Broken", "Loss", "answer_wrong", "ln_bounds", "vote_wrong", "weighted_wrong"]

_LARGEST_LOG = 1_000
_FAR = 20_000
_EXP_DIGITS = 30


class Broken(Exception):
    """The reason a step does not follow, and the condition that is false where it is one of the book's."""

    def __init__(self, reason: str, formula: str = "") -> None:
        super().__init__(reason)
        self.formula = formula

    def sentence(self) -> str:
        """For people: the reason, and below it the condition."""
        return f"{self}:\n  {self.formula}" if self.formula else f"{self}."


@dataclass(frozen=True)
class Loss:
    """e^epsilon = e^log · factor."""

    log: Fraction
    factor: Fraction

    def __getitem__(self, name: str) -> Fraction:
        """As members of facts are written in formulas."""
        return {"log": self.log, "factor": self.factor}[name]

    def at_most(self, other: Loss) -> bool:
        """Certainly at most `other`."""
        gap = other.log - self.log
        if gap == 0:
            return self.factor <= other.factor
        if abs(gap) > _FAR:  # e^gap is beyond every factor that can be written; 2^gap decides well enough
            return gap > 0 and self.factor <= other.factor * 2**_FAR
        return self.factor <= other.factor * directed.exp_bounds(gap)[0]

    def above(self, other: Loss) -> bool:
        """Certainly larger than `other`."""
        gap = other.log - self.log
        if abs(gap) > _FAR:
            return False
        return self.factor > other.factor * (directed.exp_bounds(gap)[1] if gap else 1)

    @property
    def upper(self) -> Fraction:
        """A decimal at or above epsilon, and not below 0."""
        return max(Fraction(0), self.log + directed.ln_ceiling(self.factor))

    @property
    def rational(self) -> Fraction:
        """e^epsilon, rounded up to 30 decimals where it is not rational."""
        if self.log == 0:
            return self.factor
        if not 0 < self.log <= _LARGEST_LOG:
            raise Broken("epsilon is out of range")
        return directed.exp_ceiling(self.log, _EXP_DIGITS) * self.factor


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise Broken("a whole number is expected")
    return value.numerator


def _natural(value: Fraction) -> int:
    if value < 0:
        raise Broken("a number below 0 counts nothing")
    return _whole(value)


def _of_positive(logarithm: Callable[[Fraction], Fraction]) -> Callable[[Fraction], Fraction]:
    def checked(value: Fraction) -> Fraction:
        if value <= 0:
            raise Broken("only a number above 0 has a logarithm")
        return logarithm(value)

    return checked


def _up(digits: int) -> Callable[[Fraction], Fraction]:
    return lambda value: Fraction(ceil(value * 10**digits), 10**digits)


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two facts are the same, whatever they follow from."""
    return all(b.get(name) == value for name, value in a.items())


def _short_product(values: Sequence[Fraction]) -> Fraction:
    product = Fraction(1)
    for value in values:
        product = directed.shorten(product * value)
    return product


def _pairs(left: Sequence[Fraction], right: Sequence[Fraction]) -> list[dict[str, Fraction]]:
    if len(left) != len(right):
        raise Broken("two lists have different lengths")
    return [{"left": a, "right": b} for a, b in zip(left, right, strict=True)]


def _power_at_most(odds: Fraction, base: Fraction, count: Fraction, limit: Fraction) -> bool:
    return limit > 0 and directed.power_at_most(odds, base, _natural(count), limit)


def _is_prime(value: Fraction) -> bool:
    return value >= 2 and all(value % k for k in range(2, isqrt(_whole(value)) + 1))


# --- The composition of log-odds --------------------------------------------------------------------------------------

_DELTA_UNIT = Fraction(1, 10**30)
_BITS = 256


def _range_fold(epsilon: Fraction, count: Fraction, total: Fraction) -> Fraction:
    """delta of `count` releases of log-odds epsilon at `total`, rounded up to 30 decimals.

    2·e^(total/2)/(2·(y - 1/y))^times, y = e^(epsilon/2), times the sum over j with T_j > 0 of (-1)^j·C(times, j) times
    the sum over odd n of 2^-n·T_j^(n+times)/(n+times)!, where T_j = (times - 2j)·epsilon - total.
    """
    times = _whole(count)
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


# --- Votes ------------------------------------------------------------------------------------------------------------


def answer_wrong(wrong: int, models: int, x: Fraction) -> Fraction:
    """By cases: the chance of the minority's answer shrinks by x with every vote."""
    odd, lead = models % 2, 2 * wrong - models
    minority = x ** ((abs(lead) + 1) // 2) / (1 + x) if odd else x ** (abs(lead) // 2) / 2
    return minority if lead < 0 or (lead == 0 and not odd) else 1 - minority


def weighted_wrong(wrong: int, models: int, x: Fraction) -> Fraction:
    """Of two weights x^-wrong and x^-right, the first one's share."""
    return x ** (models - wrong) / (x ** (models - wrong) + x**wrong)


def _vote_error(average: Fraction, count: Fraction, x: Fraction, law: str) -> Fraction:
    return vote_wrong(average, _whole(count), x, answer_wrong if law == "majority" else weighted_wrong)


def vote_wrong(
    average: Fraction,
    models: int,
    x: Fraction,
    chance: Callable[[int, int, Fraction], Fraction] = answer_wrong,
) -> Fraction:
    """The error of a vote whose models err by `average`: on the steepest chord of `wrong` from 0.

    Each wrong model adds more than the one before it up to half of them, and less beyond. So chords become steeper up
    to one of at least that length, and flatter from there: halving finds it, where trying all of thousands would take
    hours."""
    none = chance(0, models, x)

    def chord(wrong: int) -> Fraction:
        return (chance(wrong, models, x) - none) / wrong

    low, high = max(1, models // 2), models
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if chord(middle) < chord(middle + 1) else (low, middle)
    return none + models * chord(low) * average


# --- Points of a large column -----------------------------------------------------------------------------------------

_MOST_PIECES = 4000
"""Pieces the target masses are cut into before a bound counts as not shown."""
_SHARP = 64
"""Significant bits of the place where a piece is cut in two; any place between its ends is sound."""

Fails = Callable[[Fraction], Fraction]


def _everywhere(
    fails: Fails, *, heavy: Fraction, noise: Fraction, error: Fraction, failure: Fraction
) -> bool:
    """Whether m·min(1, heavy·(1-p)/(error-p)) + (1-m)·noise·(1-p)/error <= failure for all p, m = fails(p) falling."""
    if heavy >= error:
        return False
    edge = (error - heavy) / (1 - heavy)
    todo = [(edge, error), (Fraction(0), edge)]
    for _ in range(_MOST_PIECES):
        if not todo:
            return True
        low, high = todo.pop()
        share = Fraction(1) if high >= edge else heavy * (1 - high) / (error - high)
        besides = noise * (1 - low) / error
        worst = min(Fraction(1), fails(low))
        if worst * (share - besides) + besides <= failure:
            continue
        if low >= edge:
            return False
        middle = error - _between(error - high, error - low)
        if not low < middle < high:
            return False
        todo += [(low, middle), (middle, high)]
    return False


def _between(low: Fraction, high: Fraction) -> Fraction:
    """About the geometric mean of two numbers that are not negative.

    Relative to the mean itself: with a fixed unit a mean below that unit would be 0, which is no place between them.
    """
    product = low * high
    shift = max(0, 2 * _SHARP + product.denominator.bit_length() - product.numerator.bit_length())
    shift += shift % 2
    return Fraction(isqrt((product.numerator << shift) // product.denominator), 1 << shift // 2)


def _clipped_holds(
    error: Fraction,
    failure: Fraction,
    records: Fraction,
    domain: Fraction,
    ratio: Fraction,
    threshold: Fraction,
    margin: Fraction,
) -> bool:
    size, k, k0 = _whole(domain), _whole(threshold), _whole(margin)
    # A power is multiplied by the size of the domain: this many more bits, or a long domain would hide its smallness.
    more = size.bit_length()
    powers = directed.powers_above(ratio, k0, bits=directed.SCALE + more)

    def miss(count: int) -> int:  # (T-1)·r^s / ((T-1)·r^s + 1), rounded up
        power = powers[min(max(0, k0 + count - max(k, count)), len(powers) - 1)]
        x = -(-(size - 1) * power >> more)
        return -(-(x << directed.SCALE) // (x + (1 << directed.SCALE)))

    def fails(mass: Fraction) -> Fraction:
        return directed.mean_above(miss, n=_whole(records), chance=mass)

    return _everywhere(fails, heavy=Fraction(1, size - 1), noise=Fraction(0), error=error, failure=failure)


def _sparse_holds(
    error: Fraction, failure: Fraction, records: Fraction, flip: Fraction, ratio: Fraction
) -> bool:
    odds, n = flip / (1 - flip), _whole(records)
    powers = directed.powers_above(ratio, n)

    def miss(count: int) -> int:  # r^k / (r^k + odds), rounded up
        x = powers[min(count, len(powers) - 1)] * odds.denominator
        return -(-(x << directed.SCALE) // (x + (odds.numerator << directed.SCALE)))

    def fails(mass: Fraction) -> Fraction:
        return directed.mean_above(miss, n=n, chance=mass)

    return _everywhere(fails, heavy=flip, noise=flip, error=error, failure=failure)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "min": min,
    "max": max,
    "sum": lambda values: sum(values, Fraction(0)),
    "product": lambda values: prod(values, start=Fraction(1)),
    "short_product": _short_product,
    "distinct": lambda values: len(set(values)) == len(values),
    "length": lambda values: Fraction(len(values)),
    "pairs": _pairs,
    "same": _same,
    "floor": lambda x: Fraction(floor(x)),
    "ceil": lambda x: Fraction(ceil(x)),
    "bits": lambda x: Fraction(_whole(x).bit_length()),
    "is_whole": lambda x: x.denominator == 1,
    "is_prime": _is_prime,
    "reaches": lambda base, count, size: directed.reaches(_whole(base), _whole(count), _whole(size)),
    "loss": lambda log, factor: Loss(Fraction(log), Fraction(factor)),
    "at_most": Loss.at_most,
    "above": Loss.above,
    "up": lambda loss: loss.upper,
    "exp_of": lambda loss: loss.rational,
    "short": directed.shorten,
    "up12": _up(12),
    "up24": _up(24),
    "pow": lambda base, count: directed.power(base, _natural(count)) if count else Fraction(1),
    "power_above": lambda base, count: directed.power_above(base, _natural(count)),
    "power_at_most": _power_at_most,
    "root_up": directed.root_ceiling,
    "ln_up": _of_positive(directed.ln_ceiling),
    "ln_down": _of_positive(directed.ln_floor),
    "ln_above": _of_positive(lambda x: ln_bounds(x)[1]),
    "ln_below": _of_positive(lambda x: ln_bounds(x)[0]),
    "exp30": lambda x: directed.exp_ceiling(x, _EXP_DIGITS) if x else Fraction(1),
    "exp_ends": directed.exp_bounds,
    "exp_below": lambda x: directed.exp_bounds(x)[0],
    "exp_above": lambda x: directed.exp_bounds(x)[1],
    "labellings": lambda points, vc: Fraction(directed.labellings(_natural(points), _natural(vc))),
    "few_above": lambda n, chance, hits: directed.few_above(_whole(n), chance=chance, hits=_whole(hits)),
    "fold": lambda e, times, saved: directed.fold(e, _whole(times), _whole(saved)),
    "range_fold": _range_fold,
    "vote_error": _vote_error,
    "clipped_holds": _clipped_holds,
    "sparse_holds": _sparse_holds,
}
