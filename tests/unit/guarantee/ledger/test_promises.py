"""What a ledger promises: which charges keep it, what is left, refusals that say what to do, and its certificate."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privpac.checker.budget import check_budget
from privpac.errors import BudgetExceeded, NotCertified, ParameterError
from privpac.guarantee.ledger.account import Account, Purchase
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.ledger import Ledger
from privpac.guarantee.ledger.promises import Approximate, Promises
from privpac.guarantee.ledger.store import SqliteStore
from privpac.guarantee.ledger.total import promise_of, total_document


def promises(**declared: Any) -> Promises:
    usual = {"epsilon": None, "delta": 0, "reserved_delta": 0, "pure_epsilon": None}
    return Promises.read("test", **{**usual, **declared})


FILTER = promises(epsilon=3, delta="1e-6")
ADDING = promises(epsilon=3, delta="1e-6", reserved_delta="1e-6")
BOTH = promises(epsilon=3, delta="1e-6", pure_epsilon=30)


def cost(epsilon: str, delta: str = "0", rho: str | None = None) -> Cost:
    return Cost.read("test", epsilon=epsilon, delta=delta, rho=rho)


# Declaring


def test_what_is_declared() -> None:
    assert promises(epsilon=1) == promises(pure_epsilon=1) == Promises(Fraction(1))
    assert FILTER.approximate == Approximate(
        Fraction(3), Fraction("1e-6"), Fraction(0), Fraction("8.93"), Fraction("0.185069798527")
    )
    assert ADDING.approximate == Approximate(Fraction(3), Fraction("1e-6"), Fraction("1e-6"))
    assert (FILTER.filters, ADDING.filters, BOTH.filters, promises(epsilon=1).filters) == (
        True,
        False,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"epsilon": 1, "pure_epsilon": 2}, "epsilon is .*left out where pure_epsilon"),
        ({"epsilon": 1, "delta": "1e-6", "reserved_delta": "1e-5"}, "reserved_delta is .*at most delta"),
        ({"epsilon": 1, "reserved_delta": "1e-5"}, "reserved_delta is .*at most delta"),
        ({"delta": "1e-6", "pure_epsilon": 1}, "epsilon is .*positive"),
        ({}, "epsilon is .*positive"),
        ({"epsilon": 1, "delta": 1}, "delta is .*from 0 to below 1"),
        ({"epsilon": 1, "delta": "1e-6", "pure_epsilon": 0}, "pure_epsilon is .*positive"),
    ],
)
def test_nonsense_is_refused(declared: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        promises(**declared)


# Which charges fit


def test_either_sum_may_be_the_one_that_fits() -> None:
    assert FILTER.admits(cost("3"))
    assert not FILTER.admits(cost("3.0001"))
    assert FILTER.admits(3701 * cost("0.01"))
    assert not FILTER.admits(3702 * cost("0.01"))
    assert not ADDING.admits(301 * cost("0.01"))
    assert FILTER.admits(14805 * cost("0.01", rho="0.0000125"))  # exponential weights
    assert not FILTER.admits(14806 * cost("0.01", rho="0.0000125"))


def test_both_promises_hold_at_once() -> None:
    assert BOTH.admits(3000 * cost("0.01"))
    assert not BOTH.admits(3001 * cost("0.01"))  # pure 30 is full, though the filter has room for 700 more
    assert not BOTH.admits(cost("0.1", "1e-9"))
    assert BOTH.room(Cost(), cost("0.01")) == 3000
    assert BOTH.room(Cost(), cost("0.01", "1e-9")) == 0


@pytest.mark.parametrize("one", [cost("0.01"), cost("0.5"), cost("1", rho="0.01"), cost("0.3", "1e-8")])
@pytest.mark.parametrize(
    "total",
    [FILTER, ADDING, BOTH, promises(epsilon=3), promises(epsilon=3, delta="1e-6", reserved_delta="1e-7")],
)
def test_room_is_the_last_that_fits(total: Promises, one: Cost) -> None:
    spent = cost("0.2")
    room = total.room(spent, one)
    assert room == 0 or total.admits(spent + room * one)
    assert not total.admits(spent + (room + 1) * one)


def test_without_a_rest_of_delta_rho_pays_for_nothing() -> None:
    """A release of rho 0 reveals nothing, but a ledger that adds must not be talked into skipping the epsilons."""
    assert not ADDING.admits(Cost(Fraction(4)))
    assert ADDING.left_rho(Cost()) is None


# Refusals


def test_a_delta_beyond_the_reserve_is_refused_with_the_way_out() -> None:
    with pytest.raises(BudgetExceeded) as refused:
        FILTER.check(Cost(), cost("0.1", "1e-9"))
    assert "keeps 0 for charges that have a delta, and 0 of that is left" in refused.value.problem
    assert "Ledger(epsilon=3, delta=0.000001, reserved_delta=1E-9)" in refused.value.remedy
    with pytest.raises(
        BudgetExceeded, match=r"promises a pure epsilon and no delta.*delta and reserved_delta"
    ):
        promises(epsilon=1).check(Cost(), cost("0.1", "1e-9"))


def test_a_refused_charge_changes_nothing() -> None:
    ledger = Ledger(epsilon=1, delta="1e-6", pure_epsilon=2)
    ledger.charge(epsilon="0.9")
    before = ledger.account(), ledger.entries()
    for more in (
        {"epsilon": "0.5"},
        {"epsilon": "0.01", "delta": "1e-7"},
        {"epsilon": "1.2", "rho": "0.001"},
    ):
        with pytest.raises(BudgetExceeded):
            ledger.charge(**more)  # type: ignore[arg-type]
        with pytest.raises(BudgetExceeded):
            ledger.check(**more)  # type: ignore[arg-type]
    assert (ledger.account(), ledger.entries()) == before


# Nothing private in the balance


def test_what_is_charged_follows_from_public_numbers_alone() -> None:
    """A price that depended on private counts would tell neighbours apart by the balance itself."""
    import inspect

    from privpac.releasing import cost_of

    assert list(inspect.signature(cost_of).parameters) == ["certificate"]


def test_equal_requests_on_neighbours_leave_equal_balances() -> None:
    from privpac import PrivatePredictor

    schema = {
        "label": "y",
        "columns": [{"name": "x", "kind": "numeric", "lower": 0, "upper": 99, "integer": True}],
    }
    balances = []
    for split in (50, 97):  # near-unanimous blocks and torn ones
        ledger = Ledger(epsilon=3, delta="1e-6")
        predictor = PrivatePredictor(
            "predict-by-vote:thresholds:x", "0.1", ledger, schema=schema, models=5, random_state=1
        )
        predictor.fit({"x": list(range(100))}, y=[int(x >= split) for x in range(100)])
        predictor.predict({"x": [1, 51, 98]})
        balances.append((ledger.account().spent, predictor.answers_left))
    assert balances[0] == balances[1]
    assert balances[0][0] == 3 * cost("0.1", rho="0.00125")  # votes by exponential weights: epsilon²/8


# The certificate


def account(total: Promises) -> Account:
    return Account.opened(total, identity="f00d")


def test_the_certificate_speaks_of_the_total() -> None:
    text = promise_of(account(FILTER))
    assert "ledger f00d" in text
    assert (
        "(3, 0.000001)-differentially private by the either-or filter; order 8.93; rho 0.185069798527" in text
    )
    assert "reserved delta 0" in text
    assert "This speaks of the total, whatever was spent" in text
    assert "also 30-differentially private by adding" in promise_of(account(BOTH))
    assert "is together 3-differentially private by adding" in promise_of(account(promises(epsilon=3)))
    assert promise_of(account(FILTER)) == promise_of(Account("f00d", FILTER, cost("1"), 1, "x"))


MANY = [promises(epsilon=e, delta=d) for e in ("0.01", "1", "40") for d in ("1e-12", "0.01", "0.25", "0.9")]


@pytest.mark.parametrize("total", [FILTER, ADDING, BOTH, promises(epsilon=3), *MANY])
def test_the_checker_agrees_with_its_own_arithmetic(total: Promises) -> None:
    check_budget(total_document(account(total)))


@pytest.mark.parametrize(
    "change",
    [
        {"total_rho": "0.185069798528"},  # rounded up: one unit of the last place too much
        {"rho_order": "9.93"},
        {"rho_order": "1"},
        {"rho_order": None},
        {"total_epsilon": "2.99"},
        {"total_delta": "9e-7"},
        {"reserved_delta": "1e-7"},  # the parts of delta not added
        {"reserved_delta": "1"},
        {"total_rho": "much"},
    ],
)
def test_the_checker_refuses_totals_that_do_not_follow(change: dict[str, object]) -> None:
    tree = total_document(account(FILTER)) | change
    with pytest.raises(NotCertified, match="do not follow"):
        check_budget(tree)


def test_verify_derives_the_rho_again(tmp_path: Path) -> None:
    ledger = Ledger(epsilon=3, delta="1e-6")
    ledger.verify()
    generous = Approximate(Fraction(3), Fraction("1e-6"), Fraction(0), Fraction("8.93"), Fraction("0.2"))
    assert not generous.follows()
    store = SqliteStore.create(tmp_path / "forged", promises=Promises(None, generous))
    forged = Ledger.over(store)
    with pytest.raises(NotCertified, match="rho does not follow"):
        forged.verify()


# What was paid for


def test_a_purchase_is_read_back_as_it_was_written() -> None:
    full = Purchase(table="a.csv", schema="0" * 64, word="trees:2", file="m.json", label="y")
    for purchase in (full, Purchase(), Purchase(label="Größe")):
        assert Purchase.read(purchase.text()) == purchase
    assert str(full) == "trees:2 of y from a.csv to m.json"
    for forged in ('{"table": "a"}', '{"who":"x"}', "[]", '{"table":3}', '{"table":""}', "{"):
        with pytest.raises((ValueError, TypeError, ParameterError)):
            Purchase.read(forged)


def test_a_name_that_cannot_be_kept_is_left_out_and_stops_nothing() -> None:
    assert Purchase.of(table="two\nlines", word="x" * 301, label=3, file="ok") == Purchase(file="ok")
    with pytest.raises(ParameterError) as refused:
        Purchase(table="two\nlines")
    assert refused.value.parameter == "table"


def test_a_schema_read_from_the_records_leaves_no_digest(tmp_path: Path) -> None:
    from privpac import learn

    table = {"x": [float(i % 10) for i in range(200)], "y": [int(i % 10 > 4) for i in range(200)]}
    ledger = Ledger(epsilon=10)
    learn(table, schema="from_data", label="y", concepts="thresholds:x", epsilon=1, ledger=ledger)
    bought = ledger.entries()[0].purchase
    assert bought == Purchase(word="thresholds:x", label="y")


def test_room_for_one_is_one_charge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from privpac.cli.app import run

    path = str(tmp_path / "b.sqlite")
    Ledger.create(path, epsilon=2).charge(epsilon=1, note="first")
    assert run(["ledger", "show", path]) == 0
    assert "room   1 more charge like the last one" in capsys.readouterr().out
