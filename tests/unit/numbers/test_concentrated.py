"""Concentrated privacy in numbers: reference values, the direction of every rounding, and other people's arithmetic."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

import pytest

from privpac.errors import ParameterError
from privpac.numbers.concentrated import (
    approximate_epsilon,
    pure_rho,
    rho_up,
    spendable,
    spendable_at,
)

TENTHS = [
    Fraction(text) for text in ("0.001", "0.01", "0.05", "0.5", "1", "3", "30", "1/3", "59.99", "60", "1000")
]


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _delta_at(order: Fraction, rho: Fraction, epsilon: Fraction) -> Decimal:
    """c·e^((order - 1)(order·rho - epsilon)) in sixty decimal digits, without the code under test."""
    above, below = _decimal(order), _decimal(order - 1)
    log = below * below.ln() - above * above.ln() + below * (above * _decimal(rho) - _decimal(epsilon))
    return log.exp()


@pytest.mark.parametrize(
    ("epsilon", "delta", "order", "rho"),
    [
        ("1", "1e-6", "21.98", "0.024355969223"),
        ("3", "1e-6", "8.93", "0.185069798527"),
        ("1", "1e-9", "34.87", "0.014973057360"),
        ("3", "1e-9", "13.26", "0.120582412565"),
        ("0.5", "1e-6", "40.05", "0.006641524277"),
    ],
)
def test_what_a_promise_allows_is_the_reference_value(epsilon: str, delta: str, order: str, rho: str) -> None:
    allowed = spendable(Fraction(epsilon), Fraction(delta))
    assert (allowed.order, allowed.rho) == (Fraction(order), Fraction(rho))


@pytest.mark.parametrize("epsilon", ["0.001", "0.5", "1", "3", "25", "1000"])
@pytest.mark.parametrize("delta", ["1e-300", "1e-9", "1e-6", "0.01", "0.25", "0.9"])
def test_what_is_allowed_keeps_the_promise_and_a_unit_more_breaks_it_at_this_order(
    epsilon: str, delta: str
) -> None:
    allowed = spendable(Fraction(epsilon), Fraction(delta))
    with localcontext(prec=60):
        assert (
            _delta_at(allowed.order, allowed.rho, Fraction(epsilon)) <= _decimal(Fraction(delta))
            or allowed.rho == 0
        )
        more = allowed.rho + Fraction(1, 10**12)
        assert _delta_at(allowed.order, more, Fraction(epsilon)) > _decimal(Fraction(delta)) * (
            1 - Decimal("1e-50")
        )


def test_the_order_is_the_best_of_its_decimals() -> None:
    for epsilon, delta in ((Fraction(3), Fraction("1e-6")), (Fraction(1, 10), Fraction("1e-9"))):
        allowed = spendable(epsilon, delta)
        steps = (Fraction(step, 100) for step in range(-30, 31) if step)
        assert all(spendable_at(allowed.order + step, epsilon, delta) <= allowed.rho for step in steps)


def test_rounding_to_the_nearest_would_break_the_promise() -> None:
    for nearest, epsilon in (("0.024356", 1), ("0.185070", 3)):
        allowed = spendable(Fraction(epsilon), Fraction("1e-6"))
        assert allowed.rho < Fraction(nearest)
        assert approximate_epsilon(Fraction(nearest), Fraction("1e-6")) > epsilon
        assert approximate_epsilon(allowed.rho, Fraction("1e-6")) <= epsilon
    # 1.00000065 and 3.0000014 at the best real order; an order of two decimals costs some units of the eighth place.
    assert float(approximate_epsilon(Fraction("0.024356"), Fraction("1e-6"))) == pytest.approx(
        1.00000065, abs=5e-8
    )
    assert float(approximate_epsilon(Fraction("0.185070"), Fraction("1e-6"))) == pytest.approx(
        3.0000014, abs=5e-7
    )


@pytest.mark.parametrize(
    ("rho", "delta", "epsilon"),
    [
        ("1/8", "1e-6", 2.419093370),
        ("1/8", "1e-9", 3.058122186),
        ("1/2", "1e-6", 5.221535387),
        ("0.04", "1e-6", 1.30499),
    ],
)
def test_a_declared_rho_converts_to_the_reference_value(rho: str, delta: str, epsilon: float) -> None:
    assert float(approximate_epsilon(Fraction(rho), Fraction(delta))) == pytest.approx(
        epsilon, rel=5e-6 if rho == "0.04" else 1e-9
    )


def test_nothing_spent_is_nothing_lost() -> None:
    assert approximate_epsilon(Fraction(0), Fraction("1e-6")) == 0
    assert pure_rho(Fraction(0)) == 0


@pytest.mark.parametrize("epsilon", TENTHS)
def test_a_pure_epsilon_costs_at_least_the_truth_and_hardly_more(epsilon: Fraction) -> None:
    with localcontext(prec=60, rounding=ROUND_CEILING):
        grown = _decimal(epsilon).exp()
        truth = _decimal(epsilon) * (grown - 1) / (grown + 1)
    rho = pure_rho(epsilon)
    assert Fraction(truth) - Fraction(1, 10**50) <= rho <= Fraction(truth) + Fraction(1, 10**12)
    assert rho <= rho_up(epsilon * epsilon / 2)
    assert rho_up(rho) == rho


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0", "1e-6"), ("-1", "1e-6"), ("1", "0"), ("1", "1"), ("1", "2")]
)
def test_a_promise_that_is_none_is_refused(epsilon: str, delta: str) -> None:
    with pytest.raises(ParameterError):
        spendable(Fraction(epsilon), Fraction(delta))
    with pytest.raises(ValueError, match="not negative"):
        pure_rho(Fraction(-1))
