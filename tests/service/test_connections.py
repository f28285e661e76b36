"""Slow, silent and too many clients: each wait has an end, and nobody keeps others out."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, cast

import pytest
import uvicorn

from privpac.service import connections
from privpac.service.api import problems
from privpac.service.connections import Connection, _WholeReplies
from privpac.service.settings import Limits
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing

PATIENCE = 20.0
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
WHOLE = HEAD + b"body"


Answer = Callable[[bytes], Awaitable[bytes]]


def application(answer: Answer) -> Any:
    """Reads the body and replies what `answer` makes of it; a `Problem` becomes a reply, as in the service."""

    async def reply(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        content = await answer(body)
        headers = [(b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await reply(scope, receive, send)
        except problems.Problem as problem:
            await problems.response(problem)(scope, receive, send)

    return app


async def refusing(scope: Any, receive: Any, send: Any) -> None:
    """Does not read the body."""
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"no"})


@contextmanager
def listening(app: Any, **limits: Any) -> Iterator[tuple[int, uvicorn.Server]]:
    """An application behind our connections, in a thread; stopped at the end."""
    made = Limits(**limits)
    observed = Observing(app, Metrics(), body_seconds=made.body_seconds)
    protocol = cast(type[Connection], partial(Connection, limits=made))
    config = uvicorn.Config(observed, http=protocol, lifespan="off", log_config=None, ws="none")
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as sock:
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield sock.getsockname()[1], server
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@application
async def echo(body: bytes) -> bytes:
    return body


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def read_all(client: socket.socket) -> bytes:
    content = b""
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            content += part
    return content


def asked(client: socket.socket) -> bytes:
    """One whole reply to one whole request."""
    client.sendall(WHOLE)
    reply = b""
    while not reply.endswith(b"\r\n\r\nbody"):
        part = client.recv(1000)
        if not part:
            break
        reply += part
    return reply


def error(reply: bytes) -> tuple[int, str]:
    head, _, body = reply.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"POST / HTTP/1.1\r\nHo", (408, "too_slow")),
        (HEAD + b"bo", (408, "too_slow")),
        (b"\x16\x03\x01 this is TLS\r\n\r\n", (400, "not_http")),
    ],
    ids=["half a head", "half a body", "no HTTP"],
)
def test_what_never_comes_is_not_waited_for(sent: bytes, expected: tuple[int, str]) -> None:
    with listening(echo, header_seconds=0.3, body_seconds=0.3) as (port, _), connect(port) as client:
        client.sendall(sent)
        begin = time.monotonic()
        assert error(read_all(client)) == expected
        assert time.monotonic() - begin < 5


def test_a_silent_connection_is_ended() -> None:
    with listening(echo, header_seconds=0.3) as (port, _), connect(port) as client:
        assert read_all(client) == b""


@pytest.mark.long
def test_one_byte_now_and_then_does_not_buy_time() -> None:
    with listening(echo, header_seconds=0.5) as (port, _), connect(port) as client:
        begin = time.monotonic()
        with suppress(ConnectionError):
            for byte in b"POST / HTTP/1.1\r\nHost: " + b"x" * 100:
                client.sendall(bytes([byte]))
                time.sleep(0.05)
        assert time.monotonic() - begin < 4


def test_bytes_after_a_refused_body_do_not_keep_the_connection() -> None:
    with listening(refusing, header_seconds=0.3) as (port, _), connect(port) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        begin = time.monotonic()
        with suppress(ConnectionError):
            while time.monotonic() - begin < PATIENCE:
                client.sendall(b"x")
                time.sleep(0.05)
        assert time.monotonic() - begin < 5


@pytest.mark.long
def test_a_client_that_does_not_read_is_ended() -> None:
    @application
    async def long(body: bytes) -> bytes:
        return b"x" * (64 << 20)

    with listening(long, body_seconds=0.5) as (port, _), connect(port) as client:
        client.sendall(WHOLE)
        time.sleep(1.5)
        assert len(read_all(client)) < 64 << 20


def test_a_reply_does_not_wait_for_acknowledgements() -> None:
    """The listening socket comes from outside of the event loop, which sets this only on its own."""
    with listening(echo) as (port, server), connect(port) as client:
        assert asked(client).endswith(b"body")
        (connection,) = server.server_state.connections
        accepted = cast(Connection, connection).transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


def test_half_heads_do_not_keep_others_out() -> None:
    """Ten times as many as the limit, none of them ever finished; whoever asks properly is answered at once.

    They are counted by the service, between two of its steps: seen from outside, a newcomer may be there already and
    whoever makes room for it still be there.
    """
    counts: list[int] = []

    @application
    async def count(body: bytes) -> bytes:
        counts.append(len(server.server_state.connections))
        return body

    with listening(count, connections=20) as (port, server), ExitStack() as held:
        for _ in range(10):
            for _ in range(20):
                held.enter_context(connect(port)).sendall(b"POST / HT")
            with connect(port) as client:
                assert asked(client).startswith(b"HTTP/1.1 200")
    assert len(counts) == 10
    assert max(counts) <= 20


def test_at_the_limit_of_busy_connections_a_newcomer_is_told() -> None:
    go = threading.Event()

    @application
    async def wait(body: bytes) -> bytes:
        while not go.is_set():
            await asyncio.sleep(0.01)
        return body

    with listening(wait, connections=2) as (port, server), ExitStack() as held:
        busy = [held.enter_context(connect(port)) for _ in range(2)]
        for client in busy:
            client.sendall(WHOLE)
        while len(server.server_state.tasks) < 2:
            time.sleep(0.01)
        with connect(port) as client:
            client.sendall(WHOLE)
            assert error(read_all(client)) == (503, "too_many_connections")
        go.set()
        for client in busy:
            assert client.recv(1000).startswith(b"HTTP/1.1 200")


def test_requests_on_their_way_are_answered_when_the_service_stops() -> None:
    """A client that keeps its connection open and asks without pause never sees a broken reply."""
    broken: list[bytes] = []
    closed = threading.Event()

    def asking(port: int) -> None:
        with connect(port) as client:
            while True:
                reply = asked(client)
                if not reply.endswith(b"body"):
                    broken.append(reply)
                    return
                if b"connection: close" in reply:
                    closed.set()
                    return

    with listening(echo) as (port, server):
        clients = [threading.Thread(target=asking, args=(port,)) for _ in range(8)]
        for client in clients:
            client.start()
        idle, half = connect(port), connect(port)
        assert asked(idle).endswith(b"body")
        half.sendall(HEAD + b"b")
        time.sleep(0.3)
        begin = time.monotonic()
        server.should_exit = True
        for client in clients:
            client.join(PATIENCE)
        assert broken == []
        assert closed.is_set()
        assert read_all(idle) == b""
        assert time.monotonic() - begin < 3
        half.close()


def test_a_body_that_never_ends_does_not_keep_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNFINISHED_SECONDS", 0.5)
    with listening(echo) as (port, server), connect(port) as half:
        half.sendall(HEAD + b"b")
        while not server.server_state.tasks:
            time.sleep(0.01)
        begin = time.monotonic()
        server.should_exit = True
        assert read_all(half) == b""
        assert time.monotonic() - begin < 5


class Pieces(asyncio.Transport):
    """A transport that remembers what was written, call by call."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self.written.append(b"(closed)")


def test_the_head_of_a_reply_leaves_with_its_body_and_nothing_is_kept_back_for_long() -> None:
    async def pieces() -> None:
        below = Pieces()
        held = _WholeReplies(below, asyncio.get_running_loop())
        for data in (b"head ", b"body", b""):
            held.write(data)
        assert below.written == [b"head body"]
        held.write(b"continue")
        assert len(below.written) == 1
        await asyncio.sleep(0)
        assert below.written[1:] == [b"continue"]
        for _ in range(10):  # chunks of a long body, without a turn of the loop
            held.write(b"x")
        assert b"".join(below.written[2:]) == b"x" * 10
        held.write(b"last")
        held.close()
        assert below.written[-2:] == [b"last", b"(closed)"]

    asyncio.run(pieces())
