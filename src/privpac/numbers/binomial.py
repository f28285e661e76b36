"""Certified probabilities: expectations over a binomial count, and what they are rounded up to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import arb, ctx

from privpac.numbers.exact import ball

__all__ = ["at_most", "mean_by_count", "mean_over_binomial", "rounded_up"]

_SMALLEST = 30
"""Failure probabilities are shown as decimals of at least 10^-30: smaller ones say nothing more."""

_MOST_SUMMED = 4096
"""Counts up to which the lower tail of a binomial is summed from 0 on; beyond, a window is shorter."""

_DIGITS = 12
"""Significant digits of a probability that is rounded up."""


def mean_over_binomial(outcome: Callable[[arb], arb], *, n: int, chance: Fraction, growth: arb) -> arb:
    """A ball around E[outcome(growth^K)], K binomial(n, chance), for an outcome with values in [0, 1].

    Only a window around the mean is summed. The mass outside it is one minus the mass inside, as a ball, and
    the outcome there lies in [0, 1]: nothing is assumed about the tails. Works at the current precision.
    """
    low, high = _window(n, chance)
    power = growth**low
    total, mass = arb(0), arb(0)
    for weight in _weights(n, chance, low, high):
        mass += weight
        total += weight * outcome(power)
        power = power * growth
    if high - low == n:
        return total
    return total + arb(0).union(1 - mass)


def mean_by_count(outcome: Callable[[int], arb], *, n: int, chance: Fraction) -> arb:
    """A ball around E[outcome(K)], as `mean_over_binomial`, for an outcome that depends on more than a power."""
    low, high = _window(n, chance)
    total, mass = arb(0), arb(0)
    for k, weight in enumerate(_weights(n, chance, low, high), start=low):
        mass += weight
        total += weight * outcome(k)
    return total if high - low == n else total + arb(0).union(1 - mass)


def _window(n: int, chance: Fraction) -> tuple[int, int]:
    """The first and the last count of a window around the mean; Bernstein: leaving it has probability below about
    2^-bits at the current precision, so that the tail costs no digits."""
    bits = ctx.prec
    spread = float(n * chance * (1 - chance))
    width = math.ceil(math.sqrt(1.4 * bits * spread) + bits / 2) + 1
    centre = n * chance.numerator // chance.denominator
    return max(0, centre - width), min(n, centre + width)


def _weights(n: int, chance: Fraction, low: int, high: int) -> Iterator[arb]:
    """The probabilities of the counts from `low` to `high`, as balls."""
    p = ball(chance)
    odds = p / (1 - p)
    weight = arb.bin_uiui(n, low) * p**low * (1 - p) ** (n - low)
    for k in range(low, high + 1):
        yield weight
        weight = weight * (n - k) / (k + 1) * odds


def at_most(count: int, *, n: int, chance: Fraction) -> arb:
    """A ball around P[binomial(n, chance) ≤ count], at the current precision."""
    if n <= count:
        return arb(1)
    if count > _MOST_SUMMED:
        return _at_most_in_window(count, n=n, chance=chance)
    p = ball(chance)
    odds, term = p / (1 - p), (1 - p) ** n
    total = arb(term)
    for k in range(count):
        term = term * (n - k) / (k + 1) * odds
        total += term
    return total


def _at_most_in_window(count: int, *, n: int, chance: Fraction) -> arb:
    """The same by a window around the mean: nothing is assumed about the tails but what the window leaves for them."""
    low, high = _window(n, chance)
    total, mass = arb(0), arb(0)
    for k, weight in enumerate(_weights(n, chance, low, high), start=low):
        mass += weight
        if k <= count:
            total += weight
    return total + arb(0).union(1 - mass)


def rounded_up(value: arb) -> Fraction:
    """A probability as a decimal of 12 significant digits at or above a ball, at most 1."""
    if value >= 1:
        return Fraction(1)
    upper = value.upper()
    if not upper > ball(Fraction(1, 10**_SMALLEST)):
        return Fraction(1, 10**_SMALLEST)
    exponent = math.floor(float(upper.log() / arb(10).log())) + 1
    scale = Fraction(10) ** (_DIGITS - exponent)
    # The product is rounded by ball arithmetic too: its own upper edge is what counts.
    whole = int((upper * ball(scale)).upper().ceil().upper().unique_fmpz())
    return min(Fraction(1), whole / scale)
