"""`privpac ledger`: make a budget, or look at what has been spent of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.errors import DataError, ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger import Ledger

__all__ = ["ledger"]


def ledger(
    path: Annotated[str, typer.Argument(metavar="FILE", help="The ledger file.")],
    *,
    epsilon: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Make a new ledger with this total.")
    ] = None,
    delta: Annotated[str, typer.Option(metavar="NUMBER", help="Total delta of a new ledger.")] = "0",
    as_json: Json = False,
) -> None:
    """Make a ledger (with --epsilon), or print its totals and every charge after re-checking all of them."""
    from privpac.guarantee.ledger import Ledger

    if epsilon is not None:
        if Path(path).exists():
            raise ParameterError("ledger", "file", path, allowed="a new file when --epsilon is given")
        book = Ledger(epsilon=epsilon, delta=delta, path=path)
    elif Path(path).exists():
        book = Ledger.open(path)
    else:
        raise DataError(
            f"There is no ledger {path!r}.", remedy=f"Make one with: privpac ledger {path} --epsilon TOTAL"
        )
    book.verify()
    _show(book, as_json=as_json)


def _show(book: Ledger, *, as_json: bool) -> None:
    entries = [entry.facts() for entry in book.entries()]
    totals = {"total": book.total, "spent": book.spent, "left": book.left}
    if as_json:
        from privpac.guarantee.budget import exact_text

        amounts: dict[str, Any] = {
            name: {"epsilon": exact_text(budget.epsilon), "delta": exact_text(budget.delta)}
            for name, budget in totals.items()
        }
        console.show_json({"path": book.path, **amounts, "entries": entries})
        return
    console.show("\n".join(f"{name:6} {budget}" for name, budget in totals.items()))
    if entries:
        headings = ("number", "epsilon", "delta", "time", "note")
        rows = [[str(entry[name]) for name in headings] for entry in entries]
        console.show("\n" + console.table_text(headings, rows, right=headings[:3]))
