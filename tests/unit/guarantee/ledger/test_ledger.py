"""The ledger: exact amounts, refusals, and a handle that loses no charge however it travels."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import GridSearchCV

from privpac.errors import BudgetExceeded, ParameterError
from privpac.guarantee.ledger.budget import Budget, Cost, exact_text, read_amount
from privpac.guarantee.ledger.ledger import Ledger
from privpac.numbers.concentrated import pure_rho
from tests.unit.guarantee.ledger.charging import charged

few = settings(max_examples=30, deadline=None)
amounts = st.one_of(
    st.decimals(min_value=Decimal("1e-12"), max_value=100, allow_nan=False, allow_infinity=False),
    st.fractions(min_value=Fraction(1, 1000), max_value=10, max_denominator=1000),
    st.floats(min_value=1e-300, max_value=1e6),
    st.integers(min_value=1, max_value=10**9),
)


def travelled(thing: Any) -> Any:
    """As another process receives it."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301  our own bytes


# Amounts


@pytest.mark.parametrize(
    "value",
    [
        0.1,
        "0.1",
        ".1",
        "1e-1",
        " 0.1 ",
        "1/10",
        Decimal("0.1"),
        Fraction(1, 10),
        np.float64(0.1),
        np.float32(0.1),
    ],
)
def test_amounts_are_read_as_a_person_means_them(value: Any) -> None:
    assert Ledger(epsilon=value).total == Budget(Fraction(1, 10))


@pytest.mark.parametrize("value", [1, "1", 1.0, np.int64(1), Decimal(1), Fraction(1), "1e0"])
def test_whole_numbers(value: Any) -> None:
    assert Ledger(epsilon=value).total == Budget(Fraction(1))


BAD = [
    None,
    "",
    "much",
    "nan",
    "inf",
    float("nan"),
    float("inf"),
    -float("inf"),
    Decimal("NaN"),
    Decimal("sNaN"),
]
BAD += [True, b"1", [1], 1j, "1/0", "1e-999999999", "1e999999999", 10**400, Fraction(1, 3**1000), -1, "-0.1"]
BAD += [np.array(0.5), Decimal("Infinity"), "9" * 5000, "1/" + "9" * 5000]


@pytest.mark.parametrize("value", [*BAD, 0, 0.0, "0"], ids=lambda value: repr(value)[:20])
def test_a_bad_epsilon_is_one_sentence(value: Any) -> None:
    ledger = Ledger(epsilon=1)
    for use in (
        lambda: Ledger(epsilon=value),
        lambda: ledger.charge(epsilon=value),
        lambda: ledger.check(epsilon=value),
    ):
        with pytest.raises(ParameterError) as caught:
            use()
        assert caught.value.parameter == "epsilon"
        assert caught.value.parameter == "epsilon"
        assert len(str(caught.value)) < 250
    assert ledger.spent == Budget()


@pytest.mark.parametrize("value", [*BAD, 1, 1.0, "1", 2], ids=lambda value: repr(value)[:20])
def test_a_bad_delta_is_one_sentence(value: Any) -> None:
    ledger = Ledger(epsilon=1, delta="0.5")
    for use in (lambda: Ledger(epsilon=1, delta=value), lambda: ledger.charge(epsilon="0.1", delta=value)):
        with pytest.raises(ParameterError) as refused:
            use()
        assert refused.value.parameter == "delta"
    assert ledger.spent == Budget()


@given(amounts)
def test_text_is_exact(amount: Any) -> None:
    exact = read_amount(amount)
    assert Fraction(exact_text(exact)) == exact
    if isinstance(amount, float):
        assert float(exact) == amount


# Charging


def test_ten_times_a_tenth_is_one() -> None:
    ledger = Ledger(epsilon=1)
    for number in range(1, 11):
        assert ledger.charge(epsilon=0.1).number == number
    assert (ledger.spent, ledger.left) == (Budget(Fraction(1)), Budget())
    with pytest.raises(BudgetExceeded):
        ledger.charge(epsilon="1e-300")


