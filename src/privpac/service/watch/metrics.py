"""What Prometheus may know: counts, times and epsilons; nothing about rows, answers or keys."""

from __future__ import annotations

import os
from fractions import Fraction

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = ["CONTENT_TYPE", "FOLDER", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that tells workers where to add up their counts."""
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
GROUPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


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

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and how long it took."""
        self._requests.labels(route, method, status).inc()
        self._seconds.labels(route).observe(seconds)

    def charged(self, epsilon: Fraction) -> None:
        """Count epsilon that was charged."""
        self._charged.inc(float(epsilon))

    def refused(self, code: str) -> None:
        """Count a refusal by its code."""
        self._refused.labels(code).inc()

    def committed(self, size: int) -> None:
        """Count a group of answers that were committed together."""
        self._groups.observe(size)

    def text(self, left: Fraction) -> bytes:
        """All of it, of all workers, and what is left now."""
        registry = self._registry
        if FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        now = f"# TYPE privpac_left_epsilon gauge\nprivpac_left_epsilon {float(left)}\n"
        return generate_latest(registry) + now.encode()
