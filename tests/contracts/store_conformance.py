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
from multiprocessing.connection import Connection
from typing import Protocol, cast

import pytest

from privpac.errors import BudgetExceeded, ParameterError
from privpac.guarantee.ledger.account import Account, Charge, Purchase, seal
from privpac.guarantee.ledger.budget import Budget, Cost
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Promises
from privpac.guarantee.ledger.store import Store

NewStore = Callable[[Promises], Store]


class Connected(Store, Protocol):
    """A store behind a connection."""

    def close(self) -> None: ...


def costing(epsilon: object, delta: object = 0, rho: object = None) -> Cost:
    return Cost.read("test", epsilon=epsilon, delta=delta, rho=rho)


def adding(epsilon: object, delta: object = 0) -> Promises:
    """A ledger that adds: all of its delta is reserved."""
    return promises(epsilon, delta, delta)


def promises(
    epsilon: object, delta: object = 0, reserved_delta: object = 0, pure_epsilon: object = None
) -> Promises:
    return Promises.read(
        "test", epsilon=epsilon, delta=delta, reserved_delta=reserved_delta, pure_epsilon=pure_epsilon
    )


def travelled(store: Store) -> Store:
    """The store as another process receives it."""
    return cast(Store, pickle.loads(pickle.dumps(store)))  # noqa: S301  our own bytes


def charge_until_refused(store: Store, cost: Cost) -> int:
    """How many charges were admitted; runs in threads and in spawned processes."""
    for admitted in range(10_000):
        try:
            store.append(Charge(cost))
        except BudgetExceeded:
            return admitted
    raise AssertionError("the store never refused")


START_METHODS = sorted({"spawn", "fork"} & set(multiprocessing.get_all_start_methods()))
"""How this system starts a process."""


def charge_in_two_halves(store: Connected, link: Connection) -> None:
    for _ in range(2):
        for _ in range(5):
            store.append(Charge(costing("0.01")))
        link.send("charged")
        link.recv()


def a_child_connects_for_itself(store: Connected, method: str) -> None:
    """A child that inherited the connection would write its second half to a log that the parent deletes."""
    context = multiprocessing.get_context(method)
    store.append(Charge(costing("0.01")))
    here, there = context.Pipe()
    child = context.Process(target=charge_in_two_halves, args=(store, there))
    child.start()
    for expected in (6, 11):
        assert here.recv() == "charged"
        assert len(store.entries()) == expected
        store.close()
        here.send("go on")
    child.join()
    assert child.exitcode == 0
    assert store.append(Charge(costing("0.01"))).number == 12
    Ledger.over(store).verify()


def charge_keys(store: Store, keys: list[str]) -> list[str]:
    return [store.append(Charge(costing("0.01"), key=key)).hash for key in keys]


