"""What several answers cost together, declared beforehand: the optimal composition of equal answers."""

from __future__ import annotations

import math
from fractions import Fraction

from privpac.errors import ParameterError
from privpac.guarantee import rules
from privpac.guarantee.facts import Privacy
from privpac.guarantee.proof import Proof
from privpac.guarantee.workload import smallest_epsilon
from privpac.numbers.composition import fold_delta, rough_fold_delta
from privpac.numbers.exact import exp_up

__all__ = ["composed", "epsilon_an_answer"]

OWNER = "answers"
DIGITS = 6
"""Decimals of a price that is computed: it is charged as it is written."""


def composed(one: Proof[Privacy], *, answers: int, delta: Fraction) -> Proof[Privacy]:
    """All of `answers` answers, each as `one`, at the smallest epsilon that this delta allows.

    Answers by exponential weights lose less together than pure answers of the same epsilon need to.
    """
    draws = smallest_epsilon(one, times=answers, delta=delta)
    factor = one.fact.epsilon.factor * exp_up(one.fact.epsilon.log, 30)
    low, high = 0, answers // 2  # `low` is allowed; delta grows with what is saved
    if delta == 0 or factor == 1:
        high = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if fold_delta(factor, times=answers, saved=middle) <= delta else (low, middle - 1)
        )
    pure = rules.k_fold(one, times=answers, saved=low)
    return pure if draws is None or pure.fact.epsilon <= draws.fact.epsilon else draws


def epsilon_an_answer(*, answers: int, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Fraction:
    """The largest price of an answer, in decimals, at which all of them stay within (epsilon, delta).

    >>> epsilon_an_answer(answers=10, epsilon=Fraction(1))
    Fraction(1, 10)
    """
    if answers < 1:
        raise ParameterError(OWNER, "answers", answers, allowed="a positive whole number")
    simple = epsilon / answers
    best = Fraction(math.floor(simple * 10**DIGITS), 10**DIGITS) or simple
    if delta == 0 or answers == 1:
        return simple if (simple * 10**12).denominator == 1 else best
    low, high = float(simple), float(epsilon)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _fits(middle, answers, float(epsilon), float(delta)) else (low, middle)
    return max(best, Fraction(math.floor(low * (1 - 1e-9) * 10**DIGITS), 10**DIGITS))


def _fits(price: float, answers: int, epsilon: float, delta: float) -> bool:
    """Whether (times - 2·saved)·price <= epsilon for the largest saved that delta allows; in floats, a guess."""
    saved = math.ceil((answers - epsilon / price) / 2 - 1e-12)
    if saved <= 0:
        return True
    return 2 * saved <= answers and rough_fold_delta(price, times=answers, saved=saved) <= delta
