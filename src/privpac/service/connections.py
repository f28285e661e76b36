"""Connections that nobody can hold on to: whoever sends or reads too slowly makes room for others.

A connection waits for the head of a request, for its body, for an answer, and for the next request. Each wait that
depends on the other side has an end. A process keeps this many connections and no more: at the limit, whichever has
waited longest without asking anything gives way to the newcomer, and if all of them are being answered, the newcomer
is told so. The body's own deadline is kept by `Observing`, where there is a request that can be refused.

When the service stops, a request that is on its way is still taken and answered, and told that the connection ends.
"""

from __future__ import annotations

import asyncio
import http
import json
import logging
import socket
from collections.abc import Callable
from typing import Any, cast

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from privpac.service.api import problems
from privpac.service.api.problems import Problem
from privpac.service.plain_http import PlainCycle, PlainHead, whole_request
from privpac.service.settings import Limits
from privpac.service.watch.observing import LOGGER, now

__all__ = ["Connection"]

DRAIN_SECONDS = 0.5
"""How long a connection at rest is kept when the service stops: a request may be on its way."""
UNFINISHED_SECONDS = 5.0
"""How long a body may still take then."""
LINGER_SECONDS = 1.0
"""How long what is still sent is thrown away after a refusal: closing at once would destroy the refusal too."""
LENGTHS = {b"content-length", b"transfer-encoding"}
"""Where both are there, whoever passed the request on may have seen another end of it: nothing after it is read."""

TOO_MANY = Problem(
    503,
    "too_many_connections",
    "The service is answering as many connections as it takes.",
    remedy="Try again soon, and keep a connection open for many requests.",
    headers={"Retry-After": "1"},
)
SLOW = Problem(408, "too_slow", "The head of the request did not come in time.", remedy="Send it at once.")
NO_HTTP = Problem(400, "not_http", "This is not a request of HTTP/1.1.", remedy="Use an HTTP client.")


