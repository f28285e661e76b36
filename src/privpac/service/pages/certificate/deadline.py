"""Looking at a file that a visitor brought, in a process of its own that is ended when it takes too long.

Files are read within public limits, so this is a second wall: what a forged one could still make slow ends here, and
not in the process that serves everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from privpac.errors import NotCertified, PrivpacError

__all__ = ["SECONDS", "in_time"]

SECONDS = 30.0
"""Honest files take one or two, and a new process as much to begin."""

T = TypeVar("T")

_WAY = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
"""Never a fork of the process that serves: it has threads."""


@cache
def _context() -> Any:
    """Where processes come from: one that has imported already what all of them need."""
    context = get_context(_WAY)
    context.set_forkserver_preload(["privpac.service.pages.certificate.documents"])
    return context


def in_time(work: Callable[[Path], T], path: Path, *, seconds: float | None = None) -> T:
    """`work(path)`, or a refusal. `work` is a function of a module; what it returns is sent between processes."""
    context = _context()
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, work, path), daemon=True)
    process.start()
    there.close()
    try:
        limit = SECONDS if seconds is None else seconds
        if not here.poll(limit):
            raise NotCertified(
                f"Looking at this file takes more than {limit:g} seconds.",
                remedy="Verify it on your own machine: privpac verify FILE.",
            )
        answer, refusal = here.recv()
    except EOFError:
        raise NotCertified("This file cannot be looked at: the process that tried has ended.") from None
    finally:
        process.kill()
        process.join()
        here.close()
    if refusal is not None:
        raise NotCertified(refusal[0], remedy=refusal[1])
    result: T = answer
    return result


def _answer(there: Connection, work: Callable[[Path], object], path: Path) -> None:
    """What the other process does."""
    try:
        there.send((work(path), None))
    except PrivpacError as error:
        there.send((None, (error.problem, error.remedy)))
