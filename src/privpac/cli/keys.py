"""`privpac keys`: who may ask the prediction service."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.options import argument, number, option, verbs
from privpac.cli.serve import ledger_address, require_serve
from privpac.errors import ParameterError

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore
    from privpac.signing.keys import SigningKey

__all__ = ["keys"]

keys = verbs("keys", "Keys of a service, and keys that sign documents.")

LedgerUrl = Annotated[
    str, option("URL", "The service's ledger: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.")
]


def _store(ledger: str) -> SqlStore:
    require_serve()
    from privpac.guarantee.ledger.sql_store import SqlStore
    from privpac.service.store import migrating

    store = SqlStore.open(ledger_address(ledger))
    migrating.prepare(store, upgrade=False)
    return store


@keys.command()
def create(
    *,
    ledger: LedgerUrl,
    role: Annotated[str, option("ROLE", "analyst, or owner: sees everybody's budget.")],
    name: Annotated[str, option("TEXT", "The name of its holder.")] = "",
    epsilon: Annotated[str | None, number("What its holder may spend; all there is if left out.")] = None,
    delta: Annotated[str, number("The delta of that: with one, many more answers fit.")] = "0",
    as_json: Json = False,
) -> None:
    """Make a key and print it, once: only a hash of it is kept."""
    store = _store(ledger)
    from privpac.service.access import keys as service_keys

    key, text = service_keys.create(store, role=role, name=name, epsilon=epsilon, delta=delta)
    console.show_result({"key": text, **key.to_json()}, text, as_json=as_json)
    console.note(
        f"Key {key.id} ({key.role}). It is shown this once; send it as Authorization: Bearer KEY.",
        as_json=as_json,
    )


@keys.command("list")
def list_keys(
    *,
    ledger: LedgerUrl,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="How many at most.")] = 100,
    after: Annotated[str | None, option("ID", "Only keys made after this one, the oldest first.")] = None,
    as_json: Json = False,
) -> None:
    """Keys, with what they spent; never the keys themselves."""
    store = _store(ledger)
    from privpac.service.access import keys as service_keys

    page = service_keys.listed(store, after=after, most=limit + 1)
    trees = [key.to_json() for key in page[:limit]]
    if as_json:
        console.show_json(trees)
        return
    headings = ("id", "role", "name", "spent", "of", "created", "revoked")
    rows = [
        [
            tree["id"],
            tree["role"],
            tree["name"],
            tree["epsilon"]["spent"],
            tree["epsilon"]["total"] or "all",
            tree["created"],
            tree["revoked"] or "",
        ]
        for tree in trees
    ]
    console.show(console.table_text(headings, rows, right=("spent", "of")))
    if len(page) > limit:
        console.note(f"There are more: privpac keys list --after {page[limit - 1].id}", as_json=False)


@keys.command()
def revoke(
    identity: Annotated[str, argument("ID", "The key's id; see `privpac keys list`.")],
    *,
    ledger: LedgerUrl,
    as_json: Json = False,
) -> None:
    """End a key, at once and for good. What it spent stays spent."""
    store = _store(ledger)
    from privpac.service.access import keys as service_keys

    service_keys.revoke(store, identity)
    if as_json:
        console.show_json({"revoked": identity})
    console.note(f"Key {identity} is revoked.", as_json=as_json)


@keys.command()
def signing(
    out: Annotated[str, argument("FILE", "Where the private key goes; a new file.")],
    *,
    as_json: Json = False,
) -> None:
    """Make a key that signs documents.

    Its public half, which everybody may know, is printed. With the variable PRIVPAC_PASSPHRASE set, the file cannot be
    used without that passphrase.
    """
    from privpac.cli.sign import PASSPHRASE
    from privpac.signing.keys import SigningKey

    key = SigningKey.make()
    try:
        key.save(out, passphrase=os.environ.get(PASSPHRASE))
    except FileExistsError:
        raise ParameterError("keys", "FILE", out, allowed="a new file: a key is never overwritten") from None
    _show_public(key, as_json=as_json)
    console.note(f"Wrote the private key to {out}. Keep it to yourself.", as_json=as_json)


@keys.command()
def show(
    file: Annotated[str, argument("FILE", "A key that signs documents.")],
    *,
    as_json: Json = False,
) -> None:
    """Print the public half of a signing key.

    It is for the lists of those who trust it.
    """
    from privpac.cli.sign import signing_key

    _show_public(signing_key(file), as_json=as_json)


def _show_public(key: SigningKey, *, as_json: bool) -> None:
    console.show_result({"public": key.public_text}, key.public_text, as_json=as_json)
