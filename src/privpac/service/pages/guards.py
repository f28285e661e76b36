"""What every request passes before a page sees it, and what every reply carries.

* Host: on somebody's own machine only the names of this machine are answered. A web site that points its own name at
  127.0.0.1 (DNS rebinding) is not.
* Origin: what changes something must come from these pages. Cookies are SameSite=Strict besides.
* Size: a body is cut off when it is longer than it may be, whatever its header says.
* Faults: a page that tells nothing, and a line in the log with the kind and the place.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from privpac.service.api.problems import Problem
from privpac.service.pages.verify.policy import POLICY
from privpac.service.watch.facts import facts_of

__all__ = ["HEADERS", "Guard", "Refusal"]

LOG = logging.getLogger(__name__)

PLOT_STYLE = "'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='"
"""The one style sheet that Observable Plot 0.6.17 writes into its charts."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    f"{PLOT_STYLE}; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: then browsers send "Origin: null" with forms, and nothing could be told apart.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
VERIFY = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'"}
"""For the one page whose checker runs in a worker."""
SAFE = ("GET", "HEAD", "OPTIONS")
SLACK = 1 << 20
"""For the other fields of a form that carries an upload."""


class Refusal(Exception):
    """A request that is not answered: status, one sentence, and what to do."""

    def __init__(self, status: int, problem: str, remedy: str, *, wait: int = 0) -> None:
        super().__init__(problem)
        self.status, self.problem, self.remedy = status, problem, remedy
        self.wait = wait
        """Seconds after which it may be tried again, where that is what is wrong."""


class Guard:
    """The middleware of the pages."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: frozenset[str] | None,
        most: int,
        fault: Callable[[Request], Response],
    ) -> None:
        self._app, self._hosts, self._most, self._fault = app, hosts, most + SLACK, fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        scope.setdefault("state", {})["refusal"] = self._refusal(scope, headers)
        reply = _dress(send, HEADERS | VERIFY if _is_verify(scope) else HEADERS)
        try:
            await self._app(scope, self._limit(receive), reply)
        except Problem:  # of the service around the pages: it says so itself
            raise
        except ClientDisconnect:
            facts_of(scope).code = "client_gone"
        except Exception as fault:
            # Handled here, not by the server, whose log would quote the message, and that may quote records.
            facts = facts_of(scope)
            facts.failed(fault)
            LOG.error("an unexpected %s", facts.fault)
            await self._fault(Request(scope))(scope, receive, reply)

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        host = headers.get("host", "").lower()
        if self._hosts is not None and host not in self._hosts:
            return Refusal(
                421,
                "These pages answer to the name of this machine only.",
                "Open the address that privpac ui printed.",
            )
        if scope["method"] not in SAFE and not _from_here(headers, host):
            return Refusal(
                403, "The request came from another site.", "Open the page here and send the form again."
            )
        if int(headers.get("content-length") or 0) > self._most:
            return self._too_long()
        return None

    def _too_long(self) -> Refusal:
        return Refusal(
            413,
            f"What was sent is larger than {(self._most - SLACK) >> 20} MB, the most these pages take.",
            "Learn from larger tables with privpac learn, which streams them.",
        )

    def _limit(self, receive: Receive) -> Receive:
        length = 0

        async def count() -> Message:
            nonlocal length
            message = await receive()
            length += len(message.get("body", b""))
            if length > self._most:
                raise self._too_long()
            return message

        return count


def _from_here(headers: Headers, host: str) -> bool:
    """Browsers send Origin with every post; what has none must say that it comes from the same origin."""
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site") == "same-origin"
    return urlsplit(origin).netloc.lower() == host


def _is_verify(scope: Scope) -> bool:
    path = str(scope["path"]).removeprefix(str(scope.get("root_path", "")))
    return path.startswith("/verify/")


def _dress(send: Send, dress: Mapping[str, str]) -> Send:
    async def send_dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in dress.items():
                headers[name] = value
            if "cache-control" not in headers:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return send_dressed
