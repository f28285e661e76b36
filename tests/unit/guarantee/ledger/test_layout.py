"""Ledgers of the first format: opened unchanged, continued by adding, and brought up to date with every hash kept."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from privpac.cli.app import run
from privpac.errors import BudgetExceeded, NotCertified, ParameterError
from privpac.guarantee.ledger.account import FIRST_FORMAT, Account, Charge, Purchase
from privpac.guarantee.ledger.backup import backup, restore
from privpac.guarantee.ledger.budget import Budget, Cost
from privpac.guarantee.ledger.layout import FIRST_ID, SECOND_ID
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.guarantee.ledger.store import SqliteStore
from privpac.numbers.concentrated import pure_rho

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
STORED = sorted(GOLDEN.glob("*/ledgers/*.sqlite"))
FIRST = [path for path in STORED if path.parts[-3] == "0.1.0"]
BOUGHT = Purchase(table="a.csv", word="trees:2")


@pytest.fixture(params=FIRST, ids=lambda path: path.parts[-3])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A ledger that an earlier version wrote: (3, 0.001), with charges of 0.1 and of (1/3, 1e-6)."""
    return Path(shutil.copy(request.param, tmp_path / "old.sqlite"))


OPENERS: list[Callable[[Path], Ledger]] = [
    Ledger.open,
    lambda path: Ledger.over(SqlStore.open(f"sqlite:///{path}")),
]


def mark(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA application_id").fetchone()[0])


def columns(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {row[1] for row in connection.execute("PRAGMA table_info(entry)")}


def test_there_are_ledgers_of_the_first_format() -> None:
    assert FIRST


@pytest.mark.parametrize("opened", OPENERS)
def test_an_old_ledger_opens_unchanged_and_goes_on_adding(
    old: Path, opened: Callable[[Path], Ledger]
) -> None:
    before = old.read_bytes()
    ledger = opened(old)
    ledger.verify()
    account = ledger.account()
    assert (account.layout, account.opening, account.promises.filters) == (1, FIRST_FORMAT, False)
    assert ledger.spent == Budget(Fraction(13, 30), Fraction(1, 10**6))
    assert [entry.rho for entry in ledger.entries()] == [pure_rho(Fraction(1, 10)), pure_rho(Fraction(1, 3))]
    assert old.read_bytes() == before
    made = ledger.charge(epsilon="0.5", rho="0.00001", purchase=BOUGHT, key="k")
    assert ledger.charge(epsilon="0.5", rho="0.00001", key="k") == made == ledger.entries()[-1]
    assert (made.rho, made.purchase) == (pure_rho(Fraction(1, 2)), None)  # there is no place for more
    assert ledger.charge(epsilon="0.1", delta="1e-6").number == 4
    with pytest.raises(BudgetExceeded, match=r"is left of epsilon 3, delta 0\.001"):
        ledger.charge(epsilon="2", rho="0.00001")
    ledger.verify()
    assert (mark(old), "rho" in columns(old)) == (FIRST_ID, False)


def test_an_old_ledger_is_continued_by_its_totals(old: Path) -> None:
    assert Ledger(epsilon=3, delta="0.001", path=old) == Ledger.open(old)
    with pytest.raises(ParameterError, match="was made with"):
        Ledger(epsilon=3, delta="0.002", path=old)


@pytest.mark.parametrize("opened", OPENERS)
def test_tables_are_brought_up_to_date_and_the_chain_is_kept(
    old: Path, opened: Callable[[Path], Ledger]
) -> None:
    ledger, other = opened(old), Ledger.open(old)
    before, rows = ledger.account(), ledger.entries()
    for _ in range(2):  # the second time there is nothing to do
        ledger.migrate()
        ledger.verify()
    after = ledger.account()
    assert (after.id, after.head, after.count) == (before.id, before.head, before.count)
    assert (after.promises, after.layout, after.opening) == (before.promises, 2, FIRST_FORMAT)
    assert after.spent.rho == pure_rho(Fraction(1, 10)) + pure_rho(Fraction(1, 3))
    assert ledger.entries() == rows
    assert mark(old) == SECOND_ID  # earlier versions refuse it: they would add rows without a rho
    made = other.charge(epsilon="0.5", rho="0.01", purchase=BOUGHT)  # a handle from before
    assert (made.rho, made.purchase) == (Fraction("0.01"), BOUGHT)
    assert ledger.entries() == (*rows, made)
    ledger.verify()
    with pytest.raises(BudgetExceeded):
        ledger.charge(epsilon="2.5", rho="0.00001")  # its promise is what it was


def test_an_edit_of_a_row_from_before_is_found_after_migrating(old: Path) -> None:
    Ledger.open(old).migrate()
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DROP TRIGGER no_edit")
        connection.execute("UPDATE entry SET rho = '0' WHERE number = 2")
        connection.commit()
    with pytest.raises(NotCertified, match="row 2 was altered"):
        Ledger.open(old).verify()


def test_a_copy_of_an_old_ledger_is_restored_with_its_chain(old: Path, tmp_path: Path) -> None:
    ledger = Ledger.open(old)
    backup(str(old), tmp_path / "copy.sqlite")
    again = restore(tmp_path / "copy.sqlite", str(tmp_path / "again.sqlite"))
    assert (again.entries(), again.account()) == (ledger.entries(), ledger.account())
    moved = SqliteStore.restore(tmp_path / "new.sqlite", account=ledger.account(), entries=ledger.entries())
    Ledger.over(moved).verify()
    assert (moved.account().head, moved.account().layout) == (ledger.account().head, 2)


def test_a_new_ledger_is_not_taken_for_an_old_one(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    Ledger(epsilon=3, delta="1e-6", path=path)
    assert mark(path) == SECOND_ID
    opening = Account.opened(Promises.adding(Budget(Fraction(3))), identity="x", opening=FIRST_FORMAT)
    assert opening.head != Account.opened(Promises(Fraction(3)), identity="x").head


def test_the_verb(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ledger", "migrate", str(old)]) == 0
    assert "left   epsilon 77/30, delta 0.000999" in capsys.readouterr().out
    assert Ledger.open(old).account().layout == 2


def test_charges_of_both_layouts_count_alike(old: Path) -> None:
    account = Ledger.open(old).account()
    cost = Cost.read("test", epsilon="0.25")
    entry = account.admit(Charge(cost))
    assert entry.layout == 1
    assert account.after(entry).spent.pair == account.spent.pair + cost.pair
