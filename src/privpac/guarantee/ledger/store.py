"""Where a ledger keeps its rows: the `Store` protocol, and the SQLite file that is the usual one.

Exactness. Databases compare floats or decimals, and a budget may be 1/3. So amounts are stored as exact text
("0.1", "1/3"), and `Account.check` compares `spent + charge <= total` in fractions while the write lock is
held. The one conditional update then moves the account from the chain's old head to its new one: with `WHERE
head = old` it writes nothing if anybody else came in between, whatever the isolation level.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

from privpac.checker.document import LAST_READER
from privpac.drafts import new_file
from privpac.errors import NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger.account import Account, Charge, Entry
from privpac.guarantee.ledger.chain import Chain
from privpac.guarantee.ledger.layout import EARLIER_ID, SQLITE_ID, SQLITE_TABLES
from privpac.guarantee.ledger.promises import Promises

__all__ = ["SqliteStore", "Store", "close_connections", "insertion", "sqlite_file", "stored_account"]

SQLITE = "sqlite:///"
EARLIER_FORMAT = "privpac-ledger/1"  # refused by name
BUSY_SECONDS = 60.0  # how long a charge waits for other writers; one holds the lock for milliseconds


class Store(Protocol):
    """A durable, append-only list of entries with one account.

    A store is a handle: cheap to pickle, without state. A new kind of store is done when it passes
    `tests/contracts/store_conformance.py`.
    """

    @property
    def id(self) -> str:
        """The ledger's identity, the same in every process and for ever."""

    @property
    def where(self) -> str:
        """The place, for people; no password in it."""

    def append(self, charge: Charge) -> Entry:
        """Atomically: return the entry of a known key, or admit and write. On disk before it returns."""

    def account(self) -> Account:
        """What has been spent, of how much."""

    def entries(self) -> tuple[Entry, ...]:
        """All rows in order."""


class Connected(Protocol):
    """Whatever holds connections of this process."""

    def _disconnect(self) -> None:
        """Close those at rest."""


class SqliteStore:
    """A ledger in one file. Safe for many threads and processes of one machine; not for network drives.

    Write-ahead log, `synchronous=FULL` (a commit lost in a power cut after an answer was released would be an
    overspend) and `BEGIN IMMEDIATE` (the lock is taken before the budget is read). Copy the file only while
    nobody uses it, for the last rows may be in the log beside it; and an older copy put back forgets what was
    charged since.
    """

    _connection: sqlite3.Connection | None = None
    _file: tuple[int, int] | None = None

    def __init__(self, path: str | os.PathLike[str], *, identity: str) -> None:
        self._path = Path(path)
        self._id = identity
        self._chain = Chain()
        _STORES.add(self)

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, promises: Promises) -> SqliteStore:
        """Make a new file; `FileExistsError` if there is one. It appears complete or not at all."""
        account = Account.opened(
            promises, identity=uuid.uuid4().hex
        )  # a name, not a draw that protects anyone
        return cls.restore(path, account=account)

    @classmethod
    def restore(
        cls, path: str | os.PathLike[str], *, account: Account, entries: Sequence[Entry] = ()
    ) -> SqliteStore:
        """A new file with what a ledger held elsewhere; whoever calls this has verified it."""
        place = _place(path)
        with (
            new_file(place) as draft,
            _LOCK,
            _one_sentence(place),
            closing(_connect(draft, mode="rwc")) as copy,
        ):
            copy.executescript(SQLITE_TABLES)
            with _transaction(copy):
                _insert(copy, "account", account.facts())
                for entry in entries:
                    _insert(copy, "entry", entry.row())
        return cls(place, identity=account.id)

    def copy_to(self, path: str | os.PathLike[str]) -> SqliteStore:
        """A new file with everything in this one, other tables included, while others go on charging."""
        place = _place(path)
        with (
            new_file(place) as draft,
            self._open_connection() as connection,
            closing(_connect(draft, mode="rwc")) as copy,
        ):
            connection.backup(copy)  # all pages in one step: one state
        return type(self)(place, identity=self._id)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SqliteStore:
        """A handle to whichever ledger is in this file, once the file is found whole."""
        place = _place(path)
        _file_at(place)
        with _LOCK, _one_sentence(place), closing(_connect(place)) as connection:
            account = _read_account(connection, place)
            # The account may be readable and later pages gone. Looked at here, not again in every worker.
            if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise _damage(place)
        return cls(place, identity=account.id)

    @property
    def id(self) -> str:
        return self._id

    @property
    def where(self) -> str:
        return str(self._path)

    def append(self, charge: Charge) -> Entry:
        with self._open_connection() as connection:
            rows_after = partial(_rows_after, connection)
            if self._chain.is_new:
                self._chain.look_ahead(_read_account(connection, self._path), rows_after)
            with _transaction(connection):
                entry, account = self._write(connection, charge, rows_after)
            if account is not None:
                self._chain.moved(account)
        return entry

    def _write(
        self,
        connection: sqlite3.Connection,
        charge: Charge,
        rows_after: Callable[[int], Iterator[dict[str, Any]]],
    ) -> tuple[Entry, Account | None]:
        """The entry, and the account that it led to if it is new."""
        if charge.key is not None:
            row = connection.execute("SELECT * FROM entry WHERE key = ?", (charge.key,)).fetchone()
            if row is not None:
                return Entry.from_row(dict(row)).repeated(charge), None
        before = _read_account(connection, self._path)
        self._chain.check(before, rows_after)
        entry, after = before.charged(charge)
        _insert(connection, "entry", entry.row())
        update = _move(connection, before, after)
        if update.rowcount != 1:
            raise _damage(self._path)
        return entry, after

    def account(self) -> Account:
        with self._open_connection() as connection:
            return _read_account(connection, self._path)

    def entries(self) -> tuple[Entry, ...]:
        with self._open_connection() as connection:
            rows = connection.execute("SELECT * FROM entry ORDER BY number").fetchall()
        return tuple(Entry.from_row(dict(row)) for row in rows)

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with _LOCK:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    @contextmanager
    def _open_connection(self) -> Iterator[sqlite3.Connection]:
        """The one connection of this process; refused if the path leads elsewhere by now.

        A file that was moved or deleted while open would take charges, acknowledge them and lose them.
        """
        with _LOCK, _one_sentence(self._path):
            file = _same_file(self._path, self._file)
            if self._connection is None:
                self._connection, self._file = _connect_to(self._path, self._id), file
            yield self._connection

    def __del__(self) -> None:
        self._disconnect()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self.where, identity=self._id), ()

    def __repr__(self) -> str:
        return f"SqliteStore({self.where!r}, identity={self._id!r})"


