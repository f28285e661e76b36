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
from privpac.answering.bundle import bundle as bundles
from privpac.errors import PrivpacError
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from privpac.service.store import migrating
from privpac.service.store.tables import METADATA
from tests.service.asking import Served, row


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
STORED_BUNDLE = "sha256:d9d2016a467ffae4c7c5f83acf748bda2360ff97554ed19602c2d7b5e4241e16"
STORED_KEY = "privpac_d4e35c40ed10_0d292ef468cf583fe8bf6ce3ebb46a9de67a0ac01dfcc5a3f387dfee807ebb0e"
STORED_REPLY = {"answers": ["no", "yes"], "price": "1", "left": {"epsilon": "9", "answers": 18}}


def test_a_database_of_version_0_1_0_goes_on(
    serve: Callable[..., Served], made_bundle: Path, tmp_path: Path
) -> None:
    """Written by that version: two keys, three requests, four answers, 2 of 10 spent. Nothing is lost or paid twice."""
    digest = bundles.load(made_bundle).digest
    text = (STORED / "0.1.0.sql").read_text(encoding="utf-8")
    text = text.replace(STORED_BUNDLE, digest).replace(
        STORED_BUNDLE.encode().hex().upper(), digest.encode().hex()
    )
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        connection.executescript(text)
    served = serve()
    assert migrating.is_current(served.service.store)
    again = served.predict(row(41), row(71), key=STORED_KEY, again="first")
    assert again.json() == STORED_REPLY
    known = served.predict(row(42), row(1)).json()
    assert (known["answers"], known["price"]) == (["no", "no"], "0")
    assert served.spent == "epsilon 2"
    assert served.predict(row(43), key=STORED_KEY).json()["price"] == "0.5"
    assert served.spent == "epsilon 2.5"
    assert [entry.note for entry in served.book.entries()][-1] == "1 answers, key d4e35c40ed10"
    served.book.verify()


def test_a_notebooks_ledger_goes_on_beside_the_tables(tmp_path: Path) -> None:
    book = Ledger(epsilon=1, path=tmp_path / "ledger.db")
    book.charge(epsilon="0.25")
    migrating.prepare(SqlStore.open(f"sqlite:///{tmp_path / 'ledger.db'}"), upgrade=True)
    book.charge(epsilon="0.25")
    book.verify()
    assert str(book.left) == "epsilon 0.5"
