"""Every refusal of the service in one shape: {"error": {"code", "message", "remedy"}}.

`code` is for programs and never changes; the sentences are for people and may.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from privpac.errors import PrivpacError
from privpac.service.watch.facts import Facts, facts_of

__all__ = ["FAULT", "SLOW", "STOPPED", "Ended", "Problem", "install", "problem_of", "response"]

CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "not_json"}
REMEDIES = {
    404: "GET /openapi.json lists what there is.",
    405: "GET /openapi.json lists the methods of every path.",
}


class Problem(Exception):
    """A request that is refused: status, code, what is wrong, what to do about it, and further public facts."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        remedy: str = "",
        headers: Mapping[str, str] | None = None,
        **facts: object,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.remedy = status, code, message, remedy
        self.headers, self.facts = dict(headers or {}), facts


FAULT = Problem(
    500,
    "fault",
    "The service failed in a way nobody foresaw; no answer left it.",
    remedy="Send the request again with the same idempotency key; it is not charged twice.",
)
SLOW = Problem(
    408,
    "too_slow",
    "The body of the request did not come in time; nothing was charged.",
    remedy="Send it at once, or ask in several requests.",
    headers={"Connection": "close"},
)
STOPPED = Problem(
    503,
    "stopped",
    "The service stopped before this request was answered; what was charged is answered when it is asked again.",
    remedy="Send the request again with the same idempotency key.",
    headers={"Retry-After": "5", "Connection": "close"},
)


class Ended(PrivpacError):
    """An answer could not be drawn, so nothing is answered any more; the cause is in the log, by type and place."""

    def __init__(self) -> None:
        super().__init__("The bundle has ended.")


END = Problem(
    410,
    "ended",
    "This bundle has ended: an answer could not be drawn, which is a fault of the program. No answer has left it "
    "since, and what was charged stays charged.",
    remedy="The owner finds the fault in the log, reports it, and serves a new bundle.",
)


UNAVAILABLE = Problem(
    503,
    "unavailable",
    "The service cannot answer now; what was charged is answered when it is asked again.",
    remedy="Try again later with the same idempotency key.",
    headers={"Retry-After": "5"},
)
"""A ledger that cannot be read or a database that is gone: nothing the asker can mend."""


def problem_of(error: Exception, facts: Facts) -> Problem:
    """What the asker is told of an error; `facts` learn what the log is told."""
    if isinstance(error, Problem):
        problem = error
    elif isinstance(error, Ended):
        facts.failed(error.__cause__ or error)
        problem = END
    else:
        facts.failed(error)
        problem = UNAVAILABLE if isinstance(error, PrivpacError | SQLAlchemyError) else FAULT
    facts.code = problem.code
    return problem


def response(problem: Problem) -> JSONResponse:
    """The HTTP response that tells of a problem."""
    error = {"code": problem.code, "message": problem.message, "remedy": problem.remedy, **problem.facts}
    return JSONResponse({"error": error}, status_code=problem.status, headers=problem.headers)


def install(app: FastAPI) -> None:
    """Make every error of the framework, and every one of ours, come out in the one shape."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    for kind in (Problem, PrivpacError, SQLAlchemyError, Exception):
        app.add_exception_handler(kind, _problem)


async def _problem(request: Request, error: Exception) -> JSONResponse:
    return response(problem_of(error, facts_of(request.scope)))


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = error.status_code
    message = f"{error.detail}." if not str(error.detail).endswith(".") else str(error.detail)
    problem = Problem(
        status,
        CODES.get(status, "refused"),
        message,
        remedy=REMEDIES.get(status, ""),
        headers=error.headers,
    )
    facts_of(request.scope).code = problem.code
    return response(problem)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    # The framework's own list repeats what was sent.
    return response(
        Problem(422, "invalid", "A parameter of the request is not of the right form.", remedy=REMEDIES[404])
    )
