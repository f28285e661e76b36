"""Small searches over public numbers: floats propose settings, and whoever asks certifies what they promise."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privpac.errors import SizeError
from privpac.numbers.exact import first_whole
from privpac.numbers.rough import Floats

__all__ = [
    "PLENTY",
    "STEP",
    "crossing",
    "first_by_decay",
    "first_by_value",
    "first_proved",
    "minimum",
    "proved_from",
    "stepped",
]

STEP = Fraction(1, 1000)
"""Epsilons inside a construction are multiples of this; small ones have three digits."""


@lru_cache(maxsize=8)
def _grid(axes: int, count: int) -> tuple[Floats, NDArray[np.intp]]:
    """Numbers from 0 to 1, equally far apart, and which of them every place of a grid has in each coordinate."""
    return np.arange(count) / max(1, count - 1), np.indices((count,) * axes).reshape(axes, -1)


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
    parts, places = _grid(len(limits), count)
    # Equally far apart by ratio.
    flat = [(low * (high / low) ** parts)[place] for (low, high), place in zip(limits, places, strict=True)]
    with np.errstate(
        over="ignore", divide="ignore", invalid="ignore"
    ):  # hopeless settings are infinitely bad
        values = value(*flat)
    values = np.where(np.isnan(values), math.inf, np.clip(values, -_LARGEST, _LARGEST))
    first = int(np.argmin(values))
    return float(values[first]), [float(axis[first]) for axis in flat]


def stepped(value: float) -> Fraction:
    """The nearest positive multiple of the step, or of a finer one where that would change it by a hundredth.

    >>> stepped(0.2345), stepped(0.02345)
    (Fraction(117, 500), Fraction(117, 5000))
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
    holds: Callable[[int], bool],
    *,
    want: float,
    start: int,
    owner: str,
    others: int,
) -> int:
    """The first number whose error in floats is small enough and at which what the search proposes is proved."""
    refusal = SizeError(
        f"{owner}: {others} unlabelled records are too few, whatever the number of labels.",
        remedy="Collect more records without labels, or allow a larger error.",
    )
    try:
        high = first_by_value(value, want, start=start, owner=owner)
    except SizeError:
        raise refusal from None
    first = proved_from(high, holds)
    if first is None:
        raise refusal
    return first


def proved_from(guess: int, holds: Callable[[int], bool]) -> int | None:
    """The first number from the hoped one on at which what is promised is proved, to four digits: rounding may put the
    proof a little above the hope, never far. None beyond MOST."""
    unit = max(1, guess // 4096)
    units = first_whole(lambda k: guess + k * unit > MOST or holds(guess + k * unit), start=0)
    candidate = guess + units * unit
    return candidate if candidate <= MOST else None


End = tuple[int, float]
"""A number, and the logarithm of its value over what is wanted."""


def first_by_value(value: Callable[[int], float], want: float, *, start: int, owner: str) -> int:
    """The first number from 2 on whose value, which falls like a power of it, is at most `want`; to four digits beyond
    a million, since such values are least ones that a search found, and jump by about as much, and to two beyond a
    billion, which nobody has."""
    at, before = min(max(2, start), MOST_RECORDS), None
    low: End = (1, math.inf)
    high: End | None = None
    while high is None or (low[0] == 1 and high[0] > 2):
        here = at, _over(value(at), want)
        low, high = (low, here) if here[1] <= 0 else (here, high)
        if at >= MOST_RECORDS and high is None:
            raise SizeError(f"{owner}: more than {MOST_RECORDS:.0e} records would be needed.")
        at, before = _onwards(here, before), here
        at = at if high is None else max(2, min(at, high[0] - 1))
    digits = 7 if high[0] < MANY else (4 if low[0] < BILLION else 2)
    return _close_in(value, want, low, high, power=True, digits=digits)


def first_by_decay(value: Callable[[int], float], want: float, *, start: int, most: int) -> int:
    """The same from 1 on for a value that falls from 1 like an exponential, to five digits; above `most` if none is
    small enough."""
    at, low = max(1, start), (0, -math.log(want))
    while (excess := _over(value(at), want)) > 0:
        low = at, excess
        if at >= most:
            return most + 1
        near = at * math.log(1 / want) / max(math.log(1 / want) - excess, _TINY)
        at = math.ceil(min(most, 4 * at, 1.05 * near + 1))
    return _close_in(value, want, low, (at, excess), power=False, digits=5)


def _over(value: float, want: float) -> float:
    return math.log(max(value, _TINY) / want)


def _onwards(here: End, before: End | None) -> int:
    """Past where a straight line on a log-log scale through the last numbers meets what is wanted."""
    if math.isinf(here[1]):
        return 16 * here[0]
    slope = _SLOPE
    if before is not None and before[0] != here[0] and math.isfinite(before[1]):
        slope = (here[1] - before[1]) / (math.log(here[0]) - math.log(before[0]))
        slope = min(-0.2, max(-2.0, slope))
    step = min(6.0, max(-6.0, -here[1] / slope))
    return round(here[0] * math.exp(step + math.copysign(_BEYOND, step))) + (1 if step > 0 else -1)


def _close_in(
    value: Callable[[int], float], want: float, low: End, high: End, *, power: bool, digits: int
) -> int:
    """The first number whose value is small enough between one that is not and one that is, to this many digits.

    Straight lines between the two lead to it; an end that stays counts half, or it might stay for ever. Where a value
    falls in steps a line may point to the next number again and again: after one such step the interval is halved."""
    crept = False
    while high[0] - low[0] > 1 + high[0] // 10**digits:
        part = 0.5 if crept or math.isinf(low[1]) else low[1] / max(low[1] - high[1], _TINY)
        at = low[0] * (high[0] / low[0]) ** part if power else low[0] + (high[0] - low[0]) * part
        here = min(max(round(at), low[0] + 1), high[0] - 1)
        crept = not crept and here in (low[0] + 1, high[0] - 1)
        excess = _over(value(here), want)
        low, high = (
            ((low[0], low[1] / 2), (here, excess))
            if excess <= 0
            else ((here, excess), (high[0], high[1] / 2))
        )
    return high[0]


def crossing(value: Callable[[float], float], want: float, *, low: float, high: float) -> float | None:
    """A positive number from which on a value that falls with it is at most `want`, to four digits; None if it is not
    even at the highest. Straight lines on a log-log scale lead to it, halves where the value is infinite."""
    if value(high) > want:
        return None
    ends = [(math.log(low), math.log(value(low) / want)), (math.log(high), math.log(value(high) / want))]
    if ends[0][1] <= 0:
        return low
    while ends[1][0] - ends[0][0] > _NEAR_ENOUGH:
        (x, above), (y, below) = ends
        part = above / (above - below) if math.isfinite(above) and below < 0 else 0.5
        at = x + (y - x) * min(0.95, max(0.05, part))
        excess = math.log(value(math.exp(at)) / want)
        # An end that stays counts half, or it might stay for ever.
        ends = [(x, above / 2), (at, excess)] if excess <= 0 else [(at, excess), (y, below / 2)]
    return math.exp(ends[1][0])


MANY, BILLION = 10**6, 10**9
_NEAR_ENOUGH = 1e-4
_BEYOND = 2e-3
"""How much further than a line says, so that the next number is likely to lie on the other side."""
_SLOPE = -0.5
"""How fast deviations fall, until two points tell better."""
_TINY = 1e-300
_LARGEST = sys.float_info.max
MOST_RECORDS = 10**13
"""More than a thousand times everybody alive."""
