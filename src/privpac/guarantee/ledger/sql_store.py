"""A ledger in a database that SQLAlchemy reaches: an SQLite file shared with `SqliteStore`, or PostgreSQL.

A transaction takes the ledger's write lock before it reads the account (the file's lock, or the account's row), adds
in fractions, and moves the account from the old head of the chain to the new one with a conditional update. Whoever
keeps tables beside the ledger, as the prediction service does, writes them in the same transaction: a charge and what
it paid for are both there or neither.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from privpac.errors import MissingExtra, NotCertified
from privpac.guarantee.ledger import store
from privpac.guarantee.ledger.account import Account, Charge, Entry
from privpac.guarantee.ledger.chain import Chain
from privpac.guarantee.ledger.databases import UNSYNCED, Database, database
from privpac.guarantee.ledger.driver_statement import DriverStatement
from privpac.guarantee.ledger.promises import Promises

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import DBAPIError
except ImportError:
    raise MissingExtra("A ledger in a database", "database") from None

__all__ = ["SqlStore", "Transaction"]

ACCOUNT = sa.table("account", *map(sa.column, ("spent_epsilon", "spent_delta", "spent_rho", "count", "head")))
_COLUMNS = ("number", "epsilon", "delta", "note", "key", "time", "hash", "rho", "purchase")
_ENTRY_ROWS = DriverStatement(sa.insert(sa.table("entry", *map(sa.column, _COLUMNS))), *_COLUMNS)
_ACCOUNT = sa.text("SELECT * FROM account")
_LOCKED_ACCOUNT = sa.select(sa.text("*")).select_from(ACCOUNT).with_for_update()
_ENTRIES = sa.text("SELECT * FROM entry WHERE number > :known ORDER BY number")
_KNOWN_KEY = sa.text("SELECT * FROM entry WHERE key = :known")
_MOVE = sa.update(ACCOUNT).where(ACCOUNT.c.head == sa.bindparam("old"))


class Transaction:
    """The ledger's write lock, held. Made by `SqlStore.transact`; for one thread, inside its block."""

    def __init__(self, ledger: SqlStore, connection: sa.Connection) -> None:
        self.connection = connection
        """For tables beside the ledger: what is written through it is part of the transaction."""
        self._ledger = ledger
        self._before = self._account = ledger._read(connection, _LOCKED_ACCOUNT)
        self._entries: list[Entry] = []
        """New entries, until all of them are inserted at once: a group of charges is then one statement."""

    def account(self) -> Account:
        """What has been spent, with the charges of this transaction."""
        return self._account

    def append(self, charge: Charge) -> Entry:
        """The entry of a known key, or a new one; `BudgetExceeded` leaves the transaction usable."""
        earlier = None if charge.key is None else self._entry_of(charge.key)
        if earlier is not None:
            return earlier.repeated(charge)
        if not self._entries:
            with self._ledger._in_words():
                self._ledger._chain.check(self._before, partial(_rows_after, self.connection))
        entry, self._account = self._account.charged(charge)
        self._entries.append(entry)
        return entry

    def _entry_of(self, key: str) -> Entry | None:
        for entry in self._entries:
            if entry.key == key:
                return entry
        with self._ledger._in_words():
            row = self.connection.execute(_KNOWN_KEY, {"known": key}).first()
        return None if row is None else Entry.from_row(row._asdict())

    def _finish(self) -> None:
        """Write entries and account once, however many charges there were."""
        if self._account is self._before:
            return
        _ENTRY_ROWS.write(self.connection, [entry.row() for entry in self._entries])
        update = self.connection.execute(_MOVE, self._account.moving() | {"old": self._before.head})
        if update.rowcount != 1:
            raise self._ledger._database.damaged()


def _rows_after(connection: sa.Connection, number: int) -> Iterator[dict[str, Any]]:
    result = connection.execute(_ENTRIES, {"known": number})
    names = tuple(result.keys())
    return (dict(zip(names, row, strict=True)) for row in result)


