"""Keys for signing, in files; and the list of keys that somebody trusts.

A private key is a PEM file (PKCS #8) that only its owner can read, with a passphrase if one is given. A list of trusted
keys is a text file: a public key, then a name, on each line, which ends with a line feed and with nothing else; what
follows a # is a remark.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privpac.checker.document import digest
from privpac.checker.signature import KEY_BYTES, LONGEST_NAME, Receipt, Signature, is_name
from privpac.errors import DataError, MissingExtra, ParameterError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

__all__ = ["SigningKey", "Trusted"]

OWNER = "sign"


@dataclass(frozen=True, repr=False)
class SigningKey:
    """A private Ed25519 key. It is never printed."""

    private: Ed25519PrivateKey

    @classmethod
    def make(cls) -> SigningKey:
        """A new key, from the operating system's randomness."""
        _require()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, passphrase: str | None = None) -> SigningKey:
        """The key in a file that `save` wrote. `DataError` if there is none, or the passphrase is another."""
        _require()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        secret = None if passphrase is None else passphrase.encode()
        try:
            private = load_pem_private_key(Path(path).read_bytes(), secret)
        except FileNotFoundError:
            raise DataError(
                f"There is no key {str(path)!r}.", remedy="Make one: privpac keys signing FILE."
            ) from None
        except (OSError, ValueError, TypeError):
            raise DataError(
                f"{str(path)!r} is not a signing key, or its passphrase is another.",
                remedy="Give the passphrase in PRIVPAC_PASSPHRASE.",
            ) from None
        if not isinstance(private, Ed25519PrivateKey):
            raise DataError(
                f"{str(path)!r} holds a key of another kind than Ed25519.",
                remedy="Make one: privpac keys signing FILE.",
            )
        return cls(private)

    def save(self, path: str | os.PathLike[str], *, passphrase: str | None = None) -> None:
        """Write the key to a new file that only its owner can read; `FileExistsError` if there is one."""
        from cryptography.hazmat.primitives.serialization import (
            BestAvailableEncryption,
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        encryption = NoEncryption() if passphrase is None else BestAvailableEncryption(passphrase.encode())
        pem = self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes."""
        return self.private.public_key().public_bytes_raw()

    @property
    def public_text(self) -> str:
        """The public key as people pass it on, in base64."""
        return base64.b64encode(self.public).decode("ascii")

    def sign(
        self, tree: Mapping[str, Any], *, signer: str, receipt: Receipt | None = None, rebuilt: bool = False
    ) -> Signature:
        """Sign a document as `signer`; `receipt` names the charge that paid for it, `rebuilt` says that it was made
        anew before, as `privpac verify` does."""
        if not is_name(signer):
            requirement = f"a name of at most {LONGEST_NAME} visible characters"
            raise ParameterError(OWNER, "signer", "...", allowed=requirement)
        bare = Signature(digest(tree), signer, self.public, receipt, b"", rebuilt)
        return replace(bare, signature=self.private.sign(bare.message()))


@dataclass(frozen=True)
class Trusted:
    """Names of keys that a reader knows to belong to somebody."""

    names: Mapping[bytes, str]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Trusted:
        """The keys in a file of lines such as `BASE64 Data office, St. Anna hospital`."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise DataError(f"There is no list of keys {str(path)!r} that can be read.") from None
        return cls.listed(text)

    @classmethod
    def listed(cls, text: str) -> Trusted:
        """The same from the text of such a file."""
        names: dict[bytes, str] = {}
        # Not `splitlines`: a remark with a character at which few editors break a line must not hide a key.
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
            entry = line.partition("#")[0].split(maxsplit=1)
            if not entry:
                continue
            key, name = _public(entry[0], number), entry[1].strip() if len(entry) > 1 else entry[0]
            if not is_name(name):
                raise DataError(
                    f"Line {number} of the list has a name that cannot be shown.",
                    remedy=f"Write at most {LONGEST_NAME} visible characters after the key.",
                )
            if names.setdefault(key, name) != name:
                raise DataError(
                    f"Line {number} of the list gives a key another name than a line before it.",
                    remedy="Keep the line whose name is right.",
                )
        return cls(names)

    def name(self, key: bytes) -> str | None:
        """Whose key it is; None if it is nobody's that is trusted."""
        return self.names.get(key)


def _public(value: str, number: int) -> bytes:
    try:
        raw = base64.b64decode(value, validate=True)
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES:
        raise DataError(
            f"Line {number} of the list does not begin with a public key.",
            remedy="Write the key as `privpac keys show FILE` prints it, then a name.",
        )
    return raw


def _require() -> None:
    try:
        import cryptography
    except ImportError:
        raise MissingExtra("Signing", "sign") from None
    del cryptography
