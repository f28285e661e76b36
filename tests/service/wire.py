"""What a server makes of bytes: which requests it sees, and what it replies. Over a socket, or without one."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from privpac.service.connections import Connection
from privpac.service.settings import Limits

STOCK: Any = H11Protocol
OURS: Any = partial(Connection, limits=Limits(header_seconds=5.0))
PATIENCE = 20.0
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


@dataclass(frozen=True)
class Seen:
    """A request as an application gets it."""

    method: str
    target: bytes
    version: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


@dataclass
class Witness:
    """An application that remembers what it saw, and replies with the bodies it got."""

    seen: list[Seen] = field(default_factory=list)
    headers: Sequence[tuple[bytes, bytes]] = ()
    status: int = 200
    framed: bool = True
    parts: int = 1

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message.get("body", b""), message.get("more_body", False)
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = tuple(scope["headers"])
        self.seen.append(Seen(scope["method"], target, scope["http_version"], headers, body))
        lines = [*self.headers]
        if self.framed:
            lines.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": lines})
        for part in range(self.parts):
            more = part < self.parts - 1
            piece = b"" if more else body
            await send({"type": "http.response.body", "body": piece, "more_body": more})


@contextmanager
def listening(app: Any, protocol: Any) -> Iterator[int]:
    """The port of a server in a thread, stopped at the end."""
    config = uvicorn.Config(app, http=protocol, lifespan="off", log_config=None, ws="none", access_log=False)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield sock.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE)


def exchanged(port: int, pieces: Sequence[bytes], *, replies: int, closed: bool) -> tuple[bytes, bool]:
    """What comes back after these pieces, and whether the server closed: waits for as much as is said, and a moment."""
    content = b""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(0.05)
            client.sendall(piece)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            enough = len(STATUS.findall(content)) >= replies and not closed
            client.settimeout(0.15 if enough else PATIENCE)
            try:
                part = client.recv(65536)
            except TimeoutError:
                return content, False
            except ConnectionResetError:
                return content, True
            if not part:
                return content, True
            content += part
    raise AssertionError(f"no end after {content!r}")


class Wire(asyncio.Transport):
    """A transport without a socket: remembers what was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written, self.closed, self.paused = b"", False, False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": ("127.0.0.1", 4), "sockname": ("127.0.0.1", 5)}.get(name, default)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self.closed:
            self.written += bytes(data)

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


async def fed(app: Any, protocol: Callable[..., Any], pieces: Sequence[bytes]) -> Wire:
    """A connection that got these pieces one after the other, each when it reads again."""
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none", access_log=False)
    config.load()
    state = ServerState()
    state.default_headers = [(b"server", b"wire")]
    one = cast(H11Protocol, protocol(config, state, {}, asyncio.get_running_loop()))
    wire = Wire()
    one.connection_made(wire)
    for piece in pieces:
        if not wire.closed:
            one.data_received(piece)
        for _ in range(60):
            await asyncio.sleep(0)
        assert not wire.paused or wire.closed, "nothing is read any more"
    one.connection_lost(None)
    for _ in range(5):
        await asyncio.sleep(0)
    return wire
