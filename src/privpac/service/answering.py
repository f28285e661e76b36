"""Answers for many people at once: drawn ahead, and paid for, kept and recorded in one transaction before they leave.

What is shared between answers is what `Prepared` holds: coins that do not depend on records, and models that are
functions of such coins and the records. Every distinct question is drawn once, with coins of its own (`asked.draw`).
A drawn answer that turns out not to be paid for is forgotten; asked again, it is drawn again.

A bundle whose answers were declared beforehand is paid for already. Its own ledger counts them, here as everywhere: it
is the ledger of the service too. A second count in another database would let the declared number be given twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from privpac.coins import Coins
from privpac.errors import BudgetExceeded, NotCertified
from privpac.guarantee.account import Charge
from privpac.guarantee.budget import Budget, exact_text
from privpac.prediction.asked import Asked, draw
from privpac.prediction.bundle import Bundle
from privpac.service import keys
from privpac.service.keys import Key
from privpac.service.problems import Problem
from privpac.service.tables import ANSWER, API_KEY, REQUEST

if TYPE_CHECKING:
    from privpac.guarantee.sql_store import SqlStore, Transaction

__all__ = ["Answering", "Ask", "Outcome", "Reply", "unauthorised"]

AT_ONCE = 500  # values of one IN clause: every SQLite takes so many


@dataclass(frozen=True, repr=False)
class Ask:
    """One request on its way: who, what, and under which idempotency key."""

    key: str
    asked: Asked
    idempotency_key: str | None
    digest: bytes


@dataclass(frozen=True, repr=False)
class Reply:
    """An answered request, as JSON, and what it cost."""

    text: str
    epsilon: Fraction
    left: Fraction


Outcome = Reply | Problem


def unauthorised() -> Problem:
    return Problem(
        401,
        "unauthorised",
        "There is no such key, or it was revoked.",
        remedy="Send Authorization: Bearer KEY; the owner makes keys with privpac keys create.",
        headers={"WWW-Authenticate": "Bearer"},
    )


@dataclass(frozen=True, repr=False)
class Answering:
    """A bundle over a ledger. For one thread: its coins are."""

    bundle: Bundle
    store: SqlStore
    coins: Coins

    @property
    def price(self) -> Fraction:
        return self.bundle.offer.price

    def ask(self, cells: Mapping[str, Any], **facts: Any) -> Ask:
        return Ask(asked=Asked.of(cells, self.bundle.offer.predictor), **facts)

    def answer(self, asks: Sequence[Ask]) -> list[Outcome]:
        """The outcome of every request, durable before this returns; a refusal leaves the others as they are."""
        # Before the lock is taken: models may need long for an answer, and others wait for the ledger.
        with self.store.reading() as connection:
            known, holders = self._known(connection, asks), _holders(connection, asks)
        left = self.store.account().left.epsilon
        payable = [ask.asked for ask in asks if self._has_room(holders.get(ask.key), left)]
        drawn = draw(payable, self.bundle.prepared, self.coins, known=known)
        with self.store.transact() as transaction:
            group = self._group(transaction, asks, drawn)
            outcomes = [group.outcome(ask) for ask in asks]
            group.write()
        return outcomes

    def _has_room(self, key: Key | None, left: Fraction) -> bool:
        """Whether a single new answer could be paid for; if not, none will be, for budgets only shrink."""
        if key is None or key.revoked is not None:
            return False
        return self.price <= (left if key.left is None else min(left, key.left))

    def _group(self, transaction: Transaction, asks: Sequence[Ask], drawn: Mapping[bytes, int]) -> _Group:
        connection = transaction.connection
        return _Group(
            self,
            transaction,
            drawn,
            # Once more, under the lock: somebody else may have answered meanwhile.
            known=self._known(connection, asks),
            keys=_holders(connection, asks),
            replies=_replies(connection, asks),
        )

    def _known(self, connection: Any, asks: Sequence[Ask]) -> dict[bytes, int]:
        wanted = list({key for ask in asks for key in ask.asked.keys})
        select = sa.select(ANSWER.c.question, ANSWER.c.label).where(ANSWER.c.bundle == self.bundle.digest)
        rows = _in(connection, select, ANSWER.c.question, wanted)
        return {bytes(row["question"]): row["label"] for row in rows}


def _in(connection: Any, select: Any, column: Any, values: Sequence[Any]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for start in range(0, len(values), AT_ONCE):
        some = select.where(column.in_(values[start : start + AT_ONCE]))
        found += connection.execute(some).mappings().all()
    return found


def _holders(connection: Any, asks: Sequence[Ask]) -> dict[str, Key]:
    """The keys these requests came with, as they are stored now."""
    rows = _in(connection, sa.select(API_KEY), API_KEY.c.id, sorted({ask.key for ask in asks}))
    return {row["id"]: Key.from_row(row) for row in rows}


def _replies(connection: Any, asks: Sequence[Ask]) -> dict[tuple[str, str], tuple[bytes, str]]:
    """What was replied to these idempotency keys before."""
    holders = sorted({ask.key for ask in asks})
    wanted = sorted({ask.idempotency_key for ask in asks if ask.idempotency_key is not None})
    select = sa.select(REQUEST).where(REQUEST.c.api_key.in_(holders))
    rows = _in(connection, select, REQUEST.c.idempotency_key, wanted)
    return {(row["api_key"], row["idempotency_key"]): (bytes(row["digest"]), row["reply"]) for row in rows}


@dataclass(repr=False)
class _Group:
    """The requests of one transaction, admitted one after the other and written together.

    Whether a request fits is decided in fractions before anything is written for it, so a refusal has nothing to undo.
    """

    answering: Answering
    transaction: Transaction
    drawn: Mapping[bytes, int]
    known: dict[bytes, int]
    keys: dict[str, Key]
    replies: dict[tuple[str, str], tuple[bytes, str]]
    answers: list[dict[str, Any]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    before: dict[str, Key] = field(default_factory=dict)
    """Keys whose spending moves, as they were."""

    def outcome(self, ask: Ask) -> Outcome:
        key = self.keys.get(ask.key)
        if key is None or key.revoked is not None:
            return unauthorised()
        earlier = None if ask.idempotency_key is None else self.replies.get((key.id, ask.idempotency_key))
        if earlier is not None:
            digest, text = earlier
            return Reply(text, Fraction(0), self._left(key)) if digest == self._digest(ask) else _reused()
        new = ask.asked.new(self.known)
        cost = len(new) * self.answering.price
        entry = None
        if new:
            refusal = self._charge(key, len(new), cost)
            if isinstance(refusal, Problem):
                return refusal
            entry = refusal
        return self._answered(ask, new, cost, entry)

    def _charge(self, key: Key, count: int, cost: Fraction) -> Problem | int:
        """The ledger's row for it, or the reason why not; the holder's own budget is looked at first."""
        if key.left is not None and cost > key.left:
            return self._refused("analyst_budget", "your own budget", key.left, count)
        try:
            entry = self.transaction.append(Charge(Budget(cost), f"{count} answers, key {key.id}"))
        except BudgetExceeded:
            left = self.transaction.account().left.epsilon
            return self._refused("dataset_budget", "the dataset's budget", left, count)
        self.before.setdefault(key.id, key)
        self.keys[key.id] = replace(key, spent=key.spent + cost)
        return entry.number

    def _refused(self, code: str, whose: str, left: Fraction, count: int) -> Problem:
        room = int(left / self.answering.price)
        return Problem(
            429,
            code,
            f"{count} new questions were asked, and {whose} has room for {room}.",
            remedy="Nothing was charged or answered. Ask fewer new questions; those asked before are free.",
            left={"epsilon": exact_text(left), "answers": room},
        )

    def _answered(self, ask: Ask, new: Sequence[bytes], cost: Fraction, entry: int | None) -> Reply:
        digest = self.answering.bundle.digest
        for question in new:
            self.known[question] = self.drawn[question]
            self.answers.append({"bundle": digest, "question": question, "label": self.drawn[question]})
        left = self._left(self.keys[ask.key])
        reply = Reply(self._text(ask, cost, left), cost, left)
        if entry is not None or ask.idempotency_key is not None:
            self._record(ask, reply, entry)
        return reply

    def _text(self, ask: Ask, cost: Fraction, left: Fraction) -> str:
        classes = self.answering.bundle.schema.classes
        tree = {
            "answers": [classes[label] for label in ask.asked.labels(self.known).tolist()],
            "price": exact_text(cost),
            "left": {"epsilon": exact_text(left), "answers": int(left / self.answering.price)},
        }
        return json.dumps(tree)

    def _record(self, ask: Ask, reply: Reply, entry: int | None) -> None:
        digest = self._digest(ask)
        row = {"api_key": ask.key, "idempotency_key": ask.idempotency_key, "digest": digest}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.requests.append(
            row | {"reply": reply.text, "epsilon": exact_text(reply.epsilon), "entry": entry, "time": now}
        )
        if ask.idempotency_key is not None:
            self.replies[ask.key, ask.idempotency_key] = (digest, reply.text)

    def _digest(self, ask: Ask) -> bytes:
        """The same rows put to another bundle are another request."""
        return self.answering.bundle.digest.encode() + b":" + ask.digest

    def _left(self, key: Key) -> Fraction:
        """What this holder can still spend: no more than the dataset has."""
        left = self.transaction.account().left.epsilon
        return left if key.left is None else min(left, key.left)

    def write(self) -> None:
        connection = self.transaction.connection
        for identity, before in self.before.items():
            if not keys.spend(connection, before, spent=self.keys[identity].spent):
                raise NotCertified("A key was changed by somebody who does not hold the ledger's lock.")
        for table, rows in ((ANSWER, self.answers), (REQUEST, self.requests)):
            if rows:
                connection.execute(sa.insert(table), rows)


def _reused() -> Problem:
    return Problem(
        409,
        "idempotency_key_reused",
        "This idempotency key was used for other rows; nothing was charged.",
        remedy="Take a new key for every new request, and the old one only to send the same request again.",
    )
