"""What Prometheus may know: counts, times and epsilons; nothing about rows, answers or keys.

Nor the memory and the processor time of the process, which many services tell: they depend on the records it holds.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import IO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from privpac import __version__

if sys.platform != "win32":
    import fcntl

__all__ = ["CONTENT_TYPE", "FOLDER", "Metrics", "metric_folder"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that tells workers where to add up their counts."""
PREFIX = "privpac-metrics-"
IN_USE = "in-use"
"""A file in the folder that is locked as long as the service lives, in whatever container."""
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
GROUPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


_BUILD = (
    "# HELP privpac_build_info The version that runs\n# TYPE privpac_build_info gauge\n"
    f'privpac_build_info{{version="{__version__}",python="{platform.python_version()}"}} 1\n'
)


class Metrics:
    """The counters of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "privpac_requests", "Requests", ["route", "method", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "privpac_request_seconds", "Seconds", ["route"], buckets=SECONDS, registry=self._registry
        )
        self._charged = Counter(
            "privpac_charged_epsilon", "Epsilon charged for answers", registry=self._registry
        )
        self._refused = Counter("privpac_refused", "Requests refused", ["code"], registry=self._registry)
        self._groups = Histogram(
            "privpac_commit_requests", "Requests in one commit", buckets=GROUPS, registry=self._registry
        )
        self._errors = Counter(
            "privpac_ledger_errors",
            "Requests for which the ledger could not be used",
            registry=self._registry,
        )
        self._routes: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        """Looked up once: to find a counter by its labels takes longer than to count. Routes are known, so are methods
        and statuses; others have one name."""
        self._in_progress = Gauge(
            "privpac_requests_in_progress",
            "Requests that wait for their answer",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def begun(self) -> None:
        """A request waits for its answer, until it has `ended`."""
        self._in_progress.inc()

    def ended(self) -> None:
        """It waits no longer."""
        self._in_progress.dec()

    def ledger_failed(self) -> None:
        """Count a request for which the ledger could not be used."""
        self._errors.inc()

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and how long it took."""
        of_route = self._routes.get((route, method, status))
        if of_route is None:
            counter = self._requests.labels(route, method, status)
            of_route = self._routes[route, method, status] = (counter, self._seconds.labels(route))
        counter, histogram = of_route
        counter.inc()
        histogram.observe(seconds)

    def charged(self, epsilon: Fraction) -> None:
        """Count epsilon that was charged."""
        self._charged.inc(float(epsilon))

    def refused(self, code: str) -> None:
        """Count a refusal by its code."""
        self._refused.labels(code).inc()

    def committed(self, size: int) -> None:
        """Count a group of answers that were committed together."""
        self._groups.observe(size)

    def text(self, left: Fraction, rho: Fraction | None = None) -> bytes:
        """All of it, of all workers, and what is left now."""
        registry = self._registry
        if FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        now = _gauge("privpac_left_epsilon", "Epsilon that is left in the ledger", left)
        if rho is not None:
            now += _gauge("privpac_left_rho", "Rho that is left in the ledger", rho)
        return generate_latest(registry) + now.encode() + _BUILD.encode()


def _gauge(name: str, help_: str, value: Fraction) -> str:
    return f"# HELP {name} {help_}\n# TYPE {name} gauge\n{name} {float(value)}\n"


@contextmanager
def metric_folder() -> Iterator[Path]:
    """A folder in which workers add up their counts; those that killed services left behind are removed."""
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{IN_USE}"):
        with suppress(OSError), lock.open("rb") as lock_file:  # somebody else's, or in use
            _lock(lock_file)
            shutil.rmtree(lock.parent, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with (folder / IN_USE).open("wb") as lock_file:
            _lock(lock_file)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[bytes]) -> None:
    """Hold the file until it is closed, if only by a kill; `OSError` if somebody else does.

    Windows has no such lock, and does not remove what is open.
    """
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
