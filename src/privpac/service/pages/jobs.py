"""Work that takes longer than a page may: done in the background, its progress noted in a drawer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from privpac.errors import BudgetExceeded, PrivpacError, SizeError
from privpac.service.pages.drawers import Drawer, drawn_name

__all__ = ["BUSY", "Cancelled", "Jobs", "LastCall", "Tell", "Withdrawal", "Work", "seconds_since"]

Tell = Callable[[str, int, int], None]
"""(what is being done, how much of it, of how much)."""
LastCall = Callable[[], None]
"""Called last thing before a charge; raises `Cancelled` if the person who waits has withdrawn."""
Work = Callable[[Tell], None]

AT_ONCE = 1
"""Learning uses all cores by itself."""
MOST_WAITING = 8
SECONDS_BETWEEN = 0.2
BUSY = ("waiting", "running")
FAULT = "Something went wrong that nobody foresaw: this is a fault of privpac, not of your input."


class Cancelled(BaseException):
    """The person who waits has withdrawn before anything was charged.

    Not an `Exception`, as Ctrl-C is none: what ends a look at the records is charged for (`releasing`), unless it is
    the wish of a person, who has seen nothing of them.
    """


@dataclass(frozen=True)
class Withdrawal:
    """Whether work may still be withdrawn: decided once, by whoever comes first, in whichever process.

    The last thing before a charge is to decide for it, and from then on what is paid for is delivered; a person who
    cancels decides against it, and then nothing is charged.
    """

    drawer: Drawer

    PAID, CANCELLED = "paid", "cancelled"

    @property
    def _file(self) -> Path:
        return self.drawer.file("decision")

    def begin(self) -> None:
        """Nothing is decided yet."""
        self._file.unlink(missing_ok=True)

    @property
    def decision(self) -> str | None:
        """What was decided, if anything was."""
        return self._file.read_text(encoding="utf-8") if self._file.exists() else None

    def cancel(self) -> bool:
        """Withdraw; False if it is too late."""
        return self._decide(self.CANCELLED) == self.CANCELLED

    def pay(self) -> None:
        """The last call before a charge."""
        if self._decide(self.PAID) == self.CANCELLED:
            raise Cancelled

    def look(self) -> None:
        """On the way: stop if it was withdrawn."""
        if self.decision == self.CANCELLED:
            raise Cancelled

    def _decide(self, word: str) -> str:
        """Write a whole file, then give it its name unless that is taken: one of two succeeds, and both see which."""
        draft = self.drawer.write(f"decision-{drawn_name()}", word)
        try:
            os.link(draft, self._file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        return self._file.read_text(encoding="utf-8")


class Jobs:
    """A short queue. What goes wrong is noted as one sentence with its remedy; a fault is told without details."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="privpac-pages")
        self._room = BoundedSemaphore(MOST_WAITING)
        self._running: Drawer | None = None

    def start(self, drawer: Drawer, work: Work, **facts: object) -> None:
        """Begin, or refuse at once if too much is waiting."""
        if not self._room.acquire(blocking=False):
            raise SizeError("Too much is being worked on at once.", remedy="Try again in a few minutes.")
        Withdrawal(drawer).begin()
        drawer.note(job="waiting", what="Waiting", done=0, of=0, since=time.time(), **facts)
        self._pool.submit(self._run, drawer, work)

    def _run(self, drawer: Drawer, work: Work) -> None:
        self._running = drawer
        try:
            Withdrawal(drawer).look()
            drawer.note(job="running", what="Starting")
            work(_teller(drawer))
            drawer.note(job="done")
        except Cancelled:
            drawer.note(job="cancelled")
        except PrivpacError as problem:
            drawer.note(
                job="failed",
                problem=drawer.nameless(problem.problem),
                remedy=problem.remedy,
                refused=isinstance(problem, BudgetExceeded),
            )
        except (
            Exception
        ):  # neither its message, which may quote records, nor its kind, which may depend on them
            drawer.note(job="failed", problem=FAULT, remedy="Please report it.", refused=False)
        finally:
            self._running = None
            self._room.release()

    def close(self) -> None:
        """Cancel what waits, and what runs as long as nothing is charged; what is charged for is finished."""
        running = self._running
        if running is not None:
            Withdrawal(running).cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)


def seconds_since(state: Mapping[str, Any]) -> int:
    """Seconds since work was begun."""
    return max(0, int(time.time() - state.get("since", time.time())))


def _teller(drawer: Drawer) -> Tell:
    last, withdrawal = 0.0, Withdrawal(drawer)

    def tell(what: str, count: int, of: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN or count >= of:
            last = now
            withdrawal.look()
            drawer.note(what=what, done=count, of=of)

    return tell
