"""Events that tell two inputs apart, learnt from outputs.

Every event is {score >= cut} for some score of an output: how much more often this very output was seen on one side,
one coordinate of an array, or a weighted sum of its coordinates. What is learnt here needs no guarantee: it is tested
on runs of its own (`sample.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privpac.errors import ParameterError

__all__ = ["Event", "Outcome", "best_event", "outcome"]

MOST_COORDINATES = 32
"""Coordinates of an output that are tried by themselves: those that differ most."""
MOST_CUTS = 64
CAUTION = 3.0
"""Standard deviations by which an event's counts are discounted before events are compared."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """An output, as something that can be compared and, if it is made of numbers, as a vector."""

    key: Hashable = field(repr=False)
    numbers: tuple[float, ...] | None = field(default=None, repr=False)


def outcome(output: object) -> Outcome:
    """Any hashable value, array, or nest of lists of these."""
    if isinstance(output, np.ndarray):
        if output.dtype.kind in "biuf":
            values = tuple(float(v) for v in output.ravel())
            return Outcome((output.shape, _exact(values)), values)
        output = output.tolist()
    if isinstance(output, bool | int | float | np.generic) and not isinstance(output, np.str_ | np.bytes_):
        return Outcome(_exact((float(output),)), (float(output),))
    if isinstance(output, list | tuple):
        parts = [outcome(part) for part in output]
        numbers = [part.numbers for part in parts]
        whole = None if None in numbers else tuple(v for part in numbers if part is not None for v in part)
        return Outcome(tuple(part.key for part in parts), whole)
    try:
        hash(output)
    except TypeError:
        requirement = "a function whose outputs are hashable, arrays, or lists of these"
        raise ParameterError("audit sample", "function", type(output).__name__, allowed=requirement) from None
    return Outcome(output)


def _exact(values: tuple[float, ...]) -> Hashable:
    """Equal for the same numbers only; nan is one number here, and 0 and -0 are two."""
    return tuple(value.hex() for value in values)


Score = Callable[[Sequence[Outcome]], Floats]


@dataclass(frozen=True)
class Event:
    """Outputs with a score of at least `cut`; `first`: more likely on the first input of the pair."""

    score: Score = field(repr=False)
    cut: float = field(repr=False)
    first: bool
    kind: str
    worth: float = field(repr=False, default=0.0)

    def hits(self, outcomes: Sequence[Outcome]) -> int:
        """How many of the outcomes lie in the event."""
        return int((self.score(outcomes) >= self.cut).sum())


def best_event(one: Sequence[Outcome], two: Sequence[Outcome], *, delta: float) -> Event:
    """The event that promises the largest epsilon: scores are made from one half, cuts are compared on the other."""
    halves = [list(side[0::2]) for side in (one, two)]
    second_halves = [list(side[1::2]) for side in (one, two)]
    best = Event(_never, 1.0, True, "no event", -math.inf)
    for kind, score in _scores(*halves):
        for first in (True, False):
            candidate = _best_cut(kind, score, halves, second_halves, first=first, delta=delta)
            best = max(best, candidate, key=lambda event: event.worth)
    return best


def _never(outcomes: Sequence[Outcome]) -> Floats:
    return np.zeros(len(outcomes))


def _scores(one: list[Outcome], two: list[Outcome]) -> list[tuple[str, Score]]:
    counts = [Counter(o.key for o in side) for side in (one, two)]
    scores: list[tuple[str, Score]] = []
    if len(counts[0] | counts[1]) < (len(one) + len(two)) // 2:  # otherwise nothing was seen twice
        weights = {key: _log_ratio(counts[0][key], counts[1][key]) for key in counts[0] | counts[1]}
        scores += [("a set of outputs", _by_key(weights, sign)) for sign in (1, -1)]
    width = {len(o.numbers) for o in [*one, *two] if o.numbers is not None}
    if len(width) != 1 or 0 in width:
        return scores
    (count,) = width
    table = [
        np.nan_to_num(np.array([o.numbers for o in side if o.numbers is not None])) for side in (one, two)
    ]
    if not all(len(rows) > 1 for rows in table):
        return scores
    gap = table[0].mean(axis=0) - table[1].mean(axis=0)
    slope = gap / (table[0].var(axis=0) + table[1].var(axis=0) + 1e-12)
    worth = np.abs(gap * slope)
    for place in np.argsort(-worth, kind="stable")[:MOST_COORDINATES]:
        axis = np.zeros(count)
        axis[place] = 1.0
        scores += [(f"coordinate {place} beyond a cut", _along(sign * axis)) for sign in (1, -1)]
    if count > 1:
        scores += [("a sum of coordinates beyond a cut", _along(sign * slope)) for sign in (1, -1)]
    return scores


def _log_ratio(a: int, b: int) -> float:
    return math.log((a + 0.5) / (b + 0.5))


def _by_key(weights: dict[Hashable, float], sign: int) -> Score:
    return lambda outcomes: np.array([sign * weights.get(o.key, 0.0) for o in outcomes], dtype=np.float64)


def _along(direction: Floats) -> Score:
    """Outputs that are no vectors of this length score lowest."""

    def score(outcomes: Sequence[Outcome]) -> Floats:
        values = np.full(len(outcomes), -math.inf)
        fit = [
            i for i, o in enumerate(outcomes) if o.numbers is not None and len(o.numbers) == len(direction)
        ]
        if fit:
            values[fit] = np.nan_to_num(np.array([outcomes[i].numbers for i in fit])) @ direction
        return values

    return score


def _best_cut(
    kind: str,
    score: Score,
    first_halves: list[list[Outcome]],
    second_halves: list[list[Outcome]],
    *,
    first: bool,
    delta: float,
) -> Event:
    values = np.unique(np.concatenate([score(side) for side in first_halves]))
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return Event(score, math.inf, first, kind, -math.inf)
    cuts = values[np.unique(np.linspace(0, len(values) - 1, MOST_CUTS).astype(int))]
    sorted_scores = [np.sort(score(side)) for side in second_halves]
    shares = [1 - np.searchsorted(values, cuts, side="left") / len(values) for values in sorted_scores]
    p, q = shares if first else shares[::-1]
    sizes = [len(side) for side in (second_halves if first else second_halves[::-1])]
    low = p - CAUTION * np.sqrt(p * (1 - p) / sizes[0] + 1 / sizes[0] ** 2) - delta
    high = q + CAUTION * np.sqrt(q * (1 - q) / sizes[1] + 1 / sizes[1] ** 2)
    worth = np.where(low > 0, np.log(np.maximum(low, 1e-12) / high), -np.inf)
    best = int(np.argmax(worth))
    return Event(score, float(cuts[best]), first, kind, float(worth[best]))
