"""Signatures of documents: Ed25519 over the canonical form, inside the document or in a file beside it.

What is signed is a statement: the digest of the document, who signs, and, where a ledger was charged, the receipt.
Everything in it is public. The digest leaves signatures out, so that several people can sign one after the other, and
a document reads the same with and without them. Format: docs/reference/formats.md.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privpac.checker.document import (
    MOST_SIGNATURES,
    SIGNATURE,
    SIGNATURES,
    Malformed,
    canonical,
    digest,
    require,
)
from privpac.errors import NotCertified
from privpac.fields import record, refusing, text, whole
from privpac.signing.ed25519 import holds

__all__ = ["FORMAT", "Receipt", "Signature", "signatures_in", "with_signature"]

FORMAT = SIGNATURE

KEY_BYTES, SIGNATURE_BYTES = 32, 64
LONGEST_NAME = 200


@dataclass(frozen=True)
class Receipt:
    """Which charge paid for a release: a ledger, the number of the entry, and the head of the chain after it."""

    ledger: str
    entry: int
    head: str

    def to_json(self) -> dict[str, Any]:
        """The receipt as JSON."""
        return {"ledger": self.ledger, "entry": self.entry, "head": self.head}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Receipt:
        """What `to_json` wrote, read back."""
        record(tree, "ledger", "entry", "head")
        return cls(text(tree["ledger"]), whole(tree["entry"], least=1), text(tree["head"]))

    def __str__(self) -> str:
        return f"charged as entry {self.entry:,} of ledger {self.ledger}"


@dataclass(frozen=True)
class Signature:
    """A statement about a document, and the signature over it."""

    document: str
    """The digest of what is signed."""
    signer: str
    """Whose key it is, as the signer says; only a list of trusted keys makes that more than a claim."""
    key: bytes
    """The public key, 32 bytes."""
    receipt: Receipt | None
    signature: bytes

    def statement(self) -> dict[str, Any]:
        """What is signed, as JSON."""
        return {
            "format": FORMAT,
            "document": self.document,
            "signer": self.signer,
            "key": _text(self.key),
            "receipt": None if self.receipt is None else self.receipt.to_json(),
        }

    def message(self) -> bytes:
        """The bytes that are signed: the canonical form of the statement, which begins with no other format's."""
        return f"{FORMAT}\n{canonical(self.statement())}".encode("ascii")

    def to_json(self) -> dict[str, Any]:
        """The statement with its signature, as it is stored."""
        return {**self.statement(), "signature": _text(self.signature)}

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> Signature:
        """What `to_json` wrote, read back; `NotCertified` if it is anything else."""
        with refusing("A signature is incomplete or malformed."):
            record(tree, "format", "document", "signer", "key", "receipt", "signature")
            require(tree["format"] == FORMAT, "it has another format")
            signer = text(tree["signer"])
            require(
                signer.isprintable() and 0 < len(signer) <= LONGEST_NAME, "the signer has no name to show"
            )
            receipt = None if tree["receipt"] is None else Receipt.from_json(tree["receipt"])
            key, signature = _bytes(tree["key"], KEY_BYTES), _bytes(tree["signature"], SIGNATURE_BYTES)
            return cls(text(tree["document"]), signer, key, receipt, signature)

    def check(self, tree: Mapping[str, Any]) -> None:
        """Raise `NotCertified` unless this is the key's signature of this very document."""
        if self.document != digest(tree):
            raise NotCertified(
                f"The signature of {self.signer!r} belongs to another document.",
                remedy="Ask the signer for the document that was signed.",
            )
        if not _holds(self.key, self.signature, self.message()):
            raise NotCertified(
                f"The signature of {self.signer!r} is not that of its key.",
                remedy="Do not trust the document; ask the signer for another copy.",
            )


def signatures_in(tree: Mapping[str, Any]) -> tuple[Signature, ...]:
    """The signatures that a document holds, none of them checked so far."""
    rows = tree.get(SIGNATURES, ())
    with refusing("The document's signatures are malformed."):
        require(isinstance(rows, (list, tuple)) and len(rows) <= MOST_SIGNATURES, "they are no short list")
    return tuple(Signature.from_json(row) for row in rows)


def with_signature(tree: Mapping[str, Any], signature: Signature) -> dict[str, Any]:
    """The document with one more signature inside; one of the same key is replaced."""
    others = [one for one in signatures_in(tree) if one.key != signature.key]
    return {**tree, SIGNATURES: [one.to_json() for one in (*others, signature)]}


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _bytes(value: object, count: int) -> bytes:
    try:
        raw = base64.b64decode(text(value), validate=True)
    except binascii.Error:
        raise Malformed("it is not base64") from None
    require(len(raw) == count and _text(raw) == value, "it has another length")
    return raw


def _holds(key: bytes, signature: bytes, message: bytes) -> bool:
    """By the well-kept library where it is installed, else by arithmetic of our own, which accepts no more."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return holds(key, signature, message)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
