"""The SQLite store passes the conformance suite, survives kills, and notices damage to its file."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from privpac.errors import NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger import store as store_module
from privpac.guarantee.ledger.account import Charge, seal
from privpac.guarantee.ledger.budget import Budget, exact_text
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.guarantee.ledger.store import SqliteStore, Store
from tests.contracts.store_conformance import (
    START_METHODS,
    NewStore,
    StoreConformance,
    a_child_connects_for_itself,
    adding,
    charge_until_refused,
    costing,
    travelled,
)


class TestSqliteStore(StoreConformance):
    @pytest.fixture
    def new_store(self, tmp_path: Path) -> NewStore:
        def make(promises: Promises) -> SqliteStore:
            return SqliteStore.create(tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger", promises=promises)

        return make


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A closed ledger of several pages."""
    path = tmp_path / "filled.ledger"
    ledger = Ledger(epsilon=1, path=path)
    for number in range(60):
        ledger.charge(epsilon="0.01", note=f"charge {number} " + "x" * 200)
    return path


def edit(path: Path, *statements: str) -> None:
    """What a person with the sqlite3 tool could do; the guards of the file come off first."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("DROP TRIGGER no_edit", "DROP TRIGGER no_removal", *statements):
            connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE entry SET epsilon = '0.001' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET delta = '1e-9' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET epsilon = 'much' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET note = 'something else' WHERE number = 1", "row 1 was altered"),
        ("UPDATE entry SET note = CAST(x'ff' AS TEXT) WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET key = 'k' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET time = 'never' WHERE number = 60", "row 60 was altered"),
        ("UPDATE entry SET hash = 'x' WHERE number = 17", "row 17 was altered"),
        ("DELETE FROM entry WHERE number = 17", "row 17 is missing"),
        ("DELETE FROM entry WHERE number = 60", "row 60 is missing"),
        ("DELETE FROM entry", "row 1 is missing"),
        ("INSERT INTO entry VALUES (61, '0.01', '0', NULL, '', NULL, '', NULL, '')", "row 61 was altered"),
        ("UPDATE account SET spent_epsilon = '0.1'", "totals do not follow from its rows"),
        ("UPDATE account SET head = 'x'", "totals do not follow from its rows"),
        ("UPDATE account SET count = 59", "totals do not follow from its rows"),
        ("UPDATE account SET count = 61", "row 61 is missing"),
        ("UPDATE account SET pure_epsilon = '2'", "row 1 was altered, or the totals were"),
        ("UPDATE account SET spent_rho = '0'", "totals do not follow from its rows"),
        ("UPDATE entry SET rho = '0' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET rho = NULL WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET purchase = '{}' WHERE number = 17", "row 17 was altered"),
        ("UPDATE entry SET purchase = '[]' WHERE number = 17", "row 17 was altered"),
        (
            "UPDATE account SET format = 'privpac-ledger/1'",
            "of an earlier version, which privpac 0.2.0 reads",
        ),
        ("UPDATE account SET format = 'privpac-ledger/9'", "truncated or was edited"),
        ("UPDATE account SET spent_epsilon = 'much'", "truncated or was edited"),
        ("DELETE FROM account", "truncated or was edited"),
        ("DROP TABLE entry", "truncated or was edited"),
    ],
)
def test_an_edit_by_hand_is_found(filled: Path, statement: str, message: str) -> None:
    Ledger.open(filled).verify()
    edit(filled, statement)
    with pytest.raises(NotCertified, match=message):
        Ledger.open(filled).verify()
    for place in (filled, f"sqlite:///{filled}"):  # nor is anything charged on top of it, by either store
        with pytest.raises(NotCertified, match=f"{message}|row 6[01] was added"):
            Ledger.over(opened(place)).charge(epsilon="0.01")


def opened(place: Path | str) -> Store:
    return SqlStore.open(place) if isinstance(place, str) else SqliteStore.open(place)


@pytest.mark.parametrize("kind", [SqliteStore, SqlStore])
def test_an_edit_while_a_ledger_is_in_use_is_found_by_the_next_charge(
    filled: Path, kind: type[Store]
) -> None:
    store = opened(filled if kind is SqliteStore else f"sqlite:///{filled}")
    store.append(Charge(costing("0.01")))
    edit(filled, "UPDATE account SET spent_epsilon = '0', spent_rho = '0'")
    with pytest.raises(NotCertified, match="totals do not follow from its rows"):
        store.append(Charge(costing("0.01")))
    edited = store.account()
    assert (edited.count, edited.spent.epsilon) == (61, 0)


@pytest.mark.parametrize("kind", [SqliteStore, SqlStore])
def test_only_rows_that_came_since_are_followed(
    filled: Path, kind: type[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = opened(filled if kind is SqliteStore else f"sqlite:///{filled}"), SqliteStore.open(filled)
    store.append(Charge(costing("0.01")))
    hashed: list[object] = []

    def counting(previous: str, facts: Mapping[str, object]) -> str:
        hashed.append(facts["number"])
        return seal(previous, facts)

    monkeypatch.setattr("privpac.guarantee.ledger.chain.seal", counting)
    store.append(Charge(costing("0.01")))
    assert hashed == []
    other.append(Charge(costing("0.01")))
    hashed.clear()
    store.append(Charge(costing("0.01")))
    assert hashed == [63]
    Ledger.over(store).verify()


def test_a_well_formed_row_that_was_never_charged_is_found(filled: Path) -> None:
    account = SqliteStore.open(filled).account()
    row = account.admit(Charge(costing("0.01")))
    edit(
        filled,
        f"INSERT INTO entry VALUES (61, '0.01', '0', '{exact_text(row.rho)}', '', NULL, '{row.time}', NULL, "
        f"'{row.hash}')",
    )
    with pytest.raises(NotCertified, match="row 61 was added without being charged"):
        Ledger.open(filled).verify()
    with pytest.raises(NotCertified, match="row 61 was added without being charged"):
        Ledger.open(filled).charge(epsilon="0.01")


def test_the_file_itself_refuses_edits(filled: Path) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        for statement in ("DELETE FROM entry WHERE number = 3", "UPDATE entry SET epsilon = '0'"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(statement)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_is_noticed(filled: Path, share: float) -> None:
    handle = Ledger.open(filled)
    with filled.open("r+b") as file:
        file.truncate(int(filled.stat().st_size * share))
    told = r"truncated|not \(or no longer\)|does not add up"  # the last: only text was lost, no structure
    for use in (Ledger.open, reopen, lambda _: handle):
        with pytest.raises((NotCertified, ParameterError), match=told) as caught:
            use(filled).verify()
        assert "\n" not in str(caught.value)
    assert share > 0.5 or "cannot be read" in repr(handle)


def reopen(path: Path) -> Ledger:
    return Ledger(epsilon=1, path=path)


def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path: Path) -> None:
    text, other, empty = tmp_path / "notes.txt", tmp_path / "other.sqlite", tmp_path / "empty"
    text.write_text("dear diary, " * 100)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE account (id TEXT)")
    empty.touch()
    for path in (text, other, empty):
        before = path.read_bytes()
        for use in (Ledger.open, reopen):
            with pytest.raises(ParameterError, match="must be a ledger file"):
                use(path)
        assert path.read_bytes() == before


def test_a_missing_file_or_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"nowhere\.ledger.*existing ledger file"):
        Ledger.open(tmp_path / "nowhere.ledger")
    with pytest.raises(ParameterError, match="existing ledger file"):
        Ledger.open(tmp_path)
    with pytest.raises(ParameterError, match="in an existing folder"):
        Ledger(epsilon=1, path=tmp_path / "no" / "such" / "folder.ledger")
    for bad in (3, "nul\0", b"bytes"):
        for use in (Ledger.open, reopen):
            with pytest.raises(ParameterError, match="must be the path of a file"):
                use(bad)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_file_replaced_under_an_open_handle_is_noticed(tmp_path: Path) -> None:
    path, rival = tmp_path / "a.ledger", tmp_path / "b.ledger"
    used, unused = SqliteStore.create(path, promises=adding(1)), SqliteStore.open(path)
    used.append(Charge(costing("0.5")))
    Ledger(epsilon=1, path=rival)
    for rest in tmp_path.glob("a.ledger*"):  # the log beside it goes too, as a careful person would see to
        rest.unlink()
    rival.rename(path)
    for _ in range(2):
        with pytest.raises(NotCertified, match="replaced while it was in use"):
            used.append(Charge(costing("0.1")))
        for fresh in (unused, travelled(used)):
            with pytest.raises(NotCertified, match="its id differs"):
                fresh.append(Charge(costing("0.1")))


def test_a_deleted_file_swallows_no_charge(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    handle = Ledger(epsilon=1, path=path)
    handle.charge(epsilon="0.1")
    path.unlink()
    with pytest.raises(ParameterError, match="existing ledger file"):
        handle.charge(epsilon="0.1")
    assert not path.exists()


def test_a_busy_ledger_says_so_and_stays_usable(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.05)
    ledger = Ledger.open(filled)
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(PrivpacError, match="could not be used: database is locked"):
            ledger.charge(epsilon="0.01")
        other.execute("ROLLBACK")
    assert ledger.charge(epsilon="0.01").number == 61


def test_settings_that_make_a_charge_durable(filled: Path) -> None:
    with SqliteStore.open(filled)._open_connection() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2


def test_when_several_make_the_same_ledger_one_file_results(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(reopen, [tmp_path / "a.ledger"] * 8))
    assert len({ledger.id for ledger in made}) == 1
    for ledger in made:
        ledger.charge(epsilon="0.125")
    assert made[0].left == Budget()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_drives_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_link(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", no_link)
    ledger = Ledger(epsilon=1, path=tmp_path / "a.ledger")
    ledger.charge(epsilon="0.1")
    assert Ledger(epsilon=1, path=tmp_path / "a.ledger") == ledger
    with pytest.raises(FileExistsError):
        SqliteStore.create(tmp_path / "a.ledger", promises=adding(1))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("method", START_METHODS)
def test_a_child_process_connects_for_itself(tmp_path: Path, method: str) -> None:
    a_child_connects_for_itself(SqliteStore.create(tmp_path / "a.ledger", promises=adding(1)), method)


def test_a_fork_waits_for_a_charge_and_disturbs_no_thread(tmp_path: Path) -> None:
    """Threads keep charging while processes are started; every charge is there afterwards."""
    store = SqliteStore.create(tmp_path / "a.ledger", promises=adding("0.6"))
    context = multiprocessing.get_context(START_METHODS[0])
    with ThreadPoolExecutor(2) as threads:
        jobs = [threads.submit(charge_until_refused, store, costing("0.001")) for _ in range(2)]
        children = [
            context.Process(target=charge_until_refused, args=(store, costing("0.001"))) for _ in range(3)
        ]
        for child in children:
            child.start()
        for child in children:
            child.join()
        here = sum(job.result() for job in jobs)
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert here <= len(store.entries()) == 600
    Ledger.over(store).verify()


CHARGER = """
import sys
from privpac.guarantee.ledger.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
while True:
    print(ledger.charge(epsilon="0.001", note=sys.argv[2]).hash, flush=True)
