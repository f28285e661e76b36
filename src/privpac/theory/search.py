"""Small searches over public numbers: floats propose settings, and whoever asks certifies what they promise."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from privpac.errors import SizeError
from privpac.theory.binomial import first_whole
from privpac.theory.rough import Floats

__all__ = ["PLENTY", "STEP", "first_by_decay", "first_by_value", "first_proved", "minimum", "stepped"]

STEP = Fraction(1, 1000)
"""Epsilons inside a construction are multiples of this; small ones have three digits."""


def _spread(low: float, high: float, count: int) -> Floats:
    """`count` numbers from low to high, equally far apart by ratio."""
    return np.asarray(low * (high / low) ** (np.arange(count) / max(1, count - 1)))


def _around(value: float, *, factor: float, low: float, high: float) -> tuple[float, float]:
    return max(low, value / factor), min(high, value * factor)


def minimum(
    value: Callable[..., Floats], ranges: list[tuple[float, float]], *, count: int = 5, rounds: int = 7
) -> tuple[float, list[float]]:
    """A small value on a grid that is drawn ever tighter; every coordinate is positive, and `value` takes arrays."""
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
    value: Callable[..., Floats], limits: list[tuple[float, float]], count: int
) -> tuple[float, list[float]]:
    places = np.meshgrid(*(_spread(low, high, count) for low, high in limits), indexing="ij")
    flat = [axis.ravel() for axis in places]
    with np.errstate(
        over="ignore", divide="ignore", invalid="ignore"
    ):  # hopeless settings are infinitely bad
        found = np.nan_to_num(value(*flat), nan=math.inf)
    first = int(np.argmin(found))
    return float(found[first]), [float(axis[first]) for axis in flat]


def stepped(value: float) -> Fraction:
    """The nearest positive multiple of the step, or of a finer one where that would change it by a hundredth.

    >>> stepped(0.2345), stepped(0.02345)
    (Fraction(117, 500), Fraction(47, 2000))
    """
    step = STEP
    while value < 100 * step:
        step /= 10
    return round(value / step) * step


PLENTY = 10**7
"""Unlabelled records when their number is not limited."""

MOST = 10**12


def first_proved(
    value: Callable[[int], float],
    proved: Callable[[int], bool],
    *,
    want: float,
    start: int,
    owner: str,
    others: int,
) -> int:
    """The first number whose error in floats is small enough and at which what the search proposes is proved; rounding
    may put the proof a little above the hope, never far."""
    refused = SizeError(
        f"{owner}: {others} unlabelled records are too few, whatever the number of labels.",
        remedy="Collect more records without labels, or allow a larger error.",
    )
    try:
        high = first_by_value(value, want, start=start, owner=owner)
    except SizeError:
        raise refused from None
    step = max(1, high // 4096)
    while not proved(high):
        high, step = high + step, 2 * step
        if high > MOST:
            raise refused
    return high


def first_by_value(value: Callable[[int], float], want: float, *, start: int, owner: str) -> int:
    """The first number from 2 on whose value, which falls with it, is at most `want`.

    Secants on a log-log scale lead to it, because such values fall like a power."""
    points: list[tuple[float, float]] = []
    at = max(2, start)
    for _ in range(_SECANTS):
        found = value(at)
        if math.isinf(found):
            at *= 16
        else:
            points.append((math.log(at), math.log(found / want)))
            at = max(2, round(math.exp(_crossing(points[-2:]))))
        if at > MOST_RECORDS:
            raise SizeError(f"{owner}: more than {MOST_RECORDS:.0e} records would be needed.")
        near = _NEAR if at < MANY else _NEAR_ENOUGH
        if len(points) > 1 and abs(math.log(at) - points[-1][0]) < near:
            break
    # To four digits beyond a million: the values are least ones that a search found, and jump by about as much.
    unit = 1 if at < MANY else round(at * _NEAR_ENOUGH)
    return unit * first_whole(
        lambda units: units * unit > MOST_RECORDS or value(units * unit) <= want,
        start=-(-at // unit),
        smallest=-(-2 // unit),
        step=1,
    )


def first_by_decay(value: Callable[[int], float], want: float, *, start: int, most: int) -> int:
    """The same for a value that falls from 1 like an exponential, to five digits; above `most` if there is none.

    The two numbers around it are joined by straight lines of the logarithm; an end that stays twice counts half, or
    it might stay for ever."""
    at, low, high = max(1, start), (0, -math.log(want)), (most + 1, 0.0)
    while high[0] - low[0] > 1 + high[0] // _FIVE_DIGITS:
        found = math.log(max(value(at), _TINY) / want)
        if found <= 0:
            high, low = (at, found), (low[0], low[1] / 2)
        else:
            low, high = (at, found), (high[0], high[1] / 2)
        if high[0] > most:  # nothing is small enough so far: the line from 0 leads on
            near = at * math.log(1 / want) / max(math.log(1 / want) - found, _TINY)
            at = math.ceil(min(most, 4 * at, 1.05 * near + 1))
            if at <= low[0]:
                return most + 1
        else:
            near = low[0] + (high[0] - low[0]) * low[1] / max(low[1] - high[1], _TINY)
            at = min(max(round(near), low[0] + 1), high[0] - 1)
    return high[0]


_FIVE_DIGITS = 10**5
_TINY = 1e-300
_SECANTS = 12
MANY = 10**6
_NEAR, _NEAR_ENOUGH = 1e-7, 1e-4
_SLOPE = -0.5
"""How fast deviations fall, until two points tell better."""
MOST_RECORDS = 10**13
"""More than a thousand times everybody alive."""


def _crossing(points: list[tuple[float, float]]) -> float:
    """Where a straight line through the last points is 0; steps are bounded."""
    x, y = points[-1]
    slope = _SLOPE
    if len(points) > 1 and points[0][0] != x:
        slope = min(-0.2, max(-2.0, (y - points[0][1]) / (x - points[0][0])))
    return x + min(6.0, max(-6.0, -y / slope))
