"""What mechanisms cost in rho, and back: Rényi divergences of known laws, rounded outwards.

Each number is a bound on D_alpha/alpha for all orders alpha > 1, rounded up to 12 decimals, as in
`privpac.numbers.concentrated`, which has the cost of a release of which only a pure epsilon is known.
Proof: docs/proofs/concentrated.md. Tested by tests/unit/guarantee/rules/test_concentrated.py.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx

from privpac.numbers.concentrated import BITS, conversion, outwards, rho_up
from privpac.numbers.exact import ball

__all__ = [
    "log_odds_rho",
    "noise_rho",
    "order_epsilon",
    "range_rho",
    "subsampled_range",
]

_FAR = 60
"""From this epsilon on, the curves below have no use: they are as large as epsilon in all digits that are kept."""


def _ceiling(value_at: Callable[[], arb]) -> Fraction:
    with ctx.workprec(BITS):
        return outwards(value_at(), upper=True)


def range_rho(epsilon: Fraction) -> Fraction:
    """epsilon²/8: the loss has a range of epsilon under every tilted law, hence a variance of at most epsilon²/4.

    >>> range_rho(Fraction(1, 100)) * 8 == Fraction(1, 10**4)
    True
    """
    return rho_up(epsilon * epsilon / 8)


def log_odds_rho(epsilon: Fraction) -> Fraction:
    """epsilon·coth(epsilon/2) - 2, at most epsilon²/6: the log-odds of events move by at most epsilon.

    >>> float(log_odds_rho(Fraction(1)))
    0.163953413739
    """
    sixth = rho_up(epsilon * epsilon / 6)
    if epsilon == 0 or epsilon >= _FAR:
        return min(sixth, rho_up(epsilon))
    return min(sixth, _ceiling(lambda: ball(epsilon) * (ball(epsilon) / 2).coth() - 2))


def noise_rho(epsilon: Fraction, *, counts: int, largest: int) -> Fraction:
    """Geometric noise, epsilon in all, on `counts` counts that move by 1 each, or on one count that moves by 2.

    Moved by 1 each: epsilon·tanh(epsilon/(2·counts)), randomised responses of epsilon/counts. One count moved by 2:
    epsilon·(1 - e^(-epsilon/2)).

    >>> noise_rho(Fraction(1), counts=2, largest=1) < noise_rho(Fraction(1), counts=1, largest=2)
    True
    """
    if epsilon == 0 or epsilon >= _FAR * counts:
        return rho_up(epsilon)
    if largest == 1:
        return _ceiling(lambda: ball(epsilon) * (ball(epsilon) / (2 * counts)).tanh())
    return _ceiling(lambda: ball(epsilon) * (1 - (ball(epsilon) / -2).exp()))


def subsampled_range(epsilon: Fraction, share: Fraction) -> Fraction:
    """The range of one mixture of `share` parts of a mechanism of range epsilon with what it does without the record.

    q·e^E/(1 + q·(e^E - 1))·E, rounded up to 12 decimals.

    >>> float(subsampled_range(Fraction(1), Fraction(1, 10)))
    0.231969316685
    """
    if epsilon == 0 or share == 1 or epsilon >= _FAR:
        return epsilon
    return _ceiling(lambda: ball(share * epsilon) / (ball(share) + ball(1 - share) * ball(-epsilon).exp()))


def order_epsilon(rho: Fraction, delta: Fraction, order: Fraction) -> Fraction:
    """The epsilon of rho at delta by one order: order·rho + (ln c + ln(1/delta))/(order - 1), rounded up.

    c = (order - 1)^(order - 1)/order^order. Any order above 1 is sound; a bad one only costs. 0 at least.

    >>> float(order_epsilon(Fraction(1, 8), Fraction(1, 10**6), Fraction(1057, 100)))
    2.419093369855
    """
    with ctx.workprec(BITS):
        return max(Fraction(0), outwards(ball(order * rho) + conversion(order, delta), upper=True))
