"""The Verify page beside the other pages: the same files that a folder gets, from memory, for anybody."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from privpac.service.pages.verify.folder import contents

__all__ = ["router"]

router = APIRouter(prefix="/verify")

KINDS = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}

_contents = cache(contents)


@router.get("/")
@router.get("/{name}")
def verify(name: str = "index.html") -> Response:
    """A file of the page."""
    raw = _contents().get(name)
    if raw is None:
        raise HTTPException(404)
    return Response(raw, media_type=KINDS[name.rpartition(".")[2]])
