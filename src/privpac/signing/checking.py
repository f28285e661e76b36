"""Who signed a document, and whether a ledger knows the charge that a signature speaks of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privpac.checker.document import parsed
from privpac.errors import DataError, NotCertified
from privpac.signing.keys import Trusted
from privpac.signing.signature import Signature, signatures_in

if TYPE_CHECKING:  # whoever only asks who signed needs no ledger
    from privpac.guarantee.ledger.ledger import Ledger

__all__ = ["Signer", "check_receipt", "read_signature", "signers_of"]

UNSIGNED = "Nobody has signed it: the digest shows accidental edits, not who made it."


@dataclass(frozen=True)
class Signer:
    """A signature that holds, and what is known of whoever made it."""

    signature: Signature
    trusted: str | None
    """The name that a list of trusted keys gives to the key; None if it is not on the list."""

    def line(self) -> str:
        """One sentence for people."""
        receipt = self.signature.receipt
        paid = "" if receipt is None else f", {receipt}"
        if self.trusted is not None:
            return f"Signed by {self.trusted}{paid}."
        claim = f"Signed with the key {self.signature.to_json()['key']}{paid}"
        return f"{claim}. Whose key that is, nobody vouches for; it says {self.signature.signer!r}."

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        tree = self.signature.to_json()
        return {
            "trusted": self.trusted,
            "signer": tree["signer"],
            "key": tree["key"],
            "receipt": tree["receipt"],
        }


def read_signature(path: str | os.PathLike[str]) -> Signature:
    """The signature in a file of its own."""
    try:
        tree = parsed(Path(path))
    except (OSError, ValueError, RecursionError):
        raise DataError(f"There is no signature {str(path)!r} that can be read.") from None
    if not isinstance(tree, Mapping):
        raise NotCertified(f"{str(path)!r} is no signature.")
    return Signature.from_json(tree)


def signers_of(
    tree: Mapping[str, Any], *, trusted: Trusted | None = None, beside: Sequence[Signature] = ()
) -> tuple[Signer, ...]:
    """Everybody who signed the document, inside it or beside it; `NotCertified` if one signature does not hold."""
    names = Trusted({}) if trusted is None else trusted
    signatures = (*signatures_in(tree), *beside)
    for signature in signatures:
        signature.check(tree)
    return tuple(Signer(one, names.name(one.key)) for one in signatures)


def check_receipt(ledger: Ledger, tree: Mapping[str, Any]) -> tuple[Signature, ...]:
    """The signatures of a document whose receipts this ledger confirms.

    Raises `NotCertified` if there is none, if a receipt names a charge that the ledger does not have, or one that is
    smaller than what the document promises. The ledger itself must have been verified.
    """
    entries, epsilon = ledger.entries(), Fraction(tree["certificate"]["epsilon"])
    confirmed = []
    for signature in signatures_in(tree):
        signature.check(tree)
        receipt = signature.receipt
        if receipt is None or receipt.ledger != ledger.id:
            continue
        if receipt.entry > len(entries) or entries[receipt.entry - 1].hash != receipt.head:
            raise NotCertified(
                f"The ledger has no charge {receipt.entry} with the hash that the receipt names.",
                remedy="Look for the ledger that was charged, or for a copy from before it was altered.",
            )
        if entries[receipt.entry - 1].epsilon < epsilon:
            raise NotCertified(
                f"Charge {receipt.entry} is smaller than the epsilon that the document promises.",
                remedy="Ask whoever signed it which charge paid for it.",
            )
        confirmed.append(signature)
    if not confirmed:
        raise NotCertified(
            "The document has no receipt of this ledger.",
            remedy="Sign it with privpac sign FILE --key KEY --ledger LEDGER --entry N.",
        )
    return tuple(confirmed)
