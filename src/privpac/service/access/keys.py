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
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from privpac.coins import SystemCoins
from privpac.errors import ParameterError
from privpac.guarantee.ledger.budget import Amount, Budget, Cost, exact_text, read_share
from privpac.guarantee.ledger.promises import Promises
from privpac.service.store.tables import API_KEY

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = [
    "PAGE",
    "ROLES",
    "Key",
    "Presented",
    "any_in_use",
    "create",
    "find",
    "key_of",
    "listed",
    "now",
    "revoke",
    "rho_json",
    "spend",
]

OWNER = "keys"
ROLES = ("analyst", "owner")
SECRET_BYTES, SALT_BYTES, ID_BYTES = 32, 16, 6
LONGEST_NAME = 100
PAGE = 100
"""Keys that are listed at once, unless somebody asks for another number."""
TOKEN = re.compile(rf"privpac_([0-9a-f]{{{2 * ID_BYTES}}})_([0-9a-f]{{{2 * SECRET_BYTES}}})")


@dataclass(frozen=True)
class Key:
    """What is kept of a key, without its hash. `promises` limit what its holder may spend; None: no own limit."""

    id: str
    name: str
    role: str
    created: str
    revoked: str | None
    promises: Promises | None
    spent: Cost

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> Key:
        """The key that a row of the table of keys describes."""
        spent = Cost(Fraction(row["epsilon_spent"]), rho=Fraction(row["rho_spent"]))
        total = None
        if row["epsilon_total"] is not None:
            total = _promises(row["epsilon_total"], row["delta_total"] or "0")
        return cls(row["id"], row["name"], row["role"], row["created"], row["revoked"], total, spent)

    def after(self, cost: Cost) -> Key:
        """The key once its holder has spent this, too."""
        spent = self.spent + cost
        return Key(self.id, self.name, self.role, self.created, self.revoked, self.promises, spent)

    @property
    def total(self) -> Budget | None:
        """What the key may spend; None if it has no limit of its own."""
        return None if self.promises is None else self.promises.total

    @property
    def left(self) -> Fraction | None:
        """Epsilon that the key may still spend by adding; None if it has no limit of its own."""
        return None if self.promises is None else self.promises.left(self.spent).epsilon

    def to_json(self) -> dict[str, Any]:
        """The key as its owner may see it: never its secret."""
        return {
            "id": self.id,
            "name": self.name,
            "role": self.role,
            "created": self.created,
            "revoked": self.revoked,
            "epsilon": {
                "total": None if self.total is None else exact_text(self.total.epsilon),
                "spent": exact_text(self.spent.epsilon),
                "left": None if self.left is None else exact_text(self.left),
            },
            **({} if self.promises is None else rho_json(self.promises, self.spent)),
        }


@lru_cache(maxsize=1024)
def _promises(epsilon: str, delta: str) -> Promises:
    return Promises.read(OWNER, epsilon=epsilon, delta=delta, reserved_delta=0, pure_epsilon=None)


def rho_json(promises: Promises, spent: Cost) -> dict[str, Any]:
    """Total, spent and left in rho, where rho pays."""
    left = promises.left_rho(spent)
    if promises.approximate is None or left is None:
        return {}
    amounts = {"total": promises.approximate.rho, "spent": spent.rho, "left": left}
    return {"rho": {name: exact_text(amount) for name, amount in amounts.items()}}


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


