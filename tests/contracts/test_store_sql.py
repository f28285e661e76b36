"""The store behind a URL passes the conformance suite on SQLite and shares its file with `SqliteStore`."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from privpac.errors import BudgetExceeded, NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger import layout
from privpac.guarantee.ledger import store as store_module
from privpac.guarantee.ledger.account import Charge
from privpac.guarantee.ledger.budget import Budget
from privpac.guarantee.ledger.databases import Postgres
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.guarantee.ledger.store import SqliteStore
from tests.contracts.store_conformance import (
    START_METHODS,
    NewStore,
    StoreConformance,
    a_child_connects_for_itself,
    adding,
    charge_until_refused,
    costing,
)
from tests.contracts.store_transactions import TransactionConformance


def url(path: Path) -> str:
    return f"sqlite:///{path}"


class TestSqlStore(StoreConformance, TransactionConformance):
    @pytest.fixture
    def new_store(self, tmp_path: Path) -> NewStore:
        def make(promises: Promises) -> SqlStore:
            return SqlStore.create(
                url(tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"), promises=promises
            )

        return make


def test_both_stores_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a ledger.db"
    heavy = SqlStore.create(url(path), promises=adding("0.6"))
    light = SqliteStore.open(path)
    assert light.id == heavy.id
    assert (heavy.where, light.where) == (str(path), str(path))
    with ThreadPoolExecutor(4) as pool:
        jobs = pool.map(charge_until_refused, [heavy, light] * 2, [costing("0.01")] * 4)
        assert sum(jobs) == 60
    assert light.account() == heavy.account()
    assert light.entries() == heavy.entries()
    Ledger.over(heavy).verify()


def test_a_key_charged_by_one_store_is_known_to_the_other(tmp_path: Path) -> None:
    light = SqliteStore.create(tmp_path / "a.db", promises=adding(1))
    heavy = SqlStore.open(url(tmp_path / "a.db"))
    assert heavy.append(Charge(costing("0.1"), key="k")) == light.append(Charge(costing("0.1"), key="k"))


def test_the_file_is_durable_and_exclusive(tmp_path: Path) -> None:
    store = SqlStore.create(url(tmp_path / "a.db"), promises=adding(1))
    with store.reading() as connection:
        pragmas = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "application_id")
        ]
        assert pragmas == ["wal", 2, layout.SQLITE_ID]
    store.append(Charge(costing("0.1")))
    with pytest.raises(sa.exc.DBAPIError, match="only grows"), store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE entry SET note = 'x'")


def test_a_replaced_or_removed_file_is_refused(tmp_path: Path) -> None:
    store = SqlStore.create(url(tmp_path / "a.db"), promises=adding(1))
    store.append(Charge(costing("0.1")))
    store.close()  # the log beside an open file would stay behind
    os.rename(tmp_path / "a.db", tmp_path / "b.db")
    with pytest.raises(ParameterError, match="existing ledger file"):
        store.append(Charge(costing("0.1")))
    SqliteStore.create(tmp_path / "a.db", promises=adding(1))
    with pytest.raises(NotCertified, match="was replaced"):
        store.append(Charge(costing("0.1")))
    with pytest.raises(NotCertified, match="its id differs"):
        SqlStore(url(tmp_path / "a.db"), identity=store.id).account()
    os.replace(tmp_path / "b.db", tmp_path / "a.db")
    assert store.append(Charge(costing("0.1"))).number == 2  # the lock was given back each time


def test_a_busy_file_is_said_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.05)
    store = SqlStore.create(url(tmp_path / "a.db"), promises=adding(1))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "a.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(PrivpacError, match="could not be used: database is locked"):
        store.append(Charge(costing("0.1")))
    assert store.account().count == 0  # readers do not wait for writers
    holder.stdin.close()
    holder.wait()
    holder.stdout.close()
    assert store.append(Charge(costing("0.1"))).number == 1


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("method", START_METHODS)
def test_a_child_process_connects_for_itself(tmp_path: Path, method: str) -> None:
    a_child_connects_for_itself(SqlStore.create(url(tmp_path / "a.db"), promises=adding(1)), method)


def test_a_fork_waits_for_a_charge_and_disturbs_no_thread(tmp_path: Path) -> None:
    store = SqlStore.create(url(tmp_path / "a.db"), promises=adding("0.3"))
    context = multiprocessing.get_context(START_METHODS[0])
    with ThreadPoolExecutor(2) as threads:
        jobs = [threads.submit(charge_until_refused, store, costing("0.001")) for _ in range(2)]
        children = [
            context.Process(target=charge_until_refused, args=(store, costing("0.001"))) for _ in range(2)
        ]
        for child in children:
            child.start()
        for child in children:
            child.join()
        here = sum(job.result() for job in jobs)
    assert [child.exitcode for child in children] == [0, 0]
    assert here <= len(store.entries()) == 300
    Ledger.over(store).verify()


CHARGER = """
import sys
from privpac.guarantee.ledger.account import Charge
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.sql_store import SqlStore
store = SqlStore.open(sys.argv[1])
cost = Cost.read("test", epsilon="0.001")
while True:
    with store.transact() as transaction:
        made = [transaction.append(Charge(cost)).hash for _ in range(3)]
    print(*made, flush=True)
