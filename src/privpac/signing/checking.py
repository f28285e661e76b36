"""Who signed a document, and whether a ledger knows the charge that a signature speaks of."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privpac.checker.document import CERTIFICATE, TABLE, canonical, digest, parsed
from privpac.checker.signature import Receipt, Signature, signatures_in
from privpac.errors import DataError, NotCertified
from privpac.signing.keys import Trusted

if TYPE_CHECKING:  # whoever only asks who signed needs no ledger
    from privpac.guarantee.ledger.account import Entry, Purchase
    from privpac.guarantee.ledger.ledger import Ledger

__all__ = [
    "Signer",
    "charge_text",
    "check_charge",
    "check_receipt",
    "check_receipts",
    "is_bound",
    "read_signature",
    "signers_of",
]

ASK = "Ask whoever signed it which charge paid for it."


@dataclass(frozen=True)
class Signer:
    """A signature that holds, and what is known of whoever made it."""

    signature: Signature
    trusted: str | None
    """The name that a list of trusted keys gives to the key; None if it is not on the list."""

    def line(self) -> str:
        """One sentence for people."""
        if self.trusted is None:
            return self.signature.claim()
        signer = self.signature.signer
        role = "" if signer == self.trusted else f" (the signature says {signer!r})"
        return f"Signed by {self.trusted}{role}, {self.signature.terms()}."

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {"trusted": self.trusted, **self.signature.to_show()}


def read_signature(path: str | os.PathLike[str]) -> Signature:
    """The signature in a file of its own."""
    try:
        tree = parsed(Path(path))
    except (OSError, ValueError, RecursionError):
        raise DataError(f"There is no signature {str(path)!r} that can be read.") from None
    return Signature.from_json(tree)


def signers_of(
    tree: Mapping[str, Any], *, trusted: Trusted | None = None, beside: Sequence[Signature] = ()
) -> tuple[Signer, ...]:
    """Everybody who signed the document, inside it or beside it; `NotCertified` if one signature does not hold."""
    names = Trusted({}) if trusted is None else trusted
    signatures = (*signatures_in(tree), *beside)
    for signature in signatures:
        signature.check(tree)
        _ask_library(signature)
    return tuple(Signer(one, names.name(one.key)) for one in signatures)


def _ask_library(signature: Signature) -> None:
    """A second opinion where the well-kept library is installed: it accepts all that our own arithmetic accepts."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(signature.signature, signature.message())
    except (InvalidSignature, ValueError):
        raise NotCertified(f"The signature of {signature.signer!r} is not that of its key.") from None


def check_receipt(
    ledger: Ledger,
    tree: Mapping[str, Any],
    *,
    trusted: Trusted | None = None,
    beside: Sequence[Signature] = (),
    name: str = "The document",
) -> tuple[Signer, ...]:
    """Those who signed the document with a receipt that this ledger confirms.

    With a list of trusted keys, only their receipts count: anybody can copy the receipt of another document into a
    signature of his own. Raises `NotCertified` if there is none, if a receipt names a charge that the ledger does not
    have, one that is smaller than what the document promises, or one that paid for something else. The ledger itself
    must have been verified.
    """
    entries, signers = ledger.entries(), []
    for signer in signers_of(tree, trusted=trusted, beside=beside):
        receipt = signer.signature.receipt
        if receipt is None or receipt.ledger != ledger.id or (trusted is not None and signer.trusted is None):
            continue
        check_charge(entries, receipt, tree)
        signers.append(signer)
    if not signers:
        whose = "" if trusted is None else " by a key on the list"
        raise NotCertified(
            f"{name} has no receipt of this ledger{whose}.",
            remedy="Ask whoever made it to sign it with this ledger (privpac sign FILE --key KEY --signer NAME"
            " --ledger LEDGER --entry N). Which charges may have paid for it says 'Paid for by' in what privpac explain"
            " FILE --statement STATEMENT --ledger LEDGER writes.",
        )
    return tuple(signers)


