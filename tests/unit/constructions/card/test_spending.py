"""A tiny epsilon with a delta: what is rounded up is still within what was declared, or it is refused in words."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest

from privpac.constructions.card.spending import concentrated_spending
from privpac.errors import ParameterError
from privpac.guarantee.facts import Unit


@pytest.mark.parametrize("rounds", [2, 5, 20])
@pytest.mark.parametrize("delta", [Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 100)])
def test_small_shares_of_rho_lose_no_more_than_was_declared(delta: Fraction, rounds: int) -> None:
    """At epsilon .001 a card of five rounds lost .001001, and its own rule refused it."""
    for thousandths in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), 1, 2, 3, 10, 100, 1000):
        epsilon = Fraction(thousandths) / 1000
        with suppress(ParameterError):  # nothing would be left to spend
            spending = concentrated_spending(epsilon, delta, rounds)
            assert spending.privacy(Unit.RECORD).fact.epsilon.upper <= epsilon
