"""No two readings of the same bytes: what our connections see and reply is what the server's own ones do.

Where a proxy and a server read bytes differently, one asker's request can hide in another's. A request that comes whole
and in the usual form is read from memory instead of anew, so every form of doubt is tried here on both, over sockets;
and random cuts, copies and splits of such bytes on both without.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.wire import OURS, STATUS, STOCK, Witness, exchanged, fed, listening

PLAIN = b"POST /v1/predict?a=%20b HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nbody"
HIDDEN = b"POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nyes"
CHUNKS = b"4\r\nbody\r\n0\r\n\r\n"


def post(*lines: bytes, body: bytes = b"body", first: bytes = b"POST / HTTP/1.1") -> bytes:
    return b"\r\n".join([first, *lines, b"", body])


LENGTH, HOST = b"Content-Length: 4", b"Host: x"


@dataclass(frozen=True)
class Case:
    """Bytes, the bodies an application gets from them, and the statuses that are sent."""

    sent: tuple[bytes, ...]
    bodies: tuple[bytes, ...] = (b"body",)
    statuses: tuple[int, ...] = (200,)
    closed: bool = False


def refused(*sent: bytes, bodies: tuple[bytes, ...] = ()) -> Case:
    return Case(sent, bodies, (*(200 for _ in bodies), 400), closed=True)


TWO, THREE = (b"body", b"body"), (200, 200, 200)
CASES = {
    "plain": Case((PLAIN,)),
    "plain, again and again": Case((PLAIN, PLAIN, PLAIN), (*TWO, b"body"), THREE),
    "head and body apart": Case((PLAIN[:-4], PLAIN[-4:])),
    "byte by byte": Case((PLAIN[:7], PLAIN[7:60], PLAIN[60:-2], PLAIN[-2:])),
    "pipelined": Case((PLAIN + HIDDEN + PLAIN,), (b"body", b"yes", b"body"), THREE),
    "pipelined, the second in two pieces": Case(
        (PLAIN + HIDDEN[:20], HIDDEN[20:]), (b"body", b"yes"), (200, 200)
    ),
    "pipelined after a plain one": Case((PLAIN, PLAIN + HIDDEN), (*TWO, b"yes"), THREE),
    "chunks": Case((post(HOST, b"Transfer-Encoding: chunked", body=CHUNKS),)),
    "chunks, then plain": Case(
        (post(HOST, b"Transfer-Encoding: chunked", body=CHUNKS), PLAIN), TWO, (200, 200)
    ),
    "chunks with a request inside": Case(
        (post(HOST, b"Transfer-Encoding: chunked", body=b"%x\r\n%b\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)),),
        (HIDDEN,),
    ),
    "chunks with a space before the colon": refused(post(HOST, b"Transfer-Encoding : chunked", body=CHUNKS)),
    "other encoding": refused(post(HOST, b"Transfer-Encoding: gzip, chunked", body=CHUNKS)),
    "two equal lengths": Case((post(HOST, LENGTH, LENGTH),)),
    "a list of equal lengths": Case((post(HOST, b"Content-Length: 4, 4"),)),
    "two lengths": refused(post(HOST, LENGTH, b"Content-Length: 40")),
    "two lengths, the smaller later": refused(post(HOST, b"Content-Length: 40", LENGTH)),
    "a signed length": refused(post(HOST, b"Content-Length: +4")),
    "a negative length": refused(post(HOST, b"Content-Length: -4")),
    "a length in hexadecimal": refused(post(HOST, b"Content-Length: 0x4")),
    "a length with an underscore": refused(post(HOST, b"Content-Length: 0_4")),
    "a length of other digits": refused(post(HOST, b"Content-Length: \xd9\xa4")),
    "a length with a space before the colon": refused(post(HOST, b"Content-Length : 4")),
    "a length of twenty-one digits": refused(post(HOST, b"Content-Length: 000000000000000000004")),
    "a shorter length than the body": refused(
        post(HOST, b"Content-Length: 2", body=b"bo\x01dy"), bodies=(b"bo",)
    ),
    "a shorter length, and a request": Case(
        (post(HOST, b"Content-Length: 2", body=b"bo" + HIDDEN),), (b"bo", b"yes"), (200, 200)
    ),
    "no length": refused(post(HOST, body=b"\x01ody"), bodies=(b"",)),
    "no length, and a request": Case((post(HOST, body=HIDDEN),), (b"", b"yes"), (200, 200)),
    "bare line feeds": Case((PLAIN.replace(b"\r\n", b"\n"),)),
    "an empty line of a bare line feed": Case(
        (post(HOST, b"Content-Length: 44\n", b"X: y", body=b"b" * 36 + PLAIN),),
        (b"X: y\r\n\r\n" + b"b" * 36, b"body"),
        (200, 200),
    ),
    "bare carriage returns": refused(PLAIN.replace(b"\r\n", b"\r") + b"\r\n\r\n"),
    "a carriage return in a value": refused(post(HOST, b"X: a\rb", LENGTH)),
    "a NUL in a value": refused(post(HOST, b"X: a\0b", LENGTH)),
    "a folded line": Case((post(HOST, b"X: a", b" b", LENGTH),)),
    "a folded length": Case((post(HOST, b"Content-Length:", b" 4"),)),
    "a folded first line": refused(post(b" X: a", HOST, LENGTH)),
    "an empty line first": refused(b"\r\n" + PLAIN),
    "a space in a name": refused(post(HOST, b"X Y: z", LENGTH)),
    "no name": refused(post(HOST, b": z", LENGTH)),
    "no colon": refused(post(HOST, b"xyz", LENGTH)),
    "no host": refused(post(LENGTH)),
    "two hosts": refused(post(HOST, b"Host: y", LENGTH)),
    "HTTP/1.0": Case((post(LENGTH, first=b"POST / HTTP/1.0"),), closed=True),
    "HTTP/1.0 that wants to stay": Case(
        (post(LENGTH, b"Connection: keep-alive", first=b"POST / HTTP/1.0"),), closed=True
    ),
    "HTTP/1.2": Case((post(HOST, LENGTH, first=b"POST / HTTP/1.2"),)),
    "HTTP/2": Case((b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",), (b"",), (200, 400), closed=True),
    "asks to close": Case((post(HOST, LENGTH, b"Connection: close"), PLAIN), closed=True),
    "asks to stay": Case((post(HOST, LENGTH, b"Connection: keep-alive"), PLAIN), TWO, (200, 200)),
    "asks to upgrade": Case((post(HOST, LENGTH, b"Connection: upgrade", b"Upgrade: websocket"),)),
    "expects to continue": Case(
        (post(HOST, LENGTH, b"Expect: 100-continue", body=b""), b"body"), statuses=(100, 200)
    ),
    "expects to continue, and does": Case(
        (post(HOST, LENGTH, b"Expect: 100-continue"), PLAIN), TWO, (100, 200, 200)
    ),
    "HEAD": Case((post(HOST, first=b"HEAD / HTTP/1.1", body=b""), PLAIN), (b"", b"body"), (200, 200)),
    "GET": Case((post(HOST, first=b"GET / HTTP/1.1", body=b""), PLAIN), (b"", b"body"), (200, 200)),
    "GET with a body": Case((post(HOST, LENGTH, first=b"GET / HTTP/1.1"), PLAIN), TWO, (200, 200)),
    "a huge head": refused(b"POST / HTTP/1.1\r\nX: " + b"y" * 70_000),
    "a long head": Case((post(HOST, b"X: " + b"y" * 9_000, LENGTH),)),
    "a target that is no path": Case((post(HOST, LENGTH, first=b"POST http://x/y HTTP/1.1"),)),
    "two spaces before the target": refused(post(HOST, LENGTH, first=b"POST  / HTTP/1.1")),
    "no bytes of a body": Case(
        (post(HOST, b"Content-Length: 0", body=b""), PLAIN), (b"", b"body"), (200, 200)
    ),
}


CHUNKED = b"Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    "lines", [(LENGTH, CHUNKED), (CHUNKED, LENGTH)], ids=["length first", "chunks first"]
)
@pytest.mark.parametrize("before", [b"", PLAIN], ids=["first", "second"])
def test_after_a_request_with_two_ends_nothing_is_read(lines: tuple[bytes, ...], before: bytes) -> None:
    """RFC 9112, 6.1: the chunks count, and the connection must end. The server's own would read on."""
    app = Witness()
    with listening(app, OURS) as port:
        sent = before + post(HOST, *lines, body=CHUNKS) + HIDDEN
        content, closed = exchanged(port, [sent], replies=1, closed=True)
    assert {seen.body for seen in app.seen} == {b"body"}
    assert content.count(b"connection: close") == 1
    assert closed


