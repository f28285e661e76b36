"""Small searches over public numbers: floats propose settings, and whoever asks certifies what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from privpac.errors import SizeError

__all__ = ["PLENTY", "STEP", "first_enough", "minimum", "stepped"]

STEP = Fraction(1, 1000)
"""Epsilons inside a construction are multiples of this."""


def _spread(low: float, high: float, count: int) -> Iterator[float]:
    """`count` numbers from low to high, equally far apart by ratio."""
    for i in range(count):
        yield low * (high / low) ** (i / max(1, count - 1))


def _around(value: float, *, factor: float, low: float, high: float) -> tuple[float, float]:
    return max(low, value / factor), min(high, value * factor)


def minimum(
    value: Callable[..., float], ranges: list[tuple[float, float]], *, count: int = 5, rounds: int = 7
) -> tuple[float, list[float]]:
    """A small value on a grid that is drawn ever tighter; every coordinate is positive."""
    limits, best = list(ranges), (math.inf, [low for low, _ in ranges])
    factor = max((high / low) ** (1.5 / count) for low, high in ranges if high > low) if ranges else 1.0
    for _ in range(rounds):
        best = min(best, _on_grid(value, limits, count))
        limits = [
            _around(at, factor=factor, low=low, high=high)
            for at, (low, high) in zip(best[1], ranges, strict=True)
        ]
        factor = factor ** (2.5 / count) if factor > 1 else factor
    return best


def _on_grid(
    value: Callable[..., float], limits: list[tuple[float, float]], count: int
) -> tuple[float, list[float]]:
    places: list[list[float]] = [[]]
    for low, high in limits:
        places = [[*place, at] for place in places for at in _spread(low, high, count)]
    return min((value(*place), place) for place in places)


def stepped(value: float) -> Fraction:
    """The nearest positive multiple of the step."""
    return max(1, round(value / STEP)) * STEP


PLENTY = 10**7
"""Unlabelled records when their number is not limited."""

MOST = 10**12


def first_enough(enough: Callable[[int], bool], *, owner: str, others: int) -> int:
    """The first number that is enough: doubling, then halving the interval (the search need not be monotone)."""
    high = 16
    while not enough(high):
        high *= 2
        if high > MOST:
            raise SizeError(
                f"{owner}: {others} unlabelled records are too few, whatever the number of labels.",
                remedy="Collect more records without labels, or allow a larger error.",
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
