"""Requests for answers: what is asked, what is replied or refused, and what its holder can still spend."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.answering.questions import AskedRows
from privpac.guarantee.ledger.account import Account
from privpac.guarantee.ledger.budget import Cost, exact_text
from privpac.guarantee.ledger.promises import Promises
from privpac.service.access.keys import Key
from privpac.service.api.problems import Problem

__all__ = ["Ask", "Left", "Outcome", "PaidRequest", "Reply", "reused", "unauthorised"]


@dataclass(frozen=True, repr=False)
class Ask:
    """One request on its way: who, what, and under which idempotency key."""

    key: str
    rows: AskedRows
    idempotency_key: str | None
    digest: bytes


@dataclass(frozen=True)
class Left:
    """What the holder of a key can still spend: the smaller of what they and the dataset have."""

    epsilon: Fraction
    """By adding."""
    rho: Fraction | None
    """Where rho pays."""
    answers: int
    """New questions that this pays for."""

    @classmethod
    def of(cls, key: Key, account: Account, cost: Cost) -> Left:
        """What is left for this key, where one answer has this cost."""
        left = cls._of_one(account.promises, account.spent, cost)
        if key.promises is None:
            return left
        share = cls._of_one(key.promises, key.spent, cost)
        rhos = [rho for rho in (left.rho, share.rho) if rho is not None]
        return cls(
            min(left.epsilon, share.epsilon), min(rhos, default=None), min(left.answers, share.answers)
        )

    @classmethod
    def _of_one(cls, promises: Promises, spent: Cost, cost: Cost) -> Left:
        return cls(promises.left(spent).epsilon, promises.left_rho(spent), promises.room(spent, cost))

    def to_json(self) -> dict[str, Any]:
        """As a reply and a refusal tell it."""
        rho = {} if self.rho is None else {"rho": exact_text(self.rho)}
        return {"epsilon": exact_text(self.epsilon), **rho, "answers": self.answers}


@dataclass(frozen=True, repr=False)
class Reply:
    """An answered request, as JSON, and what it was charged just now."""

    text: str
    epsilon: Fraction


@dataclass(frozen=True, repr=False)
class PaidRequest:
    """A request that is paid for and waits for answers."""

    ask: Ask
    price: str
    """What the request costs, now or when it was sent first, as it is told."""
    charged: Fraction
    """What it was charged just now."""
    left: Left


Outcome = Reply | Problem


def unauthorised() -> Problem:
    """The answer to a key that is unknown or was revoked: the two are not distinguished."""
    return Problem(
        401,
        "unauthorised",
        "There is no such key, or it was revoked.",
        remedy="Send Authorization: Bearer KEY; the owner makes keys with privpac keys create.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def reused() -> Problem:
    """The answer to an idempotency key that came before with other rows."""
    return Problem(
        409,
        "idempotency_key_reused",
        "This idempotency key was used for other rows; nothing was charged.",
        remedy="Take a new key for every new request, and the old one only to send the same request again.",
    )