def check_receipts(
    ledger: Ledger,
    documents: Mapping[str, Mapping[str, Any]],
    *,
    trusted: Trusted | None = None,
    beside: Sequence[Signature] = (),
) -> dict[str, tuple[Signer, ...]]:
    """`check_receipt` of several documents, by name; a charge pays for one of them only.

    Signatures beside documents go to whichever they name; `NotCertified` if it is none of these.
    """
    digests = {name: digest(tree) for name, tree in documents.items()}
    for signature in beside:
        if signature.document not in digests.values():
            raise NotCertified(f"The signature of {signature.signer!r} belongs to another document.")
    signers, charges = {}, dict[int, str]()
    for name, tree in documents.items():
        others = [one for one in beside if one.document == digests[name]]
        signers[name] = check_receipt(ledger, tree, trusted=trusted, beside=others, name=repr(name))
        for receipt in (signer.signature.receipt for signer in signers[name]):
            if receipt is not None and digests[charges.setdefault(receipt.entry, name)] != digests[name]:
                raise NotCertified(
                    f"{charges[receipt.entry]!r} and {name!r} both name charge {receipt.entry}"
                    f" ({charge_text(ledger.entries()[receipt.entry - 1])}): it paid for one of them.",
                    remedy="Ask whoever signed them which charge paid for the other one.",
                )
    return signers


def check_charge(entries: Sequence[Entry], receipt: Receipt, tree: Mapping[str, Any]) -> None:
    """Raise `NotCertified` unless the charge of a receipt is there, covers what the document promises, and was for it.

    What it was for is what the ledger wrote down before the draw: the certificate, or only a schema and a label where
    an earlier version wrote. Two releases with one certificate look alike to it; `check_receipts` of both tells.
    """
    certificate = tree if tree["format"] == CERTIFICATE else tree["certificate"]
    entry = entries[receipt.entry - 1] if receipt.entry <= len(entries) else None
    if entry is None or entry.hash != receipt.head:
        raise NotCertified(
            f"The ledger has no charge {receipt.entry} with the hash that the receipt names.",
            remedy="Look for the ledger that was charged, or for a copy from before it was altered.",
        )
    for name, amount in (("epsilon", entry.epsilon), ("delta", entry.delta)):
        if amount < Fraction(certificate[name]):
            raise NotCertified(
                f"Charge {receipt.entry} ({charge_text(entry)}) is smaller than the {name} that the document promises.",
                remedy=ASK,
            )
    differs = "" if entry.purchase is None else _difference(entry.purchase, tree, certificate)
    if differs:
        raise NotCertified(
            f"Charge {receipt.entry} paid for something else ({charge_text(entry)}): {differs}.", remedy=ASK
        )


def charge_text(entry: Entry) -> str:
    """What the ledger wrote down of a charge: the word, the label, the table and the file, or its note; and when."""
    return f"{entry.purchase or entry.note or 'without a name'}, on {entry.time}"


def is_bound(entry: Entry) -> bool:
    """Whether a charge says for which certificate it was."""
    return entry.purchase is not None and bool(entry.purchase.certificate)


def _difference(purchase: Purchase, tree: Mapping[str, Any], certificate: Mapping[str, Any]) -> str:
    """What is written down of a charge and contradicts that it was for this document; empty if nothing does."""
    label = tree["schema"]["label"] if "schema" in tree else purchase.label
    labels = f"it was for the label {purchase.label!r}, and the document is about {label!r}"
    other_label = purchase.label not in ("", label)
    if purchase.certificate:
        if purchase.certificate == digest(certificate):
            return ""
        return labels if other_label else "it names another certificate than the one in the document"
    if tree["format"] in (CERTIFICATE, TABLE):  # without a schema, or with some of its columns only
        return ""
    if other_label:
        return labels
    schema = hashlib.sha256(canonical(tree["schema"]).encode("ascii")).hexdigest()
    return "" if purchase.schema in ("", schema) else "it names another schema than the one in the document"
