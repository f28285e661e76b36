"""Requests in the usual form, whose head was read before: the same bytes mean the same again; and replies to them.

A client sends one head many times, and to read it takes as long as to answer. h11 reads it once, alone, and what it
made of it is remembered. So there is no second reading of HTTP that could differ from the first: what h11 does not
read as one head with the length of a body, and whatever has to do with the connection, is left to it altogether.

A plain reply is written at once, as h11 would write it, byte by byte. Everything else is left to h11, which then reads
the request after all: a reply in parts or without a length, one that ends the connection, and one with a line that HTTP
does not allow, which h11 refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, RequestResponseCycle

__all__ = ["PlainCycle", "PlainHead", "whole_request"]

LONGEST, MOST = 4_096, 512
"""Bytes of a head that is remembered, and heads: 2 MiB of each process."""
END = b"\r\n\r\n"
APART = frozenset({b"transfer-encoding", b"expect", b"upgrade"})
"""Whoever sends one of these wants something else than a reply to a whole body."""
LINE = re.compile(rb"[a-z0-9-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n")
"""A line of a reply; there is no end of a line inside."""
ABOUT_CONNECTION = (b"connection: ", b"transfer-encoding: ")
BODILESS = (204, 304)
FIRST_LINES = {
    status: b"HTTP/1.1 %d %b\r\n" % (status, phrase)
    for status, phrase in STATUS_PHRASES.items()
    if status >= 200 and status not in BODILESS
}


@dataclass(frozen=True, repr=False)
class PlainHead:
    """What a head says about its request; the headers have names in small letters."""

    path: str
    raw_path: bytes
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    length: int

    def scope(self, **connection: Any) -> dict[str, Any]:
        """For an application: the request, and the facts of its connection."""
        return {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": self.path,
            "raw_path": self.raw_path,
            "query_string": self.query,
            "headers": [*self.headers],
            **connection,
        }


def whole_request(data: bytes) -> tuple[PlainHead, bytes] | None:
    """The head and the body, if the data are one request in the usual form from its first byte to its last."""
    end = data.find(END, 0, LONGEST) + len(END)
    head = _read(data[:end]) if end >= len(END) else None
    return None if head is None or len(data) - end != head.length else (head, data[end:])


@lru_cache(maxsize=MOST)
def _read(head: bytes) -> PlainHead | None:
    reader = h11.Connection(h11.SERVER)
    reader.receive_data(head)
    try:
        request, rest = reader.next_event(), reader.next_event()
    except h11.RemoteProtocolError:
        return None
    if rest is not h11.NEED_DATA or reader.trailing_data != (
        b"",
        False,
    ):  # no body, or it began before the end
        return None
    assert isinstance(request, h11.Request)
    headers = tuple((name, value) for name, value in request.headers)
    facts = dict(headers)
    stays = facts.get(b"connection", b"keep-alive").lower() == b"keep-alive"
    if (request.method, request.http_version, stays) != (b"POST", b"1.1", True) or APART & facts.keys():
        return None
    raw_path, _, query = request.target.partition(b"?")
    return PlainHead(
        unquote(raw_path.decode("ascii")), raw_path, query, headers, int(facts[b"content-length"])
    )


class PlainCycle(RequestResponseCycle):
    """One request that came whole, `request`, with its `body`; `write_whole` sends a whole reply."""

    def __init__(
        self, request: bytes, body: bytes, write_whole: Callable[[bytes], None], **connection: Any
    ) -> None:
        super().__init__(**connection)
        self._request, self._write_whole = request, write_whole
        self._start: Any = None
        self.body, self.more_body = bytearray(body), False
        self.message_event.set()

    async def send(self, message: Any) -> None:
        """Hold the head of a reply back until there is a body."""
        if message["type"] == "http.response.start" and not self.response_started:
            self._start = message
            return
        start, self._start = self._start, None
        if start is None or self.disconnected:
            await super().send(message)
            return
        reply = self._whole(start, message)
        if reply is None:
            self._leave_to_h11()
            await super().send(start)
            await super().send(message)
            return
        if self.flow.write_paused:
            await self.flow.drain()
        if not self.disconnected:
            self.response_started = self.response_complete = True
            self.message_event.set()
            self._write_whole(reply)
            self.on_response()

    def _whole(self, start: Any, message: Any) -> bytes | None:
        first = FIRST_LINES.get(start["status"])
        if first is None or not self.keep_alive or message.get("more_body", False):
            return None
        return whole_reply(first, (*self.default_headers, *start["headers"]), message.get("body", b""))

    def _leave_to_h11(self) -> None:
        self.conn.receive_data(self._request)
        while not isinstance(self.conn.next_event(), h11.EndOfMessage):
            pass


def whole_reply(first: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> bytes | None:
    """The bytes of a reply whose only length is that of its body; None if there is anything special about it."""
    lines = [b"%b: %b\r\n" % header for header in headers]
    lengths = [line for line in lines if line.startswith(b"content-length:")]
    if lengths != [b"content-length: %d\r\n" % len(body)]:
        return None
    for line in lines:
        if LINE.fullmatch(line) is None or line.startswith(ABOUT_CONNECTION):
            return None
    return b"".join([first, *lines, b"\r\n", body])
