"""Work that takes longer than a page may: done in the background, its progress noted in a drawer."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore

from privpac.errors import BudgetExceeded, PrivpacError, SizeError
from privpac.service.pages.drawers import Drawer

__all__ = ["Jobs", "Tell", "Work"]

Tell = Callable[[str, int, int], None]
"""(what is being done, how much of it, of how much)."""
Work = Callable[[Tell], None]

AT_ONCE = 1
"""Learning uses all cores by itself."""
MOST_WAITING = 8
SECONDS_BETWEEN = 0.2


class Jobs:
    """A short queue. What goes wrong is noted as one sentence with its remedy; a fault is told without details."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="privpac-pages")
        self._room = BoundedSemaphore(MOST_WAITING)

    def start(self, drawer: Drawer, work: Work, **facts: object) -> None:
        """Begin, or refuse at once if too much is waiting."""
        if not self._room.acquire(blocking=False):
            raise SizeError("Too much is being worked on at once.", remedy="Try again in a few minutes.")
        drawer.note(job="waiting", what="Waiting", done=0, of=0, **facts)
        self._pool.submit(self._run, drawer, work)

    def _run(self, drawer: Drawer, work: Work) -> None:
        try:
            drawer.note(job="running", what="Starting")
            work(_teller(drawer))
            drawer.note(job="done")
        except PrivpacError as problem:
            drawer.note(
                job="failed",
                problem=drawer.nameless(problem.problem),
                remedy=problem.remedy,
                refused=isinstance(problem, BudgetExceeded),
            )
        except Exception as fault:  # its message may quote records, so only its kind is told
            drawer.note(
                job="failed",
                problem=f"An unexpected {type(fault).__name__}: this is a fault of privpac, not of your input.",
                remedy="Please report it.",
                refused=False,
            )
        finally:
            self._room.release()

    def close(self) -> None:
        """Cancel what waits; what already runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _teller(drawer: Drawer) -> Tell:
    last = 0.0

    def tell(what: str, done: int, of: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN or done >= of:
            last = now
            drawer.note(what=what, done=done, of=of)

    return tell
