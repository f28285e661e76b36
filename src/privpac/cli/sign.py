"""`privpac sign`: vouch for a document with a key, inside it or in a file beside it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privpac.checker.signature import NOT_REBUILT
from privpac.cli import console
from privpac.cli.console import Json
from privpac.cli.destination import Destination
from privpac.cli.options import SignerName, argument, file, flag, option
from privpac.drafts import whole_file
from privpac.errors import NotCertified, ParameterError

if TYPE_CHECKING:
    from privpac.checker.signature import Receipt
    from privpac.guarantee.ledger.account import Entry
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.signing.keys import SigningKey

__all__ = ["PASSPHRASE", "receipt_for", "sign", "sign_file", "signing_key"]

OWNER = "sign"
PASSPHRASE = "PRIVPAC_PASSPHRASE"  # the name of a variable


def sign(
    document: Annotated[str, argument("FILE", "A model file, a released table, or the folder of a bundle.")],
    *,
    key: Annotated[str, option("KEY", "A key file (privpac keys signing makes one).")],
    signer: SignerName,
    ledger: Annotated[str | None, option("LEDGER", "The ledger that was charged, for a receipt.")] = None,
    entry: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --ledger: the number of the charge.")
    ] = None,
    detached: Annotated[str | None, file("Write the signature there instead of into the document.")] = None,
    force: Annotated[
        bool, flag("--force", "Overwrite a file of --detached, or your earlier receipt in the document.")
    ] = False,
    anyway: Annotated[
        bool, flag("--anyway", "Sign what this version cannot rebuild, too; the signature says so.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Sign a document, so that others can see it is yours.

    The whole document is verified first, as privpac verify does: what that refuses is not signed. Whoever has your
    public key can then tell that it is yours and unchanged. A key signs a document once: signing again
    replaces its signature, and needs --force where that had a receipt and the new one has none.

    A passphrase of the key is taken from the variable PRIVPAC_PASSPHRASE.
    """
    from privpac.checker.document import MANIFEST, is_bundle

    if (ledger is None) != (entry is None):
        raise ParameterError(OWNER, "entry", entry, allowed="given together with --ledger")
    path = Path(document) / MANIFEST if is_bundle(document) else Path(document)
    beside = Destination.of(detached, owner=OWNER, option="detached", keep=(document, key), force=force)
    tree, rebuilt = _document(document, path, inside=beside is None, anyway=anyway)
    receipt = None if ledger is None or entry is None else _receipt(ledger, entry, tree)
    secret = signing_key(key)
    if receipt is None and beside is None and not force:
        _refuse_to_drop_receipt(tree, secret)
    signature = _write_signature(
        path, tree, secret, signer=signer, receipt=receipt, beside=beside, rebuilt=rebuilt
    )
    where = str(path if beside is None else beside.path)
    text = f"Signed by {signer}: {where}" + ("" if receipt is None else f"; {receipt}")
    text += "." if rebuilt else f"; {NOT_REBUILT}."
    console.show_result(signature, text, as_json=as_json)


def signing_key(path: str) -> SigningKey:
    """The key in a file, with the passphrase that the environment holds if there is one."""
    from privpac.signing.keys import SigningKey

    return SigningKey.read(path, passphrase=os.environ.get(PASSPHRASE))


def sign_file(path: Path, key: SigningKey, *, signer: str, receipt: Receipt | None) -> None:
    """Sign the document in a file, in place."""
    tree, rebuilt = _document(path, path, inside=True, anyway=False)
    _write_signature(path, tree, key, signer=signer, receipt=receipt, beside=None, rebuilt=rebuilt)


def _document(place: str | Path, path: Path, *, inside: bool, anyway: bool) -> tuple[dict[str, Any], bool]:
    """The document at a place, and whether it was rebuilt: verified as a whole, and with coins that no seed made."""
    from privpac.checker.check import check_document
    from privpac.checker.document import CERTIFICATE, read_document
    from privpac.verification import rebuild, require_rebuilt

    tree = read_document(path)
    if inside and tree["format"] == CERTIFICATE:
        raise ParameterError(
            OWNER, "detached", None, allowed="given for a bare certificate, which has no room for signatures"
        )
    found = rebuild(place, tree, check_document(tree))  # what is signed is what was read, and not read again
    if not anyway:
        require_rebuilt(found)
    if not found.for_release:
        raise NotCertified(
            "It was made with coins of a known seed: it must not be released, so it is not signed.",
            remedy="Make it anew without a seed, and delete this one.",
        )
    return tree, found.rebuilt


def _refuse_to_drop_receipt(tree: Mapping[str, Any], key: SigningKey) -> None:
    """The receipt of a charge is what auditors look for: nobody should lose it by signing under another name."""
    from privpac.checker.signature import signatures_in

    for earlier in signatures_in(tree):
        if earlier.key == key.public and earlier.receipt is not None:
            raise ParameterError(
                OWNER,
                "ledger",
                None,
                allowed=f"given, since this key has signed the document already, as {earlier.signer!r},"
                f" {earlier.receipt}: the new signature would replace that one and lose its receipt",
                remedy=f"Add --ledger LEDGER --entry {earlier.receipt.entry}, or --force to drop the receipt.",
            )


def _write_signature(
    path: Path,
    tree: Mapping[str, Any],
    key: SigningKey,
    *,
    signer: str,
    receipt: Receipt | None,
    beside: Destination | None,
    rebuilt: bool,
) -> dict[str, Any]:
    from privpac.checker.signature import with_signature

    signature = key.sign(tree, signer=signer, receipt=receipt, rebuilt=rebuilt)
    if beside is None:
        text = json.dumps(with_signature(tree, signature), indent=1, ensure_ascii=False) + "\n"
        with whole_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
            shutil.copymode(path, draft)
    else:
        beside.write(json.dumps(signature.to_json(), indent=1) + "\n")
    return signature.to_json()


def receipt_for(ledger: Ledger | None, entry: Entry | None) -> Receipt | None:
    """The receipt of a charge; None where nothing was charged."""
    from privpac.checker.signature import Receipt

    return None if ledger is None or entry is None else Receipt(ledger.id, entry.number, entry.hash)


def _receipt(place: str, number: int, tree: Mapping[str, Any]) -> Receipt:
    from privpac.checker.signature import Receipt
    from privpac.guarantee.ledger.ledger import Ledger
    from privpac.signing.checking import check_charge

    book = Ledger.open(place)
    entries = book.entries()
    if number > len(entries):
        raise ParameterError(OWNER, "entry", number, allowed=f"at most {len(entries)}, the last charge")
    receipt = Receipt(book.id, number, entries[number - 1].hash)
    check_charge(entries, receipt, tree)
    return receipt
