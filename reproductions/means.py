"""The mean of probabilities over simulated data sets, with an interval around it that is valid for any of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privpac.errors import ParameterError

__all__ = ["interval"]


def interval(values: Sequence[float], *, confidence: float) -> tuple[float, float, float]:
    """Mean, lower and upper confidence limit of independent values in [0, 1].

    The better of two valid limits per side, each at half the error: the relative-entropy form of Hoeffding's
    inequality (Hoeffding 1963, Theorem 1) and empirical Bernstein (Maurer–Pontil 2009, Theorem 4).

    >>> mean, low, high = interval([0.0, 0.1] * 1000, confidence=0.99)
    >>> low < mean < high, round(high - low, 3)
    (True, 0.024)
    """
    count = len(values)
    mean = math.fsum(values) / count
    if not all(0.0 <= value <= 1.0 for value in values):
        raise ParameterError("interval", "values", "a value outside", allowed="probabilities in [0, 1]")
    # Two sides, two inequalities: a quarter of the error each.
    log_term = math.log(4.0 / (1.0 - confidence))
    low, high = 1.0 - _entropy_limit(1.0 - mean, log_term / count), _entropy_limit(mean, log_term / count)
    if count > 1:
        variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
        # Maurer–Pontil spend their error on mean and variance at once: ln 2 more.
        spent = log_term + math.log(2.0)
        width = math.sqrt(2.0 * variance * spent / count) + 7.0 * spent / (3.0 * (count - 1))
        low, high = max(low, mean - width), min(high, mean + width)
    return mean, max(0.0, low), min(1.0, high)


def _entropy_limit(mean: float, budget: float) -> float:
    """The largest p with KL(mean || p) ≤ budget."""
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if _entropy(mean, middle) <= budget:
            low = middle
        else:
            high = middle
    return high


def _entropy(q: float, p: float) -> float:
    if p >= 1.0:
        return 0.0 if q >= 1.0 else math.inf
    first = q * math.log(q / p) if q > 0.0 else 0.0
    second = (1.0 - q) * math.log((1.0 - q) / (1.0 - p)) if q < 1.0 else 0.0
    return first + second
