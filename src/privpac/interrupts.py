"""What an interrupt does to a command: before a charge it ends it, and after one what was paid for is delivered.

A signal may arrive between any two steps. Until a charge begins, it ends the command, and nothing was charged. From
then on it waits: the work is finished and delivered, and a second one discards it and says what was spent. SIGTERM is
heard as SIGINT is. Handlers belong to the main thread of a program, so only the command line sets them; elsewhere an
interrupt is Python's own, and whoever charges notes on it what stands.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = ["Interrupts", "charging", "current", "note_charge"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)
NOTHING = "Interrupted: nothing was charged."


class Interrupts:
    """The signals that one command has heard, and the charges that it has made."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.raised = False
        """Whether one ended the command, whatever a library made of the exception."""
        self.signal: int = signal.SIGINT
        self._as_json = as_json
        self._charging = False
        self._charges: list[str] = []
        self._unheeded = self._heard_since = 0

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear signals inside, if this is the main thread."""
        global _current
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        outer, earlier = _current, {number: signal.getsignal(number) for number in SIGNALS}
        try:
            _current = self
            for number in SIGNALS:
                signal.signal(number, self._hear)
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
            _current = outer

    def _hear(self, number: int, _: FrameType | None) -> None:
        self.signal = number
        if self._charges:
            self._heard_since += 1
            if self._heard_since == 1:
                self._say(self._goes_on)
                return
        elif self._charging:
            self._unheeded += 1  # nobody knows yet whether it is charged
            return
        self.raised = True
        raise KeyboardInterrupt

    def begin(self) -> None:
        """From here on nothing ends the command before the charge is known; one that was swallowed ends it now."""
        self._charging = True
        if self.raised and not self._charges:
            self._charging = False
            raise KeyboardInterrupt

    def charged(self, words: str) -> None:
        """It is charged."""
        self._charges.append(words)
        if self._unheeded:
            self._unheeded, self._heard_since = 0, 1
            self._say(self._goes_on)

    def end(self) -> None:
        """The charge is made or refused."""
        self._charging = False

    @property
    def standing(self) -> str:
        """What was spent, as a sentence; empty if nothing was."""
        if not self._charges:
            return ""
        return f"What was charged stands: {'; '.join(self._charges)}."

    @property
    def _goes_on(self) -> str:
        return (
            f"Interrupted after the charge, so what was paid for is finished and delivered. {self.standing}"
            " Interrupt again to discard it."
        )

    def farewell(self) -> str:
        """What is said of a command that an interrupt ended."""
        if not self._charges:
            return NOTHING
        return f"Interrupted again: what was not delivered yet is discarded. {self.standing}"

    def afterwards(self) -> str:
        """What is said of a command that went on after an interrupt; empty if there was none."""
        return f"Finished in spite of the interrupt. {self.standing}" if self._heard_since else ""

    def _say(self, text: str) -> None:
        # Past the buffers: a handler may come in the middle of a write to them.
        line = (json.dumps({"note": text}) if self._as_json else text) + "\n"
        with suppress(OSError, ValueError, AttributeError):
            os.write(sys.stderr.fileno(), line.encode())


_current: Interrupts | None = None


def current() -> Interrupts | None:
    """Those of the command that is running, in its main thread."""
    return _current if threading.current_thread() is threading.main_thread() else None


@contextmanager
def charging(where: str) -> Iterator[Callable[[int, str], None]]:
    """Make a charge inside, and say its number and amount once it is made: all charges go through here."""
    interrupts = current()
    if interrupts is None:
        try:
            yield lambda number, amount: None
        except KeyboardInterrupt as problem:
            problem.add_note(f"It came while '{where}' was charged: its last row says whether it was.")
            raise
        return
    interrupts.begin()
    try:
        yield lambda number, amount: interrupts.charged(f"charge {number} of '{where}', {amount}")
    finally:
        interrupts.end()


def note_charge(problem: BaseException, words: str) -> None:
    """Note on an exception what stands although nothing came of it; once."""
    if words not in getattr(problem, "__notes__", ()):
        problem.add_note(words)
