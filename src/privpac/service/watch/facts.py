"""What a route tells those who watch it: counts and names, never rows, answers or keys.

Why a ledger could not be used is said in words from a fixed list: those of a database may quote what was written.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privpac.errors import NotCertified, ParameterError
from privpac.faults import place_of

__all__ = ["FACTS", "Facts", "cause_of", "facts_of"]


SQLITE = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the drive refuses to read or write",
    "SQLITE_READONLY": "the file may not be written",
    "SQLITE_CANTOPEN": "the file or its folder cannot be opened",
    "SQLITE_BUSY": "somebody else holds the lock for too long",
    "SQLITE_LOCKED": "somebody else holds the lock for too long",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_NOTADB": "the file is no database any more",
}
"""By SQLite's own names, of which longer ones are special cases."""
POSTGRES = {
    "08": "the connection to the database is lost",
    "25": "the database may not be written",
    "28": "the database refuses this user",
    "53": "the database has no disk, memory or connections left",
    "55": "somebody else holds the lock for too long",
    "57": "the database is stopping",
    "58": "the drive of the database fails",
}
"""By the class of an SQLSTATE."""
UNREACHABLE = "the database cannot be reached"
NO_LEDGER = "there is no ledger any more where it was"
DAMAGED = "the ledger is damaged or was replaced"
OTHERWISE = "an error of the database"


def cause_of(fault: BaseException) -> str | None:
    """The first error of a ledger or its database behind a fault; None if there is none.

    >>> cause_of(ValueError("age 41")) is None
    True
    """
    for error in _chain(fault):
        if hasattr(error, "sqlite_errorname"):
            name = error.sqlite_errorname
            return f"{name}: {SQLITE.get('_'.join(name.split('_')[:2]), OTHERWISE)}"
        if hasattr(error, "sqlstate"):  # of a PostgreSQL driver
            state: str | None = error.sqlstate
            return UNREACHABLE if state is None else f"{state}: {POSTGRES.get(state[:2], OTHERWISE)}"
        if isinstance(error, ParameterError) and (error.owner, error.parameter) == ("Ledger", "path"):
            return NO_LEDGER
        if isinstance(error, NotCertified):
            return DAMAGED
    return None


def _chain(fault: BaseException) -> Iterator[BaseException]:
    """A fault and what led to it, also where that is not to be shown."""
    earlier: set[int] = set()
    error: BaseException | None = fault
    while error is not None and id(error) not in earlier:
        earlier.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


FACTS = "privpac.facts"


@dataclass
class Facts:
    """What a route adds to the line of its request."""

    route: str | None = None
    """Where the framework was not asked which one it is."""
    key: str | None = None
    rows: int | None = None
    epsilon: Fraction | None = None
    code: str | None = None
    fault: str | None = None
    """Its type and its place: all that is told of it."""
    cause: str | None = None
    """What the ledger's database had against it."""

    def failed(self, fault: BaseException) -> None:
        """Remember a fault. At once: the framework takes its trace away when it has been handled."""
        self.fault = f"{type(fault).__name__} in {place_of(fault)}"
        self.cause = cause_of(fault)


def facts_of(scope: MutableMapping[str, Any]) -> Facts:
    """Those of a request."""
    facts: Facts = scope.setdefault(FACTS, Facts())
    return facts
