"""Every line on stderr as one JSON document: ours, the server's own, and those of libraries.

What a library says may quote what was asked, so only the server's messages and ours are passed on; of others their
name, the type of their error and its place.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import warnings
from contextlib import nullcontext, suppress
from typing import TextIO

from privpac.faults import place_of
from privpac.service.watch.observing import LOGGER, now

__all__ = ["log_to_stderr"]

SERVER = "uvicorn"
TRUSTED = (SERVER, "privpac")


def log_to_stderr() -> None:
    """From now on, for the whole process."""
    root = logging.getLogger()
    if not any(isinstance(handler.formatter, _Line) for handler in root.handlers):
        handler = Together()
        handler.setFormatter(_Line())
        root.addHandler(handler)
    for name in (LOGGER.name, SERVER):
        logging.getLogger(name).setLevel(logging.INFO)
    warnings.showwarning = _warn
    # Nothing of these is in a line, and to find them out for each takes longer than to write it.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.raiseExceptions = (
        False  # a line that cannot be written would be printed with its arguments and a trace
    )


class Together(logging.StreamHandler[TextIO]):
    """Lines of one turn of an event loop are written together, before the loop waits again: a write per request would
    cost more than the line, and hand the interpreter to another thread each time. Elsewhere a line is written at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._lines.append(self.format(record) + self.terminator)
            first = len(self._lines) == 1
        except Exception:
            self.handleError(record)
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if first:
            loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what waits."""
        with self.lock or nullcontext():
            if self._lines:
                text, self._lines = "".join(self._lines), []
                with suppress(OSError, ValueError):  # nobody reads it any more
                    self.stream.write(text)
            with suppress(OSError, ValueError):
                super().flush()


class _Line(logging.Formatter):
    """A request's line is JSON already; no traceback, which may quote what was asked."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == LOGGER.name:
            return record.getMessage()
        line = {"time": now(), "level": record.levelname.lower()}
        if record.name.partition(".")[0] in TRUSTED:
            line["message"] = record.getMessage().strip()
        else:
            line["logger"] = record.name
        fault = record.exc_info[1] if record.exc_info else None
        if fault is not None:
            line["fault"] = f"{type(fault).__name__} in {place_of(fault)}"
        return json.dumps(line)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    place = f"{category.__name__} in {os.path.basename(filename)}, line {lineno}"
    LOGGER.warning(json.dumps({"time": now(), "level": "warning", "warning": place}))
