"""Around every request: an id, one line in the log, counts, and a clean error for what nobody foresaw.

A line tells who asked how much and what it cost; never rows, answers, keys, or the words of an exception, which may
quote them.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privpac.faults import place_of
from privpac.guarantee.ledger.budget import exact_text
from privpac.service import problems
from privpac.service.facts import FACTS, Facts
from privpac.service.metrics import Metrics

__all__ = ["LOGGER", "Observing", "log_to_stderr"]

LOGGER = logging.getLogger("privpac.service")
ELSEWHERE = "other"  # one name for every path that does not exist, or counters would grow with each attempt


class Observing:
    """ASGI middleware; the framework's own would cost as much as the rest of a request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, identity, status = time.perf_counter(), uuid.uuid4().hex, 0
        facts = scope[FACTS] = Facts()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", identity.encode())]
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except Exception as problem:
            facts.fault = problem
            if status == 0:
                facts.code = problems.FAULT.code
                await problems.response(problems.FAULT)(scope, receive, sending)
        self._note(scope, facts, identity, status, time.perf_counter() - begin)

    def _note(self, scope: Scope, facts: Facts, identity: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", ELSEWHERE)
        self.metrics.request(route, scope["method"], status, seconds)
        if facts.code is not None:
            self.metrics.refused(facts.code)
        if facts.epsilon:
            self.metrics.charged(facts.epsilon)
        line: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "request": identity,
            "method": scope["method"],
            "route": route,
            "status": status,
            "key": facts.key,
            "rows": facts.rows,
            "epsilon": None if facts.epsilon is None else exact_text(facts.epsilon),
            "milliseconds": round(seconds * 1000, 1),
        }
        if facts.code is not None:
            line["code"] = facts.code
        if facts.fault is not None:
            line["fault"] = f"{type(facts.fault).__name__} in {place_of(facts.fault)}"
        LOGGER.log(logging.INFO if facts.fault is None else logging.ERROR, json.dumps(line))


def log_to_stderr() -> None:
    """One JSON document a line."""
    if not LOGGER.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
