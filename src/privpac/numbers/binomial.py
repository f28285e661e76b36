"""Certified expectations over a binomial count, and the first whole number at which a condition holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import arb, ctx

from privpac.numbers.exact import ball

__all__ = [
    "PRECISIONS",
    "at_most",
    "certainly_above",
    "certainly_below",
    "first_power",
    "first_whole",
    "mean_over_binomial",
    "rounded_up",
]

PRECISIONS = (96, 192, 384)
"""Working precisions tried in turn, in bits. A sum needs about a hundred; the rest is for near ties."""

_AT_A_GLANCE = 40
"""Bits that decide most comparisons, in a quarter of the time; a ball that leaves one open says so."""

_SMALLEST = 30
"""Failure probabilities are shown as decimals of at least 10^-30: smaller ones say nothing more."""

_SUMMED = 4096
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
    if count > _SUMMED:
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