class Connection(H11Protocol):
    """One connection, within `limits`."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        limits: Limits,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = limits
        self._timer: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._rests_since = self.loop.time()
        self._refused = self._stopping = False
        self._next = b""
        """What came while a plain request was answered: h11 keeps it otherwise."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._held = _WholeReplies(transport, self.loop)
        super().connection_made(cast(asyncio.Transport, self._held))
        _send_at_once(transport)
        if len(self.connections) > self._limits.connections and not self._make_room():
            self._refuse(TOO_MANY)
        else:
            self._after(self._limits.header_seconds, self._too_slow)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._answers and isinstance(self.cycle, PlainCycle):
            self._next += data
            self.flow.pause_reading()
            return
        plain = whole_request(data) if self._at_rest else None
        if plain is None:
            super().data_received(data)
        else:
            self._begin(data, *plain)
        if self._answers:
            self._cancel()
            if self._stopping:
                self.cycle.keep_alive = False
        elif self._timer is None:
            self._after(self._limits.header_seconds, self._too_slow)

    def handle_events(self) -> None:
        super().handle_events()
        if self._answers and dict(self.cycle.scope["headers"]).keys() >= LENGTHS:
            self._answer_last(self.server_state.default_headers)

    def on_response_complete(self) -> None:
        self._held.flush()
        self._rests_since = self.loop.time()
        super().on_response_complete()
        if self._next:
            data, self._next = self._next, b""
            self.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._stuck is None:
            self._stuck = self.loop.call_later(self._limits.body_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
        if self.flow is not None:
            super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        self._refuse(NO_HTTP)

    def shutdown(self) -> None:
        """The service stops: take what is on its way, and nothing after it."""
        self._stopping = True
        headers = self.server_state.default_headers
        if CLOSE_HEADER not in headers:
            headers = self.server_state.default_headers = [*headers, CLOSE_HEADER]
        if not self._answers:
            self._after(DRAIN_SECONDS, self._rest)
            return
        self._answer_last(headers)
        if self.cycle.more_body:
            self._after(UNFINISHED_SECONDS, self._give_up)

    def _answer_last(self, headers: list[tuple[bytes, bytes]]) -> None:
        """The connection ends with this reply, and the reply says so."""
        self.cycle.keep_alive = False
        self.cycle.default_headers = headers if CLOSE_HEADER in headers else [*headers, CLOSE_HEADER]

    @property
    def _answers(self) -> bool:
        """Whether there is a request whose answer has not been sent."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _at_rest(self) -> bool:
        """Whether the next byte is the first of a request."""
        begins = self.conn.our_state is self.conn.their_state is h11.IDLE
        return begins and not self._answers and not self.conn.trailing_data[0]

    def _begin(self, request: bytes, head: PlainHead, body: bytes) -> None:
        """Answer a request that came whole, as the server does for what h11 has read."""
        self._unset_keepalive_if_required()
        scope = head.scope(
            asgi={"version": self.asgi_version, "spec_version": "2.3"},
            server=self.server,
            client=self.client,
            scheme=self.scheme,
            root_path=self.root_path,
            state=self.app_state.copy(),
        )
        self.cycle = PlainCycle(
            request,
            body,
            self._held.write_whole,
            scope=scope,
            conn=self.conn,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            on_response=self.on_response_complete,
        )
        task = self.loop.create_task(self.cycle.run_asgi(self.app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def _after(self, seconds: float, act: Callable[[], None]) -> None:
        self._cancel()
        self._timer = self.loop.call_later(seconds, act)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _make_room(self) -> bool:
        """End the connection that has rested longest; whether there was one."""
        resting = [
            other
            for other in self.connections
            if isinstance(other, Connection) and other is not self and not other._answers
        ]
        if not resting:
            return False
        longest = min(resting, key=lambda other: other._rests_since)
        longest.connections.discard(longest)
        longest.transport.abort()
        _note("made_room")
        return True

    def _too_slow(self) -> None:
        if self._answers:
            return
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self._refuse(SLOW)
        else:
            self.transport.close()

    def _rest(self) -> None:
        if not self._answers:
            self.transport.close()

    def _give_up(self) -> None:
        if self._answers and self.cycle.more_body:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.close()

    def _refuse(self, problem: Problem) -> None:
        """Say so, and throw away what is still sent."""
        self._refused = True
        self._cancel()
        self._unset_keepalive_if_required()
        self.connections.discard(self)
        self.transport.write(_as_bytes(problem))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._after(LINGER_SECONDS, self.transport.abort)
        _note(problem.code)


class _WholeReplies:
    """A transport that holds back a piece until the next one, and at most until the loop turns: the head of a reply
    leaves with its body, in one call of the system instead of two."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop, self._piece = transport, loop, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if self._piece or not data:
            data, self._piece = self._piece + data, b""
            if data:
                self._transport.write(data)
        else:
            self._piece = data
            self._loop.call_soon(self.flush)

    def write_whole(self, data: bytes) -> None:
        """A piece that need not wait for another."""
        self.flush()
        self._transport.write(data)

    def flush(self) -> None:
        if self._piece:
            piece, self._piece = self._piece, b""
            self._transport.write(piece)

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def write_eof(self) -> None:
        self.flush()
        self._transport.write_eof()


def _send_at_once(transport: asyncio.Transport) -> None:
    """A reply may be written in two pieces, and the second must not wait 40 ms until the first is acknowledged.

    The event loop does this itself only for sockets that it has opened.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _as_bytes(problem: Problem) -> bytes:
    reply = problems.response(problem)
    head = f"HTTP/1.1 {problem.status} {http.HTTPStatus(problem.status).phrase}\r\n".encode()
    lines = [*reply.raw_headers, CLOSE_HEADER]
    return head + b"".join(b"%b: %b\r\n" % line for line in lines) + b"\r\n" + bytes(reply.body)


def _note(code: str) -> None:
    """A line for what never became a request."""
    LOGGER.log(logging.WARNING, json.dumps({"time": now(), "level": "warning", "connection": code}))
