"""The bookkeeping every store shares: what is asked, what is written, and whether it fits.

Nothing here reads or writes a file, so a store has no arithmetic of its own to get wrong.

The hash chain shows accidental edits. It has no secret key, so it does not stop a forger who recomputes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from privpac.errors import BudgetExceeded, NotCertified, ParameterError
from privpac.guarantee.ledger.budget import Budget, exact_text

__all__ = ["Account", "Charge", "Entry", "seal"]

FORMAT = "privpac-ledger/1"
LONGEST_TEXT = 1000  # characters of a note or key: a sentence, not a document
WIDEST_SUM = 12_000  # bits; only many unlike fractions get here. Python reads no number beyond 4,300 digits.


@dataclass(frozen=True)
class Charge:
    """What is asked of a ledger. A repeated `key` is the same charge, asked again."""

    cost: Budget
    note: str = ""
    key: str | None = None

    def __post_init__(self) -> None:
        for name, text in (("note", self.note), ("key", "" if self.key is None else self.key)):
            # Printable text has no NUL and no half of a surrogate pair, so every store can keep it.
            if not isinstance(text, str) or len(text) > LONGEST_TEXT or not text.isprintable():
                allowed = f"one line of at most {LONGEST_TEXT} printable characters"
                raise ParameterError("Ledger.charge", name, text, allowed=allowed)


@dataclass(frozen=True)
class Entry:
    """One row: the charge, its place, its time (UTC) and the hash that ties it to all rows before."""

    number: int
    cost: Budget
    note: str
    key: str | None
    time: str
    hash: str = field(default="", repr=False)

    @property
    def epsilon(self) -> Fraction:
        return self.cost.epsilon

    @property
    def delta(self) -> Fraction:
        return self.cost.delta

    def facts(self) -> dict[str, object]:
        """Everything but the hash, as JSON can hold it: what is hashed and what a store writes."""
        return {
            "number": self.number,
            "epsilon": exact_text(self.epsilon),
            "delta": exact_text(self.delta),
            "note": self.note,
            "key": self.key,
            "time": self.time,
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Entry:
        """Read a stored row; one that cannot be read was not written by a ledger."""
        try:
            cost = Budget(Fraction(row["epsilon"]), Fraction(row["delta"]))
        except (TypeError, ValueError, ZeroDivisionError):
            problem = (
                f"The ledger does not add up: row {row['number']} was altered, its amount cannot be read."
            )
            raise NotCertified(problem) from None
        key = None if row["key"] is None else str(row["key"])
        return cls(row["number"], cost, str(row["note"]), key, str(row["time"]), str(row["hash"]))

    def repeated(self, charge: Charge) -> Entry:
        """This entry, if the charge that brought its key again is the same charge."""
        if charge.cost != self.cost:
            allowed = f"a new key, or one repeated with its own amounts ({self.cost})"
            raise ParameterError("Ledger.charge", "key", charge.key, allowed=allowed)
        return self


def seal(previous: str, facts: Mapping[str, object]) -> str:
    """The next hash of the chain: BLAKE2b of the previous one and the row's canonical JSON."""
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b((previous + canonical).encode(), digest_size=32).hexdigest()


@dataclass(frozen=True)
class Account:
    """The state of a ledger; `head` is the hash of its last row, so it stands for the whole history."""

    id: str
    total: Budget
    spent: Budget
    count: int
    head: str

    @classmethod
    def opened(cls, total: Budget, *, identity: str) -> Account:
        """A new account. The first hash covers the totals, so they cannot be edited unseen either."""
        amounts = {"epsilon": exact_text(total.epsilon), "delta": exact_text(total.delta)}
        return cls(identity, total, Budget(), 0, seal("", {"format": FORMAT, "id": identity} | amounts))

    @property
    def left(self) -> Budget:
        return self.total - self.spent

    def facts(self) -> dict[str, object]:
        """Everything, as JSON can hold it and as a store writes it."""
        return {
            "id": self.id,
            "total_epsilon": exact_text(self.total.epsilon),
            "total_delta": exact_text(self.total.delta),
            "spent_epsilon": exact_text(self.spent.epsilon),
            "spent_delta": exact_text(self.spent.delta),
            "count": self.count,
            "head": self.head,
        }

    def check(self, cost: Budget) -> None:
        """Refuse a cost that does not fit. This is the only comparison that guards the budget."""
        if not (self.spent + cost).within(self.total):
            raise BudgetExceeded(
                f"The ledger refused a charge of {cost}: {self.left} is left of {self.total}.",
                remedy="Nothing was spent; ask for at most what is left.",
            )

    def admit(self, charge: Charge) -> Entry:
        """The sealed entry this charge becomes; raises `BudgetExceeded` if it does not fit."""
        self.check(charge.cost)
        after = self.spent + charge.cost
        if max(after.epsilon.denominator.bit_length(), after.delta.denominator.bit_length()) > WIDEST_SUM:
            allowed = "an amount whose exact sum with the rows before stays short"
            remedy = "Charge decimals."
            raise ParameterError("Ledger.charge", "cost", str(charge.cost), allowed=allowed, remedy=remedy)
        time = datetime.now(UTC).isoformat(timespec="seconds")
        entry = Entry(self.count + 1, charge.cost, charge.note, charge.key, time)
        return replace(entry, hash=seal(self.head, entry.facts()))

    def after(self, entry: Entry) -> Account:
        """The account once the entry is written."""
        return replace(self, spent=self.spent + entry.cost, count=entry.number, head=entry.hash)
