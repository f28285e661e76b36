"""The web application: routes, errors and pages around one bundle and one ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from privpac import __version__
from privpac.service.api import problems
from privpac.service.api.predicting import Predicting, Shortcut
from privpac.service.api.routes import health, router_for
from privpac.service.serving import Service
from privpac.service.settings import Settings
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing

__all__ = ["create_app"]

DESCRIPTION = """Answers from private records, one price each. No model is released: every distinct question is charged
to the dataset's ledger before it is answered, and a question that anyone asked before is free."""


class Application(FastAPI):
    """The framework's application, and what stands before all of its stack."""

    entrance: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        await self.entrance(scope, receive, send)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request that the framework answers."""
        await super().__call__(scope, receive, send)


def create_app(settings: Settings, *, service: Service | None = None) -> Application:
    """The application. A bundle is loaded at once, so that what is wrong with it is said before anyone can ask."""
    if service is None and settings.bundle is not None:
        service = Service.open(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if service is not None:
            service.start()
        app.state.ready = True
        yield
        app.state.ready = False
        if service is not None:
            await run_in_threadpool(service.stop)

    app = Application(
        title="privpac",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # their scripts come from another host
        redoc_url=None,
    )
    app.state.settings, app.state.service, app.state.ready = settings, service, False
    problems.install(app)
    metrics = Metrics() if service is None else service.metrics
    inner: ASGIApp = app.pass_on
    app.include_router(health)
    if service is not None:
        app.include_router(router_for(service))
        inner = Shortcut(app.pass_on, Predicting(service))
    app.entrance = Observing(inner, metrics, body_seconds=settings.limits.body_seconds)
    if settings.pages:
        from privpac.service.pages.mounting import mount

        mount(app, settings)
    return app
