"""How often one key may ask: a bucket of tokens that fills at a steady rate. Kept in each worker process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from privpac.service.api.problems import Problem

__all__ = ["Rate"]

BURST_SECONDS = 2.0
MOST_BUCKETS = 10_000


class Rate:
    """`per_second` requests of every name, and bursts of two seconds' worth."""

    def __init__(
        self,
        per_second: float,
        *,
        what: str = "requests per second came with this key",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second, self._what, self._clock = per_second, what, clock
        self._most = max(1.0, per_second * BURST_SECONDS)
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, name: str) -> int:
        """Seconds until this name may come again; 0 if it may now."""
        tokens = self._tokens(name)
        return 0 if tokens >= 1 else math.ceil((1 - tokens) / self._per_second)

    def check(self, name: str) -> None:
        """A `Problem` that says when to come back if there were too many."""
        wait = self.wait(name)
        if wait:
            raise Problem(
                429,
                "too_many_requests",
                f"More than {self._per_second:g} {self._what}.",
                remedy=f"Wait {wait} s, or ask for more rows at once; nothing was charged.",
                headers={"Retry-After": str(wait)},
            )

    def count(self, name: str) -> None:
        """One more."""
        if len(self._buckets) >= MOST_BUCKETS:  # those that are full again say nothing
            self._buckets = {
                other: at for other, at in self._buckets.items() if self._tokens(other) < self._most
            }
        self._buckets[name] = (max(0.0, self._tokens(name) - 1), self._clock())

    def _tokens(self, name: str) -> float:
        now = self._clock()
        tokens, then = self._buckets.get(name, (self._most, now))
        return min(self._most, tokens + (now - then) * self._per_second)
