"""The pages as one application: routes, static files, errors as pages, and the guard around all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import Scope

from privpac.errors import BudgetExceeded, PrivpacError
from privpac.service.pages import entrance
from privpac.service.pages.budget import routes as budgets
from privpac.service.pages.certificate import routes as certificates
from privpac.service.pages.entrance import SignInNeeded
from privpac.service.pages.guards import Guard, Refusal
from privpac.service.pages.learn import routes as learning
from privpac.service.pages.place import Place
from privpac.service.pages.plan import routes as planning
from privpac.service.pages.render import is_part, page, place_of
from privpac.service.pages.verify import routes as verifying

__all__ = ["pages_app"]

STATUSES = {
    404: ("There is no such page.", "Begin at the first page."),
    405: ("This page cannot be used that way.", "Begin at the first page."),
}
FAULT = ("Something went wrong that nobody foresaw; nothing was released.", "Please report it.")


def pages_app(place: Place) -> FastAPI:
    """The application. It can stand alone (`privpac ui`) or be mounted in another (`privpac serve`)."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        place.close()

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.place = place
    app.add_middleware(Guard, hosts=place.hosts, most=place.most_upload, fault=_fault)
    app.mount("/static", _Assets(directory=Path(str(files("privpac.service.pages") / "static"))))
    for router in (
        verifying.router,
        entrance.router,
        planning.router,
        learning.router,
        certificates.router,
        budgets.router,
    ):
        app.include_router(router)
    for kind in (Refusal, SignInNeeded, HTTPException, RequestValidationError, PrivpacError):
        app.add_exception_handler(kind, _problem)
    return app


class _Assets(StaticFiles):
    """Files whose address changes with their content."""

    def file_response(
        self, full_path: object, stat_result: object, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


async def _problem(request: Request, error: Exception) -> HTMLResponse:
    """One sentence and the remedy, in the design of the pages; as a part of a page for htmx."""
    if isinstance(error, SignInNeeded):
        return entrance.sign_in_page(request, status=401)
    answer = _page(request, *_status_and_words(error, place_of(request)))
    if isinstance(error, Refusal) and error.wait:
        answer.headers["Retry-After"] = str(error.wait)
    return answer


def _fault(request: Request) -> HTMLResponse:
    return _page(request, 500, *FAULT)


def _page(request: Request, status: int, problem: str, remedy: str) -> HTMLResponse:
    template = "parts/problem.html" if is_part(request) else "problem.html"
    return page(request, template, status=status, problem=problem, remedy=remedy, code=status)


def _status_and_words(error: Exception, place: Place) -> tuple[int, str, str]:
    if isinstance(error, Refusal):
        return error.status, error.problem, error.remedy
    if isinstance(error, BudgetExceeded):
        return 409, error.problem, error.remedy
    if isinstance(error, PrivpacError):
        return 422, place.drawers.nameless(error.problem), error.remedy
    if isinstance(error, RequestValidationError):
        return 422, "The form is not complete.", "Go back and fill it in."
    if isinstance(error, HTTPException):
        return error.status_code, *STATUSES.get(
            error.status_code, (f"{error.detail}.", "Go back and try again.")
        )
    return 500, *FAULT
