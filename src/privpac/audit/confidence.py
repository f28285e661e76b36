"""Bounds on a probability from counts, and on epsilon from guesses, certified: rounded towards saying less.

Clopper and Pearson (1934): from k hits in m independent runs, the largest p with Pr[Binomial(m, p) >= k] <= failure is
at most the true probability except with probability `failure`. The tail is I_p(k, m - k + 1), a regularised incomplete
beta function, which python-flint encloses.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from flint import arb
from scipy.special import betaincinv

from privpac.numbers.exact import ball, certainly_below, first_whole, ln_down

__all__ = ["epsilon_at_least", "one_run_epsilon", "one_run_probability", "share_at_least", "share_at_most"]

_BITS = 40
"""Bounds are multiples of 2^-40: finer than any number of runs can tell."""


@lru_cache(maxsize=1024)
def share_at_least(hits: int, runs: int, failure: Fraction) -> Fraction:
    """A lower bound on the probability of a hit, wrong with probability at most `failure`.

    >>> float(share_at_least(0, 10, Fraction(1, 20))), round(float(share_at_least(10, 10, Fraction(1, 20))), 4)
    (0.0, 0.7411)
    """
    if hits == 0:
        return Fraction(0)

    def small(place: int) -> bool:
        p = Fraction(place, 1 << _BITS)
        return certainly_below(lambda: ball(p).beta_lower(hits, runs - hits + 1, True), failure)

    # A guess in doubles, then downwards until it is proved: any smaller number is a bound as well.
    place = int(betaincinv(hits, runs - hits + 1, float(failure)) * (1 << _BITS))
    step = 1
    while place > 0 and not small(place):
        place, step = place - step, 2 * step
    return Fraction(max(0, place), 1 << _BITS)


def share_at_most(hits: int, runs: int, failure: Fraction) -> Fraction:
    """An upper bound on the probability of a hit, wrong with probability at most `failure`."""
    return 1 - share_at_least(runs - hits, runs, failure)


def epsilon_at_least(low: Fraction, high: Fraction, delta: Fraction) -> Fraction:
    """The smallest epsilon that allows probabilities of at least `low` and at most `high`, rounded down."""
    return max(Fraction(0), ln_down((low - delta) / high)) if low - delta > high else Fraction(0)


def one_run_probability(
    correct: int, guesses: int, *, canaries: int, epsilon: Fraction, delta: Fraction
) -> arb:
    """An upper bound on the probability of this many correct guesses from one (epsilon, delta)-private run.

    Statement: each of m canaries is in or out by a fair coin, independently; of these bits, `guesses` are guessed from
    the output of one run. With B ~ Binomial(guesses, e^eps/(e^eps + 1)), at least v guesses are right with probability
    at most Pr[B >= v] + 2·m·delta·max over i >= 1 of Pr[v - i <= B < v]/i.
    Source: Steinke, Nasr, Jagielski, *Privacy auditing with one (1) training run* (2023), Theorem 5.2, Corollary 5.4.
    Holds if: changing one bit changes one record, as in the claim; the number of guesses is fixed beforehand.
    """
    odds = ball(epsilon).exp()
    p = odds / (odds + 1)
    tail = p.beta_lower(correct, guesses - correct + 1, True) if correct else arb(1)
    if delta == 0:
        return tail
    steepest, between = arb(0), arb(0)
    weight = arb.bin_uiui(guesses, correct) * p**correct * (1 - p) ** (guesses - correct)
    for i in range(1, correct + 1):
        k = correct - i
        weight = weight * (k + 1) / (guesses - k) * (1 - p) / p
        between += weight
        steepest = steepest.max(between / i)
    return tail + 2 * canaries * ball(delta) * steepest


def one_run_epsilon(
    correct: int, guesses: int, *, canaries: int, failure: Fraction, delta: Fraction = Fraction(0)
) -> Fraction:
    """A lower bound on epsilon from one run, in steps of 1/1000, wrong with probability at most `failure`.

    >>> float(one_run_epsilon(75, 100, canaries=1000, delta=Fraction(1, 10**4), failure=Fraction(1, 20)))
    0.672
    """
    if guesses == 0:
        return Fraction(0)

    def refutes(step: int) -> bool:
        epsilon = Fraction(step, 1000)
        return certainly_below(
            lambda: one_run_probability(correct, guesses, canaries=canaries, epsilon=epsilon, delta=delta),
            failure,
        )

    first = first_whole(lambda step: not refutes(step), start=1000)
    return Fraction(max(0, first - 1), 1000)
