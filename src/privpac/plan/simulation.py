"""What a plan may simulate, how long, where results are kept, and means of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from privpac.constructions.wish import OWNER
from privpac.errors import ParameterError, PrivpacError
from privpac.numbers.parameters import Number, positive

__all__ = [
    "GRACE",
    "SECONDS",
    "Clock",
    "Keep",
    "Loss",
    "MarginalSource",
    "Progress",
    "Simulation",
    "TimeUp",
    "Unsimulated",
    "interval",
    "read_seconds",
]

T = TypeVar("T")

Progress = Callable[[str, int, int], None]
"""(what, done, of)."""

MarginalSource = str | Path | Mapping[str, Any]
"""Public marginals: a file of JSON, or what is in one."""


SECONDS = 40.0
"""A minute, with room for what begins and ends it."""
GRACE = 3.0
"""Seconds on top of those that were asked for: loading what learns, and the end of what has begun."""


class Unsimulated(PrivpacError):
    """There is no simulated number, and the message says why."""

    spent = 0.0
    """Seconds that went into finding out, by the public estimates."""


class TimeUp(Unsimulated):
    """Another trial would not end in time."""

    def __init__(self) -> None:
        super().__init__("the time was up: give it more --seconds")


class Clock:
    """The time that simulations really take: a trial that has begun may end, and none begins that is expected to end
    too late. Numbers of trials follow from public estimates alone; this is for machines that are slower than those."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._end = now, now() + seconds + GRACE
        self._pace = 1.0
        self.is_up = False
        """Whether something was left out for want of time."""

    def require(self, estimated: float) -> None:
        """Raises `TimeUp` if work of this many estimated seconds would end too late, at the pace of the work before."""
        if self._now() + self._pace * estimated > self._end:
            self.is_up = True
            raise TimeUp

    def part(self, share: float) -> Clock:
        """A clock for this share of what is left."""
        return Clock(share * (self._end - self._now()) - GRACE, self._now)

    def timed(self, estimated: float, work: Callable[[], T]) -> T:
        """What the work gives, if there is time for it."""
        self.require(estimated)
        begin = self._now()
        result = work()
        self._pace = (self._now() - begin) / estimated
        return result


class Keep(Protocol):
    """Somewhere to keep what simulations found."""

    def get(self, name: str, *, options: str) -> Any | None:
        """What was kept under this name, if it was computed with these options; otherwise None."""

    def put(self, name: str, value: object, *, options: str) -> None:
        """Keep a value under this name, together with the options it was computed with."""


def read_seconds(value: Number) -> float:
    """How long to simulate, as a person wrote it."""
    return float(positive(value, owner=OWNER, name="seconds"))


@dataclass(frozen=True)
class Simulation:
    """What to simulate on: nothing given means the built-in hard distributions, or synthetic tables."""

    table: object = None
    marginals: MarginalSource | None = None
    keep: Keep | None = None
    progress: Progress | None = None
    seconds: float = SECONDS
    """What all of it may take: more seconds, narrower intervals."""
    clock: Clock = field(init=False, compare=False, repr=False)
    """Runs from the beginning."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "clock", Clock(self.seconds))

    @property
    def on_tables(self) -> bool:
        """Whether records are drawn from a table, or from marginals, that a person brought."""
        return self.table is not None or self.marginals is not None


# Means over simulated data sets, each with an interval around it: of failures, and of what privacy costs. Where a
# failure probability can be summed, what is averaged is the *exact* one given the data, not the outcome of one draw:
# the learner's own coins add no noise.

ERRORS = 2.0
"""Standard errors on both sides of a mean: about 95 times in 100 the true one lies between."""


@dataclass(frozen=True)
class Loss:
    """What privacy cost in the mean of some runs, each beside one without privacy on the same records."""

    mean: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, private: Sequence[float], free: Sequence[float]) -> Loss:
        """From the errors of both, run by run. Records that are hard for both cancel, so few runs tell much.

        >>> Loss.of([0.3, 0.2, 0.4], [0.2, 0.1, 0.3]).mean
        0.1
        """
        gaps = [a - b for a, b in zip(private, free, strict=False)]
        runs = len(gaps)
        mean = math.fsum(gaps) / runs
        variance = math.fsum((gap - mean) ** 2 for gap in gaps) / max(1, runs - 1)
        width = ERRORS * math.sqrt(variance / runs)
        return cls(round(mean, 4), round(mean - width, 4), round(mean + width, 4), runs)

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"

    def to_json(self) -> dict[str, Any]:
        """The mean and its interval, as JSON."""
        return asdict(self)


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
