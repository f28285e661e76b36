"""The web application: routes, errors and pages around one bundle and one ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool

from privpac import __version__
from privpac.service import pages
from privpac.service.api import health, problems
from privpac.service.api.routes import router_for
from privpac.service.serving import Service
from privpac.service.settings import Settings
from privpac.service.watch.metrics import Metrics
from privpac.service.watch.observing import Observing

__all__ = ["create_app"]

DESCRIPTION = """Answers from private records, one price each. No model is released: every distinct question is charged
to the dataset's ledger before it is answered, and a question that anyone asked before is free."""


def create_app(settings: Settings, *, service: Service | None = None) -> FastAPI:
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

    app = FastAPI(
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
    app.add_middleware(Observing, metrics=metrics, body_seconds=settings.limits.body_seconds)
    app.include_router(health.router)
    if service is not None:
        app.include_router(router_for(service))
    if settings.pages:
        pages.mount(app, settings)
    return app
