"""The databases a ledger can live in, as SQLAlchemy sees them: an SQLite file and PostgreSQL.

What differs between them is here: how a ledger is made and found, how its one write lock is taken, and how their
errors are said. The file is exactly the one `SqliteStore` keeps, so both may use it at the same time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Protocol

from privpac.errors import MissingExtra, NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger import layout, store
from privpac.guarantee.ledger.account import FORMAT, Account, Entry

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.pool import ConnectionPoolEntry, StaticPool
except ImportError:
    raise MissingExtra("A ledger in a database", "database") from None

__all__ = ["Database", "Postgres", "SqliteFile", "database"]

READS = "privpac_reads"  # execution option of a connection that will not write
UNSYNCED = "privpac_unsynced"  # execution option of a transaction that does not wait for the disk
CACHE_KIB, LOG_PAGES = 65_536, 8_192
"""What a file's pages may take in memory, and pages of its log before they are carried over into the file. Names of
questions are scattered over the whole index: with SQLite's 2,000 and 1,000, a busy service reads pages again and again
and carries the same ones over every second. The log is as durable as the file."""
IDLE_MILLISECONDS = 300_000  # a host that died with the write lock gives it back after this


class Database(Protocol):
    """Where the tables are."""

    @property
    def url(self) -> str:
        """The whole address, as another process needs it."""

    @property
    def where(self) -> str:
        """The address for people: no password in it."""

    def create(self, account: Account, entries: Sequence[Entry] = ()) -> None:
        """Make a ledger, complete or not at all. `FileExistsError` if there is one."""

    def find(self) -> str:
        """The identity of the ledger that is there."""

    def engine(self, identity: str) -> sa.Engine:
        """The process's way to the database."""

    def lock(self, connection: sa.Connection) -> None:
        """What a transaction that writes does first."""

    def snapshot(self, connection: sa.Connection) -> sa.Connection:
        """The connection, set to read one state of everything."""

    def sentence(self, error: DBAPIError) -> PrivpacError:
        """What went wrong, for the person who owns the ledger."""

    def damaged(self) -> NotCertified:
        """The ledger is there, and was tampered with."""


def database(url: str) -> Database:
    """The database behind a URL."""
    if url.startswith(store.SQLITE):
        return SqliteFile(url)
    if re.match(r"postgres(ql)?(\+psycopg)?://", url):
        return Postgres(url)
    # Nothing is shown beyond the scheme: what follows may hold a password.
    scheme = url.partition("://")[0] + "://..."
    requirement = "sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
    raise ParameterError("Ledger", "path", scheme, allowed=requirement)


class _OneConnection(StaticPool):
    """One connection to a file, used by one thread at a time under the lock that also guards against forks."""

    def _do_get(self) -> ConnectionPoolEntry:
        store._LOCK.acquire()
        try:
            return super()._do_get()
        except BaseException:
            store._LOCK.release()
            raise

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        store._LOCK.release()


class SqliteFile:
    """The file of a `SqliteStore`, with its write-ahead log, full synchronisation and immediate lock."""

    def __init__(self, url: str) -> None:
        self._path = store._place(store.sqlite_file(url))
        self._file: tuple[int, int] | None = None

    @property
    def url(self) -> str:
        return store.SQLITE + str(self._path).replace("%", "%25").replace("?", "%3F")

    @property
    def where(self) -> str:
        return str(self._path)

    def create(self, account: Account, entries: Sequence[Entry] = ()) -> None:
        store.SqliteStore.restore(self._path, account=account, entries=entries)

    def find(self) -> str:
        return store.SqliteStore.open(self._path).id

    def engine(self, identity: str) -> sa.Engine:
        def connect() -> sqlite3.Connection:
            self._file = store._same_file(self._path, self._file)
            connection = store._connect_to(self._path, identity)
            connection.row_factory = None  # SQLAlchemy names the columns itself
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            return connection

        engine = sa.create_engine("sqlite://", creator=connect, poolclass=_OneConnection)
        sa.event.listen(engine, "checkout", self._still_there)
        sa.event.listen(engine, "begin", _begin)
        return engine

    def _still_there(self, *_: object) -> None:
        store._same_file(self._path, self._file)

    def lock(self, connection: sa.Connection) -> None:
        """Every transaction that is not marked as reading began with the lock."""

    def snapshot(self, connection: sa.Connection) -> sa.Connection:
        return connection.execution_options(**{READS: True})

    def sentence(self, error: DBAPIError) -> PrivpacError:
        return store._sentence(error.orig or error, self._path)

    def damaged(self) -> NotCertified:
        return store._damage(self._path)


def _begin(connection: sa.Connection) -> None:
    # A lock asked for after something was read comes too late: another writer may have been there.
    options = connection.get_execution_options()
    if options.get(READS, False):
        connection.exec_driver_sql("BEGIN")
        return
    level = "NORMAL" if options.get(UNSYNCED, False) else "FULL"
    connection.exec_driver_sql(f"PRAGMA synchronous = {level}")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


