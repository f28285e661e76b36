"""What every ledger store must do.

A store's own test module subclasses `StoreConformance` and overrides the fixture `new_store` with a function
that makes an empty store of a given total; `test_store_sqlite.py` shows how.
"""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from typing import cast

import pytest

from privpac.errors import BudgetExceeded, ParameterError
from privpac.guarantee.ledger.account import Account, Charge, seal
from privpac.guarantee.ledger.budget import Budget
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.store import Store

NewStore = Callable[[Budget], Store]


def budget(epsilon: object, delta: object = 0) -> Budget:
    return Budget.read("test", epsilon=epsilon, delta=delta)


def travelled(store: Store) -> Store:
    """The store as another process receives it."""
    return cast(Store, pickle.loads(pickle.dumps(store)))  # noqa: S301  our own bytes


def charge_until_refused(store: Store, cost: Budget) -> int:
    """How many charges were admitted; runs in threads and in spawned processes."""
    for admitted in range(10_000):
        try:
            store.append(Charge(cost))
        except BudgetExceeded:
            return admitted
    raise AssertionError("the store never refused")


def charge_keys(store: Store, keys: list[str]) -> list[str]:
    return [store.append(Charge(budget("0.01"), key=key)).hash for key in keys]


class StoreConformance:
    @pytest.fixture
    def new_store(self) -> NewStore:
        raise AssertionError("the subclass makes the store")

    def test_a_new_account_is_empty_and_sealed_by_its_totals(self, new_store: NewStore) -> None:
        store = new_store(budget("0.3", "1e-6"))
        assert store.account() == Account.opened(budget("0.3", "1e-6"), identity=store.id)
        assert store.entries() == ()

    def test_two_stores_have_two_identities(self, new_store: NewStore) -> None:
        assert new_store(budget(1)).id != new_store(budget(1)).id

    @pytest.mark.parametrize(
        ("cost", "total", "times"),
        [("0.1", "1", 10), ("0.1", "0.3", 3), ("1/3", "1", 3), ("1e-30", "3e-30", 3), ("1/7", "3/7", 3)],
    )
    def test_sums_are_exact(self, new_store: NewStore, cost: str, total: str, times: int) -> None:
        store = new_store(budget(total))
        assert charge_until_refused(store, budget(cost)) == times
        assert store.account().left == Budget()

    def test_an_entry_is_returned_as_it_is_stored(self, new_store: NewStore) -> None:
        store = new_store(budget(1, "0.5"))
        made = [
            store.append(Charge(budget("0.25"), note="Größe ≤ 3; 'quoted' \\ \"twice\"", key="k")),
            store.append(Charge(budget("1/3", "1e-9"))),
        ]
        assert store.entries() == tuple(made)
        assert [entry.number for entry in made] == [1, 2]
        assert (made[1].epsilon, made[1].delta) == (Fraction(1, 3), Fraction(1, 10**9))

    def test_rows_are_chained(self, new_store: NewStore) -> None:
        store = new_store(budget(1))
        head = store.account().head
        for note in "abc":
            entry = store.append(Charge(budget("0.1"), note=note))
            head = seal(head, entry.facts())
            assert entry.hash == head == store.account().head
        Ledger.over(store).verify()

    @pytest.mark.parametrize("cost", [budget("0.6"), budget("0.1", "0.2"), budget("0.6", "0.2")])
    def test_a_refusal_changes_nothing(self, new_store: NewStore, cost: Budget) -> None:
        store = new_store(budget(1, "0.1"))
        store.append(Charge(budget("0.5")))
        before, rows = store.account(), store.entries()
        with pytest.raises(BudgetExceeded, match=r"is left of epsilon 1, delta 0\.1"):
            store.append(Charge(cost, key="refused"))
        assert (store.account(), store.entries()) == (before, rows)
        assert store.append(Charge(budget("0.5", "0.1"), key="refused")).number == 2

    def test_a_repeated_key_is_charged_once(self, new_store: NewStore) -> None:
        store = new_store(budget("0.2"))
        first = store.append(Charge(budget("0.15"), note="first", key="answer 7"))
        assert store.append(Charge(budget("0.15"), note="again", key="answer 7")) == first
        assert store.account().spent == budget("0.15")
        with pytest.raises(ParameterError, match="own amounts"):
            store.append(Charge(budget("0.01"), key="answer 7"))
        assert store.append(Charge(budget("0.05"), key="answer 8")).number == 2
        assert len(store.entries()) == 2

    def test_charges_without_a_key_are_all_different(self, new_store: NewStore) -> None:
        store = new_store(budget(1))
        assert charge_until_refused(store, budget("0.25")) == 4

    def test_an_empty_key_is_a_key(self, new_store: NewStore) -> None:
        store = new_store(budget(1))
        assert store.append(Charge(budget("0.1"), key="")) == store.append(Charge(budget("0.1"), key=""))

    def test_a_pickled_store_is_the_same_ledger_and_carries_no_state(self, new_store: NewStore) -> None:
        store = new_store(budget(1))
        before = pickle.dumps(store)
        store.append(Charge(budget("0.1")))
        assert pickle.dumps(store) == before
        twin = travelled(store)
        twin.append(Charge(budget("0.2")))
        assert (twin.id, twin.account()) == (store.id, store.account())
        assert store.account().spent == budget("0.3")

    def test_threads_never_overspend(self, new_store: NewStore) -> None:
        store = new_store(budget("1.05"))
        twins = [store, store, travelled(store), travelled(store)]
        with ThreadPoolExecutor(4) as pool:
            admitted = list(pool.map(charge_until_refused, twins, [budget("0.02")] * 4))
        self.assert_exactly_full(store, sum(admitted), budget("0.02"), 52)

    @pytest.mark.slow
    def test_processes_never_overspend(self, new_store: NewStore) -> None:
        store = new_store(budget("1.05"))
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            keyed = [pool.submit(charge_keys, store, list("abcabc")) for _ in range(2)]
            jobs = [pool.submit(charge_until_refused, store, budget("0.01")) for _ in range(2)]
            first, second = (job.result() for job in keyed)
            admitted = sum(job.result() for job in jobs)
        assert first == second == first[:3] * 2  # one charge a key, whoever came first
        self.assert_exactly_full(store, admitted + 3, budget("0.01"), 105)

    def test_verify_may_run_while_others_charge(self, new_store: NewStore) -> None:
        store = new_store(budget("0.5"))
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(charge_until_refused, store, budget("0.01"))
            rounds = 0
            while not job.done() or rounds == 0:
                Ledger.over(travelled(store)).verify()
                rounds += 1
        assert job.result() == 50

    @staticmethod
    def assert_exactly_full(store: Store, admitted: int, cost: Budget, expected: int) -> None:
        account, entries = store.account(), store.entries()
        assert admitted == len(entries) == account.count == expected
        assert sum((entry.cost for entry in entries), Budget()) == account.spent
        assert not (account.spent + cost).within(account.total)
        Ledger.over(store).verify()
