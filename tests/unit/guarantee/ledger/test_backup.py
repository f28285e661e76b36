"""Copies of ledgers: complete, of one moment, verified, and never written over anything."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from privpac.errors import NotCertified, ParameterError
from privpac.guarantee.ledger.backup import BACKUP_FORMAT, backup, restore
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.store import SqliteStore


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(epsilon=1, delta="1e-6", reserved_delta="1e-6", path="a.db")
    ledger.charge(epsilon="1/3", note="Größe ≤ 3", key="k")
    ledger.charge(epsilon="0.1", delta="1e-9")
    return ledger


def lines(ledger: Ledger) -> list[str]:
    """A copy as it is made of a ledger in PostgreSQL."""
    account = SqliteStore.open(ledger.path).account()
    rows = [entry.row() for entry in ledger.entries()]
    return [json.dumps(row) for row in ({"backup": BACKUP_FORMAT, **account.facts()}, *rows)]


@pytest.mark.parametrize("url", ["", "sqlite:///"])
def test_a_file_is_copied_with_what_lies_beside(book: Ledger, url: str) -> None:
    with closing(sqlite3.connect("a.db")) as connection:
        connection.execute("CREATE TABLE answers (answer TEXT)")
        connection.execute("INSERT INTO answers VALUES ('yes')")
        connection.commit()
    assert backup(f"{url}a.db", "copy.db").count == 2
    book.charge(epsilon="0.1", note="after the copy")
    again = restore("copy.db", f"{url}b.db")
    assert again.path == str(Path("b.db").resolve())
    assert (again.id, again.entries()) == (book.id, book.entries()[:2])
    again.verify()
    assert again.charge(epsilon="0.2", key="new").number == 3
    with closing(sqlite3.connect("b.db")) as connection:
        assert connection.execute("SELECT answer FROM answers").fetchall() == [("yes",)]
    assert sorted(path.name for path in Path().iterdir() if path.name.startswith(".")) == []


def test_only_the_owner_may_read_a_ledger_and_its_copies(tmp_path: Path) -> None:
    """Whatever the umask: hashes of keys and stored answers lie beside the ledger."""
    before = os.umask(0)
    try:
        ledger = Ledger(epsilon=1, path=tmp_path / "a.db")
        ledger.charge(epsilon="0.1")
        backup(str(tmp_path / "a.db"), tmp_path / "copy.db")
        restore(tmp_path / "copy.db", str(tmp_path / "b.db")).charge(epsilon="0.1")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert {"a.db", "a.db-wal", "copy.db", "b.db"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_lines_become_a_file(book: Ledger) -> None:
    Path("copy.jsonl").write_text("\n".join(lines(book)) + "\n", encoding="utf-8")
    again = restore("copy.jsonl", "b.db")
    assert (again.id, again.entries(), again.left) == (book.id, book.entries(), book.left)
    again.verify()
    assert again.charge(epsilon="1/3", key="k") == book.entries()[0]


def test_nothing_is_overwritten(book: Ledger) -> None:
    backup("a.db", "copy.db")
    before = Path("copy.db").read_bytes()
    for use in (lambda: backup("a.db", "copy.db"), lambda: restore("copy.db", "a.db")):
        with pytest.raises(ParameterError, match="Nothing is overwritten"):
            use()
    assert Path("copy.db").read_bytes() == before
    assert book.spent == Ledger.open("a.db").spent


def altered(index: int, **change: object) -> Callable[[list[str]], list[str]]:
    def alter(rows: list[str]) -> list[str]:
        return [
            json.dumps(json.loads(row) | change) if number == index else row
            for number, row in enumerate(rows)
        ]

    return alter


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda rows: rows[:-1], "row 2 is missing"),
        (lambda rows: [rows[0], *rows[2:]], "row 1 is missing"),
        (lambda rows: [*rows[:-1], rows[-1][:-9]], "truncated or edited"),
        (lambda rows: rows[1:], "truncated or edited"),
        (lambda rows: ["[]"], "truncated or edited"),
        (lambda rows: [""], "truncated or edited"),
        (altered(1, epsilon="0.1"), "row 1 was altered"),
        (altered(1, epsilon=None), "row 1 was altered"),
        (altered(0, spent_epsilon="0"), "totals do not follow"),
        (altered(0, total_epsilon="2"), "row 1 was altered, or the totals were"),
        (altered(0, total_epsilon="much"), "truncated or edited"),
        (altered(0, backup="lines"), "truncated or edited"),
    ],
)
def test_a_damaged_copy_is_not_restored(
    book: Ledger, damage: Callable[[list[str]], list[str]], message: str
) -> None:
    Path("copy.jsonl").write_text("\n".join(damage(lines(book))), encoding="utf-8")
    with pytest.raises(NotCertified, match=message):
        restore("copy.jsonl", "b.db")
    assert not Path("b.db").exists()


def test_a_damaged_ledger_is_not_copied(book: Ledger) -> None:
    with closing(sqlite3.connect("a.db")) as connection:
        connection.execute("UPDATE account SET spent_epsilon = '0'")
        connection.commit()
    with pytest.raises(NotCertified, match="totals do not follow"):
        backup("a.db", "copy.db")
    assert not Path("copy.db").exists()


def test_copies_made_while_others_charge_are_of_one_moment(tmp_path: Path) -> None:
    ledger = Ledger(epsilon=1, path=tmp_path / "a.db")
    with ThreadPoolExecutor(1) as pool:
        charging = pool.submit(lambda: [ledger.charge(epsilon="0.01") for _ in range(100)])
        number = 0
        while not charging.done() or number == 0:
            copy = tmp_path / f"{number}.db"
            backup(str(tmp_path / "a.db"), copy)
            Ledger.open(copy).verify()
            number += 1
    assert len(charging.result()) == 100
