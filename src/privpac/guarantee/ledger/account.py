"""The bookkeeping every store shares: what is asked, what is written, and whether it fits.

Nothing here reads or writes a file, so a store has no arithmetic of its own to get wrong.

The hash chain shows accidental edits. It has no secret key, so it does not stop a forger who recomputes it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from privpac.checker.document import digest
from privpac.errors import NotCertified, ParameterError
from privpac.guarantee.ledger.budget import Budget, Cost, exact_text
from privpac.guarantee.ledger.promises import Promises

__all__ = ["FORMAT", "Account", "Charge", "Entry", "Purchase", "seal"]

FORMAT = "privpac-ledger/2"
LONGEST_TEXT = 1000  # characters of a note or key: a sentence, not a document
WIDEST_SUM = 12_000  # bits; only many unlike fractions get here. Python reads no number beyond 4,300 digits.


LONGEST_NAME = 300  # characters of a name in a purchase


@dataclass(frozen=True)
class Purchase:
    """The release behind a charge. Every part may be empty, and all are names that somebody chose before the draw.

    >>> print(Purchase(table="trees.csv", word="trees:2", file="model.json"))
    trees:2 from trees.csv to model.json
    """

    table: str = ""
    """What the table is called; never a digest of what stands in it."""
    schema: str = ""
    """The digest of the declared schema; empty where the schema was read from the data."""
    word: str = ""
    """What was released: the word of a class, or what is done with the records."""
    file: str = ""
    """What is written with it."""
    label: str = ""
    """The column that is predicted."""
    certificate: str = ""
    """The digest of the certificate, which exists before the draw; empty where the schema was read from the data."""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if not isinstance(text, str) or len(text) > LONGEST_NAME or not text.isprintable():
                requirement = f"one line of at most {LONGEST_NAME} printable characters"
                raise ParameterError("Purchase", name, text, allowed=requirement)

    @classmethod
    def of(cls, **parts: object) -> Purchase:
        """From names as they come: what is no short printable text is left out, for a name must not stop a release."""
        return cls(**{name: _name(text) for name, text in parts.items()})

    @classmethod
    def read(cls, text: str) -> Purchase:
        """As `text` wrote it; ValueError, TypeError or ParameterError if it did not."""
        tree = json.loads(text)
        if not isinstance(tree, dict) or not set(tree) <= {part.name for part in fields(cls)}:
            raise ValueError("not a purchase")
        purchase = cls(**tree)
        if purchase.text() != text:
            raise ValueError("not a purchase")
        return purchase

    def text(self) -> str:
        """Canonical JSON of the parts that are there: what a store keeps and the hash covers."""
        return self._text

    @cached_property
    def _text(self) -> str:
        parts = {name: text for name, text in asdict(self).items() if text}
        return json.dumps(parts, sort_keys=True, separators=(",", ":"))

    def written_to(self, file: str) -> Purchase:
        """The same, and the file it is written to."""
        return replace(self, file=_name(file)) if file else self

    def certified(self, certificate: Mapping[str, Any]) -> Purchase:
        """The same, tied to the stored form of the certificate that is paid for.

        A certificate follows from public numbers alone, and is released. One whose schema was read from the records
        depends on them, and a charge stands even if nothing is released: then nothing of it is written down.
        """
        return replace(self, certificate=digest(certificate)) if self.schema else self

    def __str__(self) -> str:
        parts = [
            self.word,
            f"of {self.label}" if self.label else "",
            f"from {self.table}" if self.table else "",
        ]
        return " ".join(part for part in [*parts, f"to {self.file}" if self.file else ""] if part)


def _name(text: object) -> str:
    return text if isinstance(text, str) and len(text) <= LONGEST_NAME and text.isprintable() else ""


@dataclass(frozen=True)
class Charge:
    """What is asked of a ledger. A repeated `key` is the same charge, asked again."""

    cost: Cost
    note: str = ""
    key: str | None = None
    purchase: Purchase | None = None

    def __post_init__(self) -> None:
        for name, text in (("note", self.note), ("key", "" if self.key is None else self.key)):
            # Printable text has no NUL and no half of a surrogate pair, so every store can keep it.
            if not isinstance(text, str) or len(text) > LONGEST_TEXT or not text.isprintable():
                requirement = f"one line of at most {LONGEST_TEXT} printable characters"
                raise ParameterError("Ledger.charge", name, text, allowed=requirement)


@dataclass(frozen=True)
class Entry:
    """One row: the charge, its place, its time (UTC) and the hash that ties it to all rows before."""

    number: int
    cost: Cost
    note: str
    key: str | None
    time: str
    purchase: Purchase | None = None
    hash: str = field(default="", repr=False)

    @property
    def epsilon(self) -> Fraction:
        return self.cost.epsilon

    @property
    def delta(self) -> Fraction:
        return self.cost.delta

    @property
    def rho(self) -> Fraction:
        return self.cost.rho

    def facts(self) -> Mapping[str, object]:
        """Everything but the hash, as JSON can hold it: what is hashed and what a store writes."""
        return self._facts

    @cached_property
    def _facts(self) -> dict[str, object]:
        return {
            "number": self.number,
            "epsilon": self.cost.texts[0],
            "delta": self.cost.texts[1],
            "note": self.note,
            "key": self.key,
            "time": self.time,
            "rho": self.cost.texts[2],
            "purchase": None if self.purchase is None else self.purchase.text(),
        }

    def row(self) -> dict[str, object]:
        """As a store writes it."""
        return self._facts | {"hash": self.hash}

    def sealed(self, previous: str) -> Entry:
        """This entry with the hash that ties it to the rows before."""
        # Not by `replace`, which takes longer than the hash.
        parts = (self.number, self.cost, self.note, self.key, self.time, self.purchase)
        entry = Entry(*parts, hash=seal(previous, self._facts))
        vars(entry)["_facts"] = self._facts  # said once: the hash is not among them
        return entry

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Entry:
        """Read a stored row; one that cannot be read was not written by a ledger."""
        try:
            cost = Cost(Fraction(row["epsilon"]), Fraction(row["delta"]), Fraction(row["rho"]))
            if cost.texts != (row["epsilon"], row["delta"], row["rho"]):
                raise ValueError("not as a ledger writes it")
            text = row["purchase"]
            purchase = None if text is None else Purchase.read(text)
        except (KeyError, TypeError, ValueError, ZeroDivisionError, ParameterError):
            problem = (
                f"The ledger does not add up: row {row['number']} was altered, its amount cannot be read."
            )
            raise NotCertified(problem) from None
        key = None if row["key"] is None else str(row["key"])
        return cls(row["number"], cost, str(row["note"]), key, str(row["time"]), purchase, str(row["hash"]))

    def repeated(self, charge: Charge) -> Entry:
        """This entry, if the charge that brought its key again is the same charge."""
        if charge.cost != self.cost:
            requirement = f"a new key, or one repeated with its own amounts ({self.cost})"
            raise ParameterError("Ledger.charge", "key", charge.key, allowed=requirement)
        return self


def _now() -> str:
    return _text_of_second(int(time.time()))


@lru_cache(maxsize=1)
def _text_of_second(second: int) -> str:
    """Once for all charges of a second: to write it takes a tenth as long as a charge."""
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="seconds")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def seal(previous: str, facts: Mapping[str, object]) -> str:
    """The next hash of the chain: BLAKE2b of the previous one and the row's canonical JSON."""
    return hashlib.blake2b((previous + _CANONICAL(facts)).encode(), digest_size=32).hexdigest()