def read(case: Case, protocol: Any) -> Case:
    """The same bytes with what a server made of them."""
    app = Witness()
    with listening(app, protocol) as port:
        content, closed = exchanged(port, case.sent, replies=len(case.statuses), closed=case.closed)
    statuses = tuple(int(status) for status in STATUS.findall(content))
    return Case(case.sent, tuple(seen.body for seen in app.seen), statuses, closed)


PROTOCOLS = {"the server's own": STOCK, "ours": OURS}


@cache
def readings(protocol: str) -> dict[str, Case]:
    """Of all cases, side by side and each by a server of its own: they wait for bytes that must not come."""
    with ThreadPoolExecutor(len(CASES)) as servers:
        every = servers.map(lambda case: read(case, PROTOCOLS[protocol]), CASES.values())
        return dict(zip(CASES, every, strict=True))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_doubtful_bytes_are_read_in_one_way(name: str, protocol: str) -> None:
    assert readings(protocol)[name] == CASES[name]


BYTES = st.lists(
    st.one_of(st.just(PLAIN), st.sampled_from([b"".join(case.sent)[:2_000] for case in CASES.values()])),
    min_size=1,
    max_size=4,
)


@st.composite
def pieces(draw: Any) -> list[bytes]:
    """Requests one after the other, with a few bytes changed, in pieces of any length."""
    content = bytearray(b"".join(draw(BYTES)))
    for place in draw(st.lists(st.integers(0, len(content) - 1), max_size=2)):
        change = draw(
            st.sampled_from([b"", b"\n", b"\r\n", b"\r\n\r\n", b" ", b"\0", b"9", b":", b"x", b"\t", b"\xff"])
        )
        content[place : place + draw(st.integers(0, 1))] = change
    borders = draw(st.lists(st.integers(0, len(content)), max_size=4))
    # Most often where a request begins: that is what clients do.
    borders += [found.start() for found in re.finditer(b"POST", content) if draw(st.booleans())]
    edges = sorted({0, len(content), *borders})
    return [bytes(content[a:b]) for a, b in pairwise(edges)]