"""


def test_killed_processes_lose_no_acknowledged_charge(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    ledger = Ledger(epsilon=1000, path=path)
    children = [
        subprocess.Popen([sys.executable, "-c", CHARGER, path, str(name)], stdout=subprocess.PIPE, text=True)
        for name in range(4)
    ]
    acknowledged: set[str] = set()
    for patience, child in enumerate(children):  # each is killed while the later ones are still charging
        assert child.stdout is not None
        for _ in range(5):
            acknowledged.add(child.stdout.readline().strip())
        time.sleep(0.02 * patience)
        child.kill()
        acknowledged |= {line.strip() for line in child.stdout if line.endswith("\n")}
        child.wait()
        child.stdout.close()
        ledger.verify()
    hashes = {entry.hash for entry in ledger.entries()}
    assert "" not in acknowledged
    assert acknowledged <= hashes
    assert len(hashes) - len(acknowledged) <= len(
        children
    )  # at most one charge each was cut off unacknowledged
    assert ledger.spent == Budget(ledger.entries()[0].epsilon * len(hashes))
    assert ledger.charge(epsilon="0.001").number == len(hashes) + 1


def test_a_kill_while_the_ledger_is_made_leaves_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    made = f"""
import os, privpac.drafts as drafts
def killed(*_): os._exit(9)
drafts._publish = killed
from privpac.guarantee.ledger.ledger import Ledger
Ledger(epsilon=1, path={str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", made], check=False).returncode == 9
    assert not path.exists()
    assert Ledger(epsilon=1, path=path).total == Budget(Fraction(1))