class SqlStore:
    """A ledger at a URL: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.

    For many threads and processes; with PostgreSQL on many hosts. A password in the URL is never shown, but a pickled
    handle must carry it: leave it to PGPASSFILE or PGPASSWORD where that matters.
    """

    def __init__(self, url: str, *, identity: str) -> None:
        self._id = identity
        self._chain = Chain()
        self._database: Database = database(url)
        self.engine: sa.Engine = self._database.engine(identity)
        """For migrations. Every transaction of it takes the file's write lock, if the ledger is a file."""
        store._STORES.add(self)

    @classmethod
    def create(cls, url: str, *, promises: Promises) -> SqlStore:
        """Make a new ledger; `FileExistsError` if there is one. It appears complete or not at all."""
        return cls.restore(url, account=Account.opened(promises, identity=uuid.uuid4().hex))

    @classmethod
    def restore(cls, url: str, *, account: Account, entries: Sequence[Entry] = ()) -> SqlStore:
        """A new ledger with what one held elsewhere; whoever calls this has verified it."""
        database(url).create(account, entries)
        return cls(url, identity=account.id)

    @classmethod
    def open(cls, url: str) -> SqlStore:
        """A handle to whichever ledger is there."""
        return cls(url, identity=database(url).find())

    @property
    def id(self) -> str:
        return self._id

    @property
    def where(self) -> str:
        return self._database.where

    @contextmanager
    def transact(self, *, synced: bool = True) -> Iterator[Transaction]:
        """Hold the ledger's write lock. Leaving the block commits durably, an exception undoes everything.

        Inside, charge through the transaction only: any other handle of this process would wait for this one.

        Without `synced` the commit does not wait for the disk. What it wrote is there for every process and stays
        whatever becomes of this one; a power cut may lose it, until the next commit that waits is done: the log of
        the database has one order. So nothing may leave before there was such a commit.
        """
        with self._open_connection() as connection:
            if not synced:
                connection.execution_options(**{UNSYNCED: True})
            with self._in_words():
                connection.begin()
                self._database.lock(connection)
                transaction = Transaction(self, connection)
            yield transaction
            with self._in_words():
                transaction._finish()
                connection.commit()
            if transaction._entries:
                self._chain.moved(transaction.account())

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state of the ledger and of the tables beside it; not for writing."""
        with self._open_connection() as connection:
            yield self._database.snapshot(connection)

    def append(self, charge: Charge) -> Entry:
        if self._chain.is_new:
            with self.reading() as connection, self._in_words():
                self._chain.look_ahead(self._read(connection, _ACCOUNT), partial(_rows_after, connection))
        with self.transact() as transaction:
            return transaction.append(charge)

    def account(self) -> Account:
        with self.reading() as connection, self._in_words():
            return self._read(connection, _ACCOUNT)

    def entries(self) -> tuple[Entry, ...]:
        with self.reading() as connection, self._in_words():
            return self._rows(connection)

    def contents(self) -> tuple[Account, tuple[Entry, ...]]:
        """The account and the rows it follows from, of one moment."""
        with self.reading() as connection, self._in_words():
            return self._read(connection, _ACCOUNT), self._rows(connection)

    @staticmethod
    def _rows(connection: sa.Connection) -> tuple[Entry, ...]:
        return tuple(map(Entry.from_row, _rows_after(connection, 0)))

    def close(self) -> None:
        """Let go of the connections; the next use opens new ones."""
        with store._LOCK:
            self._disconnect()

    def _disconnect(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _open_connection(self) -> Iterator[sa.Connection]:
        with self._in_words():
            connection = self.engine.connect()
        try:
            yield connection
        finally:
            connection.close()  # rolls back what was not committed

    def _read(self, connection: sa.Connection, statement: sa.Executable) -> Account:
        account = store.stored_account(connection.execute(statement).mappings().all())
        if account is None:
            raise self._database.damaged()
        if account.id != self._id:
            raise NotCertified(
                f"What is at '{self.where}' is not the ledger this handle was made for: its id differs.",
                remedy="Put the original back, or make a new handle with Ledger.open.",
            )
        return account

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """The database's errors, said for the person who owns the ledger, without parameters and passwords."""
        try:
            yield
        except DBAPIError as error:
            raise self._database.sentence(error) from None

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, the library is half gone, as this module's own names are; the system closes files.
        if hasattr(self, "engine") and not ends():
            self._disconnect()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self._database.url, identity=self._id), ()

    def __repr__(self) -> str:
        return f"SqlStore({self.where!r}, identity={self._id!r})"