def outcome(protocol: Any, sent: list[bytes]) -> tuple[Any, ...]:
    app = Witness()
    wire = asyncio.run(fed(app, protocol, sent))
    return app.seen, STATUS.findall(wire.written), wire.closed


@pytest.mark.long
@given(pieces())
@settings(deadline=None, max_examples=300)
def test_any_bytes_in_any_pieces_are_the_same_requests(sent: list[bytes]) -> None:
    assert outcome(OURS, sent) == outcome(STOCK, sent)


LONG = b"x" * 300
REPLIES = {
    "plain": Witness(),
    "refused": Witness(status=422, headers=[(b"content-type", b"application/json")]),
    "fault": Witness(status=500),
    "without a body": Witness(status=204, framed=False),
    "unchanged": Witness(status=304, framed=False),
    "without a length": Witness(framed=False),
    "in parts": Witness(parts=3),
    "in parts without a length": Witness(parts=3, framed=False),
    "two lengths": Witness(headers=[(b"content-length", b"4")]),
    "two lengths that differ": Witness(headers=[(b"content-length", b"40")]),
    "a length that is too large": Witness(framed=False, headers=[(b"content-length", b"40")]),
    "a length that is too small": Witness(framed=False, headers=[(b"content-length", b"2")]),
    "a length in large letters": Witness(framed=False, headers=[(b"Content-Length", b"4")]),
    "a header in large letters": Witness(headers=[(b"X-Name", b"y")]),
    "chunks": Witness(framed=False, headers=[(b"transfer-encoding", b"chunked")]),
    "the end": Witness(headers=[(b"connection", b"close")]),
    "two lines in one": Witness(headers=[(b"location", b"/x\r\nset-cookie: a=b")]),
    "two replies in one": Witness(headers=[(b"location", b"/x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")]),
    "a bare line feed": Witness(headers=[(b"location", b"/x\nset-cookie: a=b")]),
    "two lines in a name": Witness(headers=[(b"a: b\r\nset-cookie", b"a=b")]),
    "a space in a name": Witness(headers=[(b"a b", b"c")]),
    "no name": Witness(headers=[(b"", b"c")]),
    "no value": Witness(headers=[(b"a", b"")]),
    "a NUL": Witness(headers=[(b"a", b"b\0c")]),
    "spaces around a value": Witness(headers=[(b"a", b" b ")]),
    "letters of another language": Witness(headers=[(b"a", b"\xe4")]),
    "cookies": Witness(
        status=303, headers=[(b"location", b"/"), (b"set-cookie", b"a=b; Path=/"), (b"set-cookie", LONG)]
    ),
    "an unknown status": Witness(status=299),
}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_are_the_same_bytes(name: str) -> None:
    """Two requests one after the other: the second finds the connection as the first has left it."""
    ours, stock = (asyncio.run(fed(REPLIES[name], protocol, [PLAIN, PLAIN])) for protocol in (OURS, STOCK))
    assert (ours.written, ours.closed) == (stock.written, stock.closed)
    assert b"\r\nset-cookie: a=b\r\n" not in ours.written


def test_plain_requests_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or all of the above would compare h11 with itself."""
    read: list[bytes] = []
    receive = h11.Connection.receive_data

    def remembering(self: h11.Connection, data: bytes) -> None:
        read.append(data)
        receive(self, data)

    monkeypatch.setattr(h11.Connection, "receive_data", remembering)
    head = PLAIN.replace(b"Host: x", b"Host: once")
    asyncio.run(fed(Witness(), OURS, [head, head, head]))
    assert read == [head[:-4]]
