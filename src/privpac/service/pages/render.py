"""Templates, and the two shapes of an answer: a whole page, or a part of one for htmx."""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from privpac import __version__
from privpac.service.pages.place import Place
from privpac.service.pages.visitors import Visitor

__all__ = ["asset", "is_part", "leading_to", "page", "place_of", "rendered", "root_of"]

WHOLE_NUMBER = re.compile(r"(?<![\w.,^/-])[1-9]\d{3,17}(?![\w,^/-]|\.\d)")
LONG_DECIMAL = re.compile(r"\d+\.\d{9,}")
SECTIONS = (("plan", "Plan"), ("learn", "Learn"), ("certificate", "Certificate"), ("budget", "Budget"))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("privpac.service.pages", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"asset": asset, "version": __version__, "sections": SECTIONS}
    filters: dict[str, Any] = {
        "thousands": lambda value: f"{value:,}",
        "grouped": grouped,
        "brief": brief,
        "amount": amount,
        "when": when,
    }
    environment.filters |= filters
    return environment


@lru_cache(maxsize=32)
def asset(name: str) -> str:
    """The address of a static file; another content has another address, so that it may be kept for ever."""
    content = files("privpac.service.pages").joinpath("static", *name.split("/")).read_bytes()
    return f"static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def amount(value: Fraction | int) -> str:
    """A budget as people write it; one that has no short decimal is rounded to six digits."""
    exact = Fraction(value)
    text = f"{float(exact):.6g}"
    return text if Fraction(text) == exact else f"≈ {text}"


def grouped(sentence: str) -> str:
    """The same sentence with separators in its large whole numbers; digits of a fraction or a power stay together.

    >>> grouped("from 4000 records, but for 0.00012")
    'from 4,000 records, but for 0.00012'
    """
    return WHOLE_NUMBER.sub(lambda match: f"{int(match[0]):,}", sentence)


def brief(sentence: str) -> str:
    """The same sentence with long decimals cut after six digits; what is left of a budget is never rounded up.

    >>> brief("rho 49.481235553281584615 or epsilon 98")
    'rho ≈ 49.4812 or epsilon 98'
    """
    return LONG_DECIMAL.sub(lambda match: f"≈ {match[0][: max(7, match[0].index('.') + 5)]}", sentence)


def when(time: str) -> str:
    """A time of the ledger, without the seconds' zone: 2026-03-04 05:06 UTC."""
    return f"{time[:10]} {time[11:16]} UTC"


def place_of(request: Request) -> Place:
    """The place that the pages of this application share."""
    place: Place = request.app.state.place
    return place


def is_part(request: Request) -> bool:
    """Whether htmx asked, which puts the answer into a page that is there already."""
    return request.headers.get("hx-request") == "true"


def root_of(request: Request) -> str:
    """What the addresses of all pages begin with."""
    return str(request.scope.get("root_path", "")).rstrip("/") + "/"


def leading_to(request: Request, address: str) -> RedirectResponse:
    """The way on after a form was sent."""
    return RedirectResponse(root_of(request) + address, status_code=303)


def rendered(template: str, **context: object) -> str:
    """A template filled in."""
    return _environment().get_template(template).render(**context)


def page(request: Request, template: str, *, status: int = 200, **more: object) -> HTMLResponse:
    """A whole page, or a part of one for htmx."""
    visitor: Visitor | None = getattr(request.state, "visitor", None)
    context = {
        "root": root_of(request),
        "visitor": visitor,
        "asks_for_key": place_of(request).gate.asks_for_key,
        "section": None,
        **more,
    }
    return HTMLResponse(rendered(template, **context), status_code=status)
