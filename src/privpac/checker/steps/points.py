"""Learners of points, checked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from privpac.checker import directed
from privpac.checker.reading import (
    Check,
    Tree,
    integer,
    no_premise,
    number,
    only_premise,
    parameters,
    read_goal,
    read_privacy,
    require,
    same_records,
    whole,
)

__all__ = ["RULES"]

_MOST_PIECES = 4000
"""Pieces the target masses are cut into before a bound counts as not shown."""

_LARGEST = 2**20
"""Margins, runs and places of a code: what is larger is no certificate of ours."""

Fails = Callable[[Fraction], Fraction]


def _promise(node: Tree, *, proper: bool = False) -> tuple[Fraction, Fraction, int]:
    """Error, failure and records of an accuracy fact about one value that carries class 1."""
    error, failure, records = read_goal(node, "realizable", proper=proper)
    require(error < 1, "error or failure is out of range")
    return error, failure, records


def _pure(node: Tree, factor: Fraction) -> None:
    no_premise(node)
    fact = read_privacy(node)
    require(fact.delta == 0 and fact.loss.log == 0, "the loss must be pure")
    require(fact.loss.factor == factor, "epsilon is not that of the parameters")
    require((fact.unit, fact.part) == ("record", "all records"), "the scope is not that of this rule")
    require(fact.release == "hypothesis", "the release is not what this mechanism gives")


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


_SHARP = 64
"""Significant bits of the place where a piece is cut in two; any place between its ends is sound."""


def _between(low: Fraction, high: Fraction) -> Fraction:
    """About the geometric mean of two numbers that are not negative.

    Relative to the mean itself: with a fixed unit a mean below that unit would be 0, which is no place between them.
    """
    product = low * high
    shift = max(0, 2 * _SHARP + product.denominator.bit_length() - product.numerator.bit_length())
    shift += shift % 2
    return Fraction(isqrt((product.numerator << shift) // product.denominator), 1 << shift // 2)


def _clip(node: Tree, *more: str) -> tuple[int, Fraction, int, int]:
    domain, ratio, threshold, margin = parameters(node, "domain", "ratio", "threshold", "margin", *more)[:4]
    size, r = int(number(domain)), number(ratio)
    k, k0 = integer(threshold, 1), integer(margin, 1)
    require(size >= 2 and str(size) == domain, "the domain is no whole number of at least 2")
    require(0 < r < 1 and k0 <= k <= _LARGEST, "a parameter is out of range")
    return size, r, k, k0


def _clipped_privacy(node: Tree) -> None:
    size, r, k, k0 = _clip(node)
    extra = max(0, 2 * k0 - k)
    w = directed.power(1 / r, extra) if extra else Fraction(1)
    _pure(node, directed.shorten((size - 1 + w) / (size - 1 + w * r) / r))


def _clipped_accuracy(node: Tree) -> None:
    no_premise(node)
    error, failure, records = _promise(node, proper=True)
    size, r, k, k0 = _clip(node, "records")
    same_records(node["where"]["records"], records)
    # A power is multiplied by the size of the domain: this many more bits, or a long domain would hide its smallness.
    more = size.bit_length()
    powers = directed.powers_above(r, k0, bits=directed.SCALE + more)

    def miss(count: int) -> int:  # (T-1)·r^s / ((T-1)·r^s + 1), rounded up
        power = powers[min(max(0, k0 + count - max(k, count)), len(powers) - 1)]
        x = -(-(size - 1) * power >> more)
        return -(-(x << directed.SCALE) // (x + (1 << directed.SCALE)))

    def fails(mass: Fraction) -> Fraction:
        return directed.mean_above(miss, n=records, chance=mass)

    is_proof = _everywhere(
        fails, heavy=Fraction(1, size - 1), noise=Fraction(0), error=error, failure=failure
    )
    require(is_proof, "the bound fails")


def _sparse(node: Tree) -> None:
    no_premise(node)
    error, failure, records = _promise(node)
    flip, ratio, n = parameters(node, "flip", "ratio", "records")
    f, r = number(flip), number(ratio)
    same_records(n, records)
    require(0 < f < 1 and 0 < r < 1, "a parameter is out of range")
    odds = f / (1 - f)
    powers = directed.powers_above(r, records)

    def miss(count: int) -> int:  # r^k / (r^k + odds), rounded up
        x = powers[min(count, len(powers) - 1)] * odds.denominator
        return -(-(x << directed.SCALE) // (x + (odds.numerator << directed.SCALE)))

    def fails(mass: Fraction) -> Fraction:
        return directed.mean_above(miss, n=records, chance=mass)

    require(_everywhere(fails, heavy=f, noise=f, error=error, failure=failure), "the bound fails")


def _base(error: Fraction, tolerated: Fraction, x: Fraction) -> Fraction:
    return 1 - error + error * x + tolerated / x - tolerated


def _code(node: Tree) -> None:
    no_premise(node)
    error, failure, records = _promise(node)
    domain, prime, digits, tolerance, ratio, n = parameters(
        node, "domain", "prime", "digits", "tolerated", "ratio", "records"
    )
    size, q, t, tolerated, r = (
        whole(domain, 1),
        integer(prime, 2),
        integer(digits, 2),
        number(tolerance),
        number(ratio),
    )
    same_records(n, records)
    require(0 < r < 1 and 0 < tolerated < error, "a parameter is out of range")
    require(
        q <= _LARGEST and t <= _LARGEST and all(q % k for k in range(2, isqrt(q) + 1)), "the field is none"
    )
    require(directed.reaches(q, t, size), "the code has no room for the domain")
    good = -((Fraction(t - 1) / tolerated - q) // 1)  # q - (t-1)/tolerated, rounded up
    require(good >= 1, "the code has no good sets")
    odds, base = Fraction(q * q - int(good), int(good)), _base(error, tolerated, r)
    require(base < 1 and directed.power_at_most(odds, base, records, failure), "the bound fails")


def _cover(node: Tree) -> None:
    no_premise(node)
    error, failure, records = _promise(node)
    keys, part, number_good, ratio, n = parameters(node, "keys", "share", "good", "ratio", "records")
    k, f, good, r = integer(keys, 1), number(part), integer(number_good, 1), number(ratio)
    same_records(n, records)
    require(0 < r < 1 and 0 < 2 * f < error and good <= min(k, _LARGEST), "a parameter is out of range")
    unlucky = directed.few_above(k, chance=f / 2, hits=good)
    base = _base(error, 2 * f, r)
    left = failure - unlucky
    require(left > 0 and base < 1, "the bound fails")
    require(directed.power_at_most(Fraction(k + 1 - good, good), base, records, left), "the bound fails")


def _star(node: Tree) -> None:
    rate, spread = (number(text) for text in parameters(node, "rate", "spread"))
    require(0 <= rate <= 1 <= spread, "a parameter is out of range")
    _pure(node, (1 + rate * (spread - 1)) / (1 + rate * (1 / spread - 1)))


def _sampled_privacy(node: Tree) -> None:
    rate, fail, spread = (number(text) for text in parameters(node, "rate", "fail", "spread"))
    require(0 < rate < 1 and 0 < fail < 1 <= spread, "a parameter is out of range")
    silent, loud = (fail + rate * (1 - fail)) / fail, (1 - rate + rate * spread) / (1 - rate)
    _pure(node, silent if silent > loud else loud)


def _sampled_accuracy(node: Tree) -> None:
    no_premise(node)
    error, failure, records = _promise(node)
    *texts, n = parameters(node, "rate", "flip", "fail", "light", "records")
    rate, flip, fail, light = (number(text) for text in texts)
    same_records(n, records)
    require(0 < rate <= 1 and 0 < flip < 1 and 0 <= fail < 1, "a parameter is out of range")
    require(0 < light < error, "the light mass is out of range")
    left = failure - fail - flip - flip / (error - light)
    require(left > 0, "the bound fails")
    require(directed.power_at_most(Fraction(1), 1 - rate * light, records, left), "the bound fails")


def _boosted_accuracy(node: Tree) -> None:
    error, failure, records = _promise(node)
    runs, selecting, tolerance, ratio, tilt, n = parameters(
        node, "runs", "selecting", "tolerated", "ratio", "tilt", "records"
    )
    count, last = integer(runs, 1), integer(selecting, 0)
    tolerated, r, x = number(tolerance), number(ratio), number(tilt)
    # An assumption about the runs is carried along, not looked into.
    one, miss, each = _promise(only_premise(node))
    same_records(n, count * each + last)
    require(count <= _LARGEST and n == records, "the numbers of records differ")
    require(0 < r <= x < 1 and one <= tolerated < error, "a parameter is out of range")
    all_bad = directed.power_above(miss, count)
    base, left = _base(error, tolerated, x), failure - all_bad
    require(left > 0 and base < 1, "the bound fails")
    require(directed.power_at_most(Fraction(count - 1), base, last, left), "the bound fails")


RULES: dict[str, Check] = {
    "clipped-points": _clipped_privacy,
    "clipped-points-accuracy": _clipped_accuracy,
    "sparse-sets-accuracy": _sparse,
    "reed-solomon-points": _code,
    "pairwise-cover": _cover,
    "star-entries": _star,
    "sampled-point": _sampled_privacy,
    "sampled-point-accuracy": _sampled_accuracy,
    "boosted-points": _boosted_accuracy,
}
