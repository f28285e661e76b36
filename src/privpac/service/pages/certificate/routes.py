"""The Certificate page: what is promised, what that means, and the derivation, checked again on demand."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import UploadFile

from privpac.errors import DataError
from privpac.service.pages.certificate.deadline import in_time
from privpac.service.pages.certificate.documents import handed_out, open_document, recheck, require_readable
from privpac.service.pages.entrance import Form, SignedIn
from privpac.service.pages.guards import Refusal
from privpac.service.pages.render import leading_to, page, place_of
from privpac.service.pages.visitors import Visitor

__all__ = ["router"]

router = APIRouter(prefix="/certificate")
MOST_DOCUMENT = 16 << 20
SERVICE = "service"
"""Stands for the bundle that a service answers from."""


@router.get("")
def begin(request: Request, visitor: SignedIn) -> HTMLResponse:
    """Choose what to look at."""
    place = place_of(request)
    files = place.listed(models=True) if visitor.is_owner else []
    return page(
        request,
        "certificates.html",
        section="certificate",
        named=files,
        bundle=place.bundle is not None,
    )


@router.post("/open")
def bring(request: Request, visitor: SignedIn, form: Form) -> Response:
    """An upload, or a file of this machine; refused at once if it is no certificate."""
    place = place_of(request)
    with place.drawers.filling(visitor.name) as drawer:
        upload, name = form.get("file"), str(form.get("path", "")).strip()
        if name:
            if not visitor.is_owner:
                raise Refusal(403, "Only an owner may name files of the server.", "Upload the file.")
            path, title = place.named(name, models=True), name
        else:
            if not isinstance(upload, UploadFile) or not upload.filename:
                raise DataError("No file was chosen.", remedy="Choose a model file.")
            path, title = drawer.take("model.json", upload.file, most=MOST_DOCUMENT), "uploaded file"
        in_time(require_readable, path)
        drawer.note(document=str(path), shown=title)
    return leading_to(request, f"certificate/{drawer.name}")


@router.get("/{name}")
def show(request: Request, visitor: SignedIn, name: str) -> HTMLResponse:
    """Assumptions on top, meaning in words, then the derivation."""
    path, title = _path(request, visitor, name)
    return page(
        request, "certificate.html", section="certificate", found=open_document(path), name=name, shown=title
    )


@router.post("/{name}/check")
def check(request: Request, visitor: SignedIn, name: str) -> HTMLResponse:
    """Every number derived again, by code that shares nothing with the code that made them."""
    path, _ = _path(request, visitor, name)
    outcome = recheck(path) if name == SERVICE else in_time(recheck, path)
    return page(request, "parts/checked.html", checked=outcome)


@router.get("/{name}/certificate.json")
def download(request: Request, visitor: SignedIn, name: str) -> Response:
    """The file itself; of a bundle its public description."""
    path, _ = _path(request, visitor, name)
    return Response(
        handed_out(path),
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="certificate.json"'},
    )


def _path(request: Request, visitor: Visitor, name: str) -> tuple[Path, str]:
    place = place_of(request)
    if name == SERVICE and place.bundle is not None:
        return place.bundle, "what this service answers from"
    drawer = place.drawers.open(name, visitor.name)
    document = drawer.state.get("document")
    if document is None:
        raise Refusal(404, "There is no certificate here.", "Open one first.")
    return drawer.path / document, str(drawer.state["shown"])  # an absolute path stays what it is
