"""How a service carries the pages: behind its API keys, over its ledger and its bundle."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.routing import Match, Mount
from starlette.types import Scope

from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.ledger import Ledger
from privpac.service.access import keys
from privpac.service.access.keys import Key, Presented
from privpac.service.pages.budget.books import Books
from privpac.service.pages.drawers import Drawers
from privpac.service.pages.place import Place
from privpac.service.pages.site import pages_app
from privpac.service.pages.visitors import KeyGate, Visitor
from privpac.service.serving import Service
from privpac.service.settings import Settings

__all__ = ["ServiceBooks", "mount"]

FIRST_PARTS = frozenset({"", "plan", "learn", "certificate", "budget", "sign-in", "sign-out", "static"})
"""What addresses of pages begin with; all others are the service's own, and so are its errors."""
NOTE = re.compile(r"key ([0-9a-f]+)$")


def mount(app: FastAPI, settings: Settings) -> None:
    """Put the pages beside the API. Without a service there is nobody to ask for a key, and no page."""
    service: Service | None = app.state.service
    if service is None:
        return
    place = Place(
        KeyGate(
            lambda text: _enter(service, text),
            lambda identity: _visitor(keys.key_of(service.store, identity)),
            secret=settings.session.encode(),
        ),
        ServiceBooks(service),
        bundle=service.bundle.path,
        drawers=Drawers(_folder(settings.session), temporary=True),
        wrong_secrets=service.wrong_keys,
    )
    app.router.routes.append(_Beside("", app=pages_app(place)))
    _close_with(app, place)


class _Beside(Mount):
    """Answers addresses of pages and leaves the rest alone."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        part = str(scope.get("path", "")).lstrip("/").partition("/")[0]
        if scope["type"] != "http" or part not in FIRST_PARTS:
            return Match.NONE, {}
        return super().matches(scope)


def _close_with(app: FastAPI, place: Place) -> None:
    """An application that is carried by another is not told when that one stops."""
    outer = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(carrying: object) -> AsyncIterator[Mapping[str, Any] | None]:
        async with outer(carrying) as state:
            yield state
        place.close()

    app.router.lifespan_context = lifespan  # type: ignore[assignment]


def _folder(session: str) -> Path:
    """The same for all workers, and a name that nobody else knows."""
    name = hashlib.sha256(b"folder:" + session.encode()).hexdigest()[:24]
    return Path(tempfile.gettempdir()) / f"privpac-pages-{name}"


def _visitor(key: Key | None) -> Visitor | None:
    if key is None or key.revoked is not None:
        return None
    return Visitor(key.id, "owner" if key.role == "owner" else "analyst", key.name or key.id)


def _enter(service: Service, text: str) -> Visitor | None:
    credential = Presented.read(text)
    return None if credential is None else _visitor(service.find(credential))


class ServiceBooks(Books):
    """The ledger of a service, and the keys that draw from it."""

    def __init__(self, service: Service) -> None:
        self._service = service

    @property
    def ledger(self) -> Ledger:
        return Ledger.over(self._service.store)

    @property
    def where(self) -> str:
        return self._service.store.where

    @property
    def price(self) -> Cost:
        return self._service.bundle.offer.answer_cost

    @property
    def charges_learning(self) -> bool:
        """Not where the ledger only counts answers that were declared and paid for."""
        return self._service.bundle.offer.answers is None

    def keys(self, *, after: str | None = None) -> list[Key]:
        return keys.listed(self._service.store, after=after, most=keys.PAGE + 1)

    def key(self, name: str) -> Key | None:
        return keys.key_of(self._service.store, name)

    def spender(self, note: str, key: str | None) -> str | None:
        """Answers are charged with the id of the key that asked."""
        match = NOTE.search(note)
        return None if match is None else match[1]
