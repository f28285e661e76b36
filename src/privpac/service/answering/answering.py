"""Answers for many people at once: paid for first, then drawn, then kept; an answer leaves after it is kept.

One transaction of the ledger's database charges a group of requests and writes down which questions are paid for; it is
written before a coin is tossed and before anything looks at records. Then the answers are drawn, outside of the lock,
for models may need long. A second transaction keeps them. Whoever is killed in between leaves questions that are paid
for and have no answer: the next request that asks them draws them, and nobody pays again. If two processes draw the
same question, the answer that is kept first remains, and both give that one.

Only the second waits for the disk, and with it the first is on disk too, for a database's log has one order. Nothing
leaves before that: no answer, and not the end of a bundle. A process may die of a draw, and then the charge stands. A
power cut between the two undoes a charge for which nothing was given. A request that costs nothing and whose answers
are stored waits for no disk: lost, it would be answered again, for nothing.

What is shared between answers is what `Prepared` holds: coins that do not depend on records, and models that are
functions of such coins and the records. Every distinct question is drawn once, with coins of its own (`asked.draw`).

Every limit follows from public numbers and is checked by `certify`, before there is a bundle. So a draw that fails is a
fault of the program, and whether it fails may depend on the records, which no price pays for. It must not become a
question that can be asked again and again: what was charged stays charged, the bundle is marked as ended where every
process sees it, and nothing is answered from it any more. What can leave in this way is the end itself, once.

A bundle whose answers were declared beforehand is paid for already. Its own ledger counts them, here as everywhere: it
is the ledger of the service too. A second count in another database would let the declared number be given twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.sql.compiler import SQLCompiler

from privpac.answering.bundle.bundle import Bundle
from privpac.answering.questions import AskedRows, draw
from privpac.coins import Coins
from privpac.data.purchases import purchase_of
from privpac.errors import BudgetExceeded, NotCertified
from privpac.guarantee.ledger.account import Account, Charge
from privpac.guarantee.ledger.budget import Cost, exact_text
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.purchase import Purchase
from privpac.service.access import keys
from privpac.service.access.keys import Key
from privpac.service.api.problems import Ended, Problem
from privpac.service.store.tables import ANSWER, API_KEY, END, REQUEST

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore, Transaction

__all__ = ["Answering", "Ask", "Left", "Outcome", "Reply", "unauthorised"]

MOST_KEPT = 100_000
"""Answers that are remembered, of about 200 bytes each."""
AT_ONCE = 512  # values of one IN clause: every SQLite takes so many


@dataclass(frozen=True, repr=False)
class Ask:
    """One request on its way: who, what, and under which idempotency key."""

    key: str
    asked: AskedRows
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
        left = cls._of_one(account.promises, account.spent, cost)
        if key.promises is None:
            return left
        own = cls._of_one(key.promises, key.spent, cost)
        rhos = [rho for rho in (left.rho, own.rho) if rho is not None]
        return cls(min(left.epsilon, own.epsilon), min(rhos, default=None), min(left.answers, own.answers))

    @classmethod
    def _of_one(cls, promises: Promises, spent: Cost, cost: Cost) -> Left:
        return cls(promises.left(spent).epsilon, promises.left_rho(spent), promises.room(spent, cost))

    def to_json(self) -> dict[str, Any]:
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


@dataclass(frozen=True, repr=False)
class Answering:
    """A bundle over a ledger. For one thread: its coins are."""

    bundle: Bundle
    store: SqlStore
    coins: Coins
    _failed: Event = field(default_factory=Event, init=False)
    """Set by a draw that failed, in case the database cannot be told."""
    _kept: dict[bytes, int] = field(default_factory=dict, init=False)
    """Answers that were found in the database, or put there."""
    _costs: dict[int, Cost] = field(default_factory=dict, init=False)

    @property
    def price(self) -> Fraction:
        """Epsilon of one new answer."""
        return self.bundle.offer.price

    @cached_property
    def cost(self) -> Cost:
        """Of one answer."""
        return self.bundle.offer.answer_cost

    def cost_of(self, count: int) -> Cost:
        """Of so many answers at once."""
        if count not in self._costs:
            self._costs[count] = count * self.cost
        return self._costs[count]

    @cached_property
    def class_values(self) -> NDArray[Any]:
        """What an answer is called, by its number."""
        return self.bundle.schema.class_values

    @cached_property
    def purchase(self) -> Purchase:
        """What answers are charged for."""
        return purchase_of("answers", self.bundle.schema)

    @property
    def ended(self) -> bool:
        """Whether a draw has failed, here or in another process."""
        if self._failed.is_set():
            return True
        with self.store.reading() as connection:
            return self._has_end(connection)

    def ask(self, cells: Mapping[str, Any], **facts: Any) -> Ask:
        """A request for answers about these cells."""
        return Ask(asked=AskedRows.of(cells, self.bundle.offer.predictor), **facts)

    def answer(self, asks: Sequence[Ask]) -> list[Outcome]:
        """The outcome of every request, durable before this returns; a refusal leaves the others as they are."""
        if self._failed.is_set():
            self._end()  # on disk before it is told, if that failed before
            raise Ended()
        with self.store.transact(synced=False) as transaction:
            if self._has_end(transaction.connection):
                raise Ended()
            group = self._group(transaction, asks, _holders(transaction.connection, asks))
            admitted = [group.admit(ask) for ask in asks]
            group.write()
        waiting = [one for one in admitted if isinstance(one, PaidRequest)]
        if not waiting:
            self._remember(group.known)
            return [one for one in admitted if not isinstance(one, PaidRequest)]
        drawn = self._draw([one.ask.asked for one in waiting], group.known)
        with self.store.transact() as transaction:
            group = self._group(transaction, [one.ask for one in waiting], {})
            group.keep(drawn)
            outcomes = [group.reply(one) if isinstance(one, PaidRequest) else one for one in admitted]
            group.write()
        self._remember(group.known)
        return outcomes

    def _draw(self, asked: Sequence[AskedRows], known: Mapping[bytes, int]) -> dict[bytes, int]:
        try:
            return draw(asked, self.bundle.prepared, self.coins, known=known)
        except Exception as fault:  # whatever it is: nothing is swallowed, and nothing is answered after it
            self._failed.set()
            self._end()
            raise Ended() from fault

    def _end(self) -> None:
        with self.store.transact() as transaction:
            if not self._has_end(transaction.connection):
                row = {"bundle": self.bundle.digest, "time": _now()}
                transaction.connection.execute(sa.insert(END), row)

    def _has_end(self, connection: Any) -> bool:
        return connection.execute(_ENDED, {"of": self.bundle.digest}).first() is not None

    def _group(self, transaction: Transaction, asks: Sequence[Ask], holders: dict[str, Key]) -> _Group:
        connection = transaction.connection
        stored = self._stored(connection, asks)
        return _Group(
            self,
            transaction,
            paid=set(stored),
            known={question: label for question, label in stored.items() if label is not None},
            keys=holders,
            requests=_requests(connection, asks),
        )

    def _stored(self, connection: object, asks: Sequence[Ask]) -> dict[bytes, int | None]:
        """The questions that are paid for, with their answers if they have one."""
        asked = {key for ask in asks for key in ask.asked.keys}
        stored: dict[bytes, int | None] = {key: self._kept[key] for key in asked if key in self._kept}
        rows = _ANSWERS.rows(connection, list(asked - stored.keys()), of=self.bundle.digest)
        return stored | {bytes(row["question"]): row["label"] for row in rows}

    def _remember(self, known: Mapping[bytes, int]) -> None:
        """Answers that are on disk: they never change, whichever process gave them, so nobody needs to look again."""
        if len(self._kept) + len(known) > MOST_KEPT:
            self._kept.clear()
        self._kept.update(known)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _In:
    """A statement about a list of values, put together once for every power of two that is long enough: to write out a
    list of parameters anew takes longer than to look them up."""

    def __init__(self, select: Callable[[Sequence[sa.BindParameter[Any]]], sa.Select[Any]]) -> None:
        self._select = select
        self._made: dict[int, sa.Select[Any]] = {}

    def rows(self, connection: Any, wanted: Sequence[Any], **facts: Any) -> list[Mapping[str, Any]]:
        """The rows of all values."""
        rows: list[Mapping[str, Any]] = []
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            length = 1 << (len(some) - 1).bit_length()
            if length not in self._made:
                self._made[length] = self._select([sa.bindparam(f"value_{i}") for i in range(length)])
            values = {f"value_{i}": value for i, value in enumerate(some)}
            values |= {f"value_{i}": some[-1] for i in range(len(some), length)}
            rows += connection.execute(self._made[length], facts | values).mappings().all()
        return rows


class _Many:
    """A statement that is run for many rows, put together once for every kind of database and handed to its driver:
    what stands between, for one row, takes longer than the database does."""

    def __init__(self, statement: sa.Insert | sa.Update, *columns: str) -> None:
        self._statement, self._columns = statement, columns
        self._made: dict[str, tuple[str, Sequence[str] | None]] = {}

    def write(self, connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run it, if there are rows."""
        if not rows:
            return
        dialect = connection.dialect
        if dialect.name not in self._made:
            compiled = self._statement.compile(dialect=dialect, column_keys=self._columns or None)
            assert isinstance(compiled, SQLCompiler)
            self._made[dialect.name] = (compiled.string, compiled.positiontup)
        text, places = self._made[dialect.name]
        if places is None:
            connection.exec_driver_sql(text, [dict(row) for row in rows])
        else:
            connection.exec_driver_sql(text, [tuple([row[name] for name in places]) for row in rows])


