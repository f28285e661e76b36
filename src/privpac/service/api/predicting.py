"""The way of a question: who asks, how often, what about; then it is paid for and answered.

Most requests are questions, so theirs is a way of its own (`Shortcut`), beside the stack of the framework, which costs
as much as everything else about a request. The same questions are answered through the framework too, where the service
is carried by another application.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from privpac.service.access.keys import Key, Presented
from privpac.service.answering.requests import unauthorised
from privpac.service.api import bodies
from privpac.service.api.bodies import Body
from privpac.service.api.problems import Problem
from privpac.service.serving import Service
from privpac.service.settings import Limits
from privpac.service.watch.facts import facts_of

__all__ = ["FORMS", "INVOCATIONS", "PREDICT", "Predicting", "Shortcut", "accepted", "presented_by"]

PREDICT, INVOCATIONS = "/v1/predict", "/invocations"
JSON = (b"content-type", b"application/json")


def presented_by(scope: Scope, headers: Mapping[bytes, bytes], service: Service) -> Presented:
    """What the asker shows as a key; refused if it is none, or if too many wrong ones came from the same address."""
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    credential = Presented.read(token.strip()) if scheme.lower() == "bearer" else None
    if credential is None or not service.knows(credential):
        service.wrong_keys.check(_address(scope))  # before anything is looked up
    if credential is None:
        raise _wrong(scope, service)
    return credential


def accepted(scope: Scope, service: Service, key: Key | None) -> Key:
    """The key, counted; refused if there is no such key, or if its requests come too fast."""
    if key is None:
        raise _wrong(scope, service)
    facts_of(scope).key = key.id
    service.count(key)
    return key


def _address(scope: Scope) -> str:
    """Who asks: the address that a trusted proxy names, or the one that connects."""
    client = scope.get("client")
    return "" if client is None else str(client[0])


def _wrong(scope: Scope, service: Service) -> Problem:
    service.wrong_keys.count(_address(scope))
    return unauthorised()


def _as_predictions(reply: str) -> bytes:
    return json.dumps({"predictions": json.loads(reply)["answers"]}, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Form:
    """How questions are written, and how their answers are."""

    read: Callable[[bytes, Limits], Body]
    written: Callable[[str], bytes]


FORMS = {
    PREDICT: Form(bodies.parse, str.encode),
    INVOCATIONS: Form(bodies.invocation, _as_predictions),
}


class Predicting:
    """Answers the questions of requests, by the path they were sent to."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, path: str, scope: Scope, receive: Receive) -> bytes:
        """The body of the reply; a `Problem` if there is none."""
        service, form, facts = self._service, FORMS[path], facts_of(scope)
        headers = dict(reversed(scope["headers"]))  # of a name that is there twice the first counts
        credential = presented_by(scope, headers, service)
        key = service.remembered(credential) or await run_in_threadpool(service.find, credential)
        key = accepted(scope, service, key)
        limits = service.settings.limits
        body = form.read(await bodies.read(headers, receive, limits), limits)
        facts.rows = len(body.rows)
        reply = await service.predict(credential, key, body)
        facts.epsilon = reply.epsilon
        return form.written(reply.text)


class Shortcut:
    """ASGI middleware: questions go straight to whoever answers them, everything else to the framework."""

    def __init__(self, app: ASGIApp, predicting: Predicting) -> None:
        self.app, self._predicting = app, predicting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path")
        if path not in FORMS or scope.get("method") != "POST" or scope.get("root_path"):
            await self.app(scope, receive, send)
            return
        facts_of(scope).route = path
        content = await self._predicting(path, scope, receive)
        headers = [(b"content-length", b"%d" % len(content)), JSON]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})
