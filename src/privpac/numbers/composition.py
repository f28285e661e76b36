"""The optimal delta of many equal releases, as a number that can be written down."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, fmpz

from privpac.numbers.exact import EXACT_BITS, ball, significant_up

__all__ = ["fold_delta", "rough_fold_delta"]


def fold_delta(e: Fraction, *, times: int, saved: int) -> Fraction:
    """The delta of `times` releases of e^epsilon = e each, at ((times - 2·saved)·epsilon).

    Statement: sum over i < saved of C(times, i)·(e^(times-i) - e^(times-2·saved+i)) / (1 + e)^times, exactly if
    times · (bits of a + b) is at most EXACT_BITS for e = a/b, else rounded up to 256 significant bits.
    Source: Kairouz–Oh–Viswanath 2015, Theorem 3.3; register `k-fold-composition`.
    Holds if: 0 <= 2·saved <= times. Proof: docs/proofs/k-fold-composition.md.

    >>> fold_delta(Fraction(3), times=2, saved=1)
    Fraction(1, 2)
    """
    if e == 1 or saved == 0:
        return Fraction(0)
    a, b = e.numerator, e.denominator
    if times * (a + b).bit_length() > EXACT_BITS:
        return significant_up(lambda: _fold_ball(ball(e), times, saved))
    gaps = (
        a ** (times - i) * b**i - a ** (times - 2 * saved + i) * b ** (2 * saved - i) for i in range(saved)
    )
    return Fraction(sum(math.comb(times, i) * gap for i, gap in enumerate(gaps)), (a + b) ** times)


def _fold_ball(e: arb, times: int, saved: int) -> arb:
    upper, lower, ways, total = e**times, e ** (times - 2 * saved), 1, arb(0)
    for i in range(saved):
        total += fmpz(ways) * (upper - lower)
        upper, lower, ways = upper / e, lower * e, ways * (times - i) // (i + 1)
    return total / (1 + e) ** times


def rough_fold_delta(epsilon: float, *, times: int, saved: int) -> float:
    """About `fold_delta` at e^epsilon, in floats: for searches, never for promises.

    >>> round(rough_fold_delta(math.log(3), times=2, saved=1), 9)
    0.5
    """
    total, ways = 0.0, 0.0
    whole = times * math.log1p(math.exp(epsilon))
    for i in range(saved):
        upper = ways + (times - i) * epsilon - whole
        total += math.exp(upper) * -math.expm1(-2 * (saved - i) * epsilon)
        ways += math.log(times - i) - math.log(i + 1)
    return total
