"""Laws of a ledger's sums: order does not matter, refusals leave no trace, and the state is the formula's."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.errors import BudgetExceeded
from privpac.guarantee.ledger.account import Account, Charge
from privpac.guarantee.ledger.budget import Cost
from privpac.guarantee.ledger.ledger import verify_rows
from privpac.guarantee.ledger.promises import Promises
from privpac.numbers.concentrated import pure_rho, spendable

PRICES = [Fraction(step, 10_000) for step in (1, 2, 5, 10, 20, 50)]
DELTAS = [Fraction(0)] * 9 + [Fraction(1, 10**9)]


def declared(epsilon: str, delta: str, reserved: str, pure: str | None) -> Promises:
    return Promises.read("test", epsilon=epsilon, delta=delta, reserved_delta=reserved, pure_epsilon=pure)


@pytest.mark.long
def test_a_hundred_thousand_adaptive_charges_leave_the_state_of_the_formula() -> None:
    """The next charge depends on what was admitted so far; the sums and every decision are recomputed beside it."""
    chance = random.Random(24)
    for epsilon, delta, reserved, pure in (("3", "1e-6", "1e-8", None), ("1", "1e-6", "0", "30")):
        account = Account.opened(declared(epsilon, delta, reserved, pure), identity="x")
        rho_total = spendable(Fraction(epsilon), Fraction(delta) - Fraction(reserved)).rho
        sums = [Fraction(0)] * 3
        admitted = 0
        for step in range(50_000):
            price = PRICES[(chance.randrange(len(PRICES)) + admitted) % len(PRICES)]
            rho = pure_rho(price) if step % 3 else price * price / 8
            cost = Cost(price, chance.choice(DELTAS), rho)
            after = [a + b for a, b in zip(sums, (cost.epsilon, cost.delta, cost.rho), strict=True)]
            fits = after[1] <= Fraction(reserved) and (after[0] <= Fraction(epsilon) or after[2] <= rho_total)
            if pure is not None:
                fits = fits and after[1] == 0 and after[0] <= Fraction(pure)
            assert account.promises.admits(account.spent + cost) == fits
            if fits:
                account, sums = account.after(account.admit(Charge(cost))), after
                admitted += 1
        assert admitted > 1000
        assert [account.spent.epsilon, account.spent.delta, account.spent.rho] == sums
        assert sums[0] > Fraction(epsilon)  # adding alone would have stopped long before
        assert sums[2] <= rho_total


costs = st.builds(
    Cost,
    st.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(2)]),
    st.sampled_from([Fraction(0), Fraction(1, 10**8)]),
    st.sampled_from([Fraction(1, 20_000), Fraction("0.0555"), Fraction(1)]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(costs, max_size=8), st.randoms())
def test_any_order_of_the_same_charges_gives_the_same_state(asked: list[Cost], chance: random.Random) -> None:
    total = Promises.read("test", epsilon=100, delta="0.1", reserved_delta="0.05", pure_epsilon=None)
    states = set()
    for _ in range(2):
        account = Account.opened(total, identity="x")
        for cost in asked:
            account = account.after(account.admit(Charge(cost)))
        states.add(account.spent)
        chance.shuffle(asked)
    assert len(states) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(costs, max_size=12))
def test_refused_charges_leave_no_trace_and_rows_follow(asked: list[Cost]) -> None:
    account = Account.opened(declared("1", "1e-6", "1e-8", None), identity="x")
    rows = []
    for cost in asked:
        before = account
        try:
            rows.append(account.admit(Charge(cost)))
            account = account.after(rows[-1])
            assert account.promises.admits(account.spent)
        except BudgetExceeded:
            assert account == before
            assert account.room(cost) == 0
    verify_rows(account, tuple(rows))
