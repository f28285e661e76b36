"""Signatures of documents: Ed25519 over the canonical form, inside the document or in a file beside it.

What is signed is a statement: the digest of the document, who signs, and, where a ledger was charged, the receipt.
Everything in it is public. The digest leaves signatures out, so that several people can sign one after the other, and
a document reads the same with and without them. Format: docs/reference/formats.md.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privpac.checker.document import (
    MOST_SIGNATURES,
    SIGNATURE,
    SIGNATURE_FIELDS,
    SIGNATURES,
    Malformed,
    canonical,
    digest,
    require,
)
from privpac.errors import NotCertified

__all__ = [
    "FORMAT",
    "KEY_BYTES",
    "LONGEST_NAME",
    "UNSIGNED",
    "Receipt",
    "Signature",
    "check_signatures",
    "is_name",
    "signatures_in",
    "with_signature",
]

FORMAT = SIGNATURE

KEY_BYTES, SIGNATURE_BYTES = 32, 64
LONGEST_NAME = 200
NOT_REBUILT = "not rebuilt by the version that signed it"
UNSIGNED = "Nobody has signed it: a digest shows accidental edits, not who made it."
_LARGEST_ENTRY = 2**63
_LEDGER = re.compile(r"[0-9a-f]{32}")
_HEAD = re.compile(r"[0-9a-f]{64}")

# Not by the categories of Unicode: they grow, and two checkers of different age must agree about a name.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\uffff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a"
    "\U000e0000-\U0010ffff]"
)
"""Characters that show nothing, or turn what follows: controls, formats, fillers, blanks but the one, private use."""


@dataclass(frozen=True)
class Receipt:
    """Which charge paid for a release: a ledger, the number of the entry, and the head of the chain after it."""

    ledger: str
    """Its id, 32 hexadecimal digits."""
    entry: int
    head: str
    """The hash of that entry, 64 hexadecimal digits."""

    def to_json(self) -> dict[str, Any]:
        """The receipt as JSON."""
        return {"ledger": self.ledger, "entry": self.entry, "head": self.head}

    @classmethod
    def from_json(cls, tree: object) -> Receipt:
        """What `to_json` wrote, read back; `Malformed` if it is anything else."""
        if not isinstance(tree, Mapping) or tree.keys() != {"ledger", "entry", "head"}:
            raise Malformed("a receipt has other fields")
        ledger, entry, head = _text(tree["ledger"]), tree["entry"], _text(tree["head"])
        # Spelt as ledgers spell them: they are shown, and must not look like sentences of ours.
        require(_LEDGER.fullmatch(ledger) is not None, "that is no ledger's id")
        require(_HEAD.fullmatch(head) is not None, "that is no hash of a charge")
        require(type(entry) is int and 1 <= entry <= _LARGEST_ENTRY, "that is no number of a charge")
        return cls(ledger, entry, head)

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
    rebuilt: bool = False
    """Whether the signer's privpac had made the document's certificate anew."""

    @property
    def key_text(self) -> str:
        """The public key as people pass it on, in base64."""
        return _base64(self.key)

    def statement(self) -> dict[str, Any]:
        """What is signed, as JSON."""
        return {
            "format": FORMAT,
            "document": self.document,
            "signer": self.signer,
            "key": self.key_text,
            "receipt": None if self.receipt is None else self.receipt.to_json(),
            "rebuilt": self.rebuilt,
        }

    def message(self) -> bytes:
        """The bytes that are signed: the canonical form of the statement, which begins with no other format's."""
        return f"{FORMAT}\n{canonical(self.statement())}".encode("ascii")

    def to_json(self) -> dict[str, Any]:
        """The statement with its signature, as it is stored."""
        return {**self.statement(), "signature": _base64(self.signature)}

    @classmethod
    def from_json(cls, tree: object) -> Signature:
        """What `to_json` wrote, read back; `NotCertified` if it is anything else."""
        try:
            if not isinstance(tree, Mapping) or tree.keys() != SIGNATURE_FIELDS or tree["format"] != FORMAT:
                raise Malformed("it has other fields, or another format")
            signer = _text(tree["signer"])
            require(is_name(signer), "the signer has no name to show")
            receipt = None if tree["receipt"] is None else Receipt.from_json(tree["receipt"])
            key, signature = _bytes(tree["key"], KEY_BYTES), _bytes(tree["signature"], SIGNATURE_BYTES)
            require(type(tree["rebuilt"]) is bool, "it does not say whether the document was rebuilt")
            return cls(_text(tree["document"]), signer, key, receipt, signature, tree["rebuilt"])
        except Malformed as problem:
            raise NotCertified(f"A signature is incomplete or malformed: {problem}.") from None

    def to_show(self) -> dict[str, Any]:
        """Who signed and for which charge, as JSON."""
        statement = self.statement()
        return {name: statement[name] for name in ("signer", "key", "receipt", "rebuilt")}

    def check(self, tree: Mapping[str, Any]) -> None:
        """Raise `NotCertified` unless this is the key's signature of this very document."""
        from privpac.checker.ed25519 import holds  # most documents are unsigned, and need no curve

        if self.document != digest(tree):
            raise NotCertified(
                f"The signature of {self.signer!r} belongs to another document.",
                remedy="Ask the signer for the document that was signed.",
            )
        if not holds(self.key, self.signature, self.message()):
            raise NotCertified(
                f"The signature of {self.signer!r} is not that of its key.",
                remedy="Do not trust the document; ask the signer for another copy.",
            )

    def terms(self) -> str:
        """For which charge it was signed, and whether it was signed without being rebuilt."""
        payment = str(self.receipt or "without the receipt of a charge")
        return payment if self.rebuilt else f"{payment}, although it was {NOT_REBUILT}"

    def claim(self) -> str:
        """One sentence for people who have no list of keys."""
        return (
            f"Signed with the key {self.key_text}, {self.terms()}. Whose key that is, nobody vouches for; it says "
            f"{self.signer!r}."
        )


def is_name(text: str) -> bool:
    """Whether a signer can be shown under this name: not empty, not long, every character visible."""
    return 0 < len(text) <= LONGEST_NAME and text.strip() != "" and _UNSEEN.search(text) is None


def signatures_in(tree: Mapping[str, Any]) -> tuple[Signature, ...]:
    """The signatures that a document holds, none of them checked so far."""
    rows = tree.get(SIGNATURES, ())
    if not isinstance(rows, (list, tuple)) or len(rows) > MOST_SIGNATURES:
        raise NotCertified("The document's signatures are malformed.")
    return tuple(Signature.from_json(row) for row in rows)


def check_signatures(tree: Mapping[str, Any]) -> tuple[Signature, ...]:
    """The signatures that a document holds; `NotCertified` if one of them is not that of its key."""
    signatures = signatures_in(tree)
    for signature in signatures:
        signature.check(tree)
    return signatures


def with_signature(tree: Mapping[str, Any], signature: Signature) -> dict[str, Any]:
    """The document with one more signature inside; one of the same key is replaced."""
    others = [one for one in signatures_in(tree) if one.key != signature.key]
    return {**tree, SIGNATURES: [one.to_json() for one in (*others, signature)]}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Malformed("text is expected")
    return value


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _bytes(value: object, count: int) -> bytes:
    try:
        raw = base64.b64decode(_text(value), validate=True)
    except (binascii.Error, ValueError):
        raise Malformed("a key or signature is not base64") from None
    require(len(raw) == count, "a key or signature has another length")
    require(_base64(raw) == value, "its base64 is spelt in another way")
    return raw
