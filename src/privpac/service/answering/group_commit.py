"""One thread that commits: requests that wait while a commit runs are committed together in the next one.

A commit waits for the disk. One for every request would make everybody wait in turn; one for all who wait costs the
same. Whoever finds the thread idle is served at once, unless a crowd was answered just before and comes back.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from privpac.errors import PrivpacError
from privpac.service.answering.requests import Outcome
from privpac.service.api.problems import Problem

__all__ = ["GroupCommit"]

MOST_TOGETHER = 256
"""Requests of one transaction: others wait for its lock."""
MOST_WAITING = 4_096
"""Beyond this many, a request is better refused than kept waiting."""

CROWD, LONGEST_PAUSE = 8, 0.01
"""So many who are answered often ask again together. The first of them waits for the others as long as one comes after
the other, within these seconds and within a quarter of those that the last commit took, and at most for half of those:
every commit has a price of its own."""

Result = Outcome | Exception
A = TypeVar("A")
"""What is asked."""
_Waiting = tuple[A, "asyncio.Future[Outcome]", asyncio.AbstractEventLoop]


class GroupCommit(Generic[A]):
    """Started once; `submit` from event loops; `stop` answers everyone who waits, then ends."""

    def __init__(
        self,
        answer: Callable[[Sequence[A]], list[Outcome]],
        *,
        committed: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._answer, self._committed = answer, committed
        self._queue: queue.SimpleQueue[list[_Waiting[A]] | None] = queue.SimpleQueue()
        self._turn: list[_Waiting[A]] = []
        """Those of this turn of the event loop. They are handed over together: to wake a thread costs as much as to
        admit a request, and it would begin with the first of them alone."""
        self._count = 0
        self._size, self._seconds = 0, 0.0
        """How many there were when the last commit ended, answered by it or waiting already, and how long it took."""
        self._open = True
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="privpac-commits", daemon=True)
        self._thread.start()

    async def submit(self, ask: A) -> Outcome:
        """The outcome, once it is durable."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        with self._lock:
            if not self._open or self._count > MOST_WAITING:
                raise Problem(
                    503,
                    "busy",
                    "The service is stopping, or too many requests wait.",
                    remedy="Send the request again with the same idempotency key.",
                    headers={"Retry-After": "1"},
                )
            self._turn.append((ask, future, loop))
            self._count += 1
            first = len(self._turn) == 1
        if first:
            loop.call_soon(self._hand_over)
        return await future

    def _hand_over(self) -> None:
        with self._lock:
            if self._turn:
                self._queue.put(self._turn)
                self._turn = []

    def stop(self) -> None:
        """Take nothing new, finish what waits, and return when it is done."""
        with self._lock:
            if self._open:
                self._open = False
                self._queue.put(self._turn)
                self._turn = []
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        last = False
        while not last:
            waiting, last = self._gather()
            begin = time.monotonic()
            for start in range(0, len(waiting), MOST_TOGETHER):
                group = waiting[start : start + MOST_TOGETHER]
                self._deliver(group, self._results([ask for ask, _, _ in group]))
            with self._lock:
                self._size, self._seconds = self._count, time.monotonic() - begin
                self._count -= len(waiting)

    def _gather(self) -> tuple[list[_Waiting[A]], bool]:
        """Whoever waits now, and the rest of a crowd that is coming; and whether nobody will come after them."""
        waiting: list[_Waiting[A]] = []
        turn = self._queue.get()
        end, pause = time.monotonic() + self._seconds / 2, min(LONGEST_PAUSE, self._seconds / 4)
        while turn is not None:
            waiting += turn
            crowd = CROWD <= self._size > len(waiting) and time.monotonic() < end
            try:
                turn = self._queue.get(timeout=pause) if crowd else self._queue.get_nowait()
            except queue.Empty:
                return waiting, False
        return waiting, True

    def _results(self, asks: list[A]) -> Sequence[Result]:
        try:
            outcomes = self._answer(asks)
        except (
            PrivpacError
        ) as problem:  # the ledger cannot be used, or the bundle has ended: so for everybody
            return [problem] * len(asks)
        except Exception as problem:
            # What was committed is paid for and is not charged again. One request must not take others with it.
            return [problem] if len(asks) == 1 else [self._results([ask])[0] for ask in asks]
        self._committed(len(asks))
        return outcomes

    def _deliver(self, group: Sequence[_Waiting[A]], results: Sequence[Result]) -> None:
        loops: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Outcome], Result]]] = {}
        for (_, future, loop), result in zip(group, results, strict=True):
            loops.setdefault(loop, []).append((future, result))
        for loop, ready in loops.items():
            try:
                loop.call_soon_threadsafe(_set, ready)
            except RuntimeError:  # that loop is closed, and nobody listens any more
                continue


def _set(ready: Sequence[tuple[asyncio.Future[Outcome], Result]]) -> None:
    for future, result in ready:
        if future.done():  # the asker went away; what was paid for is kept and free when asked again
            continue
        if isinstance(result, Exception) and not isinstance(result, Problem):
            future.set_exception(result)
        else:
            future.set_result(result)
