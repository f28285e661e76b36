"""Cases of budgets: ledgers, their copies and totals, and a model that a signature ties to the charge that paid for it.

They hold times and identities that are drawn anew, which `corpus` overlooks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from privpac import Ledger, learn
from privpac.cli.sign import sign
from privpac.guarantee.ledger.backup import _write_lines
from privpac.guarantee.ledger.total import total_document
from privpac.signing.keys import SigningKey
from tests.golden.kinds import ONE_ENGINE, written_json
from tests.golden.records import RECORDS, SCHEMAS, Place

__all__ = ["Charged", "Copied", "Signed", "Totalled"]

ADDING: Mapping[str, Any] = {"epsilon": 3, "delta": "0.001", "reserved_delta": "0.001"}
FILTERING: Mapping[str, Any] = {**ADDING, "reserved_delta": "0.0001"}


def _charged(path: Path, promises: Mapping[str, Any] = ADDING) -> Ledger:
    path.parent.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(**promises, path=path)
    ledger.charge(epsilon="0.1", note="first")
    ledger.charge(epsilon="1/3", delta="1e-6", note="second")
    return ledger


BOOKS: Mapping[str, Callable[[Path], Ledger]] = {
    "charged": _charged,
    "filtering": lambda path: _charged(path, FILTERING),
}


@dataclass(frozen=True)
class Charged:
    """A ledger with a few entries, as a file."""

    name: str
    """Of `BOOKS`."""
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"ledgers/{self.name}.sqlite",)

    def make(self, place: Place, folder: Path) -> None:
        BOOKS[self.name](folder / self.units[0])


@dataclass(frozen=True)
class Copied:
    """A copy in lines, as of a ledger in PostgreSQL; from a file, since lines do not say where the rows were."""

    name: str
    """Of `BOOKS`."""
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"backups/{self.name}.jsonl",)

    def make(self, place: Place, folder: Path) -> None:
        path, out = folder / "copied" / f"{self.name}.sqlite", folder / self.units[0]
        BOOKS[self.name](path)
        out.parent.mkdir(parents=True, exist_ok=True)
        _write_lines(f"sqlite:///{path}", out)


@dataclass(frozen=True)
class Totalled:
    """What is promised about everything that a ledger pays for."""

    name: str
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"totals/{self.name}.json",)

    def make(self, place: Place, folder: Path) -> None:
        written_json(folder / self.units[0], total_document(Ledger(**FILTERING, pure_epsilon=9).account()))


@dataclass(frozen=True)
class Signed:
    """A model for release, signed inside with the receipt of its charge and beside it without, and that ledger.

    Coins of a seed are never signed; with so large an epsilon all coins draw the same rule.
    """

    name: str
    engines: tuple[str, ...] = ONE_ENGINE

    @property
    def units(self) -> tuple[str, ...]:
        return (f"signed/{self.name}",)

    def make(self, place: Place, folder: Path) -> None:
        target, keys = folder / self.units[0], folder / "keys"
        for new in (target, keys):
            new.mkdir(parents=True)
        model, ledger = target / "model.json", target / "ledger.sqlite"
        rules = 'finite:["age >= 60","age < 60"]'
        book = Ledger(pure_epsilon=1000, path=ledger)
        learn(RECORDS, schema=SCHEMAS["age"], concepts=rules, epsilon=500, ledger=book).save(model)
        office, house = _key(keys / "office", 1), _key(keys / "house", 2)
        with redirect_stdout(StringIO()):
            sign(str(model), key=str(keys / "office"), signer="Büro", ledger=str(ledger), entry=1)
            sign(str(model), key=str(keys / "house"), signer="House", detached=str(target / "signature.json"))
        (target / "trusted.txt").write_text(f"{office} Data office\n{house} House\n", encoding="utf-8")


def _key(path: Path, number: int) -> str:
    """A key that everybody knows, in a file; its public half."""
    key = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))
    key.save(path)
    return key.public_text
