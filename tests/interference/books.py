"""A ledger in memory: thousands of runs, each with a book of its own, and no disk to wait for."""

from __future__ import annotations

from privpac.guarantee.account import Account, Charge, Entry
from privpac.guarantee.budget import Budget
from privpac.guarantee.ledger import Ledger

__all__ = ["MemoryStore", "new_book"]


class MemoryStore:
    """Rows in a list; for one run of one thread."""

    id = where = "memory"

    def __init__(self, total: Budget) -> None:
        self._account = Account.opened(total, identity=self.id)
        self._entries: list[Entry] = []

    def append(self, charge: Charge) -> Entry:
        entry = self._account.admit(charge)
        self._account = self._account.after(entry)
        self._entries.append(entry)
        return entry

    def account(self) -> Account:
        return self._account

    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)


def new_book() -> Ledger:
    return Ledger.over(MemoryStore(Budget.read("test", epsilon=10**6, delta="0.5")))
