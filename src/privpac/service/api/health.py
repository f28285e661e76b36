"""Whether the process lives, and whether it can answer."""

from __future__ import annotations

from fastapi import APIRouter, Request

from privpac.service.api.problems import Problem
from privpac.service.api.shapes import errors

__all__ = ["router"]

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="Alive")
async def healthz() -> dict[str, str]:
    """The process answers. Looks at nothing else."""
    return {"status": "alive"}


@router.get("/readyz", summary="Ready", responses=errors(503))
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
