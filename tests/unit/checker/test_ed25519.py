"""Signatures checked by arithmetic of our own: the vectors of the standard, a library beside it, and every forgery."""

from __future__ import annotations

import builtins
import random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from privpac.checker import ed25519
from privpac.checker.ed25519 import holds
from privpac.errors import NotCertified
from privpac.signing.keys import SigningKey

# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
        "8dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_the_vectors_of_the_standard(key: str, message: str, signature: str) -> None:
    assert holds(bytes.fromhex(key), bytes.fromhex(signature), bytes.fromhex(message))
    assert not holds(bytes.fromhex(key), bytes.fromhex(signature), bytes.fromhex(message) + b"\0")


def test_what_a_library_signs_holds_and_any_flipped_bit_does_not() -> None:
    chance = random.Random(8032)
    for _ in range(6):
        private = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
        key, message = private.public_key().public_bytes_raw(), chance.randbytes(chance.randrange(200))
        signature = private.sign(message)
        assert holds(key, signature, message)
        for kind, raw in (("key", key), ("signature", signature)):
            bit = chance.randrange(8 * len(raw))
            changed = (int.from_bytes(raw, "little") ^ (1 << bit)).to_bytes(len(raw), "little")
            pair = (changed, signature) if kind == "key" else (key, changed)
            assert not holds(*pair, message)


def test_one_signature_has_one_spelling() -> None:
    """A scalar beyond the order, a y beyond the prime, minus zero, another length: refused."""
    key, message, text = VECTORS[1]
    good = bytes.fromhex(text)
    scalar = int.from_bytes(good[32:], "little") + ed25519._ORDER
    assert not holds(bytes.fromhex(key), good[:32] + scalar.to_bytes(32, "little"), bytes.fromhex(message))
    for y, odd in ((ed25519._P, 0), (ed25519._P + 1, 0), (1, 1), (2, 0)):
        assert not holds((y | odd << 255).to_bytes(32, "little"), good, b"r")
    assert not holds(bytes.fromhex(key)[:-1], good, b"r")
    assert not holds(bytes.fromhex(key), good + b"\0", b"r")


def test_signatures_are_checked_without_any_package(monkeypatch: pytest.MonkeyPatch) -> None:
    key, document = SigningKey.make(), {"format": "x", "digest": "y"}
    signature = key.sign(document, signer="Data office")
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    signature.check(document)
    with pytest.raises(NotCertified, match="another document"):
        signature.check({"format": "other"})
    forged = type(signature)(signature.document, "Somebody", signature.key, None, signature.signature)
    with pytest.raises(NotCertified, match="is not that of its key"):
        forged.check(document)
