"""The store behind a URL, on a real PostgreSQL: the conformance suite, kills, and what only a server can do wrong."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
import sqlalchemy as sa

from privpac.errors import NotCertified, ParameterError, PrivpacError
from privpac.guarantee.ledger.account import Charge
from privpac.guarantee.ledger.backup import backup, restore
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from tests.contracts.store_conformance import NewStore, StoreConformance, adding, costing
from tests.contracts.store_transactions import TransactionConformance
from tests.contracts.test_store_sql import CHARGER, killed_chargers
from tests.golden.corpus import stored
from tests.slow.postgres import postgres, postgres_server

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres() as url:
        yield url


@pytest.fixture
def address(server: str) -> str:
    """The URL of an empty database."""
    name = f"ledger{next(NUMBERS)}"
    engine = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return server.removesuffix("postgres") + name


def in_schema(address: str, name: str) -> str:
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    engine.dispose()
    return f"{address}?options=-csearch_path%3D{name}"


class TestPostgresStore(StoreConformance, TransactionConformance):
    @pytest.fixture
    def new_store(self, address: str) -> NewStore:
        def make(promises: Promises) -> SqlStore:
            return SqlStore.create(in_schema(address, f"s{next(NUMBERS)}"), promises=promises)

        return make


FIRST_TABLES = """
CREATE TABLE account (
    id TEXT NOT NULL, total_epsilon TEXT NOT NULL, total_delta TEXT NOT NULL,
    spent_epsilon TEXT NOT NULL, spent_delta TEXT NOT NULL, count BIGINT NOT NULL, head TEXT NOT NULL
);
CREATE TABLE entry (
    number BIGINT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
    note TEXT NOT NULL, key TEXT UNIQUE, time TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a ledger only grows'; END $$;
CREATE TRIGGER no_edit BEFORE UPDATE OR DELETE ON entry
    FOR EACH ROW EXECUTE FUNCTION ledger_only_grows();
COMMENT ON TABLE account IS 'privpac-ledger/1';
"""
"""As the first version made them."""


def test_a_ledger_of_the_first_format_is_refused_by_name(address: str) -> None:
    engine = sa.create_engine(address)
    with engine.begin() as connection:
        connection.exec_driver_sql(FIRST_TABLES)
    engine.dispose()
    with pytest.raises(
        NotCertified, match=r"privpac-ledger/1 of an earlier version, which privpac 0\.2\.0 reads"
    ):
        Ledger.open(address)


@pytest.mark.parametrize("name", [name for name in stored() if "/backups/" in name])
def test_copies_of_every_release_are_restored_and_copied_again(
    name: str, address: str, tmp_path: Path
) -> None:
    ledger = restore(stored()[name], address)
    ledger.verify()
    backup(address, tmp_path / "copy.jsonl")
    old, new = (path.read_bytes() for path in (stored()[name], tmp_path / "copy.jsonl"))
    assert old == new
    assert restore(tmp_path / "copy.jsonl", str(tmp_path / "copy.sqlite")).entries() == ledger.entries()


def test_ledgers_open_by_url(address: str) -> None:
    with pytest.raises(ParameterError, match="a database with a ledger"):
        Ledger.open(address)
    made = Ledger(epsilon=1, delta="1e-6", reserved_delta="1e-6", path=address)
    made.charge(epsilon="1/3", note="Größe", key="k")
    again = Ledger(epsilon=1, delta="1e-6", reserved_delta="1e-6", path=address.replace("+psycopg", ""))
    assert made == again == Ledger.open(address)
    assert again.entries() == made.entries()
    with pytest.raises(ParameterError, match="this ledger was made with"):
        Ledger(epsilon=2, path=address)
    with pytest.raises(FileExistsError):
        SqlStore.create(address, promises=adding(1))


def test_two_who_make_a_ledger_at_once_get_the_same(address: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = set(pool.map(lambda _: Ledger(epsilon=1, path=address), range(6)))
    assert len(made) == 1


def test_rows_cannot_be_edited_removed_or_truncated(address: str) -> None:
    store = SqlStore.create(address, promises=adding(1))
    store.append(Charge(costing("0.1")))
    for statement in ("UPDATE entry SET note = 'x'", "DELETE FROM entry", "TRUNCATE entry"):
        with pytest.raises(sa.exc.DBAPIError, match="only grows"), store.engine.begin() as connection:
            connection.exec_driver_sql(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE account SET head = 'x'", "totals do not follow"),
        ("UPDATE account SET spent_epsilon = '0'", "totals do not follow"),
        ("UPDATE account SET spent_epsilon = 'much'", "was edited"),
        ("DELETE FROM account", "was edited"),
        ("UPDATE account SET id = 'x'", "its id differs"),
        ("ALTER TABLE entry DISABLE TRIGGER ALL; UPDATE entry SET epsilon = '0.01'", "row 1 was altered"),
        ("ALTER TABLE entry DISABLE TRIGGER ALL; DELETE FROM entry", "row 1 is missing"),
    ],
)
def test_damage_is_noticed(address: str, statement: str, message: str) -> None:
    store = SqlStore.create(address, promises=adding(1))
    store.append(Charge(costing("0.1")))
    with store.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    with pytest.raises(NotCertified, match=message):
        Ledger.over(store).verify()


def test_commits_wait_for_the_disk_whatever_the_database_prefers(address: str) -> None:
    store = SqlStore.create(address, promises=adding(1))
    with store.engine.begin() as connection:
        name = connection.scalar(sa.text("SELECT current_database()"))
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
        connection.exec_driver_sql(
            f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'"
        )
    store.close()
    with store.reading() as connection:
        assert connection.scalar(sa.text("SHOW synchronous_commit")) == "off"
    with store.transact() as transaction:
        assert transaction.connection.scalar(sa.text("SHOW synchronous_commit")) == "on"
        assert transaction.connection.scalar(sa.text("SHOW transaction_isolation")) == "read committed"


def test_a_lost_connection_is_replaced_and_no_charge_is_lost(address: str) -> None:
    store = SqlStore.create(address, promises=adding(1))
    store.append(Charge(costing("0.1")))
    admin = sa.create_engine(address)
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with admin.begin() as connection:
        connection.exec_driver_sql(f"{others} AND datname = current_database()")
    assert store.append(Charge(costing("0.1"))).number == 2

    def cut() -> None:
        with store.transact() as transaction, admin.begin() as connection:
            transaction.append(Charge(costing("0.1")))
            connection.exec_driver_sql(f"{others} AND datname = current_database()")

    with pytest.raises(PrivpacError, match="could not be used"):
        cut()
    admin.dispose()
    assert store.account().count == 2
    assert store.append(Charge(costing("0.1"))).number == 3
    Ledger.over(store).verify()


def test_the_password_travels_unseen(server: str) -> None:
    """A role that must show a password: the server trusts, so what is tested is that the handle still carries it."""
    address = server.replace("tester@", "tester:hunter2@")
    store = SqlStore.create(in_schema(address, f"s{next(NUMBERS)}"), promises=adding(1))
    ledger = Ledger.over(store)
    assert "hunter2" not in repr(store) + repr(ledger) + store.where + ledger.path
    twin = pickle.loads(pickle.dumps(ledger))  # noqa: S301  our own bytes
    assert twin.charge(epsilon="0.1").number == 1
    assert twin._store.engine.url.password == "hunter2"


def test_killed_processes_lose_no_acknowledged_charge(address: str) -> None:
    SqlStore.create(address, promises=adding(1000))
    acknowledged, hashes = killed_chargers(address, children=3)
    assert len(acknowledged) >= 45
    assert acknowledged <= hashes
    assert len(hashes) % 3 == 0
    assert len(hashes) - len(acknowledged) <= 3 * 3


def test_copies_move_between_databases_and_files(address: str, server: str, tmp_path: Path) -> None:
    first = Ledger(epsilon=1, path=address)
    first.charge(epsilon="1/3", note="Größe", key="k")
    first.charge(epsilon="0.25")
    assert backup(address, tmp_path / "copy.jsonl").count == 2
    with pytest.raises(ParameterError, match="Nothing is overwritten"):
        restore(tmp_path / "copy.jsonl", address)
    with pytest.raises(ParameterError, match="Nothing is overwritten"):
        backup(address, tmp_path / "copy.jsonl")
    there = restore(tmp_path / "copy.jsonl", in_schema(server, f"s{next(NUMBERS)}"))
    here = restore(tmp_path / "copy.jsonl", str(tmp_path / "a.db"))
    back = restore(tmp_path / "a.db", in_schema(server, f"s{next(NUMBERS)}"))
    for copy in (there, here, back):
        copy.verify()
        assert (copy.id, copy.entries()) == (first.id, first.entries())
        assert copy.charge(epsilon="1/3", key="k").number == 1
        assert copy.charge(epsilon="5/12").number == 3
    first.verify()
    assert first.left.epsilon == Fraction(5, 12)


def test_a_crash_of_the_database_loses_no_acknowledged_charge() -> None:
    with postgres_server() as server:
        Ledger.create(server.url, epsilon=1000)
        charger = subprocess.Popen(
            [sys.executable, "-c", CHARGER, server.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert charger.stdout is not None
        lines = [charger.stdout.readline() for _ in range(20)]
        server.crash()
        lines += list(charger.stdout)
        assert charger.wait() != 0
        charger.stdout.close()
        server.start()
        ledger = Ledger.open(server.url)
        ledger.verify()
        acknowledged = {found for line in lines for found in line.split()}
        hashes = {entry.hash for entry in ledger.entries()}
        assert len(acknowledged) >= 60
        assert acknowledged <= hashes
        assert len(hashes) - len(acknowledged) in (0, 3)  # at most one transaction was not heard of