def _holders(connection: object, asks: Sequence[Ask]) -> dict[str, Key]:
    """The keys these requests came with, as they are stored now."""
    rows = _HOLDERS.rows(connection, sorted({ask.key for ask in asks}))
    return {row["id"]: Key.from_row(row) for row in rows}


@dataclass(frozen=True, repr=False)
class _Request:
    """What was paid, and perhaps replied, under an idempotency key."""

    digest: bytes
    price: str
    reply: str | None


def _requests(connection: object, asks: Sequence[Ask]) -> dict[tuple[str, str], _Request]:
    """What these idempotency keys were used for before."""
    named: dict[str, list[str]] = {}
    for ask in asks:
        if ask.idempotency_key is not None:
            named.setdefault(ask.key, []).append(ask.idempotency_key)
    rows = [row for key, names in named.items() for row in _REQUESTS.rows(connection, names, holder=key)]
    return {
        (row["api_key"], row["idempotency_key"]): _Request(bytes(row["digest"]), row["epsilon"], row["reply"])
        for row in rows
    }


@dataclass(repr=False)
class _Group:
    """The requests of one transaction, admitted one after the other and written together.

    Whether a request fits is decided in fractions before anything is written for it, so a refusal has nothing to undo.
    """

    answering: Answering
    transaction: Transaction
    paid: set[bytes]
    known: dict[bytes, int]
    keys: dict[str, Key]
    requests: dict[tuple[str, str], _Request]
    before: dict[str, Key] = field(default_factory=dict)
    """Keys whose spending moves, as they were."""
    questions: list[dict[str, Any]] = field(default_factory=list)
    """Rows of questions that were paid for just now."""
    labels: list[dict[str, Any]] = field(default_factory=list)
    """Answers to questions that have a row."""
    sent: list[dict[str, Any]] = field(default_factory=list)
    """Rows of requests that were admitted just now."""
    replies: list[dict[str, Any]] = field(default_factory=list)
    """Replies to requests that have a row."""
    time: str = field(default_factory=_now)
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
                return _reused()
            if earlier.reply is not None:
                return Reply(earlier.reply, Fraction(0))
            return self._answered(PaidRequest(ask, earlier.price, Fraction(0), self._left(key)))
        new = ask.asked.new(self.paid)
        cost, entry = len(new) * self.answering.price, None
        if new:
            charged = self._charge(key, len(new))
            if isinstance(charged, Problem):
                return charged
            entry = charged
        self._note_questions(new)
        price = exact_text(cost)
        if entry is not None or ask.idempotency_key is not None:
            self._note_request(ask, price, entry)
        return self._answered(PaidRequest(ask, price, cost, self._left(self.keys[ask.key])))

    def _earlier(self, ask: Ask) -> _Request | None:
        name = ask.idempotency_key
        return None if name is None else self.requests.get((ask.key, name))

    def _charge(self, key: Key, count: int) -> Problem | int:
        """The ledger's row for it, or the reason why not; the holder's own budget is looked at first."""
        cost = self.answering.cost_of(count)
        if key.promises is not None and not key.promises.admits(key.spent + cost):
            return self._refused("analyst_budget", "your own budget", key, count)
        note = f"{count} answers, key {key.id}"
        try:
            entry = self.transaction.append(Charge(cost, note, purchase=self.answering.purchase))
        except BudgetExceeded:
            return self._refused("dataset_budget", "the dataset's budget", key, count)
        self.before.setdefault(key.id, key)
        self.keys[key.id] = key.after(cost)
        return entry.number

    def _refused(self, code: str, whose: str, key: Key, count: int) -> Problem:
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
        digest = self.answering.bundle.digest
        self.questions += [{"bundle": digest, "question": question, "label": None} for question in new]

    def _note_request(self, ask: Ask, price: str, entry: int | None) -> None:
        digest = self._digest(ask)
        row: dict[str, Any] = {"api_key": ask.key, "idempotency_key": ask.idempotency_key, "digest": digest}
        row |= {"reply": None, "epsilon": price, "entry": entry, "time": self.time}
        self.sent.append(row)
        if ask.idempotency_key is not None:
            self.written[ask.key, ask.idempotency_key] = row
            self.requests[ask.key, ask.idempotency_key] = _Request(digest, price, None)

    def _answered(self, one: PaidRequest) -> Reply | PaidRequest:
        """The reply if nothing has to be drawn for it."""
        return self.reply(one) if not one.ask.asked.new(self.known) else one

    def keep(self, drawn: Mapping[bytes, int]) -> None:
        """Keep what was drawn; where somebody else was quicker, theirs remains."""
        digest = self.answering.bundle.digest
        for question, label in drawn.items():
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
            self.requests[name] = _Request(earlier.digest, earlier.price, text)
            if name in self.written:
                self.written[name]["reply"] = text
            else:
                self.replies.append({"holder": one.ask.key, "name": one.ask.idempotency_key, "text": text})
        return Reply(text, one.charged)

    def _text(self, one: PaidRequest) -> str:
        tree = {
            "answers": self.answering.class_values[one.ask.asked.labels(self.known)].tolist(),
            "price": one.price,
            "left": one.left.to_json(),
        }
        return json.dumps(tree)

    def _digest(self, ask: Ask) -> bytes:
        """The same rows put to another bundle are another request."""
        return self.answering.bundle.digest.encode() + b":" + ask.digest

    def _left(self, key: Key) -> Left:
        """What this holder can still spend: no more than the dataset has."""
        account, last = self.transaction.account(), self._last_left
        if last is None or last[0] is not key or last[1] is not account:
            last = self._last_left = (key, account, Left.of(key, account, self.answering.cost))
        return last[2]

    def write(self) -> None:
        connection = self.transaction.connection
        for identity, before in self.before.items():
            if not keys.spend(connection, before, spent=self.keys[identity].spent):
                raise NotCertified("A key was changed by somebody who does not hold the ledger's lock.")
        for statement, rows in (
            (_ANSWER_ROWS, self.questions),
            (_REQUEST_ROWS, self.sent),
            (_LABELLED, self.labels),
            (_REPLIED, self.replies),
        ):
            statement.write(connection, rows)


