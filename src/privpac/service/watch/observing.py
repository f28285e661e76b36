"""Around every request: an id, one line in the log, counts, and a clean error for what nobody foresaw.

There is a line whatever happens: for a refusal, a fault, an asker who went away, and a request that is cut short
because the service stops. A line tells who asked how much and what it cost; never rows, answers, keys, or the words
of an exception, which may quote them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
import uuid
from collections.abc import Awaitable, Generator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privpac.guarantee.ledger.budget import exact_text
from privpac.service.api import problems
from privpac.service.watch.facts import FACTS, Facts
from privpac.service.watch.metrics import Metrics

__all__ = ["LOGGER", "Observing", "by", "now"]

T = TypeVar("T")

LOGGER = logging.getLogger("privpac.service")
ELSEWHERE = "other"  # one name for every path that does not exist, or counters would grow with each attempt
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})
"""Others may be invented by anybody, and have one name for the same reason."""
CLIENT_LEFT = 499
"""The status of a request whose asker went away before there was a reply; nobody sees it but the log."""


class Observing:
    """ASGI middleware; the framework's own would cost as much as the rest of a request."""

    def __init__(self, app: ASGIApp, metrics: Metrics, *, body_seconds: float = 30.0) -> None:
        self.app, self.metrics, self.body_seconds = app, metrics, body_seconds
        # Not random each: asking the system would let the thread that commits run first, for milliseconds.
        self._prefix, self._numbers = uuid.uuid4().hex[:20], itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, identity, status = time.perf_counter(), f"{self._prefix}{next(self._numbers):012x}", 0
        facts = scope[FACTS] = Facts()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", identity.encode())]
            await send(message)

        async def refuse(problem: problems.Problem) -> None:
            facts.code = problem.code
            if status == 0:
                await problems.response(problem)(scope, receive, sending)

        self.metrics.begun()
        try:
            await self.app(scope, self._in_time(receive), sending)
        except ClientDisconnect:
            facts.code = "client_gone"
        except asyncio.CancelledError:  # the service stops and could not wait any longer
            await refuse(problems.STOPPED)
        except Exception as error:
            await refuse(problems.problem_of(error, facts))
        finally:
            self.metrics.ended()
            self._note(scope, facts, identity, status or CLIENT_LEFT, time.perf_counter() - begin)

    def _in_time(self, receive: Receive) -> Receive:
        """The body, as long as it comes soon enough; a `Problem` if it does not."""
        loop = asyncio.get_running_loop()
        end, complete = loop.time() + self.body_seconds, False

        async def receive_in_time() -> Message:
            nonlocal complete
            if complete:
                return await receive()
            try:
                message = await by(end, receive())
            except TimeoutError:
                raise problems.SLOW from None
            complete = not message.get("more_body", False)
            return message

        return receive_in_time

    def _note(self, scope: Scope, facts: Facts, identity: str, status: int, seconds: float) -> None:
        route = facts.route or str(getattr(scope.get("route"), "path", ELSEWHERE))
        method = scope["method"] if scope["method"] in METHODS else ELSEWHERE
        self.metrics.request(route, method, status, seconds)
        if facts.code is not None:
            self.metrics.refused(facts.code)
        if facts.cause is not None:
            self.metrics.ledger_failed()
        if facts.epsilon:
            self.metrics.charged(facts.epsilon)
        line: dict[str, Any] = {
            "time": now(),
            "request": identity,
            "method": method,
            "route": route,
            "status": status,
            "key": facts.key,
            "rows": facts.rows,
            "epsilon": None if facts.epsilon is None else exact_text(facts.epsilon),
            "milliseconds": round(seconds * 1000, 1),
        }
        level = logging.INFO
        if facts.code is not None or facts.fault is not None:
            trouble = {"code": facts.code, "fault": facts.fault, "cause": facts.cause}
            line |= {name: text for name, text in trouble.items() if text is not None}
            level = logging.INFO if facts.fault is None else logging.ERROR
        if LOGGER.isEnabledFor(level):
            # Made here, for a logger would first look for the place that called it, which is always this one.
            LOGGER.handle(logging.LogRecord(LOGGER.name, level, "", 0, json.dumps(line), None, None))


async def by(end: float, awaitable: Awaitable[T]) -> T:
    """The result, or `TimeoutError` if it is not there at `end`, a time of the running event loop.

    A timer is set only if there is something to wait for: to set it and to cancel it takes as long as to read a short
    body, and nearly every body comes with its head.
    """
    steps = awaitable.__await__()
    try:
        waits_for = next(steps)
    except StopIteration as stop:
        result: T = stop.value
        return result
    async with asyncio.timeout_at(end):
        return await _Begun(steps, waits_for)


class _Begun(Awaitable[T]):
    """The rest of an awaitable that has said what it waits for."""

    def __init__(self, steps: Generator[Any, Any, T], waits_for: object) -> None:
        self._steps, self._waits_for = steps, waits_for

    def __await__(self) -> Generator[Any, Any, T]:
        waits_for = self._waits_for
        while True:
            try:
                try:
                    value = yield waits_for
                except BaseException as error:  # the end has come, or the task is cancelled
                    waits_for = self._steps.throw(error)
                else:
                    waits_for = self._steps.send(value)
            except StopIteration as stop:
                result: T = stop.value
                return result


def now() -> str:
    """The time as lines of the log have it: in UTC, with milliseconds."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1_000)
    return f"{_text_of_second(seconds)}.{milliseconds:03}+00:00"


@lru_cache(maxsize=1)
def _text_of_second(second: int) -> str:
    """Once for all lines of a second: to write it takes half as long as a line."""
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None).isoformat(timespec="seconds")
