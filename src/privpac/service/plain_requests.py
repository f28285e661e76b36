"""Requests in the usual form, whose head was read before: the same bytes mean the same again.

A client sends one head many times, and to read it takes as long as to answer. h11 reads it once, alone, and what it
made of it is remembered. So there is no second reading of HTTP that could differ from the first: what h11 does not
read as one head with the length of a body, and whatever has to do with the connection, is left to it altogether.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import h11

__all__ = ["PlainHead", "whole_request"]

LONGEST, MOST = 4_096, 512
"""Bytes of a head that is remembered, and heads: 2 MiB of each process."""
END = b"\r\n\r\n"
APART = frozenset({b"transfer-encoding", b"expect", b"upgrade"})
"""Whoever sends one of these wants something else than a reply to a whole body."""


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
