"""From a plain request to its reply, which is written at once if it is plain too: as h11 would write it, byte by byte.

Everything else is left to h11, which then reads the request after all: a reply in parts or without a length, one that
ends the connection, and one with a line that HTTP does not allow, which h11 refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, RequestResponseCycle

__all__ = ["PlainCycle"]

LINE = re.compile(rb"[a-z0-9-]+: [\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?\r\n")
"""A line of a reply; there is no end of a line inside."""
ABOUT_CONNECTION = (b"connection: ", b"transfer-encoding: ")
BODILESS = (204, 304)
FIRST_LINES = {
    status: b"HTTP/1.1 %d %b\r\n" % (status, phrase)
    for status, phrase in STATUS_PHRASES.items()
    if status >= 200 and status not in BODILESS
}


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
