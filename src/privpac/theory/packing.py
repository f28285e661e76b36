"""The lemmas behind packing floors as certified sums: how often a private algorithm tells many targets apart.

Lemma A is for targets whose right answers exclude each other, and holds with a delta; lemma B for answers that a few
targets share. Of two targets more is known: what lies between them must be hidden, too.
Proof: docs/proofs/floors.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from privpac.numbers.binomial import mean_by_count, mean_over_binomial, rounded_up
from privpac.numbers.exact import PRECISIONS, about_log, ball, certainly_above, first_whole
from privpac.numbers.parameters import Number, below_one
from privpac.numbers.rough import Floats, rough_mean

__all__ = [
    "first_named",
    "first_of_two",
    "first_possible",
    "first_target",
    "guess",
    "named_target",
    "packing_distance",
    "read_delta",
    "rough_named",
    "rounded_down",
    "wrong_of_two",
    "wrong_target",
]

NO_DELTA = Fraction(0)


def _group_delta(power: arb, *, delta: Fraction, growth: arb) -> arb:
    """δ·(e^(epsilon·K) - 1)/(e^epsilon - 1): what a group of K records may lose beside e^(epsilon·K) = power."""
    return ball(delta) * (power - 1) / (growth - 1)


def wrong_target(
    n: int, *, rivals: int, mass: Fraction, epsilon: Fraction, delta: Fraction = NO_DELTA
) -> arb:
    """E[max(0, 1 - delta_K)·rivals/(rivals + e^(epsilon·K))], K binomial(n, mass): failure among equal targets."""
    growth, number = ball(epsilon).exp(), arb(1) * rivals

    def wrong(power: arb) -> arb:
        if not delta:
            return number / (rivals + power)
        remainder = 1 - _group_delta(power, delta=delta, growth=growth)
        return remainder.max(arb(0)) * rivals / (rivals + power)

    return mean_over_binomial(wrong, n=n, chance=mass, growth=growth)


def wrong_of_two(n: int, *, mass: Fraction, epsilon: Fraction, delta: Fraction) -> arb:
    """E[max(0, c·e^(-epsilon·m) - delta·(e^-epsilon + … + e^(-epsilon·m)))], K binomial(n, mass): two targets confused.

    m is K/2 rounded down, c is 1/2 for even K and (1 - delta)/(1 + e^epsilon) for odd K.
    """
    shrink = (-ball(epsilon)).exp()
    even, odd = arb(1) / 2, ball(1 - delta) * shrink / (1 + shrink)

    def wrong(k: int) -> arb:
        back = shrink ** (k // 2)
        slack = ball(delta) * shrink * (1 - back) / (1 - shrink) if delta else arb(0)
        return ((odd if k % 2 else even) * back - slack).max(arb(0))

    return mean_by_count(wrong, n=n, chance=mass)


def _rough_of_two(n: int, *, mass: Fraction, epsilon: Fraction, delta: Fraction) -> float:
    """`wrong_of_two` in floats."""
    shrink, slack = math.exp(-float(epsilon)), float(delta)

    def wrong(k: Floats) -> Floats:
        back = shrink ** (k // 2)
        factor = np.where(k % 2 == 0, 0.5, (1 - slack) * shrink / (1 + shrink))
        value: Floats = np.maximum(
            0.0, factor * back - slack * shrink * (1 - back) / -math.expm1(-float(epsilon))
        )
        return value

    return rough_mean(wrong, n=n, chance=float(mass))


def first_of_two(*, mass: Fraction, failure: Fraction, epsilon: Fraction, delta: Fraction) -> int:
    """The first n at which two targets may be told apart often enough."""
    return first_possible(
        lambda n: wrong_of_two(n, mass=mass, epsilon=epsilon, delta=delta),
        lambda n: _rough_of_two(n, mass=mass, epsilon=epsilon, delta=delta),
        failure,
        start=guess(1, mass=mass, epsilon=epsilon),
    )


def named_target(n: int, *, share: Fraction, mass: Fraction, epsilon: Fraction) -> arb:
    """E[min(1, share·e^(epsilon·K))], K binomial(n, mass): how often an answer may name the right target."""
    growth, part = ball(epsilon).exp(), ball(share)
    return mean_over_binomial(lambda power: (part * power).min(arb(1)), n=n, chance=mass, growth=growth)


def _rough_delta(k: Floats, *, delta: Fraction, rate: float) -> Floats:
    """`_group_delta` in floats, at most 1."""
    if not delta:
        return np.zeros_like(k)
    log = about_log(delta) - math.log(math.expm1(min(rate, 700.0)))
    bound: Floats = np.exp(np.minimum(log + rate * k, 0.0)) - math.exp(min(log, 0.0))
    return bound


def _rough_wrong(
    n: int, *, rivals: int, mass: Fraction, epsilon: Fraction, delta: Fraction = NO_DELTA
) -> float:
    """`wrong_target` in floats."""
    log, rate = math.log(max(rivals, 1)), float(epsilon)

    def wrong(k: Floats) -> Floats:
        remainder = np.maximum(0.0, 1 - _rough_delta(k, delta=delta, rate=rate))
        value: Floats = remainder / (1 + np.exp(np.minimum(rate * k - log, 700.0)))
        return value

    return rough_mean(wrong, n=n, chance=float(mass))


def rough_named(n: int, *, share: Fraction, mass: Fraction, epsilon: Fraction) -> float:
    """`named_target` in floats."""
    log, rate = about_log(share), float(epsilon)
    return rough_mean(lambda k: np.exp(np.minimum(log + rate * k, 0.0)), n=n, chance=float(mass))


def first_possible(
    value: Callable[[int], arb], rough: Callable[[int], float], threshold: Fraction, *, start: int
) -> int:
    """The first n at which `value(n) > threshold` is no longer proved, for a value that falls with n.

    Floats lead to its neighbourhood; what is excluded is decided by balls alone.
    """
    near = first_whole(lambda n: rough(n) <= float(threshold), start=start)
    return first_whole(lambda n: not certainly_above(lambda: value(n), threshold), start=near, step=1)


def first_target(
    rivals: int, *, mass: Fraction, failure: Fraction, epsilon: Fraction, delta: Fraction = NO_DELTA
) -> int:
    """The first n at which equal targets may be distinguished often enough."""
    return first_possible(
        lambda n: wrong_target(n, rivals=rivals, mass=mass, epsilon=epsilon, delta=delta),
        lambda n: _rough_wrong(n, rivals=rivals, mass=mass, epsilon=epsilon, delta=delta),
        failure,
        start=guess(rivals, mass=mass, epsilon=epsilon),
    )


def read_delta(delta: Number, *, owner: str) -> Fraction:
    """A delta as a fraction, at least 0 and below 1; raises ParameterError otherwise."""
    return below_one(delta, owner=owner, name="delta")


def guess(rivals: int, *, mass: Fraction, epsilon: Fraction) -> int:
    """Where e^(epsilon·E[K]) reaches the number of rivals: a start for the search, not a bound."""
    return max(1, int(max(rivals, 2).bit_length() / (mass * epsilon)))


def packing_distance(rivals: int, *, failure: Fraction, epsilon: Fraction) -> int:
    """The smallest whole k with k ≥ ln(rivals·(1 - failure)/failure)/epsilon, never rounded up too far."""
    if rivals * (1 - failure) <= failure:
        return 0
    with ctx.workprec(PRECISIONS[1]):
        need = ball(rivals * (1 - failure) / failure).log() / ball(epsilon)
        return int(need.lower().ceil().unique_fmpz())


def first_named(share: Fraction, *, often: Fraction, mass: Fraction, epsilon: Fraction) -> int:
    """The first n at which an answer may name the right target that often."""
    return first_possible(
        lambda n: 1 - named_target(n, share=share, mass=mass, epsilon=epsilon),
        lambda n: 1 - rough_named(n, share=share, mass=mass, epsilon=epsilon),
        1 - often,
        start=guess(int(1 / share), mass=mass, epsilon=epsilon),
    )


def rounded_down(value: Callable[[], arb]) -> Fraction:
    """A probability as a decimal at or below a ball."""
    with ctx.workprec(PRECISIONS[0]):
        return 1 - rounded_up(1 - value())
