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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from privpac.answering.bundle.bundle import Bundle
from privpac.answering.questions import AskedRows, draw
from privpac.coins import Coins
from privpac.service.access.keys import Key, now
from privpac.service.answering import statements
from privpac.service.answering.groups import Group, Terms, earlier_requests, holders
from privpac.service.answering.requests import Ask, Outcome, PaidRequest
from privpac.service.api.problems import Ended
from privpac.service.store.tables import END

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore, Transaction

__all__ = ["Answering"]

MOST_KEPT = 100_000
"""Answers that are remembered, of about 200 bytes each."""


@dataclass(frozen=True, repr=False)
class Answering:
    """A bundle over a ledger. For one thread: its coins are."""

    bundle: Bundle
    store: SqlStore
    coins: Coins
    _failed: Event = field(default_factory=Event, init=False)
    """Set by a draw that failed, in case the database cannot be told."""
    _cache: dict[bytes, int] = field(default_factory=dict, init=False)
    """Answers that were found in the database, or put there."""

    @cached_property
    def terms(self) -> Terms:
        """What an answer costs, and what it is called."""
        offer, classes = self.bundle.offer, self.bundle.schema.class_values.tolist()
        return Terms(self.bundle.digest, offer.price, offer.answer_cost, offer.purchase, classes)

    @property
    def ended(self) -> bool:
        """Whether a draw has failed, here or in another process."""
        if self._failed.is_set():
            return True
        with self.store.reading() as connection:
            return self._has_end(connection)

    def answer(self, asks: Sequence[Ask]) -> list[Outcome]:
        """The outcome of every request, durable before this returns; a refusal leaves the others as they are."""
        if self._failed.is_set():
            self._end()  # on disk before it is told, if that failed before
            raise Ended()
        with self.store.transact(synced=False) as transaction:
            if self._has_end(transaction.connection):
                raise Ended()
            group = self._group(transaction, asks, holders(transaction.connection, asks))
            admissions = [group.admit(ask) for ask in asks]
            group.write()
        waiting = [one for one in admissions if isinstance(one, PaidRequest)]
        if not waiting:
            self._remember(group.known)
            return [one for one in admissions if not isinstance(one, PaidRequest)]
        answers = self._draw([one.ask.rows for one in waiting], group.known)
        with self.store.transact() as transaction:
            group = self._group(transaction, [one.ask for one in waiting], {})
            group.keep(answers)
            outcomes = [group.reply(one) if isinstance(one, PaidRequest) else one for one in admissions]
            group.write()
        self._remember(group.known)
        return outcomes

    def _draw(self, batches: Sequence[AskedRows], earlier: Mapping[bytes, int]) -> dict[bytes, int]:
        try:
            return draw(batches, self.bundle.prepared, self.coins, known=earlier)
        except Exception as fault:  # whatever it is: nothing is swallowed, and nothing is answered after it
            self._failed.set()
            self._end()
            raise Ended() from fault

    def _end(self) -> None:
        with self.store.transact() as transaction:
            if not self._has_end(transaction.connection):
                row = {"bundle": self.bundle.digest, "time": now()}
                transaction.connection.execute(sa.insert(END), row)

    def _has_end(self, connection: Any) -> bool:
        return bool(statements.ENDED.read(connection, {"of": self.bundle.digest}))

    def _group(self, transaction: Transaction, asks: Sequence[Ask], of: dict[str, Key]) -> Group:
        connection = transaction.connection
        earlier = self._paid_questions(connection, asks)
        return Group(
            self.terms,
            transaction,
            paid=set(earlier),
            known={question: label for question, label in earlier.items() if label is not None},
            keys=of,
            requests=earlier_requests(connection, asks),
        )

    def _paid_questions(self, connection: object, asks: Sequence[Ask]) -> dict[bytes, int | None]:
        """The questions that are paid for, with their answers if they have one."""
        questions = {key for ask in asks for key in ask.rows.keys}
        answers: dict[bytes, int | None] = {key: self._cache[key] for key in questions if key in self._cache}
        rows = statements.ANSWERS.rows(connection, list(questions - answers.keys()), of=self.bundle.digest)
        return answers | {bytes(row["question"]): row["label"] for row in rows}

    def _remember(self, answers: Mapping[bytes, int]) -> None:
        """Answers that are on disk: they never change, whichever process gave them, so nobody needs to look again."""
        if len(self._cache) + len(answers) > MOST_KEPT:
            self._cache.clear()
        self._cache.update(answers)
