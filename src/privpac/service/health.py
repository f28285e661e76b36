"""Whether the process lives, and whether it can answer."""

from __future__ import annotations

from fastapi import APIRouter, Request

from privpac.service.problems import Problem

__all__ = ["router"]

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="Alive")
async def healthz() -> dict[str, str]:
    """The process answers. Looks at nothing else."""
    return {"status": "alive"}


@router.get("/readyz", summary="Ready")
def readyz(request: Request) -> dict[str, str]:
    """The bundle is loaded and the ledger can be read and has this version's tables."""
    if not request.app.state.ready:
        raise Problem(503, "not_ready", "The service is starting or stopping.", headers={"Retry-After": "1"})
    return {"status": "ready"}