def now() -> str:
    """The time, as rows have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def create(
    store: SqlStore, *, role: str, name: str = "", epsilon: Amount | None = None, delta: Amount = 0
) -> tuple[Key, str]:
    """A new key and its text, which is kept nowhere. With a delta its own budget lasts longer, as a ledger's does."""
    if role not in ROLES:
        raise ParameterError(OWNER, "role", role, allowed=" or ".join(ROLES))
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ParameterError(OWNER, "name", name, allowed=f"at most {LONGEST_NAME} printable characters")
    total = Budget() if epsilon is None else Budget.read(OWNER, epsilon=epsilon, delta=delta)
    if epsilon is None and read_share(OWNER, "delta", delta):
        raise ParameterError(OWNER, "delta", delta, allowed="left out where epsilon is")
    identity, secret, salt = _random_hex(ID_BYTES), _random_hex(SECRET_BYTES), _random_hex(SALT_BYTES)
    row = {
        "id": identity,
        "name": name,
        "role": role,
        "salt": bytes.fromhex(salt),
        "hash": _hash(secret, bytes.fromhex(salt)),
        "created": now(),
        "revoked": None,
        "epsilon_total": None if epsilon is None else exact_text(total.epsilon),
        "epsilon_spent": "0",
        "delta_total": exact_text(total.delta) if total.delta else None,
        "rho_spent": "0",
    }
    with store.transact() as transaction:
        transaction.connection.execute(sa.insert(API_KEY), row)
    return Key.from_row(row), f"privpac_{identity}_{secret}"


def listed(store: SqlStore, *, after: str | None = None, most: int | None = None) -> list[Key]:
    """Keys, the oldest first, revoked ones too: all of them, or at most so many that come after the key `after`."""
    select = sa.select(API_KEY).order_by(API_KEY.c.created, API_KEY.c.id).limit(most)
    with store.reading() as connection:
        if after is not None:
            last = connection.execute(sa.select(API_KEY.c.created).where(API_KEY.c.id == after)).scalar()
            if last is None:
                raise ParameterError(OWNER, "after", after[:40], allowed="the id of a key")
            place = sa.tuple_(API_KEY.c.created, API_KEY.c.id)
            select = select.where(place > sa.tuple_(sa.literal(last), sa.literal(after)))
        return [Key.from_row(row) for row in connection.execute(select).mappings()]


def key_of(store: SqlStore, identity: str) -> Key | None:
    """The key of this id, whether or not anybody presents it."""
    with store.reading() as connection:
        row = connection.execute(sa.select(API_KEY).where(API_KEY.c.id == identity)).mappings().first()
        return None if row is None else Key.from_row(row)


def any_in_use(store: SqlStore) -> bool:
    """Whether anybody could ask."""
    with store.reading() as connection:
        return (
            connection.execute(sa.select(API_KEY.c.id).where(API_KEY.c.revoked.is_(None))).first() is not None
        )


def revoke(store: SqlStore, identity: str) -> None:
    """End a key, for good; what it spent stays spent."""
    with store.transact() as transaction:
        result = transaction.connection.execute(
            sa.update(API_KEY)
            .where(API_KEY.c.id == identity, API_KEY.c.revoked.is_(None))
            .values(revoked=now())
        )
    if result.rowcount != 1:
        raise ParameterError(
            OWNER,
            "id",
            identity,
            allowed="the id of a key that is in use",
            remedy="See privpac keys list.",
        )


def find(connection: Any, credential: Presented) -> Key | None:
    """The key, if it was made here, is not revoked and the secret is right."""
    row = connection.execute(sa.select(API_KEY).where(API_KEY.c.id == credential.id)).mappings().first()
    if row is None or row["revoked"] is not None:
        return None
    same = hmac.compare_digest(_hash(credential.secret, bytes(row["salt"])), bytes(row["hash"]))
    return Key.from_row(row) if same else None


def spend(connection: Any, key: Key, *, spent: Cost) -> bool:
    """Move what `key` has spent to `spent`: only if nobody moved or revoked it since it was read."""
    facts = {
        "holder": key.id,
        "before": exact_text(key.spent.epsilon),
        "epsilon": exact_text(spent.epsilon),
        "rho": exact_text(spent.rho),
    }
    return bool(connection.execute(_SPENT, facts).rowcount == 1)


_SPENT = (
    sa.update(API_KEY)
    .where(
        API_KEY.c.id == sa.bindparam("holder"),
        API_KEY.c.epsilon_spent == sa.bindparam("before"),
        API_KEY.c.revoked.is_(None),
    )
    .values(epsilon_spent=sa.bindparam("epsilon"), rho_spent=sa.bindparam("rho"))
)