@dataclass(frozen=True)
class Account:
    """The state of a ledger; `head` is the hash of its last row, so it stands for the whole history."""

    id: str
    promises: Promises
    spent: Cost
    count: int
    head: str

    @classmethod
    def opened(cls, promises: Promises, *, identity: str) -> Account:
        """A new account. The first hash covers the totals, so they cannot be edited unseen either."""
        head = seal("", {"format": FORMAT, "id": identity, **promises.facts()})
        return cls(identity, promises, Cost(), 0, head)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Account:
        """As a store wrote it; ValueError, TypeError, KeyError or ZeroDivisionError if it did not."""
        if row["format"] != FORMAT:
            raise ValueError("not a format of ledgers")
        sums = (Fraction(row[f"spent_{name}"]) for name in ("epsilon", "delta", "rho"))
        return cls(row["id"], Promises.stored(row), Cost(*sums), int(row["count"]), row["head"])

    @property
    def total(self) -> Budget:
        return self.promises.total

    @property
    def left(self) -> Budget:
        return self.promises.left(self.spent)

    @property
    def remainder(self) -> str:
        """What is left, for people."""
        return self.promises.remainder(self.spent)

    def remainder_after(self, cost: Cost) -> str | None:
        """What would be left after such a charge; None if it does not fit."""
        after = self.spent + cost
        return self.promises.remainder(after) if self.promises.admits(after) else None

    def facts(self) -> dict[str, object]:
        """Everything, as JSON can hold it and as a store writes it."""
        return {"format": FORMAT, **self.promises.facts(), "id": self.id, **self.moving()}

    def moving(self) -> dict[str, object]:
        """What a charge changes."""
        spent = self.spent
        sums = {"epsilon": spent.epsilon, "delta": spent.delta, "rho": spent.rho}
        texts = {f"spent_{name}": exact_text(amount) for name, amount in sums.items()}
        return {**texts, "count": self.count, "head": self.head}

    def check(self, cost: Cost) -> None:
        """Refuse a cost that does not fit."""
        self.promises.check(self.spent, cost)

    def room(self, cost: Cost) -> int:
        """How many more charges of this cost fit."""
        return self.promises.room(self.spent, cost)

    def admit(self, charge: Charge) -> Entry:
        """The sealed entry this charge becomes; raises `BudgetExceeded` if it does not fit."""
        return self.charged(charge)[0]

    def charged(self, charge: Charge) -> tuple[Entry, Account]:
        """The entry of `admit`, and the account once it is written."""
        after = self.spent + charge.cost
        if not self.promises.admits(after):
            self.check(charge.cost)
        if max(after.epsilon.denominator.bit_length(), after.delta.denominator.bit_length()) > WIDEST_SUM:
            requirement = "an amount whose exact sum with the rows before stays short"
            remedy = "Charge decimals."
            raise ParameterError(
                "Ledger.charge", "cost", str(charge.cost), allowed=requirement, remedy=remedy
            )
        entry = Entry(self.count + 1, charge.cost, charge.note, charge.key, _now(), charge.purchase)
        last = entry.sealed(self.head)
        return last, self._next(last, after)

    def after(self, entry: Entry) -> Account:
        """The account once the entry is written."""
        return self._next(entry, self.spent + entry.cost)

    def _next(self, entry: Entry, spent: Cost) -> Account:
        return Account(self.id, self.promises, spent, entry.number, entry.hash)  # not by `replace`, as above