# One lock for every connection of this process, so that a fork finds all of them at rest.
_LOCK = threading.Lock()
_STORES: weakref.WeakSet[Connected] = weakref.WeakSet()


def close_connections() -> None:
    """Let go of every ledger file this process has open; no other thread may be charging."""
    for store in list(_STORES):
        store._disconnect()


def _before_fork() -> None:
    # A child that inherits an open connection, even one it never uses, inherits SQLite's belief in locks that
    # only the parent holds. Its own charges can then go to a log that the parent deletes, and are lost.
    _LOCK.acquire()
    close_connections()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


def sqlite_file(url: str) -> str:
    """The file a URL such as sqlite:///ledger.db leads to; four slashes begin an absolute path.

    >>> sqlite_file("sqlite:///ledger.db"), sqlite_file("sqlite:////data/my%20ledger.db")
    ('ledger.db', '/data/my ledger.db')
    """
    path = url.removeprefix(SQLITE)
    if path == url or path in ("", ":memory:") or "?" in path:
        raise ParameterError("Ledger", "path", url, allowed="sqlite:///FILE, without options")
    return unquote(path)


def _place(path: str | os.PathLike[str]) -> Path:
    try:
        return Path(path).resolve()
    except (TypeError, ValueError):
        raise ParameterError("Ledger", "path", path, allowed="the path of a file") from None


def _file_at(path: Path) -> tuple[int, int]:
    """Which file the path leads to now."""
    if not path.is_file():
        remedy = "Make one with: privpac ledger create FILE --epsilon TOTAL; or correct the path."
        raise ParameterError("Ledger", "path", str(path), allowed="an existing ledger file", remedy=remedy)
    status = path.stat()
    return status.st_dev, status.st_ino


def _same_file(path: Path, before: tuple[int, int] | None) -> tuple[int, int]:
    """Which file the path leads to; refused if that is another one than it used to be."""
    file = _file_at(path)
    if before not in (None, file):
        raise NotCertified(
            f"The ledger '{path}' was replaced while it was in use.",
            remedy="Find out which file is the right one and continue it with Ledger.open.",
        )
    return file


