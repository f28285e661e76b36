"""`privpac ledger`: make a budget, charge it, look at it, check it, copy it, and bring a copy back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import argument, file, number, option, verbs
from privpac.errors import DataError, ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.account import Account, Entry
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.signing.checking import Signer

__all__ = ["ledger"]

Place = Annotated[str, argument("LEDGER", "A file, sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.")]
FORGETS = (
    "what was charged after this copy was made is not in it and would be spent again; stop everything that uses the "
    "original, and treat as spent what its users remember."
)

ledger = verbs("ledger", "Make, read, check and copy budgets.")


@ledger.command()
def create(
    place: Place,
    *,
    epsilon: Annotated[str | None, number("What everything together may reveal.")] = None,
    delta: Annotated[str, number("With a delta, such as 1e-6, many small charges cost far less.")] = "0",
    reserved_delta: Annotated[
        str, number("The part of delta for releases that have a delta of their own.")
    ] = "0",
    pure_epsilon: Annotated[
        str | None, number("A second promise, without a delta: all epsilons add up to it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a new ledger, with totals that are fixed from now on.

    A ledger that is there already is left as it is.
    """
    from privpac.guarantee.ledger.ledger import Ledger

    try:
        book = Ledger.create(
            place, epsilon=epsilon, delta=delta, reserved_delta=reserved_delta, pure_epsilon=pure_epsilon
        )
    except FileExistsError as problem:
        raise ParameterError(
            "ledger", "place", str(problem), allowed="a place where there is nothing yet"
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
    """Print totals and charges, unchecked.

    `privpac ledger verify` checks them.
    """
    _show(_ledger(place), last=last, as_json=as_json)


@ledger.command()
def charge(
    place: Place,
    *,
    epsilon: Annotated[str, number("What the other release reveals at most.")],
    note: Annotated[str, option("TEXT", "What was released, for readers of the ledger.")],
    delta: Annotated[str, number("Its delta.")] = "0",
    as_json: Json = False,
) -> None:
    """Charge a release that was made without this ledger.

    It may come from another program, or --ledger was forgotten: the sum must cover everything. What was released with
    --ledger is charged already.
    """
    if not note.strip():
        raise ParameterError(
            "ledger", "note", note, allowed="a text: a charge that nobody can explain helps nobody"
        )
    book = _ledger(place)
    book.charge(epsilon=epsilon, delta=delta, note=note.strip())
    _show(book, last=1, as_json=as_json)


@ledger.command()
def verify(
    place: Place,
    *,
    receipt: Annotated[
        list[str] | None, file("A signed document: was it paid for by this ledger? May be repeated.")
    ] = None,
    trusted: Annotated[
        str | None, file("With --receipt: keys you trust; receipts of others do not count.")
    ] = None,
    signature: Annotated[
        list[str] | None, file("With --receipt: a detached signature of a document.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute every hash and every sum.

    Exit code 4 and the first wrong row, if something does not follow. Documents are verified as a whole, and
    their signatures are checked; the line of one that was not rebuilt by this version says so. A charge pays for one
    of them only.
    """
    from privpac.checker.budget import check_budget
    from privpac.guarantee.ledger.total import guesses_of, promise_of, total_document

    for name, value in (("trusted", trusted), ("signature", signature)):
        if value and not receipt:
            raise ParameterError("ledger", name, value, allowed="given together with --receipt")
    book = _ledger(place)
    book.verify()
    account, entries = book.account(), book.entries()
    total = total_document(account)
    check_budget(total)
    head = entries[-1].hash if entries else None
    receipts, rebuilt = _receipts(book, receipt, trusted, signature or []) if receipt else ({}, {})
    if as_json:
        facts = {"path": book.path, "verified": True, "charges": len(entries), "head": head, "total": total}
        facts["guesses"] = guesses_of(account)
        signatures = [
            {"file": path, "file_rebuilt": rebuilt[path], **one.to_json()}
            for path, signers in receipts.items()
            for one in signers
        ]
        if receipt:
            rest = [entry.facts() for entry in _charges_without_file(entries, receipts)]
            facts |= {"receipts": signatures, "without_document": rest}
        console.show_json(facts)
        return
    sums = "1 charge adds" if len(entries) == 1 else f"{len(entries)} charges add"
    console.show(f"Verified: {sums} up to {_spent(account)} of {account.promises}.")
    console.show(_guesses(account))
    console.show(promise_of(account))
    for path, signers in receipts.items():
        for one in signers:
            doubt = "" if rebuilt[path] else " The document was not rebuilt by this version."
            console.show(f"{path}: in the ledger. {one.line()}{_unbound(entries, one)}{doubt}")
    if receipt:
        _show_charges_without_file(_charges_without_file(entries, receipts))
    if head is not None:
        console.show(f"The last hash is {head}: written down elsewhere, it shows later edits too.")


def _charges_without_file(entries: Sequence[Entry], receipts: Mapping[str, Sequence[Signer]]) -> list[Entry]:
    """The charges that none of the documents names."""
    signatures = (one.signature for signers in receipts.values() for one in signers)
    numbers = {signature.receipt.entry for signature in signatures if signature.receipt is not None}
    return [entry for entry in entries if entry.number not in numbers]


def _show_charges_without_file(rest: Sequence[Entry]) -> None:
    from privpac.signing.checking import charge_text

    if not rest:
        console.show("Every charge of the ledger is named by one of these documents.")
        return
    lines = "\n".join(
        f"  charge {entry.number}, epsilon {_text(entry.epsilon)}: {charge_text(entry)}" for entry in rest
    )
    console.show(f"None of these documents names these charges:\n{lines}")


def _unbound(entries: Sequence[Entry], signer: Signer) -> str:
    """What a reader should know of a charge that does not say for which certificate it was."""
    from privpac.signing.checking import is_bound

    receipt = signer.signature.receipt
    if receipt is None or is_bound(entries[receipt.entry - 1]):
        return ""
    return " The charge does not say for which certificate it was: name all releases at once."


def _receipts(
    book: Ledger, paths: Sequence[str], trusted: str | None, beside: Sequence[str]
) -> tuple[dict[str, tuple[Signer, ...]], dict[str, bool]]:
    """Who signed each document with a receipt of this ledger, and which of them were rebuilt: verified as wholes."""
    from privpac.checker.document import read_at
    from privpac.signing.checking import check_receipts, read_signature
    from privpac.signing.keys import Trusted
    from privpac.verification import look_at

    documents = {path: read_at(path) for path in paths}
    rebuilt = {path: look_at(path).rebuilt for path in paths}
    names = None if trusted is None else Trusted.read(trusted)
    signers = check_receipts(book, documents, trusted=names, beside=[read_signature(path) for path in beside])
    return signers, rebuilt


@ledger.command()
def backup(
    place: Place,
    out: Annotated[str, argument("FILE", "Where the copy goes; a new file.")],
    *,
    as_json: Json = False,
) -> None:
    """Copy a ledger, whether it is in use or not.

    A file is copied as a file, a database as lines of JSON.
    """
    from privpac.guarantee.ledger.backup import backup as copied

    _existing(place)
    account = copied(place, out)
    text = f"Copied {account.count} charges, verified, to {out}."
    console.show_result({"out": out, **_facts(account)}, text, as_json=as_json)


@ledger.command()
def restore(
    copy: Annotated[str, argument("FILE", "A copy made by backup.")],
    place: Place,
    *,
    as_json: Json = False,
) -> None:
    """Make a ledger from a copy, where there is none yet.

    An older copy forgets what was charged since.
    """
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


def _ledger(place: str) -> Ledger:
    from privpac.guarantee.ledger.ledger import Ledger

    _existing(place)
    return Ledger.open(place)


def _facts(account: Account) -> dict[str, Any]:
    """Totals, sums and what is left; rho where it is counted."""
    from privpac.guarantee.ledger.total import guesses_of

    other, left_rho = account.promises.approximate, account.promises.left_rho(account.spent)
    budgets = {"total": account.total, "spent": account.spent.pair, "left": account.left}
    parts = {
        name: {"epsilon": _text(budget.epsilon), "delta": _text(budget.delta)}
        for name, budget in budgets.items()
    }
    if other is not None and left_rho is not None:
        for name, rho in (("total", other.rho), ("spent", account.spent.rho), ("left", left_rho)):
            parts[name]["rho"] = _text(rho)
    pure = {} if account.promises.pure is None else {"pure_epsilon": _text(account.promises.pure)}
    reserve = {} if other is None else {"reserved_delta": _text(other.reserved_delta)}
    totals = {**parts, "total": {**parts["total"], **pure, **reserve}, "charges": account.count}
    return {**totals, "guesses": guesses_of(account)}


def _show(book: Ledger, *, last: int | None = None, as_json: bool) -> None:
    account, entries = book.account(), book.entries()
    last_entries = entries if last is None else entries[len(entries) - min(last, len(entries)) :]
    more = {"more_of_the_last": account.room(entries[-1].cost)} if entries else {}
    if as_json:
        rows = [entry.facts() for entry in last_entries]
        console.show_json({"path": book.path, **_facts(account), **more, "entries": rows})
        return
    console.show(
        f"total  {account.promises}\nspent  {_spent(account)}\nleft   {account.remainder}\n{_guesses(account)}"
    )
    if entries:
        room = account.room(entries[-1].cost)
        console.show(f"room   {room} more {'charge' if room == 1 else 'charges'} like the last one")
    if last_entries:
        console.show("\n" + _table(account, last_entries))


def _guesses(account: Account) -> str:
    """What the sums mean for one person."""
    from privpac.guarantee.ledger.total import guesses_of

    guesses = guesses_of(account)
    spent = f"{guesses['spent']} after all charges so far, " if "spent" in guesses else ""
    what = "Chance of guessing which of two equally likely records is the true one"
    return f"{what}: at most {spent}{guesses['total']} at the total."


def _spent(account: Account) -> str:
    """What counts against the total: rho where it is counted."""
    return f"rho {_text(account.spent.rho)}" if account.promises.filters else str(account.spent)


def _text(amount: Fraction) -> str:
    from privpac.guarantee.ledger.budget import short_text

    return short_text(amount)


def _table(account: Account, entries: Sequence[Entry]) -> str:
    """The charges; columns that say nothing are left out."""
    columns = {
        "number": [str(entry.number) for entry in entries],
        "epsilon": [_text(entry.epsilon) for entry in entries],
        "delta": [_text(entry.delta) for entry in entries],
        "rho": [_text(entry.rho) for entry in entries],
        "time": [entry.time for entry in entries],
        "note": [entry.note for entry in entries],
        "paid for": ["" if entry.purchase is None else str(entry.purchase) for entry in entries],
    }
    if not account.promises.filters:
        del columns["rho"]
    if not any(columns["paid for"]):
        del columns["paid for"]
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return console.table_text(tuple(columns), rows, right=("number", "epsilon", "delta", "rho"))
