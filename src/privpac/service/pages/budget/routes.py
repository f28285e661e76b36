"""The Budget page: what was spent, by whom, what is left, and whether the books add up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from privpac.errors import NotCertified
from privpac.guarantee.ledger.account import Account, Entry
from privpac.guarantee.ledger.budget import exact_text
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.total import promise_of
from privpac.service.access.keys import PAGE, Key
from privpac.service.pages.budget.books import Books
from privpac.service.pages.entrance import Form, Owner, SignedIn
from privpac.service.pages.render import amount, leading_to, page, place_of
from privpac.service.pages.visitors import Visitor

__all__ = ["router"]

router = APIRouter(prefix="/budget")
MOST_ROWS = 500
"""Entries on one page, the newest first."""
MOST_POINTS = 800


@router.get("")
def show(request: Request, visitor: SignedIn, after: str | None = None) -> HTMLResponse:
    """The books, or the invitation to open some; keys that come after a given one."""
    books = place_of(request).books
    ledger = books.ledger
    if ledger is None:
        return page(request, "budget_none.html", section="budget", where=books.where)
    return page(request, "budget.html", section="budget", **_context(books, ledger, visitor, after))


@router.post("/make")
def make(request: Request, visitor: Owner, form: Form) -> Response:
    """A new ledger with a total that never changes."""
    amounts = {name: str(form.get(name, "")).strip() for name in ("epsilon", "delta", "reserved_delta")}
    place_of(request).books.make(
        epsilon=amounts["epsilon"],
        delta=amounts["delta"] or "0",
        reserved_delta=amounts["reserved_delta"] or "0",
    )
    return leading_to(request, "budget")


def _context(books: Books, ledger: Ledger, visitor: Visitor, after: str | None) -> dict[str, Any]:
    account, entries = ledger.account(), ledger.entries()
    lines = [(entry, books.spender(entry.note, entry.key)) for entry in entries]
    if not visitor.is_owner:
        lines = [(entry, who) for entry, who in lines if who == visitor.name]
    keys = _keys(books, visitor, after)
    more, keys = len(keys) > PAGE, keys[:PAGE]
    price = books.price
    return {
        "promises": account.promises,
        "promise": None if account.promises.approximate is None else promise_of(account),
        "spent": account.spent,
        "counts_rho": _counts_rho(account),
        "left": _left(account),
        "share": _share(account),
        "answers": None if price is None else account.room(price),
        "price": None if price is None else price.epsilon,
        "where": books.where if visitor.is_owner else None,
        "lines": list(reversed(lines))[:MOST_ROWS],
        "hidden": max(0, len(lines) - MOST_ROWS),
        "keys": keys,
        "after": keys[-1].id if more else None,
        "called": {key.id: key.name or key.id for key in keys},
        "broken": _broken(ledger),
        "chart": json.dumps(_chart(entries, account)) if entries and visitor.is_owner else None,
    }


def _keys(books: Books, visitor: Visitor, after: str | None) -> list[Key]:
    """What an analyst may see is her own."""
    if visitor.is_owner:
        return books.keys(after=after)
    key = books.key(visitor.name)
    return [] if key is None else [key]


def _counts_rho(account: Account) -> bool:
    """Whether there is more left in rho than by adding epsilons: a charge is admitted if either has room."""
    spent, other = account.spent, account.promises.approximate
    if other is None or not account.promises.filters:
        return False
    return account.promises.pure is not None or spent.rho * other.epsilon <= spent.epsilon * other.rho


def _left(account: Account) -> str:
    """What is left, the amount with more room first."""
    rho = account.promises.left_rho(account.spent)
    if rho is None or _counts_rho(account):
        return account.promises.remainder(account.spent, text_of=amount)
    text = f"epsilon {amount(account.left.epsilon)}"
    return f"{text} or rho {amount(rho)}" if rho else text


def _share(account: Account) -> float:
    """How much of the scarcest part is gone, in percent, never rounded up to all of it."""
    spent, pure, other = account.spent, account.promises.pure, account.promises.approximate
    parts = [] if pure is None else [spent.epsilon / pure]
    if other is not None:
        by_rho = [spent.rho / other.rho] if other.order is not None and other.rho else []
        parts.append(min(spent.epsilon / other.epsilon, *by_rho) if by_rho else spent.epsilon / other.epsilon)
        parts += [spent.delta / other.reserved_delta] if other.reserved_delta else []
    return int(1000 * max(parts)) / 10


def _broken(ledger: Ledger) -> str | None:
    """The first thing that does not follow, or None."""
    try:
        ledger.verify()
    except NotCertified as error:
        return error.problem
    return None


def _chart(entries: Sequence[Entry], account: Account) -> dict[str, Any]:
    """Sums over time, of rho where more of that is left; of many entries every so-manieth, and the last.

    The order is the ledger's. An entry whose clock was set back stands where the one before it stands.
    """
    other, by_rho = account.promises.approximate, _counts_rho(account)
    total = other.rho if other is not None and by_rho else account.total.epsilon
    points, sum_, time = [], Fraction(0), datetime.fromisoformat(entries[0].time)
    for entry in entries:
        sum_ += entry.rho if by_rho else entry.epsilon
        time = max(time, datetime.fromisoformat(entry.time))
        cost = exact_text(entry.epsilon)
        points.append({"time": time.isoformat(), "spent": float(sum_), "note": entry.note, "cost": cost})
    step = -(-len(points) // MOST_POINTS)
    corners = points[::step] + ([points[-1]] if (len(points) - 1) % step else [])
    first, now = datetime.fromisoformat(entries[0].time), max(time, datetime.now(UTC))
    before = first - max(timedelta(minutes=1), (now - first) / 20)
    start = {"time": before.isoformat(), "spent": 0, "note": "", "cost": ""}
    end = {**start, "time": now.isoformat(), "spent": float(sum_)}
    unit = "rho" if by_rho else "epsilon"
    return {"total": float(total), "unit": unit, "points": [start, *corners, end]}
