"""Whose budget the pages show and charge: a ledger in a file, or that of a service with its analysts."""

from __future__ import annotations

from pathlib import Path

from privpac.errors import ParameterError, PrivpacError
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.ledger import Ledger
from privpac.service.access.keys import Key

__all__ = ["Books", "FileBooks"]


class Books:
    """One ledger and those who draw from it; by itself, nothing is counted."""

    @property
    def ledger(self) -> Ledger | None:
        """The ledger, if there is one."""
        return None

    @property
    def where(self) -> str | None:
        """Its place, as `--ledger` would name it."""
        return None

    @property
    def price(self) -> Cost | None:
        """What one answer costs, where answers are sold."""
        return None

    @property
    def charges_learning(self) -> bool:
        """Whether what is learnt on the pages may be charged to it."""
        return True

    def make(self, *, epsilon: str, delta: str, reserved_delta: str = "0") -> None:
        """Open a new ledger, where that is possible."""
        raise PrivpacError("These pages keep no ledger.", remedy="Start them with --ledger FILE.")

    def keys(self, *, after: str | None = None) -> list[Key]:
        """The keys of those who draw from it, where people are distinguished: a page of them and one more, if any."""
        return []

    def key(self, name: str) -> Key | None:
        """The key of one of them."""
        return None

    def spender(self, note: str, key: str | None) -> str | None:
        """Who made a charge, where that is known."""
        return None


class FileBooks(Books):
    """A ledger file that may not exist yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ledger: Ledger | None = None

    @property
    def ledger(self) -> Ledger | None:
        if self._ledger is None and self._path.exists():
            self._ledger = Ledger.open(self._path)
        return self._ledger

    @property
    def where(self) -> str:
        return str(self._path)

    def make(self, *, epsilon: str, delta: str, reserved_delta: str = "0") -> None:
        if self._path.exists():
            raise ParameterError("ledger", "file", str(self._path), allowed="a new file")
        self._ledger = Ledger(epsilon=epsilon, delta=delta, reserved_delta=reserved_delta, path=self._path)
