"""What has been spent. A ledger refuses before anything is computed, and never forgets a charge."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from privpac.errors import ParameterError, PrivpacError
from privpac.guarantee.ledger.account import Account, Charge, Entry, Purchase
from privpac.guarantee.ledger.budget import Amount, Budget, Cost, short_text
from privpac.guarantee.ledger.chain import verify_rows, wrong
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.store import SQLITE, SqliteStore, Store, close_connections, sqlite_file
from privpac.interrupts import charging

if TYPE_CHECKING:
    from privpac.guarantee.ledger.sql_store import SqlStore

__all__ = ["Ledger", "is_url"]

OWNER = "Ledger"

LATEST = 20
"""Latest charges that a notebook shows."""


class Ledger:
    """A privacy budget and everything charged to it.

    Amounts are exact decimals: ten times 0.1 is 1. With an epsilon alone, epsilons are added, and everything together
    is that private. With a delta too, everything together is (epsilon, delta)-private, and a filter lets many small
    charges in: a charge fits if either the epsilons or the rhos (concentrated privacy) fit. Both are valid however the
    charges were chosen while one went on. `pure_epsilon` is a second promise beside the first. `reserved_delta` is the
    part of delta for releases that have a delta of their own; one that reserves all of it adds epsilons and deltas.

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
    >>> Ledger(epsilon=3, delta=1e-6).room(epsilon=0.01), Ledger(epsilon=3).room(epsilon=0.01)
    (3701, 300)
    >>> ledger.check(epsilon=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privpac.errors.BudgetExceeded: ...
    >>> len(ledger.entries()), ledger.account().spent.epsilon, ledger.verify()
    (10, Fraction(1, 1), None)
    """

    _file = ""

    def __init__(
        self,
        *,
        epsilon: Amount | None = None,
        delta: Amount = 0,
        reserved_delta: Amount = 0,
        pure_epsilon: Amount | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        """Make the ledger, or continue the one at `path`, whose totals must then be the same.

        The path is a file, or the URL of a database: sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME.
        A password is best left to the environment (PGPASSFILE, PGPASSWORD): one written into the URL is never
        shown, but travels with every pickle of this handle.
        """
        if path is not None and epsilon is None and pure_epsilon is None:
            raise ParameterError(
                OWNER,
                "epsilon",
                None,
                allowed="the total that the ledger at this path has, or shall have",
                remedy="Continue an existing one, whatever its total, with Ledger.open(path).",
            )
        promises = Promises.read(
            OWNER, epsilon=epsilon, delta=delta, reserved_delta=reserved_delta, pure_epsilon=pure_epsilon
        )
        self._store: Store = _create_or_open(_temporary() if path is None else path, promises=promises)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        epsilon: Amount | None = None,
        delta: Amount = 0,
        reserved_delta: Amount = 0,
        pure_epsilon: Amount | None = None,
    ) -> Ledger:
        """Make a new ledger at `path`, a file or a URL of a database.

        `epsilon`, `delta`, `reserved_delta` and `pure_epsilon` are its promises, as for `Ledger`. Raises
        `FileExistsError` if there is a ledger, and `ParameterError` if the promises contradict each other or the folder
        does not exist.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "budget.sqlite")
        ...     entry = Ledger.create(path, epsilon=1).charge(epsilon=0.25)
        ...     print(Ledger.open(path).left)
        epsilon 0.75
        """
        promises = Promises.read(
            OWNER, epsilon=epsilon, delta=delta, reserved_delta=reserved_delta, pure_epsilon=pure_epsilon
        )
        return cls.over(_create(path, promises=promises))

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Ledger:
        """Continue the ledger at `path`, a file or a URL, whatever its totals. `verify` looks at every row of it.

        Raises `ParameterError` if there is none, or if what is there is no ledger.
        """
        return cls.over(_open(path))

    @classmethod
    def over(cls, store: Store) -> Ledger:
        """A ledger whose rows are kept by any other `store`; errors are those of the store.

        >>> ledger = Ledger(epsilon=1)
        >>> Ledger.over(ledger._store) == ledger
        True
        """
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

    def account(self) -> Account:
        """Promises and sums of one moment."""
        return self._store.account()

    @property
    def promises(self) -> Promises:
        """What is promised about everything charged to it, fixed when it was made."""
        return self._store.account().promises

    @property
    def total(self) -> Budget:
        """The promise of epsilon and delta if there is one, else the pure one."""
        return self._store.account().total

    @property
    def spent(self) -> Budget:
        """The sums of epsilon and delta. Beside a delta they are no promise: that is the total, whatever was spent."""
        return self._store.account().spent.pair

    @property
    def spent_rho(self) -> Fraction:
        """The sum of rho."""
        return self._store.account().spent.rho

    @property
    def left(self) -> Budget:
        """What may still be spent by adding; see `left_rho` and `room`."""
        return self._store.account().left

    @property
    def left_rho(self) -> Fraction | None:
        """What may still be spent in rho; None where epsilons are added."""
        account = self._store.account()
        return account.promises.left_rho(account.spent)

    def room(self, *, epsilon: Amount, delta: Amount = 0, rho: Amount | None = None) -> int:
        """How many more charges of `epsilon` with `delta` (and `rho`, if it is known) fit. Spends and reserves nothing.

        Raises `ParameterError` for an amount that none can be.
        """
        return self.room_for(Cost.read("Ledger.room", epsilon=epsilon, delta=delta, rho=rho))

    def room_for(self, cost: Cost) -> int:
        """As `room`, for a `cost` that was computed, so that there are no errors.

        >>> Ledger(epsilon=1).room_for(Cost.read("Ledger", epsilon="0.1"))
        10
        """
        return self._store.account().room(cost)

    def charge(
        self,
        *,
        epsilon: Amount,
        delta: Amount = 0,
        rho: Amount | None = None,
        note: str = "",
        key: str | None = None,
        purchase: Purchase | None = None,
    ) -> Entry:
        """Spend `epsilon` and `delta`, durably, or raise `BudgetExceeded` and spend nothing. Call it before the answer
        is computed.

        `rho` is what the release costs in concentrated privacy, computed from public numbers; left out, it is what any
        release of this epsilon costs. A `key` makes the charge safe to repeat when it is unknown whether the first
        attempt arrived: the entry stored under that key is returned and nothing more is spent. `note` and `purchase`
        say what is paid for, in public words. `ParameterError` means that an amount or a text cannot be one.
        """
        cost = Cost.read("Ledger.charge", epsilon=epsilon, delta=delta, rho=rho)
        item = purchase if not self._file else (purchase or Purchase()).written_to(self._file)
        asked = Charge(cost, note, key, item)
        with charging(self.path) as charged:
            entry = self._store.append(asked)
            charged(entry.number, str(entry.cost))
        return entry

    def check(self, *, epsilon: Amount, delta: Amount = 0, rho: Amount | None = None) -> None:
        """Raise `BudgetExceeded` if a charge of `epsilon`, `delta` and `rho` would not fit now. Spends and reserves
        nothing.
        """
        self._store.account().check(Cost.read("Ledger.check", epsilon=epsilon, delta=delta, rho=rho))

    def writing_to(self, file: str | os.PathLike[str] | None) -> Ledger:
        """The same ledger for somebody who writes what is paid for to this `file`: its entries name the file.

        A name that is no line of text is left out; there are no errors.

        >>> ledger = Ledger(epsilon=1).writing_to("model.json")
        >>> print(ledger.charge(epsilon=1).purchase)
        to model.json
        """
        if file is None:
            return self
        ledger = self.over(self._store)
        ledger._file = Path(file).name
        return ledger

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
            raise wrong(f"row {after.count + 1} was added without being charged")

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Ledger:
        return self  # scikit-learn's clone copies parameters deeply; a copied budget would be spent twice

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).over, (self._store,), {"_file": self._file} if self._file else None

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Ledger) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        try:
            account = self._store.account()
        except PrivpacError:  # a repr that raises would hide the error it is printed for
            return f"<Ledger at {self.path!r}, which cannot be read>"
        left = account.remainder
        if account.promises.filters:
            return f"<Ledger: left {left}; total {account.promises}; at {self.path!r}>"
        return f"<Ledger: spent {account.spent}; left {left}; total {account.promises}; at {self.path!r}>"

    def _repr_html_(self) -> str:
        """The same for a notebook, with the latest charges."""
        try:
            entries = self._store.entries()
        except PrivpacError:
            entries = ()
        rows = "".join(_row(entry) for entry in entries[-LATEST:])
        head = "<tr><th>Charge</th><th>Epsilon</th><th>Delta</th><th>For</th></tr>"
        return f"<p>{escape(repr(self))}</p>" + (f"<table>{head}{rows}</table>" if rows else "")


def _row(entry: Entry) -> str:
    epsilon, delta = short_text(entry.cost.epsilon), short_text(entry.cost.delta)
    cells = (entry.number, epsilon, delta, entry.note)
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _open(path: str | os.PathLike[str]) -> Store:
    if not is_url(path):
        return SqliteStore.open(path)
    if str(path).startswith(SQLITE):
        return SqliteStore.open(sqlite_file(str(path)))
    return _database().open(str(path))


def _create(path: str | os.PathLike[str], *, promises: Promises) -> Store:
    if not is_url(path):
        return SqliteStore.create(path, promises=promises)
    if str(path).startswith(SQLITE):
        return SqliteStore.create(sqlite_file(str(path)), promises=promises)
    return _database().create(str(path), promises=promises)


def is_url(path: object) -> bool:
    """Whether a ledger is named by a database URL, not by a file."""
    return isinstance(path, str) and "://" in path


def _database() -> type[SqlStore]:
    from privpac.guarantee.ledger.sql_store import (
        SqlStore,  # an extra, and not needed for a ledger in a file
    )

    return SqlStore


def _create_or_open(path: str | os.PathLike[str], *, promises: Promises) -> Store:
    try:
        return _create(path, promises=promises)
    except FileExistsError:
        store = _open(path)
    account = store.account()
    if account.promises.declaration != promises.declaration:
        requirement = f"the total this ledger was made with ({account.promises})"
        remedy = "Continue it with Ledger.open, or choose another path."
        raise ParameterError("Ledger", "total", str(promises), allowed=requirement, remedy=remedy)
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
