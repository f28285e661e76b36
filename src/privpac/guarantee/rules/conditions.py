"""What rules ask of their parameters, and the arithmetic several of them share."""

from __future__ import annotations

from fractions import Fraction

from privpac.errors import RuleRefused
from privpac.guarantee.facts import Loss
from privpac.numbers.exact import about_log, exp_up, power_up

__all__ = [
    "LARGEST_LOG",
    "ONE",
    "need",
    "need_ratio",
    "need_small",
    "need_two_classes",
    "power",
    "rational",
    "selection",
]

ONE = Fraction(1)

EXP_DIGITS = 30
"""Decimals to which e^epsilon of a declared epsilon is rounded up where a rule needs a rational number."""

LARGEST_LOG = 1_000
"""Declared epsilons beyond this have no use where e^epsilon itself is needed."""

LARGEST_EPSILON = 5_000
"""Losses beyond this are refused unless declared as a decimal: e^epsilon would fill pages."""


def need(rule: str, condition: bool, reason: str, remedy: str = "") -> None:
    if not condition:
        raise RuleRefused(rule, reason, remedy=remedy)


def need_ratio(rule: str, ratio: Fraction, sensitivity: int) -> None:
    need(rule, 0 < ratio <= 1, "the ratio must lie in (0, 1]")
    need(rule, sensitivity >= 1, "the sensitivity must be a positive integer")


def need_two_classes(rule: str, classes: int) -> None:
    """A point has as many labels as there are classes; the proofs of relabelling count two."""
    need(rule, classes == 2, "labels must be of two classes")


def selection(rule: str, ratio: Fraction, sensitivity: int) -> Loss:
    """e^epsilon = ratio^(-2·sensitivity)."""
    return Loss(factor=power(rule, 1 / ratio, 2 * sensitivity))


def power(rule: str, base: Fraction, count: int) -> Fraction:
    """base^count for a base of 1 or more, rounded up if it is too long to be written."""
    need_small(rule, count * about_log(base))
    return power_up(base, count)


def need_small(rule: str, epsilon: float) -> None:
    need(rule, epsilon <= LARGEST_EPSILON, f"an epsilon above {LARGEST_EPSILON} is out of its range")


def rational(rule: str, loss: Loss) -> Fraction:
    """e^epsilon as a rational: itself, or a decimal at or above it when a declared epsilon is involved."""
    if loss.log == 0:
        return loss.factor
    need(rule, loss.log <= LARGEST_LOG, f"an epsilon above {LARGEST_LOG} is out of its range")
    return exp_up(loss.log, EXP_DIGITS) * loss.factor
