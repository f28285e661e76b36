"""A group of requests in one transaction: each is admitted or refused, and what they leave is written together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privpac.errors import BudgetExceeded, NotCertified
from privpac.guarantee.ledger.account import Account, Charge, Purchase
from privpac.guarantee.ledger.budget import Cost, exact_text
from privpac.service.access import keys
from privpac.service.access.keys import Key, now
from privpac.service.answering import statements
from privpac.service.answering.requests import Ask, Left, Outcome, PaidRequest, Reply, reused, unauthorised
from privpac.service.api.problems import Problem

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import Transaction

__all__ = ["Earlier", "Group", "Terms", "earlier_requests", "holders"]


@dataclass(frozen=True, repr=False)
class Terms:
    """On which a bundle answers."""

    digest: str
    """Names the bundle."""
    price: Fraction
    """Epsilon of one new answer."""
    cost: Cost
    """Of one answer, as a ledger counts it."""
    purchase: Purchase
    """What answers are charged for."""
    class_values: Sequence[Any]
    """What an answer is called, by its number."""
    _costs: dict[int, tuple[Cost, Fraction, str]] = field(default_factory=dict, init=False)

    def of(self, count: int) -> tuple[Cost, Fraction, str]:
        """What this many answers at once cost a ledger; their epsilon, and that as it is told. Worked out once."""
        price = self._costs.get(count)
        if price is None:
            epsilon = count * self.price
            price = self._costs[count] = (count * self.cost, epsilon, exact_text(epsilon))
        return price


def holders(connection: object, asks: Sequence[Ask]) -> dict[str, Key]:
    """The keys these requests came with, as they are stored now."""
    rows = statements.HOLDERS.rows(connection, sorted({ask.key for ask in asks}))
    return {row["id"]: Key.from_row(row) for row in rows}


@dataclass(frozen=True, repr=False)
class Earlier:
    """What was paid, and perhaps replied, under an idempotency key."""

    digest: bytes
    price: str
    reply: str | None


def earlier_requests(connection: object, asks: Sequence[Ask]) -> dict[tuple[str, str], Earlier]:
    """What these idempotency keys were used for before."""
    keys: dict[str, list[str]] = {}
    for ask in asks:
        if ask.idempotency_key is not None:
            keys.setdefault(ask.key, []).append(ask.idempotency_key)
    rows = [
        row for key, names in keys.items() for row in statements.REQUESTS.rows(connection, names, holder=key)
    ]
    return {
        (row["api_key"], row["idempotency_key"]): Earlier(bytes(row["digest"]), row["epsilon"], row["reply"])
        for row in rows
    }


@dataclass(repr=False)
class Group:
    """The requests of one transaction, admitted one after the other and written together.

    Whether a request fits is decided in fractions before anything is written for it, so a refusal has nothing to undo.
    """

    terms: Terms
    transaction: Transaction
    paid: set[bytes]
    known: dict[bytes, int]
    keys: dict[str, Key]
    requests: dict[tuple[str, str], Earlier]
    before: dict[str, Key] = field(default_factory=dict)
    """Keys whose spending moves, as they were."""
    bought: dict[str, int] = field(default_factory=dict)
    """How many answers these keys paid for. What one without a limit has spent is added up once, by `write`."""
    questions: list[dict[str, Any]] = field(default_factory=list)
    """Rows of questions that were paid for just now."""
    labels: list[dict[str, Any]] = field(default_factory=list)
    """Answers to questions that have a row."""
    sent: list[dict[str, Any]] = field(default_factory=list)
    """Rows of requests that were admitted just now."""
    replies: list[dict[str, Any]] = field(default_factory=list)
    """Replies to requests that have a row."""
    time: str = field(default_factory=now)
    written: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    """Those of `sent` that have an idempotency key, by it."""
    _last_left: tuple[Key, Account, Left] | None = None

    def admit(self, ask: Ask) -> Outcome | PaidRequest:
        """Charge a request; its reply, if all of its questions have answers."""
        key = self.keys.get(ask.key)
        if key is None or key.revoked is not None:
            return unauthorised()
        earlier = self._earlier(ask)
        if earlier is not None:
            if earlier.digest != self._digest(ask):
                return reused()
            if earlier.reply is not None:
                return Reply(earlier.reply, Fraction(0))
            return self._reply_if_known(PaidRequest(ask, earlier.price, Fraction(0), self._left(key)))
        new = ask.rows.new(self.paid)
        entry = None
        if new:
            charge = self._charge(key, len(new))
            if isinstance(charge, Problem):
                return charge
            entry = charge
            self._note_questions(new)
        _, epsilon, price = self.terms.of(len(new))
        if entry is not None or ask.idempotency_key is not None:
            self._note_request(ask, price, entry)
        return self._reply_if_known(PaidRequest(ask, price, epsilon, self._left(self.keys[ask.key])))

    def _earlier(self, ask: Ask) -> Earlier | None:
        name = ask.idempotency_key
        return None if name is None else self.requests.get((ask.key, name))

    def _charge(self, key: Key, count: int) -> Problem | int:
        """The ledger's row for it, or the reason why not; the holder's own budget is looked at first."""
        cost, _, _ = self.terms.of(count)
        after = key if key.promises is None else key.after(cost)
        if after.promises is not None and not after.promises.admits(after.spent):
            return self._refusal("analyst_budget", "your own budget", key, count)
        note = f"{count} answers, key {key.id}"
        try:
            entry = self.transaction.append(Charge(cost, note, purchase=self.terms.purchase))
        except BudgetExceeded:
            return self._refusal("dataset_budget", "the dataset's budget", key, count)
        self.before.setdefault(key.id, key)
        self.bought[key.id] = self.bought.get(key.id, 0) + count
        self.keys[key.id] = after
        return entry.number

    def _refusal(self, code: str, whose: str, key: Key, count: int) -> Problem:
        left = self._left(key)
        return Problem(
            429,
            code,
            f"{count} new questions were asked, and {whose} has room for {left.answers}.",
            remedy="Nothing was charged or answered. Ask fewer new questions; those asked before are free.",
            left=left.to_json(),
        )

    def _note_questions(self, new: Sequence[bytes]) -> None:
        self.paid.update(new)
        digest = self.terms.digest
        self.questions += [{"bundle": digest, "question": question, "label": None} for question in new]

    def _note_request(self, ask: Ask, price: str, entry: int | None) -> None:
        digest = self._digest(ask)
        row: dict[str, Any] = {"api_key": ask.key, "idempotency_key": ask.idempotency_key, "digest": digest}
        row |= {"reply": None, "epsilon": price, "entry": entry, "time": self.time}
        self.sent.append(row)
        if ask.idempotency_key is not None:
            self.written[ask.key, ask.idempotency_key] = row
            self.requests[ask.key, ask.idempotency_key] = Earlier(digest, price, None)

    def _reply_if_known(self, one: PaidRequest) -> Reply | PaidRequest:
        """The reply if nothing has to be drawn for it."""
        return self.reply(one) if not one.ask.rows.new(self.known) else one

    def keep(self, labels: Mapping[bytes, int]) -> None:
        """Keep what was drawn; where somebody else was quicker, theirs remains."""
        digest = self.terms.digest
        for question, label in labels.items():
            if question not in self.known:
                self.known[question] = label
                self.labels.append({"of": digest, "asked": question, "drawn": label})

    def reply(self, one: PaidRequest) -> Reply:
        """The reply to a request whose questions all have answers; sent again, it is the same reply."""
        earlier = self._earlier(one.ask)
        if earlier is not None and earlier.reply is not None:
            return Reply(earlier.reply, one.charged)
        text = self._text(one)
        if earlier is not None and one.ask.idempotency_key is not None:
            name = (one.ask.key, one.ask.idempotency_key)
            self.requests[name] = Earlier(earlier.digest, earlier.price, text)
            if name in self.written:
                self.written[name]["reply"] = text
            else:
                self.replies.append({"holder": one.ask.key, "name": one.ask.idempotency_key, "text": text})
        return Reply(text, one.charged)

    def _text(self, one: PaidRequest) -> str:
        tree = {
            "answers": one.ask.rows.named(self.known, self.terms.class_values),
            "price": one.price,
            "left": one.left.to_json(),
        }
        return json.dumps(tree)

    def _digest(self, ask: Ask) -> bytes:
        """The same rows put to another bundle are another request."""
        return self.terms.digest.encode() + b":" + ask.digest

    def _left(self, key: Key) -> Left:
        """What this holder can still spend: no more than the dataset has."""
        account, last = self.transaction.account(), self._last_left
        if last is None or last[0] is not key or last[1] is not account:
            last = self._last_left = (key, account, Left.of(key, account, self.terms.cost))
        return last[2]

    def write(self) -> None:
        """Write what was noted, one statement for all rows of a kind."""
        connection = self.transaction.connection
        for identity, before in self.before.items():
            spent = before.spent + self.bought[identity] * self.terms.cost
            if not keys.spend(connection, before, spent=spent):
                raise NotCertified("A key was changed by somebody who does not hold the ledger's lock.")
        for statement, rows in (
            (statements.ANSWER_ROWS, self.questions),
            (statements.REQUEST_ROWS, self.sent),
            (statements.LABELLED, self.labels),
            (statements.REPLIED, self.replies),
        ):
            statement.write(connection, rows)