class StoreConformance:
    @pytest.fixture
    def new_store(self) -> NewStore:
        raise AssertionError("the subclass makes the store")

    def test_a_new_account_is_empty_and_sealed_by_its_totals(self, new_store: NewStore) -> None:
        store = new_store(adding("0.3", "1e-6"))
        assert store.account() == Account.opened(adding("0.3", "1e-6"), identity=store.id)
        assert store.entries() == ()

    def test_two_stores_have_two_identities(self, new_store: NewStore) -> None:
        assert new_store(adding(1)).id != new_store(adding(1)).id

    @pytest.mark.parametrize(
        ("cost", "total", "times"),
        [("0.1", "1", 10), ("0.1", "0.3", 3), ("1/3", "1", 3), ("1e-30", "3e-30", 3), ("1/7", "3/7", 3)],
    )
    def test_sums_are_exact(self, new_store: NewStore, cost: str, total: str, times: int) -> None:
        store = new_store(adding(total))
        assert charge_until_refused(store, costing(cost)) == times
        assert store.account().left == Budget()

    def test_an_entry_is_returned_as_it_is_stored(self, new_store: NewStore) -> None:
        store = new_store(adding(1, "0.5"))
        made = [
            store.append(Charge(costing("0.25"), note="Größe ≤ 3; 'quoted' \\ \"twice\"", key="k")),
            store.append(Charge(costing("1/3", "1e-9"))),
        ]
        assert store.entries() == tuple(made)
        assert [entry.number for entry in made] == [1, 2]
        assert (made[1].epsilon, made[1].delta) == (Fraction(1, 3), Fraction(1, 10**9))

    def test_rows_are_chained(self, new_store: NewStore) -> None:
        store = new_store(adding(1))
        head = store.account().head
        for note in "abc":
            entry = store.append(Charge(costing("0.1"), note=note))
            head = seal(head, entry.facts())
            assert entry.hash == head == store.account().head
        Ledger.over(store).verify()

    @pytest.mark.parametrize("cost", [costing("0.6"), costing("0.1", "0.2"), costing("0.6", "0.2")])
    def test_a_refusal_changes_nothing(self, new_store: NewStore, cost: Cost) -> None:
        store = new_store(adding(1, "0.1"))
        store.append(Charge(costing("0.5")))
        before, rows = store.account(), store.entries()
        with pytest.raises(BudgetExceeded, match=r"is left of epsilon 1, delta 0\.1"):
            store.append(Charge(cost, key="refused"))
        assert (store.account(), store.entries()) == (before, rows)
        assert store.append(Charge(costing("0.5", "0.1"), key="refused")).number == 2

    def test_a_repeated_key_is_charged_once(self, new_store: NewStore) -> None:
        store = new_store(adding("0.2"))
        first = store.append(Charge(costing("0.15"), note="first", key="answer 7"))
        assert store.append(Charge(costing("0.15"), note="again", key="answer 7")) == first
        assert store.account().spent == costing("0.15")
        with pytest.raises(ParameterError, match="own amounts"):
            store.append(Charge(costing("0.01"), key="answer 7"))
        assert store.append(Charge(costing("0.05"), key="answer 8")).number == 2
        assert len(store.entries()) == 2

    def test_charges_without_a_key_are_all_different(self, new_store: NewStore) -> None:
        store = new_store(adding(1))
        assert charge_until_refused(store, costing("0.25")) == 4

    def test_an_empty_key_is_a_key(self, new_store: NewStore) -> None:
        store = new_store(adding(1))
        assert store.append(Charge(costing("0.1"), key="")) == store.append(Charge(costing("0.1"), key=""))

    def test_a_pickled_store_is_the_same_ledger_and_carries_no_state(self, new_store: NewStore) -> None:
        store = new_store(adding(1))
        before = pickle.dumps(store)
        store.append(Charge(costing("0.1")))
        assert pickle.dumps(store) == before
        twin = travelled(store)
        twin.append(Charge(costing("0.2")))
        assert (twin.id, twin.account()) == (store.id, store.account())
        assert store.account().spent.pair == costing("0.3").pair

    def test_threads_never_overspend(self, new_store: NewStore) -> None:
        store = new_store(adding("1.05"))
        twins = [store, store, travelled(store), travelled(store)]
        with ThreadPoolExecutor(4) as pool:
            admitted = list(pool.map(charge_until_refused, twins, [costing("0.02")] * 4))
        self.assert_exactly_full(store, sum(admitted), costing("0.02"), 52)

    def test_processes_never_overspend(self, new_store: NewStore) -> None:
        store = new_store(adding("1.05"))
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            keyed = [pool.submit(charge_keys, store, list("abcabc")) for _ in range(2)]
            jobs = [pool.submit(charge_until_refused, store, costing("0.01")) for _ in range(2)]
            first, second = (job.result() for job in keyed)
            admitted = sum(job.result() for job in jobs)
        assert first == second == first[:3] * 2  # one charge a key, whoever came first
        self.assert_exactly_full(store, admitted + 3, costing("0.01"), 105)

    def test_a_filter_admits_by_epsilon_or_by_rho(self, new_store: NewStore) -> None:
        store = new_store(promises(3, "1e-6"))
        cost = costing("0.01")
        store.append(Charge(3700 * cost))
        assert store.account().room(cost) == 1
        assert charge_until_refused(store, cost) == 1  # 37.01 of epsilon by adding
        self.assert_exactly_full(store, 2, cost, 2)
        few = new_store(promises(3, "1e-6"))
        assert charge_until_refused(few, costing("0.5")) == 6  # too large for rho, and just 3 by adding
        Ledger.over(few).verify()

    def test_a_filter_counts_the_new_charge(self, new_store: NewStore) -> None:
        """A filter that looked at the sum before the charge would admit 0.04 where 0.0244 is allowed."""
        store = new_store(promises(1, "1e-6"))
        assert charge_until_refused(store, costing("0.6", rho="0.02")) == 1

    def test_a_row_keeps_its_rho_and_what_it_was_paid_for(self, new_store: NewStore) -> None:
        store = new_store(promises(1, "1e-6", pure_epsilon=30))
        bought = Purchase(table="Größen.csv", schema="ab" * 32, word="trees:2", file="m.json", label="y")
        made = store.append(Charge(costing("0.1", rho="0.00125"), purchase=bought, key="k"))
        assert store.entries() == (made,)
        assert (made.rho, made.purchase) == (Fraction("0.00125"), bought)
        assert store.append(Charge(costing("0.1", rho="0.00125"), key="k")) == made
        with pytest.raises(ParameterError, match="own amounts"):
            store.append(Charge(costing("0.1"), key="k"))
        assert store.account().spent.rho == Fraction("0.00125")

    def test_a_delta_beyond_the_reserve_is_refused(self, new_store: NewStore) -> None:
        """Forgotten, a row that reveals everything with its delta would be free."""
        store = new_store(promises(3, "1e-6", "1e-7"))
        store.append(Charge(costing("0.1", "1e-7")))
        before = store.account()
        with pytest.raises(BudgetExceeded, match=r"keeps 1E-7 for charges that have a delta, and 0 of that"):
            store.append(Charge(costing("0.1", "1e-9")))
        assert store.account() == before
        assert store.append(Charge(costing("0.1"))).number == 2

    def test_threads_never_exceed_a_filter(self, new_store: NewStore) -> None:
        store = new_store(promises(1, "1e-6"))
        twins, cost = [store, store, travelled(store), travelled(store)], costing("0.05")
        with ThreadPoolExecutor(4) as pool:
            admitted = list(pool.map(charge_until_refused, twins, [cost] * 4))
        self.assert_exactly_full(store, sum(admitted), cost, 20)
        small = costing("0.02")
        other = new_store(promises(1, "1e-6"))
        with ThreadPoolExecutor(4) as pool:
            admitted = list(pool.map(charge_until_refused, [other, travelled(other)] * 2, [small] * 4))
        self.assert_exactly_full(other, sum(admitted), small, 121)

    def test_verify_may_run_while_others_charge(self, new_store: NewStore) -> None:
        store = new_store(adding("0.5"))
        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(charge_until_refused, store, costing("0.01"))
            rounds = 0
            while not job.done() or rounds == 0:
                Ledger.over(travelled(store)).verify()
                rounds += 1
        assert job.result() == 50

    @staticmethod
    def assert_exactly_full(store: Store, admitted: int, cost: Cost, expected: int) -> None:
        account, entries = store.account(), store.entries()
        assert admitted == len(entries) == account.count == expected
        assert sum((entry.cost for entry in entries), Cost()) == account.spent
        assert not account.promises.admits(account.spent + cost)
        assert account.room(cost) == 0
        Ledger.over(store).verify()
