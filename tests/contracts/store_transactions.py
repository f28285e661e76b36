"""What a store with transactions must do beyond `StoreConformance`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import sqlalchemy as sa

from privpac.errors import BudgetExceeded, ParameterError
from privpac.guarantee.ledger.account import Charge
from privpac.guarantee.ledger.budget import Budget
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.sql_store import SqlStore
from tests.contracts.store_conformance import adding, costing

NewSqlStore = Callable[[Promises], SqlStore]

BESIDE = sa.Table("beside", sa.MetaData(), sa.Column("answer", sa.Text))


def answers(store: SqlStore) -> list[str]:
    with store.reading() as connection:
        return list(connection.scalars(sa.select(BESIDE.c.answer)))


class TransactionConformance:
    @pytest.fixture
    def store(self, new_store: NewSqlStore) -> SqlStore:
        """A ledger of 1 with a table of somebody else beside it."""
        store = new_store(adding(1))
        BESIDE.create(store.engine)
        return store

    def test_charges_and_tables_beside_are_one(self, store: SqlStore) -> None:
        with store.transact() as transaction:
            entries = [transaction.append(Charge(costing("0.1"), key=key)) for key in "aba"]
            transaction.connection.execute(sa.insert(BESIDE), {"answer": "yes"})
            assert transaction.account().spent == 2 * costing("0.1")
        assert [entry.number for entry in entries] == [1, 2, 1]
        assert store.entries() == tuple(entries[:2])
        assert answers(store) == ["yes"]
        Ledger.over(store).verify()

    def test_an_exception_undoes_everything(self, store: SqlStore) -> None:
        store.append(Charge(costing("0.1")))
        before = store.account()
        with suppress(ZeroDivisionError), store.transact() as transaction:
            transaction.append(Charge(costing("0.1")))
            transaction.connection.execute(sa.insert(BESIDE), {"answer": "yes"})
            1 / 0
        assert store.account() == before
        assert (len(store.entries()), answers(store)) == (1, [])
        assert store.append(Charge(costing("0.1"))).number == 2

    def test_a_refusal_leaves_the_transaction_usable(self, store: SqlStore) -> None:
        with store.transact() as transaction:
            transaction.append(Charge(costing("0.7"), key="k"))
            with pytest.raises(BudgetExceeded):
                transaction.append(Charge(costing("0.4")))
            with pytest.raises(ParameterError, match="own amounts"):
                transaction.append(Charge(costing("0.1"), key="k"))
            transaction.append(Charge(costing("0.3")))
        assert store.account().left == Budget()
        Ledger.over(store).verify()

    def test_a_key_is_known_within_its_transaction(self, store: SqlStore) -> None:
        charge = Charge(costing("0.1"), key="once")
        with store.transact() as transaction:
            first = transaction.append(charge)
            assert transaction.append(charge) == first
        assert store.entries() == (first,)
        assert store.account().spent == charge.cost

    def test_an_error_of_another_table_reaches_its_owner(self, store: SqlStore) -> None:
        def use() -> None:
            with store.transact() as transaction:
                transaction.append(Charge(costing("0.1")))
                transaction.connection.execute(sa.text("INSERT INTO nowhere VALUES (1)"))

        with pytest.raises(sa.exc.DBAPIError):
            use()
        assert store.account().count == 0

    def test_transactions_follow_one_another(self, store: SqlStore) -> None:
        def group(number: int) -> None:
            with store.transact() as transaction:
                seen = transaction.account().count
                for place in range(3):
                    entry = transaction.append(Charge(costing("0.01"), note=str(number)))
                    assert entry.number == seen + place + 1

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(group, range(20)))
        notes = [entry.note for entry in store.entries()]
        assert notes[::3] == notes[1::3] == notes[2::3]
        assert sorted(notes[::3], key=int) == [str(number) for number in range(20)]
        Ledger.over(store).verify()