def test_a_refusal_says_asked_left_and_total_and_spends_nothing() -> None:
    ledger = Ledger(epsilon=1, delta=0.001, reserved_delta=0.001)
    ledger.charge(epsilon=0.7, delta="1e-3")
    rows = ledger.entries()
    for use in (ledger.check, ledger.charge):
        with pytest.raises(BudgetExceeded) as caught:
            use(epsilon=0.31)
        assert str(caught.value) == (
            "The ledger refused a charge of epsilon 0.31: epsilon 0.3 is left of epsilon 1, delta 0.001. "
            "Nothing was spent; ask for at most what is left."
        )
        with pytest.raises(BudgetExceeded, match=r"delta 0\.0001"):
            use(epsilon=0.1, delta=0.0001)
    assert ledger.entries() == rows
    ledger.check(epsilon=0.3)
    assert ledger.entries() == rows
    assert ledger.charge(epsilon=0.3).number == 2


@few
@given(st.lists(amounts, min_size=1, max_size=8), st.randoms())
def test_sums_are_exact_in_any_order(costs: list[Any], random: Any) -> None:
    total = sum(map(read_amount, costs), Fraction(0))
    for _ in range(2):
        ledger = Ledger(epsilon=total)
        for cost in costs:
            ledger.charge(epsilon=cost)
        assert ledger.spent == ledger.total == Budget(total)
        ledger.verify()
        random.shuffle(costs)


@few
@given(amounts, st.lists(st.tuples(amounts, st.sampled_from(["0", "0.1", "1e-9"])), max_size=8))
def test_it_admits_exactly_what_fits(total: Any, costs: list[tuple[Any, str]]) -> None:
    ledger = Ledger(epsilon=total, delta="0.2", reserved_delta="0.2")
    limit, spent = Budget(read_amount(total), Fraction(1, 5)), Budget()
    for epsilon, delta in costs:
        cost = Budget(read_amount(epsilon), Fraction(delta))
        if (spent + cost).within(limit):
            ledger.check(epsilon=epsilon, delta=delta)
            ledger.charge(epsilon=epsilon, delta=delta)
            spent += cost
        else:
            with pytest.raises(BudgetExceeded):
                ledger.charge(epsilon=epsilon, delta=delta)
        assert (ledger.spent, ledger.left) == (spent, limit - spent)
    assert sum((entry.cost for entry in ledger.entries()), Cost()).pair == spent
    ledger.verify()


def test_a_key_is_charged_once() -> None:
    ledger = Ledger(epsilon="0.1")
    first = ledger.charge(epsilon="0.1", note="answer", key="7")
    assert ledger.charge(epsilon=0.10, key="7") == first
    with pytest.raises(ParameterError) as refused:
        ledger.charge(epsilon="0.05", key="7")
    assert refused.value.parameter == "key"
    assert ledger.entries() == (first,)


@pytest.mark.parametrize("bad", [None, 3, "two\nlines", "nul\0", "half \ud800 pair", "x" * 1001])
def test_notes_and_keys_are_plain_text(bad: Any) -> None:
    ledger = Ledger(epsilon=1)
    with pytest.raises(ParameterError) as refused:
        ledger.charge(epsilon="0.1", note=bad)
    assert refused.value.parameter == "note"
    if bad is not None:
        with pytest.raises(ParameterError) as refused:
            ledger.charge(epsilon="0.1", key=bad)
        assert refused.value.parameter == "key"
    assert ledger.entries() == ()


