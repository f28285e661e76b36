"""What a plan may simulate, how long, and where results are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from privpac.constructions.wish import OWNER
from privpac.errors import PrivpacError
from privpac.numbers.parameters import Number, positive

__all__ = [
    "GRACE",
    "SECONDS",
    "Clock",
    "Keep",
    "MarginalSource",
    "Progress",
    "Simulation",
    "TimeUp",
    "Unsimulated",
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
        """Raises `TimeUp` if work of so many estimated seconds would end too late, at the pace of the work before."""
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
