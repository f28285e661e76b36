"""The first page, signing in and out, and the check every other page begins with."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData

from privpac.service.pages.guards import Refusal
from privpac.service.pages.render import page, place_of
from privpac.service.pages.visitors import SESSION_SECONDS, Visitor

__all__ = ["Form", "Owner", "SignInNeeded", "SignedIn", "router", "sign_in_page"]

router = APIRouter()
MOST_FIELDS = 200
"""Of one form; what is changed in a sheet of columns is one of them."""


class SignInNeeded(Exception):
    """Nobody knows who this is."""


def _guard(request: Request) -> None:
    refusal: Refusal | None = request.state.refusal
    if refusal is not None:
        raise refusal


def _cookie(request: Request) -> str:
    """Cookies do not tell ports apart, so two servers on one machine need two names."""
    return f"privpac-{request.url.port or 443}"


def _signed_in(request: Request) -> Visitor:
    _guard(request)
    gate = place_of(request).gate
    name = gate.seal.read(request.cookies.get(_cookie(request)))
    visitor = None if name is None else gate.visitor(name)
    if visitor is None:
        raise SignInNeeded
    request.state.visitor = visitor
    return visitor


SignedIn = Annotated[Visitor, Depends(_signed_in)]


def _owner(visitor: SignedIn) -> Visitor:
    if not visitor.is_owner:
        raise Refusal(
            403,
            "Only an owner's key may do this.",
            "Ask the owner of the records, or sign in with another key.",
        )
    return visitor


Owner = Annotated[Visitor, Depends(_owner)]


async def _form(request: Request) -> FormData:
    _guard(request)
    return await request.form(max_files=4, max_fields=MOST_FIELDS, max_part_size=1 << 20)


Form = Annotated[FormData, Depends(_form)]


@router.get("/")
def first(request: Request, token: str | None = None) -> HTMLResponse:
    """What this is. With the token of the printed link, also the way in."""
    _guard(request)
    if token is not None:
        return _enter(request, token)
    _signed_in(request)
    return page(request, "first.html")


def _enter(request: Request, secret: str) -> HTMLResponse:
    """A page that leads on, rather than a redirect: after one from elsewhere a strict cookie would not be sent."""
    place = place_of(request)
    gate, address = place.gate, "" if request.client is None else request.client.host
    wait = place.wrong_secrets.wait(address)
    if wait:  # before anything is looked up, so that waiting tells nothing about the secret
        raise Refusal(
            429, "Too many wrong keys came from this address.", f"Try again in {wait} s.", wait=wait
        )
    visitor = gate.enter(secret)
    if visitor is None:
        place.wrong_secrets.count(address)
        return sign_in_page(request, status=401, wrong=True)
    answer = page(request, "entered.html")
    answer.set_cookie(
        _cookie(request),
        gate.seal.sign(visitor.name),
        max_age=SESSION_SECONDS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def sign_in_page(request: Request, *, status: int = 200, wrong: bool = False) -> HTMLResponse:
    """The page on which a key or a token is entered."""
    return page(request, "sign_in.html", status=status, wrong=wrong)


@router.get("/sign-in")
def sign_in(request: Request) -> HTMLResponse:
    """Show the page on which a key or a token is entered."""
    _guard(request)
    return sign_in_page(request)


@router.post("/sign-in")
def sign_in_with_key(request: Request, form: Form) -> HTMLResponse:
    """An API key, exchanged for a cookie."""
    return _enter(request, str(form.get("key", "")).strip())


@router.post("/sign-out")
def sign_out(request: Request, visitor: SignedIn) -> Response:
    """Forget who was signed in and go back to the entrance."""
    answer = RedirectResponse("sign-in", status_code=303)
    answer.delete_cookie(_cookie(request), path="/")
    return answer
