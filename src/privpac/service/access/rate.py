"""How often one key may ask: a bucket of tokens that fills at a steady rate. Kept in each worker process."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from privpac.service.api.problems import Problem

__all__ = ["Rate"]

BURST_SECONDS = 2.0


class Rate:
    """`per_second` requests of every key, and bursts of two seconds' worth."""

    def __init__(self, per_second: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._clock = per_second, clock
        self._most = max(1.0, per_second * BURST_SECONDS)
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> None:
        """Count one request; a `Problem` that says when to come back if there were too many."""
        now = self._clock()
        tokens, then = self._buckets.get(key, (self._most, now))
        tokens = min(self._most, tokens + (now - then) * self._per_second)
        if tokens < 1:
            self._buckets[key] = (tokens, now)
            wait = math.ceil((1 - tokens) / self._per_second)
            raise Problem(
                429,
                "too_many_requests",
                f"More than {self._per_second:g} requests per second came with this key.",
                remedy=f"Wait {wait} s, or ask for more rows at once; nothing was charged.",
                headers={"Retry-After": str(wait)},
            )
        self._buckets[key] = (tokens - 1, now)