# Made once: to put a statement together takes longer than to run it.
_ENDED = sa.select(END.c.bundle).where(END.c.bundle == sa.bindparam("of"))
_ANSWERS = _In(
    lambda values: sa.select(ANSWER.c.question, ANSWER.c.label).where(
        ANSWER.c.bundle == sa.bindparam("of"), ANSWER.c.question.in_(values)
    )
)
_HOLDERS = _In(lambda values: sa.select(API_KEY).where(API_KEY.c.id.in_(values)))
_REQUESTS = _In(
    lambda values: sa.select(
        REQUEST.c.api_key, REQUEST.c.idempotency_key, REQUEST.c.digest, REQUEST.c.epsilon, REQUEST.c.reply
    ).where(REQUEST.c.api_key == sa.bindparam("holder"), REQUEST.c.idempotency_key.in_(values))
)
_ANSWER_ROWS = _Many(sa.insert(ANSWER).inline(), "bundle", "question", "label")
_REQUEST_ROWS = _Many(
    sa.insert(REQUEST).inline(), "api_key", "idempotency_key", "digest", "reply", "epsilon", "entry", "time"
)
_LABELLED = _Many(
    sa.update(ANSWER)
    .where(ANSWER.c.bundle == sa.bindparam("of"), ANSWER.c.question == sa.bindparam("asked"))
    .values(label=sa.bindparam("drawn"))
)
_REPLIED = _Many(
    sa.update(REQUEST)
    .where(REQUEST.c.api_key == sa.bindparam("holder"), REQUEST.c.idempotency_key == sa.bindparam("name"))
    .values(reply=sa.bindparam("text"))
)


def _reused() -> Problem:
    return Problem(
        409,
        "idempotency_key_reused",
        "This idempotency key was used for other rows; nothing was charged.",
        remedy="Take a new key for every new request, and the old one only to send the same request again.",
    )
