"""The service's tables: made beside the ledger, once, and the same as the code thinks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from privpac import Ledger
from privpac.errors import NotCertified, PrivpacError
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.store import migrating
from privpac.service.store.tables import METADATA
from tests.service.asking import Served


def made(tmp_path: Path) -> SqlStore:
    return SqlStore.create(f"sqlite:///{tmp_path / 'ledger.db'}", promises=Promises(Fraction(1)))


def test_migrations_lead_to_the_tables_the_code_uses(tmp_path: Path) -> None:
    store = made(tmp_path)
    assert not migrating.is_current(store)
    migrating.prepare(store, upgrade=False)
    assert migrating.is_current(store)
    with store.reading() as connection:
        options = {"version_table": "service_version", "include_object": _ours}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []


def _ours(thing: object, name: str | None, kind: str, reflected: bool, other: object) -> bool:
    return not (kind == "table" and name in ("account", "entry"))


def test_two_that_start_together_make_them_once(tmp_path: Path) -> None:
    made(tmp_path)
    stores = [SqlStore.open(f"sqlite:///{tmp_path / 'ledger.db'}") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda store: migrating.prepare(store, upgrade=True), stores))
    assert migrating.is_current(stores[0])
    Ledger.over(stores[0]).verify()


def test_tables_of_another_version_are_refused(tmp_path: Path) -> None:
    store = made(tmp_path)
    migrating.prepare(store, upgrade=True)
    with store.transact() as transaction:
        transaction.connection.exec_driver_sql("UPDATE service_version SET version_num = '0000'")
    with pytest.raises(PrivpacError, match="--migrate"):
        migrating.prepare(store, upgrade=False)


def test_tables_of_a_newer_version_are_refused_in_one_sentence(tmp_path: Path) -> None:
    """Also where older ones would be brought up to date without asking."""
    store = made(tmp_path)
    migrating.prepare(store, upgrade=True)
    with store.transact() as transaction:
        transaction.connection.exec_driver_sql("UPDATE service_version SET version_num = '9999'")
    for upgrade in (True, False):
        with pytest.raises(PrivpacError, match="are of a newer version of privpac than this one"):
            migrating.prepare(store, upgrade=upgrade)


STORED = Path(__file__).parent / "stored"


def test_a_database_of_version_0_1_0_is_refused_by_name(serve: Callable[..., Served], tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        connection.executescript((STORED / "0.1.0.sql").read_text(encoding="utf-8"))
    with pytest.raises(NotCertified, match=r"of an earlier version, which privpac 0\.2\.0 reads"):
        serve()


def test_a_notebooks_ledger_goes_on_beside_the_tables(tmp_path: Path) -> None:
    book = Ledger(epsilon=1, path=tmp_path / "ledger.db")
    book.charge(epsilon="0.25")
    migrating.prepare(SqlStore.open(f"sqlite:///{tmp_path / 'ledger.db'}"), upgrade=True)
    book.charge(epsilon="0.25")
    book.verify()
    assert str(book.left) == "epsilon 0.5"
