"""API keys: made once, shown once, kept as hashes.

A secret has 256 random bits, so nobody can try them all and a fast hash is enough; its salt keeps equal secrets, which
do not occur, from being seen as equal.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from privpac.coins import SystemCoins
from privpac.errors import ParameterError
from privpac.guarantee.ledger.budget import Amount, Budget, exact_text
from privpac.service.store.tables import API_KEY

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = ["ROLES", "Key", "Presented", "create", "find", "listed", "revoke", "spend"]

OWNER = "keys"
ROLES = ("analyst", "owner")
SECRET_BYTES, SALT_BYTES, ID_BYTES = 32, 16, 6
LONGEST_NAME = 100
TOKEN = re.compile(rf"privpac_([0-9a-f]{{{2 * ID_BYTES}}})_([0-9a-f]{{{2 * SECRET_BYTES}}})")


@dataclass(frozen=True)
class Key:
    """What is kept of a key, without its hash. `total` is what its holder may spend; None: no limit of its own."""

    id: str
    name: str
    role: str
    created: str
    revoked: str | None
    total: Fraction | None
    spent: Fraction

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> Key:
        """The key that a row of the table of keys describes."""
        total = row["epsilon_total"]
        amounts = (None if total is None else Fraction(total), Fraction(row["epsilon_spent"]))
        return cls(row["id"], row["name"], row["role"], row["created"], row["revoked"], *amounts)

    @property
    def left(self) -> Fraction | None:
        """Epsilon that the key may still spend; None if it has no limit of its own."""
        return None if self.total is None else self.total - self.spent

    def to_json(self) -> dict[str, Any]:
        """The key as its owner may see it: never its secret."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role,
            "created": self.created,
            "revoked": self.revoked,
            "epsilon": {
                "total": None if self.total is None else exact_text(self.total),
                "spent": exact_text(self.spent),
                "left": None if self.left is None else exact_text(self.left),
            },
        }


@dataclass(frozen=True, repr=False)
class Presented:
    """What somebody presents as a key: the part that names it, and the part that proves it."""

    id: str
    secret: str

    @classmethod
    def read(cls, token: str) -> Presented | None:
        """The two parts of a token; None if it does not have the form of one."""
        match = TOKEN.fullmatch(token)
        return None if match is None else cls(match[1], match[2])


def _hash(secret: str, salt: bytes) -> bytes:
    return hashlib.blake2b(bytes.fromhex(secret), digest_size=32, salt=salt).digest()


def _random_hex(count: int) -> str:
    return f"{SystemCoins().below(256**count):0{2 * count}x}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def create(store: SqlStore, *, role: str, name: str = "", epsilon: Amount | None = None) -> tuple[Key, str]:
    """A new key and its text, which is kept nowhere."""
    if role not in ROLES:
        raise ParameterError(OWNER, "role", role, allowed=" or ".join(ROLES))
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ParameterError(OWNER, "name", name, allowed=f"at most {LONGEST_NAME} printable characters")
    total = None if epsilon is None else exact_text(Budget.read(OWNER, epsilon=epsilon).epsilon)
    identity, secret, salt = _random_hex(ID_BYTES), _random_hex(SECRET_BYTES), _random_hex(SALT_BYTES)
    row = {
        "id": identity,
        "name": name,
        "role": role,
        "salt": bytes.fromhex(salt),
        "hash": _hash(secret, bytes.fromhex(salt)),
        "created": _now(),
        "revoked": None,
        "epsilon_total": total,
        "epsilon_spent": "0",
    }
    with store.transact() as transaction:
        transaction.connection.execute(sa.insert(API_KEY), row)
    return Key.from_row(row), f"privpac_{identity}_{secret}"


def listed(store: SqlStore) -> list[Key]:
    """All keys, the oldest first; revoked ones too."""
    with store.reading() as connection:
        rows = connection.execute(sa.select(API_KEY).order_by(API_KEY.c.created, API_KEY.c.id)).mappings()
        return [Key.from_row(row) for row in rows]


def revoke(store: SqlStore, identity: str) -> None:
    """End a key, for good; what it spent stays spent."""
    with store.transact() as transaction:
        ended = transaction.connection.execute(
            sa.update(API_KEY)
            .where(API_KEY.c.id == identity, API_KEY.c.revoked.is_(None))
            .values(revoked=_now())
        )
    if ended.rowcount != 1:
        raise ParameterError(
            OWNER,
            "id",
            identity,
            allowed="the id of a key that is in use",
            remedy="See privpac keys list.",
        )


def find(connection: Any, presented: Presented) -> Key | None:
    """The key, if it was made here, is not revoked and the secret is right."""
    row = connection.execute(sa.select(API_KEY).where(API_KEY.c.id == presented.id)).mappings().first()
    if row is None or row["revoked"] is not None:
        return None
    same = hmac.compare_digest(_hash(presented.secret, bytes(row["salt"])), bytes(row["hash"]))
    return Key.from_row(row) if same else None


def spend(connection: Any, key: Key, *, spent: Fraction) -> bool:
    """Move what `key` has spent to `spent`: only if nobody moved or revoked it since it was read."""
    moved = connection.execute(
        sa.update(API_KEY)
        .where(
            API_KEY.c.id == key.id,
            API_KEY.c.epsilon_spent == exact_text(key.spent),
            API_KEY.c.revoked.is_(None),
        )
        .values(epsilon_spent=exact_text(spent))
    )
    return bool(moved.rowcount == 1)
