"""API v1. Every route but those about health needs a key; only owners see the keys of others and the metrics."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, Security
from fastapi.security import HTTPBearer

from privpac.errors import ParameterError
from privpac.guarantee.ledger.budget import exact_text
from privpac.service.access import keys
from privpac.service.access.keys import Key
from privpac.service.answering.requests import Left
from privpac.service.api.predicting import INVOCATIONS, PREDICT, Predicting, accepted, presented_by
from privpac.service.api.problems import Problem
from privpac.service.api.shapes import (
    BudgetReply,
    InvocationReply,
    PredictReply,
    errors,
    invocation_body,
    predict_body,
)
from privpac.service.serving import Service
from privpac.service.watch.metrics import CONTENT_TYPE

__all__ = ["health", "router_for"]

health = APIRouter(tags=["operations"])
"""Whether the process lives, and whether it can answer: for anybody."""

Limit = Annotated[int, Query(ge=1, le=1_000, description="Keys listed at once; for owners.")]
After = Annotated[
    str | None, Query(max_length=100, description="List keys made after the one of this id; for owners.")
]


@health.get("/healthz", summary="Alive")
async def healthz() -> dict[str, str]:
    """The process answers. Looks at nothing else."""
    return {"status": "alive"}


@health.get("/readyz", summary="Ready", responses=errors(503))
def readyz(request: Request) -> dict[str, str]:
    """The bundle is loaded, and the ledger has this version's tables and could be written a moment ago."""
    state = request.app.state
    if not state.ready or (state.service is not None and not state.service.ready()):
        raise Problem(
            503,
            "not_ready",
            "The service is starting or stopping, its tables are of another version, or its bundle has ended.",
            remedy="Try again soon; if it stays so, look into the log, or start it once with --migrate.",
            headers={"Retry-After": "1"},
        )
    return {"status": "ready"}


def router_for(service: Service) -> APIRouter:
    """The routes of one service."""
    # Only for OpenAPI: it names the scheme, and `presented_by` reads the header in our own error shape.
    scheme = HTTPBearer(auto_error=False, description="A key from `privpac keys create`.")
    router = APIRouter(dependencies=[Security(scheme)])
    _add_predict(router, service)
    _add_reading(router, service)
    return router


def _add_predict(router: APIRouter, service: Service) -> None:
    limits, schema, predicting = service.settings.limits, service.bundle.schema, Predicting(service)

    async def answered(path: str, request: Request) -> Response:
        content = await predicting(path, request.scope, request.receive)
        return Response(content, media_type="application/json")

    @router.post(
        PREDICT,
        tags=["answers"],
        summary="Answer questions",
        response_model=None,
        responses={
            200: {"model": PredictReply, "description": "Answers, paid for and kept."},
            **errors(400, 401, 409, 410, 413, 415, 422, 429, 503),
        },
        openapi_extra=predict_body(schema, rows=limits.rows),
    )
    async def predict(request: Request) -> Response:
        """The class of every row. Rows that nobody asked before are charged, all of them or none; the charge is on disk
        before an answer is drawn, and the answers before the reply is sent. Rows that fall into the same cells of the
        schema are one question."""
        return await answered(PREDICT, request)

    @router.post(
        INVOCATIONS,
        tags=["answers"],
        summary="Answer questions, as MLflow's servers do",
        response_model=None,
        responses={
            200: {"model": InvocationReply, "description": "Answers, paid for and kept."},
            **errors(400, 401, 410, 413, 415, 422, 429, 503),
        },
        openapi_extra=invocation_body(schema),
    )
    async def invocations(request: Request) -> Response:
        """The same as /v1/predict for programs that know MLflow's form. There is no idempotency key: rows that were
        asked before are answered from what is stored, so a repeated request is not charged again."""
        return await answered(INVOCATIONS, request)


def _page_of_keys(service: Service, limit: int, after: str | None) -> dict[str, Any]:
    try:
        more = keys.listed(service.store, after=after, most=limit + 1)
    except ParameterError:
        more = None
    if more is None:
        raise Problem(422, "no_such_key", "There is no key of the id in after.", remedy="Begin without it.")
    page = more[:limit]
    return {"keys": [key.to_json() for key in page], "next": page[-1].id if len(more) > limit else None}


def _add_reading(router: APIRouter, service: Service) -> None:
    def asker(request: Request) -> Key:
        credential = presented_by(request.scope, dict(reversed(request.headers.raw)), service)
        return accepted(request.scope, service, service.find(credential))

    @router.get(
        "/v1/budget",
        tags=["answers"],
        summary="What is left",
        responses=errors(401, 422, 429, 503),
        response_model=BudgetReply,
        response_model_exclude_unset=True,
    )
    def budget(request: Request, limit: Limit = keys.PAGE, after: After = None) -> dict[str, Any]:
        """Of the dataset and of this key; owners see all keys, this many at a time."""
        key = asker(request)
        account = service.store.account()
        left = Left.of(key, account, service.answering.terms.cost)
        parts = {"total": account.total, "spent": account.spent, "left": account.left}
        reply: dict[str, Any] = {
            "dataset": {
                name: {part: exact_text(getattr(amount, name)) for part, amount in parts.items()}
                for name in ("epsilon", "delta")
            }
            | keys.rho_json(account.promises, account.spent),
            "key": key.to_json(),
            "price": exact_text(service.answering.terms.price),
            "left": left.to_json(),
        }
        if key.role == "owner":
            reply |= _page_of_keys(service, limit, after)
        return reply

    @router.get(
        "/v1/certificate", tags=["answers"], summary="What is promised", responses=errors(401, 429, 503)
    )
    def certificate(request: Request) -> dict[str, Any]:
        """The bundle's certificate with its derivation (`privpac-certificate/2`): about one answer, or about all that
        were declared beforehand."""
        asker(request)
        return service.bundle.certificate

    @router.get("/v1/schema", tags=["answers"], summary="What may be asked", responses=errors(401, 429, 503))
    def schema(request: Request) -> dict[str, Any]:
        """The public description of a row, and the classes of an answer."""
        asker(request)
        return service.bundle.schema.stored()

    @router.get(
        "/metrics",
        tags=["operations"],
        summary="For Prometheus",
        responses={200: {"content": {CONTENT_TYPE: {}}}, **errors(401, 403, 429, 503)},
        response_class=Response,
    )
    def metrics(request: Request) -> Response:
        """Counts and times. For owners: behind a proxy every request looks as if it came from this machine, so an
        address proves nothing."""
        if asker(request).role != "owner":
            raise Problem(403, "owners_only", "This key's role is analyst.", remedy="Use an owner's key.")
        account = service.store.account()
        text = service.metrics.text(account.left.epsilon, account.promises.left_rho(account.spent))
        return Response(text, media_type=CONTENT_TYPE)
