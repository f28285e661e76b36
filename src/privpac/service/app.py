"""The web application: routes, errors and pages around one bundle and one ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec

from fastapi import FastAPI

from privpac import __version__
from privpac.service import health, problems
from privpac.service.settings import Settings

__all__ = ["create_app"]

DESCRIPTION = """Answers from private records, one price each. No model is released: every distinct question is charged
to the dataset's ledger before it is answered, and a question that anyone asked before is free."""


def create_app(settings: Settings) -> FastAPI:
    """The application; what it needs is opened when it starts and closed when it stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.ready = True
        yield
        app.state.ready = False

    app = FastAPI(
        title="privpac",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # their scripts come from another host
        redoc_url=None,
    )
    app.state.settings, app.state.ready = settings, False
    problems.install(app)
    app.include_router(health.router)
    if settings.pages and find_spec("privpac.service.pages") is not None:
        import_module("privpac.service.pages").mount(app, settings)
    return app
