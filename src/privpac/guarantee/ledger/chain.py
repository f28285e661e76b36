"""Whether the rows of a ledger, one after the other, lead to the account that is stored beside them.

`verify` asks this of all rows. So does the first charge of a process, for a sum that does not follow from the rows
would be charged on top of; later charges follow only the rows that came since. Amounts are added by their texts, each
kind once, and the chain is hashed as it is stored: ten thousand rows take a fifth of a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from privpac.errors import NotCertified
from privpac.guarantee.ledger.account import Account, Entry, seal
from privpac.guarantee.ledger.budget import Cost

__all__ = ["Chain", "verify_rows", "wrong"]

Rows = Iterable[Mapping[str, Any]]


class Chain:
    """How far this process has followed the rows of one ledger. Each store has one, and no other process gets it."""

    def __init__(self) -> None:
        self._at: Account | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing was followed yet."""
        return self._at is None

    def look_ahead(self, stored: Account, rows_after: Callable[[int], Rows]) -> None:
        """Follow what is there before the write lock is taken, so that nobody waits for a long chain."""
        self._at = _follow(_opening(stored), rows_after(0))

    def check(self, stored: Account, rows_after: Callable[[int], Rows]) -> None:
        """Raise `NotCertified` unless the rows lead to this account. The write lock is held, so that both are of one
        moment; `rows_after` gives the rows after the one of a number."""
        at = self._at
        if at == stored:
            return
        if at is not None and (at.id, at.promises) == (stored.id, stored.promises):
            with suppress(
                NotCertified
            ):  # a database that crashed may have lost rows, which are then followed anew
                self._arrive(stored, _follow(at, rows_after(at.count)))
                return
        self._arrive(stored, _follow(_opening(stored), rows_after(0)))

    def moved(self, account: Account) -> None:
        """A charge of this process is written: the account it led to is known to follow."""
        self._at = account

    def _arrive(self, stored: Account, reached: Account) -> None:
        _compare(stored, reached)
        self._at = stored


def verify_rows(account: Account, entries: Sequence[Entry]) -> None:
    """Follow the chain from the opening, through the account's head, to the last row: others may charge meanwhile."""
    rows = [entry.row() for entry in entries]
    reached = _follow(_opening(account), rows[: account.count])
    _follow(reached, rows[account.count :])
    _compare(account, reached)


def _opening(account: Account) -> Account:
    """The account before its first row."""
    if account.promises.approximate is not None and not account.promises.approximate.follows():
        raise wrong("its rho does not follow from its totals")
    return Account.opened(account.promises, identity=account.id)


def _follow(start: Account, rows: Rows) -> Account:
    """The account that these rows lead to."""
    head, number = start.head, start.count
    sums: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
    epsilons, deltas, rhos = sums
    for row in rows:
        number += 1
        if row["number"] != number:
            raise wrong(f"row {number} is missing")
        facts = dict(row)
        given = facts.pop("hash")
        try:
            head = seal(head, facts)
        except (TypeError, ValueError):
            head = ""  # what is no text was written by no ledger
        if head != given:
            raise wrong(f"row {number} was altered" + (", or the totals were" if number == 1 else ""))
        epsilons[facts["epsilon"]] += 1
        deltas[facts["delta"]] += 1
        rhos[facts["rho"]] += 1
    try:
        spent = start.spent + Cost(*map(_sum, sums))
    except (TypeError, ValueError, ZeroDivisionError):
        raise wrong(f"an amount among its first {number} rows cannot be one") from None
    # Amounts are at least 0 and promises are limits of sums: if the last sum keeps them, so did all before.
    if not start.promises.admits(spent):
        raise wrong(f"its first {number} rows exceed the total")
    return Account(start.id, start.promises, spent, number, head)


def _sum(amounts: Counter[str]) -> Fraction:
    """Of what these texts say, each as often as it stands there."""
    by_denominator: Counter[int] = Counter()
    for text, times in amounts.items():
        amount = Fraction(text)
        if amount < 0:
            raise ValueError("a charge gives nothing back")
        by_denominator[amount.denominator] += times * amount.numerator
    return sum((Fraction(part, denominator) for denominator, part in by_denominator.items()), Fraction(0))


def _compare(stored: Account, reached: Account) -> None:
    if reached.count < stored.count:
        raise wrong(f"row {reached.count + 1} is missing")
    if reached.count > stored.count:
        raise wrong(f"row {stored.count + 1} was added without being charged")
    if reached != stored:
        raise wrong("its totals do not follow from its rows")


def wrong(what: str) -> NotCertified:
    """The refusal of a ledger that contradicts itself."""
    remedy = "Restore the ledger from a backup, or treat its budget as spent."
    return NotCertified(f"The ledger does not add up: {what}.", remedy=remedy)
