"""What the command line says: results on stdout; errors, warnings and progress on stderr.

With --json, stdout is one JSON document, and every line of stderr is one.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from privpac.errors import PrivpacError, SchemaError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Json",
    "Progress",
    "collecting",
    "fail",
    "hearing",
    "note",
    "prepare_streams",
    "progress",
    "reading",
    "show",
    "show_json",
    "show_result",
    "show_sections",
    "table_text",
    "warn",
    "working",
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
"""The option every verb has."""

Progress = Callable[[int, int], None]
"""How much of some work is done, and of how much."""

PATIENCE = 2.0  # seconds of work before a sign of life is due
PIPE_WIDTH = 200  # columns of a table that is not written to a terminal: no reader should have to unwrap it


def prepare_streams() -> None:
    """UTF-8 into pipes and files on every system; a terminal that lacks a character shows a question mark."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # a stream that was replaced need not have this
            if stream.isatty():
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
            else:
                stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters but for tabs and ends of lines."""


def show(text: str) -> None:
    """A result. Names in it may come from a file that anybody wrote, so nothing may speak to the terminal itself.

    A bar that is there meanwhile makes way, and comes back below.
    """
    with ExitStack() as waiting:
        for sign in _SIGNS:
            waiting.enter_context(sign.away())
        sys.stdout.write(_harmless(text) + "\n")
        sys.stdout.flush()


def _harmless(text: str) -> str:
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def show_json(tree: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """Print JSON to stdout, in ASCII."""
    # ASCII, so that no system's idea of an encoding can damage it.
    show(json.dumps(tree, indent=2, ensure_ascii=True))


def show_result(tree: Mapping[str, Any] | Sequence[Mapping[str, Any]], text: str, *, as_json: bool) -> None:
    """The same result for a program, or for a person."""
    if as_json:
        show_json(tree)
    else:
        show(text)


def show_sections(sections: Sequence[tuple[str, str]]) -> None:
    """Headings with text; the headings stand out on a terminal."""
    bold = sys.stdout.isatty()
    parts = []
    for heading, text in sections:
        title, words = _harmless(heading), _harmless(text)
        title = f"\x1b[1m{title}\x1b[0m" if bold and heading else title
        parts.append(f"{title}\n{words}" if heading else words)
    sys.stdout.write("\n\n".join(parts) + "\n")


def table_text(headings: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> str:
    """A table that wraps its cells to a terminal's width, and never elsewhere."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    for heading in headings:
        table.add_column(Text(heading), justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(
        width=None if sys.stdout.isatty() else PIPE_WIDTH, color_system=None, force_terminal=False
    )
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def note(text: str, *, as_json: bool) -> None:
    """Something a person may like to know; a program asked for the result only."""
    if not as_json:
        sys.stderr.write(text + "\n")


@contextmanager
def collecting() -> Iterator[list[str]]:
    """What privpac warns of meanwhile, to be said after the work and in our own form; other warnings are noise."""
    warnings_seen: list[str] = []
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always", UserWarning)
        yield warnings_seen
    warnings_seen += [str(entry.message) for entry in log if entry.category.__module__.startswith("privpac")]


@contextmanager
def hearing(*, as_json: bool) -> Iterator[None]:
    """What the library logs meanwhile goes to stderr: as it is, or as lines of JSON."""
    if not as_json:
        yield
        return
    import logging

    class JsonLines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            sys.stderr.write(json.dumps({"note": record.getMessage()}) + "\n")

    handler, logger = JsonLines(), logging.getLogger("privpac")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def warn(*texts: str, as_json: bool) -> None:
    """Write warnings to stderr: a line of text each, or of JSON."""
    for text in texts:
        line = json.dumps({"warning": text}) if as_json else f"Warning: {text}"
        sys.stderr.write(line + "\n")


def fail(problem: PrivpacError, *, as_json: bool) -> None:
    """An error: one sentence for a person, or one line of JSON. Only a schema has several problems, a line each."""
    lines = str(problem).splitlines() if isinstance(problem, SchemaError) else [str(problem)]
    text = "\n".join(" ".join(line.split()) for line in lines)
    sys.stderr.write((json.dumps(problem.to_json()) if as_json else text) + "\n")


@contextmanager
def working(
    message: str, *, as_json: bool, stream: TextIO | None = None, patience: float = PATIENCE
) -> Iterator[None]:
    """A spinner on stderr while the work lasts longer than two seconds; none into files, pipes and --json."""
    target = sys.stderr if stream is None else stream
    if as_json or not target.isatty():
        yield
        return
    with _shown_after(patience, _Spinner(message, target)):
        yield


@contextmanager
def progress(
    message: str,
    *,
    as_json: bool,
    unit: str | None = None,
    stream: TextIO | None = None,
    patience: float = PATIENCE,
) -> Iterator[Progress]:
    """A bar on stderr for long work that knows how far it is; none into files, pipes and --json.

    With a `unit`, how many of them are done per second."""
    target = sys.stderr if stream is None else stream
    if as_json or not target.isatty():
        yield lambda count, of: None
        return
    bar = _Bar(message, target, unit)
    with _shown_after(patience, bar):
        yield bar.report


@contextmanager
def reading(verb: str, data: str, engine: str, *, as_json: bool) -> Iterator[Progress | None]:
    """A bar for records that are streamed, a spinner that says what is done for those that fit in memory."""
    from privpac.data.engines.opening import chosen_engine

    if chosen_engine(data, engine) == "files":
        with progress("Reading", as_json=as_json, unit="records") as report:
            yield report
    else:
        with working(verb, as_json=as_json):
            yield None


@contextmanager
def _shown_after(patience: float, sign: _Sign) -> Iterator[None]:
    timer = threading.Timer(patience, sign.start)
    timer.daemon = True
    _SIGNS.append(sign)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        sign.stop()
        _SIGNS.remove(sign)


_SIGNS: list[_Sign] = []
"""Signs of life that are there now, or soon."""


class _Sign(ABC):
    """Starts in the timer's thread, stops in the worker's: whichever comes second must see the first."""

    def __init__(self, message: str, stream: TextIO) -> None:
        self._message, self._stream = message, stream
        self._lock = threading.Lock()
        self._over = False
        self._live: Any = None

    @abstractmethod
    def _make(self, console: Console) -> Any:
        """What rich shows; it is started and stopped here."""

    def start(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._over:
                self._live = self._make(Console(file=self._stream))
                self._live.start()

    def stop(self) -> None:
        with self._lock:
            self._over = True
            if self._live is not None:
                self._live.stop()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Not to be seen meanwhile."""
        with self._lock:
            if self._live is not None:
                self._live.stop()
            try:
                yield
            finally:
                if self._live is not None and not self._over:
                    self._live.start()


class _Spinner(_Sign):
    def _make(self, console: Console) -> Any:
        return console.status(self._message)


class _Bar(_Sign):
    """Knows how far the work is before it is seen: work reports from its first second."""

    _task: Any = None
    _part: tuple[int, int] = (0, 1)

    def __init__(self, message: str, stream: TextIO, unit: str | None = None) -> None:
        super().__init__(message, stream)
        self._unit = unit
        self._begin = time.monotonic()

    def _make(self, console: Console) -> Any:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
        if self._unit is not None:
            columns.append(TextColumn("{task.fields[speed]}"))
        bar = Progress(*columns, console=console, transient=True)
        count, of = self._part
        self._task = bar.add_task(self._message, completed=count, total=of, speed=self._speed(count))
        return bar

    def _speed(self, count: int) -> str:
        return f"{count / max(1e-3, time.monotonic() - self._begin):,.0f} {self._unit}/s"

    def report(self, count: int, of: int) -> None:
        with self._lock:
            if count < self._part[0]:  # another pass
                self._begin = time.monotonic()
            self._part = (count, of)
            if self._live is not None:
                self._live.update(self._task, completed=count, total=of, speed=self._speed(count))
