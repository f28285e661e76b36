"""Processor time that a look at a file may take, whatever stands in it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlow(BaseException):
    """Not an Exception, so that nothing on the way takes it for a fault of the file."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise TooSlow


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Seconds of this process, not of the clock: other work on the machine makes no difference."""
    before = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
