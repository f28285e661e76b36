"""What has been spent. A ledger refuses before anything is computed, and never forgets a charge."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from privpac.errors import NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger.account import Account, Charge, Entry, seal
from privpac.guarantee.ledger.budget import Amount, Budget
from privpac.guarantee.ledger.store import SQLITE, SqliteStore, Store, close_connections, sqlite_file

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = ["Ledger", "is_url", "verify_rows"]


class Ledger:
    """A privacy budget and everything charged to it.

    Amounts are exact decimals: ten times 0.1 is 1. Epsilons and deltas are added, which is valid however the
    charges were chosen; k releases declared beforehand and composed by a theorem are one charge with a note.

    The object is a handle: the state lives in a file or a database. Copies, clones, pickles and worker
    processes therefore charge the same budget, and two handles are equal if they lead to the same ledger.
    Without a path the file is a temporary one, removed when the process that made it exits.

    >>> ledger = Ledger(epsilon=1)
    >>> for _ in range(9):
    ...     entry = ledger.charge(epsilon=0.1)
    >>> ledger.left
    Budget(epsilon=0.1, delta=0)
    >>> ledger.charge(epsilon=0.2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privpac.errors.BudgetExceeded: ... a charge of epsilon 0.2: epsilon 0.1 is left of epsilon 1. ...
    >>> entry = ledger.charge(epsilon=0.1, note="still usable")
    """

    def __init__(
        self, *, epsilon: Amount, delta: Amount = 0, path: str | os.PathLike[str] | None = None
    ) -> None:
        """Make the ledger, or continue the one at `path`, whose totals must then be the same.

        The path is a file, or the URL of a database: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.
        A password is best left to the environment (PGPASSFILE, PGPASSWORD): one written into the URL is never
        shown, but travels with every pickle of this handle.
        """
        total = Budget.read("Ledger", epsilon=epsilon, delta=delta)
        self._store: Store = _made_or_found(_temporary() if path is None else path, total=total)

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, epsilon: Amount, delta: Amount = 0) -> Ledger:
        """Make a new ledger in a file or at a URL; `FileExistsError` if there is one."""
        return cls.over(_made(path, total=Budget.read("Ledger", epsilon=epsilon, delta=delta)))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Ledger:
        """Continue the ledger in a file or at a URL, whatever its totals. `verify` looks at every row of it."""
        return cls.over(_found(path))

    @classmethod
    def over(cls, store: Store) -> Ledger:
        """A ledger whose rows are kept by any other store."""
        ledger = cls.__new__(cls)
        ledger._store = store
        return ledger

    @property
    def id(self) -> str:
        """The ledger's identity, given when it was made."""
        return self._store.id

    @property
    def path(self) -> str:
        """The file it is kept in, or the place another store names, without a password."""
        return self._store.where

    @property
    def total(self) -> Budget:
        return self._store.account().total

    @property
    def spent(self) -> Budget:
        return self._store.account().spent

    @property
    def left(self) -> Budget:
        return self._store.account().left

    def charge(self, *, epsilon: Amount, delta: Amount = 0, note: str = "", key: str | None = None) -> Entry:
        """Spend, durably, or raise `BudgetExceeded` and spend nothing. Call it before the answer is computed.

        A `key` makes the charge safe to repeat when it is unknown whether the first attempt arrived: the
        entry stored under that key is returned and nothing more is spent.
        """
        cost = Budget.read("Ledger.charge", epsilon=epsilon, delta=delta)
        return self._store.append(Charge(cost, note, key))

    def check(self, *, epsilon: Amount, delta: Amount = 0) -> None:
        """Raise `BudgetExceeded` if such a charge would not fit now. Spends nothing and reserves nothing."""
        self._store.account().check(Budget.read("Ledger.check", epsilon=epsilon, delta=delta))

    def entries(self) -> tuple[Entry, ...]:
        """Every charge, in order."""
        return self._store.entries()

    def verify(self) -> None:
        """Recompute every hash and sum; raise `NotCertified` naming the first row that does not follow.

        Others may charge meanwhile: the rows are compared with the account before and after they were read.
        """
        before = self._store.account()
        entries = self._store.entries()
        after = self._store.account()
        verify_rows(before, entries)
        if len(entries) > after.count:
            raise _wrong(f"row {after.count + 1} was added without being charged")

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Ledger:
        return self  # scikit-learn's clone copies parameters deeply; a copied budget would be spent twice

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).over, (self._store,)

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Ledger) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        try:
            account = self._store.account()
        except PrivpacError:  # a repr that raises would hide the error it is printed for
            return f"<Ledger at {self.path!r}, which cannot be read>"
        amounts = f"spent {account.spent}; left {account.left}; total {account.total}"
        return f"<Ledger: {amounts}; at {self.path!r}>"


def _found(path: str | os.PathLike[str]) -> Store:
    if not is_url(path):
        return SqliteStore.open(path)
    if str(path).startswith(SQLITE):
        return SqliteStore.open(sqlite_file(str(path)))
    return _database().open(str(path))


def _made(path: str | os.PathLike[str], *, total: Budget) -> Store:
    if not is_url(path):
        return SqliteStore.create(path, total=total)
    if str(path).startswith(SQLITE):
        return SqliteStore.create(sqlite_file(str(path)), total=total)
    return _database().create(str(path), total=total)


def is_url(path: object) -> bool:
    """Whether a ledger is named by a database URL, not by a file."""
    return isinstance(path, str) and "://" in path


def _database() -> type[SqlStore]:
    from privpac.guarantee.ledger.sql_store import (
        SqlStore,  # an extra, and not needed for a ledger in a file
    )

    return SqlStore


def _made_or_found(path: str | os.PathLike[str], *, total: Budget) -> Store:
    try:
        return _made(path, total=total)
    except FileExistsError:
        store = _found(path)
    kept = store.account().total
    if kept != total:
        allowed = f"the total this ledger was made with ({kept})"
        remedy = "Continue it with Ledger.open, or choose another path."
        raise ParameterError("Ledger", "total", str(total), allowed=allowed, remedy=remedy)
    return store


def _temporary() -> Path:
    folder = tempfile.mkdtemp(prefix="privpac-ledger-")
    # At exit and not with the last handle here: handles in other processes may outlive it.
    atexit.register(_remove, folder, owner=os.getpid())
    return Path(folder) / "ledger.sqlite"


def _remove(folder: str, *, owner: int) -> None:
    if os.getpid() == owner:  # a forked child inherits the exit handler, not the file
        close_connections()  # Windows removes no open file
        shutil.rmtree(folder, ignore_errors=True)


def verify_rows(account: Account, entries: tuple[Entry, ...]) -> None:
    """Follow the chain from the opening, through the account's head, to the last row."""
    reached = current = Account.opened(account.total, identity=account.id)
    for number, entry in enumerate(entries, start=1):
        if entry.number != number:
            raise _wrong(f"row {number} is missing")
        if entry.hash != seal(current.head, entry.facts()):
            raise _wrong(f"row {number} was altered" + (", or the totals were" if number == 1 else ""))
        current = current.after(entry)
        if not current.spent.within(account.total):
            raise _wrong(f"row {number} exceeds the total")
        if number == account.count:
            reached = current
    if len(entries) < account.count:
        raise _wrong(f"row {len(entries) + 1} is missing")
    if reached != account:
        raise _wrong("its totals do not follow from its rows")


def _wrong(what: str) -> NotCertified:
    remedy = "Restore the ledger from a backup, or treat its budget as spent."
    return NotCertified(f"The ledger does not add up: {what}.", remedy=remedy)
