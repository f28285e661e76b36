"""`privpac ledger`: make a budget, look at what has been spent of it, check it, copy it, and bring a copy back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import DataError, ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.account import Account
    from privpac.guarantee.ledger.budget import Budget
    from privpac.guarantee.ledger.ledger import Ledger

__all__ = ["ledger"]

Place = Annotated[
    str,
    typer.Argument(metavar="LEDGER", help="A file, sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME."),
]
FORGETS = (
    "what was charged after this copy was made is not in it and would be spent again; stop everything that uses the "
    "original, and treat as spent what its users remember."
)

ledger = typer.Typer(
    name="ledger",
    help="A budget in a file or database: make it, read it, check it, copy it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@ledger.command()
def create(
    place: Place,
    *,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="All that may ever be spent.")],
    delta: Annotated[str, typer.Option(metavar="NUMBER", help="The same for delta.")] = "0",
    as_json: Json = False,
) -> None:
    """Make a new ledger; one that is there already is left as it is."""
    from privpac.guarantee.ledger.ledger import Ledger

    try:
        book = Ledger.create(place, epsilon=epsilon, delta=delta)
    except FileExistsError as taken:
        raise ParameterError(
            "ledger", "place", str(taken), allowed="a place where there is nothing yet"
        ) from None
    _show(book, as_json=as_json)


@ledger.command()
def show(
    place: Place,
    *,
    last: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Only so many of the latest charges.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print totals and charges, as they stand there; `verify` checks them."""
    _show(_opened(place), last=last, as_json=as_json)


@ledger.command()
def verify(place: Place, *, as_json: Json = False) -> None:
    """Recompute every hash and every sum; exit code 4 and the first wrong row if something does not follow."""
    book = _opened(place)
    book.verify()
    entries = book.entries()
    head = entries[-1].hash if entries else None
    if as_json:
        console.show_json({"path": book.path, "verified": True, "charges": len(entries), "head": head})
        return
    console.show(f"Verified: {len(entries)} charges add up to {book.spent} of {book.total}.")
    if head is not None:
        console.show(f"The last hash is {head}: written down elsewhere, it shows later edits too.")


@ledger.command()
def backup(
    place: Place,
    out: Annotated[str, typer.Argument(metavar="FILE", help="Where the copy goes; a new file.")],
    *,
    as_json: Json = False,
) -> None:
    """Copy a ledger, in use or not: a file as a file, a database as lines of JSON."""
    from privpac.guarantee.ledger.backup import backup as copied

    _existing(place)
    account = copied(place, out)
    if as_json:
        console.show_json({"out": out, **_facts(account)})
        return
    console.show(f"Copied {account.count} charges, verified, to {out}.")


@ledger.command()
def restore(
    copy: Annotated[str, typer.Argument(metavar="FILE", help="A copy made by backup.")],
    place: Place,
    *,
    as_json: Json = False,
) -> None:
    """Make a ledger from a copy, where there is none yet. An older copy forgets what was charged since."""
    from privpac.guarantee.ledger.backup import restore as restored

    book = restored(copy, place)
    console.warn(FORGETS, as_json=as_json)
    _show(book, last=0, as_json=as_json)


def _existing(place: str) -> None:
    if "://" not in place and not Path(place).exists():
        raise DataError(
            f"There is no ledger {place!r}.",
            remedy=f"Make one with: privpac ledger create {place} --epsilon TOTAL",
        )


def _opened(place: str) -> Ledger:
    from privpac.guarantee.ledger.ledger import Ledger

    _existing(place)
    return Ledger.open(place)


def _amounts(budget: Budget) -> dict[str, str]:
    from privpac.guarantee.ledger.budget import exact_text

    return {"epsilon": exact_text(budget.epsilon), "delta": exact_text(budget.delta)}


def _facts(account: Account) -> dict[str, Any]:
    return {
        "total": _amounts(account.total),
        "spent": _amounts(account.spent),
        "left": _amounts(account.left),
        "charges": account.count,
    }


def _show(book: Ledger, *, last: int | None = None, as_json: bool) -> None:
    entries = [entry.facts() for entry in book.entries()]
    shown = entries if last is None else entries[len(entries) - min(last, len(entries)) :]
    totals = {"total": book.total, "spent": book.spent, "left": book.left}
    if as_json:
        amounts = {name: _amounts(budget) for name, budget in totals.items()}
        console.show_json({"path": book.path, **amounts, "charges": len(entries), "entries": shown})
        return
    console.show("\n".join(f"{name:6} {budget}" for name, budget in totals.items()))
    if shown:
        headings = ("number", "epsilon", "delta", "time", "note")
        rows = [[str(entry[name]) for name in headings] for entry in shown]
        console.show("\n" + console.table_text(headings, rows, right=headings[:3]))