def _connect(path: Path, *, mode: str = "rw") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # `_LOCK` takes the place of this check
    )
    connection.row_factory = sqlite3.Row
    # Text that is not text any more is for `verify` to name, so reading it must not fail.
    connection.text_factory = lambda text: text.decode(errors="replace")
    # fullfsync: on macOS an ordinary fsync stops at the drive's cache. No effect elsewhere.
    connection.executescript("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;")
    return connection


def _connect_to(path: Path, identity: str) -> sqlite3.Connection:
    connection = _connect(path)
    try:
        if _read_account(connection, path).id == identity:
            return connection
        raise NotCertified(
            f"The file '{path}' is not the ledger this handle was made for: its id differs.",
            remedy="Put the original file back, or make a new handle with Ledger.open.",
        )
    except BaseException:
        connection.close()
        raise


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
    connection.execute(insertion(table, row), row)


def _move(connection: sqlite3.Connection, before: Account, after: Account) -> sqlite3.Cursor:
    """The one conditional update: nothing is written if anybody else came in between."""
    moving = after.moving()
    changes = ", ".join(f"{name} = :{name}" for name in moving)
    return connection.execute(
        f"UPDATE account SET {changes} WHERE head = :old",
        moving | {"old": before.head},
    )


def _rows_after(connection: sqlite3.Connection, number: int) -> Iterator[dict[str, Any]]:
    rows = connection.execute("SELECT * FROM entry WHERE number > ? ORDER BY number", (number,))
    return map(dict, rows)


def _read_account(connection: sqlite3.Connection, path: Path) -> Account:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    if mark == EARLIER_ID:
        raise earlier_ledger(path)
    if mark != SQLITE_ID:
        raise _not_a_ledger(path)
    rows = connection.execute("SELECT * FROM account").fetchall()
    refuse_earlier_rows(rows, path)
    account = stored_account(rows)
    if account is None:
        raise _damage(path)
    return account


def refuse_earlier_rows(rows: Sequence[Any], place: object) -> None:
    """Refuse a ledger whose tables were brought up to date, and that began in an earlier format."""
    if any(dict(row).get("format") == EARLIER_FORMAT for row in rows):
        raise earlier_ledger(place)


def earlier_ledger(place: object) -> NotCertified:
    """The refusal of a ledger that an earlier version began: it is never taken for an empty one."""
    return NotCertified(
        f"The ledger '{place}' has the format {EARLIER_FORMAT} of an earlier version,"
        f" which privpac {LAST_READER} reads.",
        remedy=f"What it spent stays spent: look it up with privpac {LAST_READER}, and make a new ledger of"
        " what is left.",
    )


def stored_account(rows: Sequence[Any]) -> Account | None:
    """The account of a ledger from the rows of its table; None unless that is one readable row."""
    try:
        (row,) = rows
        return Account.from_row(dict(row))
    except (TypeError, ValueError, KeyError, ZeroDivisionError):
        return None


@contextmanager
def _one_sentence(path: Path) -> Iterator[None]:
    """SQLite's errors, said for the person who owns the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise _sentence(error, path) from error


def _sentence(error: BaseException, path: Path) -> PrivpacError:
    kind = getattr(error, "sqlite_errorname", "")
    if kind == "SQLITE_NOTADB":
        return _not_a_ledger(path)
    if kind.startswith(("SQLITE_CORRUPT", "SQLITE_CONSTRAINT")) or "no such" in str(error):
        return _damage(path)
    remedy = "Nothing was released; check the drive and its permissions and try again."
    return PrivpacError(f"The ledger '{path}' could not be used: {error}.", remedy=remedy)


def _not_a_ledger(path: Path) -> ParameterError:
    requirement = "a ledger file, which this is not (or no longer)"
    remedy = "Give another path; this file was left as it is."
    return ParameterError("Ledger", "path", str(path), allowed=requirement, remedy=remedy)


def _damage(path: Path) -> NotCertified:
    remedy = "Restore the file from a backup, or treat its budget as spent."
    return NotCertified(f"The ledger '{path}' is truncated or was edited.", remedy=remedy)


def insertion(table: str, row: Mapping[str, object]) -> str:
    """The statement that inserts a row by the names of its columns; the names are ours."""
    return _insertion(table, tuple(row))


@lru_cache(maxsize=16)
def _insertion(table: str, names: tuple[str, ...]) -> str:
    places = ", ".join(f":{name}" for name in names)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"