"""


def killed_chargers(address: str, *, children: int) -> tuple[set[str], set[str]]:
    """Hashes that were acknowledged before their process was killed, and hashes in the ledger."""
    ledger = Ledger.over(SqlStore.open(address))
    acknowledged: set[str] = set()
    running = [
        subprocess.Popen([sys.executable, "-c", CHARGER, address], stdout=subprocess.PIPE, text=True)
        for _ in range(children)
    ]
    for child in running:  # each is killed while the later ones are still charging
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(5)]
        child.kill()
        lines += [line for line in child.stdout if line.endswith("\n")]
        acknowledged |= {found for line in lines for found in line.split()}
        child.wait()
        child.stdout.close()
        ledger.verify()
    hashes = {entry.hash for entry in ledger.entries()}
    assert ledger.spent == Budget(ledger.entries()[0].epsilon * len(hashes))
    return acknowledged, hashes


def test_killed_processes_lose_no_acknowledged_charge(tmp_path: Path) -> None:
    SqlStore.create(url(tmp_path / "a.db"), promises=adding(1000))
    acknowledged, hashes = killed_chargers(url(tmp_path / "a.db"), children=3)
    assert len(acknowledged) >= 45
    assert acknowledged <= hashes
    assert len(hashes) % 3 == 0  # a transaction is there whole or not at all
    assert len(hashes) - len(acknowledged) <= 3 * 3


def test_ledgers_take_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = Ledger(epsilon=1, path="sqlite:///a%20b.db")
    assert (tmp_path / "a b.db").is_file()
    assert made == Ledger.open("a b.db") == Ledger.open("sqlite:///a%20b.db")
    assert made == Ledger(epsilon=1, path=f"sqlite:///{tmp_path}/a b.db")
    with pytest.raises(ParameterError, match="this ledger was made with"):
        Ledger(epsilon=2, path="sqlite:///a%20b.db")
    for wrong in ("sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:///a.db?mode=ro"):
        with pytest.raises(ParameterError, match="sqlite:///FILE"):
            Ledger.open(wrong)
        with pytest.raises(ParameterError, match="sqlite:///FILE"):
            SqlStore.open(wrong)


@pytest.mark.parametrize(
    "address",
    [
        "mysql://me:hunter2@host/db",
        "postgresql+psycopg://me:hun@ter2:x@host:5x/hunter2",
        "postgresql+psycopg2://me:hunter2@host/db",
        "postgresql+psycopg://me:hunter2@127.0.0.1:1/db",
        "postgresql://me@127.0.0.1:1/db?password=hunter2",
        "://hunter2",
    ],
)
def test_no_error_shows_a_password(address: str) -> None:
    with pytest.raises(PrivpacError) as caught:
        Ledger.open(address)
    assert "ter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_place_of_a_database_has_no_password() -> None:
    place = Postgres("postgres://me:hunter2@host:5433/clinic?sslpassword=hunter2&sslmode=require")
    assert place.where == "postgresql+psycopg://me@host:5433/clinic?sslmode=require"
    assert "hunter2" in place.url  # what a worker process needs


def test_handles_are_shown_without_secrets_and_travel(tmp_path: Path) -> None:
    store = SqlStore.create(url(tmp_path / "50%25 ready%3F.db"), promises=adding(1))
    twin = pickle.loads(pickle.dumps(Ledger.over(store)))  # noqa: S301  our own bytes
    assert twin == Ledger.over(store)
    assert twin.charge(epsilon=1).number == 1
    with pytest.raises(BudgetExceeded):
        store.append(Charge(costing("0.1")))
    remote = SqlStore("postgresql+psycopg://me:hunter2@host/clinic", identity="x")
    assert repr(remote) == "SqlStore('postgresql+psycopg://me@host/clinic', identity='x')"
