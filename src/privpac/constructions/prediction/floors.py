"""Lower bounds from the VC dimension: below this many records no stable or private prediction is accurate.

They hold for everything that answers single queries, released rules included. The error is an expectation over records
and coins, so a promise "at most `error`, except with probability `failure`" is one for error + failure.
"""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from privpac.numbers.exact import PRECISIONS, ball
from privpac.numbers.parameters import Number, at_least, fraction_below, positive
from privpac.theory.register import formula

__all__ = ["floor_private_prediction", "floor_stable_prediction"]

_BEST_SHARE = Fraction(4356, 10_000)
"""Near the maximum of y·artanh(1 - y), 0.2784 at y = 0.4356: any y is valid, and the curve is flat there."""


@formula("floor-stable-prediction")
def floor_stable_prediction(vc: int, *, error: Number, stability: Number) -> int:
    """Records below which no stable prediction has an expected error of at most `error` for every target.

    Statement: n ≥ (vc - 1)/(8·stability·error). Source: register `floor-stable-prediction` (Dagan–Feldman 2020,
    Theorem 4). Symbols: d → vc, gamma → stability, alpha → error.
    Holds if: replacing a record changes the probability of an answer by at most `stability`; the class shatters `vc`
    points; error at most 1/4. Proof: docs/proofs/prediction-floors.md.

    >>> floor_stable_prediction(11, error=0.1, stability=0.01)
    1250
    """
    owner = "floor_stable_prediction"
    dimension = at_least(1, vc, owner=owner, name="vc")
    wrong = fraction_below(Fraction(1, 4) + Fraction(1, 10**30), error, owner=owner, name="error")
    change = fraction_below(1, stability, owner=owner, name="stability")
    need = Fraction(dimension - 1) / (8 * change * wrong)
    return -(-need.numerator // need.denominator)


@formula("floor-private-prediction")
def floor_private_prediction(vc: int, *, error: Number, epsilon: Number) -> int:
    """Records below which no private prediction has an expected error of at most `error` for every target.

    Statement: n ≥ y·artanh(1 - y)·(vc - 1)/(epsilon·error) for every y from 2·error to 1; at its best 0.2784 for the
    product. Source: register `floor-private-prediction` (the construction of Dagan–Feldman 2020, Theorem 4).
    Holds if: every answer is epsilon-private (released rules are); the class shatters `vc` points; error below 1/2.
    Proof: docs/proofs/prediction-floors.md.

    >>> floor_private_prediction(11, error=0.1, epsilon=1)
    28
    """
    owner = "floor_private_prediction"
    dimension = at_least(1, vc, owner=owner, name="vc")
    wrong = fraction_below(Fraction(1, 2), error, owner=owner, name="error")
    loss = positive(epsilon, owner=owner, name="epsilon")
    if dimension == 1:
        return 0
    share = max(_BEST_SHARE, 2 * wrong)
    with ctx.workprec(PRECISIONS[1]):
        spread = ball((2 - share) / share).log() / 2  # artanh(1 - y)
        need = ball(share * (dimension - 1) / (loss * wrong)) * spread
        return int(need.lower().ceil().unique_fmpz())