class Postgres:
    """Tables of one ledger in the current schema of a PostgreSQL database.

    The account's row is locked before it is read, so charges of all hosts follow one another. A second ledger goes to
    a second database or schema (`?options=-csearch_path%3Dname`).
    """

    def __init__(self, url: str) -> None:
        try:
            self._url = sa.make_url(url).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError):
            requirement = "postgresql+psycopg://USER@HOST/NAME with %-signs for special characters"
            raise ParameterError("Ledger", "path", "postgresql+psycopg://...", allowed=requirement) from None

    @property
    def url(self) -> str:
        return self._url.render_as_string(hide_password=False)

    @property
    def where(self) -> str:
        url = self._url
        query = {name: value for name, value in url.query.items() if "pass" not in name}
        address = sa.URL.create(url.drivername, url.username, None, url.host, url.port, url.database, query)
        return address.render_as_string()

    def create(self, account: Account, entries: Sequence[Entry] = ()) -> None:
        engine = self.engine(account.id)
        try:
            with engine.begin() as connection:
                self.lock(connection)
                # Two who make a ledger at once: the second waits here and then finds the first one's.
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({layout.EARLIER_ID})")
                if connection.scalar(
                    sa.text("SELECT to_regclass(format('%I.account', current_schema())) IS NOT NULL")
                ):
                    raise FileExistsError(self.where)
                self._refuse_unsafe(connection)
                connection.exec_driver_sql(layout.POSTGRES_TABLES)
                for table, row in [
                    ("account", account.facts()),
                    *(("entry", e.row()) for e in entries),
                ]:
                    connection.execute(sa.text(store.insertion(table, row)), row)
        except DBAPIError as error:
            raise self.sentence(error) from None
        finally:
            engine.dispose()

    def find(self) -> str:
        engine = self.engine("")
        try:
            with engine.connect() as connection:
                self._refuse_unsafe(connection)
                mark = connection.scalar(
                    sa.text("SELECT obj_description(to_regclass('account'), 'pg_class')")
                )
                if mark == store.EARLIER_FORMAT:
                    raise store.earlier_ledger(self.where)
                if mark != FORMAT:
                    raise self._not_a_ledger()
                rows = connection.execute(sa.text("SELECT * FROM account")).mappings().all()
                store.refuse_earlier_rows(rows, self.where)
                account = store.stored_account(rows)
        except DBAPIError as error:
            raise self.sentence(error) from None
        finally:
            engine.dispose()
        if account is None:
            raise self.damaged()
        return account.id

    def engine(self, identity: str) -> sa.Engine:
        try:
            return sa.create_engine(self._url, isolation_level="READ COMMITTED", pool_pre_ping=True)
        except ImportError:
            raise MissingExtra("A ledger in PostgreSQL", "database") from None

    def lock(self, connection: sa.Connection) -> None:
        # Only for this transaction, so that it also holds behind a proxy that shares sessions.
        wait = int(store.BUSY_SECONDS * 1000)
        waits = "off" if connection.get_execution_options().get(UNSYNCED, False) else "on"
        connection.exec_driver_sql(
            f"SELECT set_config('synchronous_commit', '{waits}', true), "
            f"set_config('lock_timeout', '{wait}', true), "
            f"set_config('idle_in_transaction_session_timeout', '{IDLE_MILLISECONDS}', true)"
        )

    def snapshot(self, connection: sa.Connection) -> sa.Connection:
        return connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def _refuse_unsafe(self, connection: sa.Connection) -> None:
        if connection.scalar(sa.text("SHOW fsync")) != "on":
            raise PrivpacError(
                f"The database '{self.where}' may lose what it has confirmed: its setting fsync is off.",
                remedy="A charge lost after its answer was released is an overspend; turn fsync on.",
            )

    def sentence(self, error: DBAPIError) -> PrivpacError:
        orig = error.orig
        if getattr(orig, "sqlstate", None) in ("42P01", "42703"):  # no such table, no such column
            return self._not_a_ledger()
        if (getattr(orig, "sqlstate", None) or "").startswith("23"):  # a row that contradicts the tables
            return self.damaged()
        message = (
            getattr(getattr(orig, "diag", None), "message_primary", None) or str(orig).partition("\n")[0]
        )
        if self._url.password:
            message = message.replace(self._url.password, "***")
        return PrivpacError(
            f"The ledger '{self.where}' could not be used: {message}.",
            remedy="Nothing was released; check that the database runs and its rights, and try again.",
        )

    def _not_a_ledger(self) -> ParameterError:
        remedy = "Make one with: privpac ledger create URL --epsilon TOTAL; or correct the address."
        requirement = "a database with a ledger, which this is not"
        return ParameterError("Ledger", "path", self.where, allowed=requirement, remedy=remedy)

    def damaged(self) -> NotCertified:
        remedy = "Restore it from a backup, or treat its budget as spent."
        return NotCertified(f"The ledger '{self.where}' was edited.", remedy=remedy)