def test_fractions_that_do_not_add_up_shortly_are_refused_before_spending() -> None:
    ledger = Ledger(epsilon=10)
    primes = (3, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
    *costs, last = [Fraction(1, prime ** int(1090 / np.log2(prime))) for prime in primes]
    for cost in costs:
        ledger.charge(epsilon=cost)
    with pytest.raises(ParameterError) as refused:
        ledger.charge(epsilon=last)
    assert refused.value.parameter == "cost"
    ledger.verify()
    assert ledger.charge(epsilon="0.5").number == len(costs) + 1


# The file


def test_a_path_is_continued_only_with_the_same_totals(tmp_path: Path) -> None:
    path = tmp_path / "project äöü %20?#.ledger"
    ledger = Ledger(epsilon="0.5", delta=1e-6, path=path)
    ledger.charge(epsilon=0.1, note="first")
    again = Ledger(epsilon=0.50, delta="0.000001", path=str(path))
    assert again == ledger == Ledger.open(path)
    assert hash(again) == hash(ledger)
    assert again.left == Budget(Fraction(2, 5))
    assert again.left_rho == again.promises.approximate.rho - pure_rho(Fraction(1, 10))  # type: ignore[union-attr]
    for other in ({"epsilon": 1, "delta": 1e-6}, {"epsilon": 0.5}):
        with pytest.raises(ParameterError) as refused:
            Ledger(**other, path=path)
        assert refused.value.parameter == "total"
    with pytest.raises(ParameterError) as refused:
        Ledger(path=path)
    assert refused.value.parameter == "epsilon"
    assert Ledger(epsilon=0.5, delta=1e-6) != ledger
    assert ledger != "a ledger"


def test_a_relative_path_is_fixed_when_the_ledger_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = travelled(Ledger(epsilon=1, path="a.ledger"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.charge(epsilon=1)
    assert ledger.path == str((tmp_path / "a.ledger").resolve())


def test_a_temporary_file_lives_as_long_as_the_process_that_made_it() -> None:
    script = """
import gc, os, pickle, sys
from privpac.guarantee.ledger.ledger import Ledger
ledger = Ledger(epsilon=1)
pickled = pickle.dumps(ledger)
path = ledger.path
del ledger
gc.collect()
pickle.loads(pickled).charge(epsilon=0.1)
if hasattr(os, "fork") and os.fork() == 0:
    sys.exit()  # a child that runs its exit handlers must not remove the file
if hasattr(os, "fork"):
    os.wait()
assert pickle.loads(pickled).left.epsilon < 1
print(path)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    path = Path(done.stdout.splitlines()[-1])
    assert path.is_absolute()
    assert not path.parent.exists()


# The handle


@pytest.mark.parametrize(
    "way", [copy.copy, copy.deepcopy, travelled, lambda ledger: clone(ledger, safe=False)]
)
def test_copies_charge_the_same_budget(way: Callable[[Ledger], Ledger]) -> None:
    ledger = Ledger(epsilon=1)
    ledger.charge(epsilon=0.1)
    twin = way(ledger)
    twin.charge(epsilon=0.2)
    assert twin == ledger
    assert ledger.spent == twin.spent == Budget(Fraction(3, 10))


def test_a_pickle_holds_path_and_id_only() -> None:
    ledger = Ledger(epsilon=1)
    before = pickle.dumps(ledger)
    ledger.charge(epsilon=0.1, note="unmistakable")
    assert pickle.dumps(ledger) == before
    assert len(before) < len(ledger.path) + len(ledger.id) + len(Ledger.__module__) + 180


class Majority(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A toy that charges whenever it is fitted."""

    def __init__(self, ledger: Ledger | None = None, epsilon: str = "0.1") -> None:
        self.ledger = ledger
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any) -> Majority:
        assert self.ledger is not None
        self.ledger.charge(epsilon=self.epsilon, note=f"fit in process {os.getpid()}")
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[np.argmax(counts)]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_)


@pytest.mark.long_cases("2")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_grid_search_loses_no_charge(n_jobs: int) -> None:
    ledger = Ledger(epsilon=10)
    X, y = np.zeros((40, 1)), np.arange(40) % 2
    grid = {"epsilon": ["0.1", "0.2", "0.3", "0.4"]}
    search = GridSearchCV(clone(Majority(ledger)), grid, cv=4, n_jobs=n_jobs).fit(X, y)
    assert search.best_estimator_.ledger == ledger
    assert len(ledger.entries()) == 16 + 1
    assert ledger.spent.epsilon == 4 + Fraction(search.best_params_["epsilon"])
    if n_jobs == 2:
        assert any(entry.note != f"fit in process {os.getpid()}" for entry in ledger.entries())
    ledger.verify()


def test_joblib_workers_stop_exactly_at_the_total() -> None:
    ledger = Ledger(epsilon="1.5")
    admitted = Parallel(n_jobs=2)(delayed(charged)(ledger) for _ in range(20))
    assert sum(admitted) == len(ledger.entries()) == 15
    assert ledger.left == Budget()
    ledger.verify()
