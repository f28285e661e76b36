"""The answers of a private plurality, in fractions: the whole law, and a bound that is read off the votes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privpac.theory.register import formula

__all__ = ["plurality_chances", "plurality_wrong"]


@formula("plurality")
def plurality_chances(votes: Sequence[int], *, ratio: Fraction) -> tuple[Fraction, ...]:
    """The probability of every class as the answer, given the votes for each.

    Statement: with q = ratio^(most votes - votes of a class), class h is answered with probability q_h times the
    integral over t from 0 to 1 of the product of 1 - t·q_g over all other classes g. Source: register `plurality`.
    Holds if: nothing more. Proof: docs/proofs/plurality.md.

    >>> plurality_chances((2, 0, 0), ratio=Fraction(1, 2))
    (Fraction(37, 48), Fraction(11, 96), Fraction(11, 96))
    """
    weights = [ratio ** (max(votes) - count) for count in votes]
    return tuple(_chance(h, weights) for h in range(len(weights)))


def _chance(h: int, weights: Sequence[Fraction]) -> Fraction:
    """Coefficients of the product, lowest power first; t^k has the integral 1/(k + 1)."""
    product = [weights[h]]
    for g, chance in enumerate(weights):
        if g != h:
            product = [
                a - chance * b for a, b in zip([*product, Fraction(0)], [Fraction(0), *product], strict=True)
            ]
    return sum((c / (k + 1) for k, c in enumerate(product)), Fraction(0))


@formula("plurality")
def plurality_wrong(votes: Sequence[int], *, ratio: Fraction) -> Fraction:
    """An upper bound on the probability of another answer than the class with most votes.

    Statement: half the sum of ratio^(votes that a class is behind) over all classes but the first. Source: register
    `plurality`. Holds if: nothing more. Proof: docs/proofs/plurality.md.

    >>> plurality_wrong((5, 1, 1), ratio=Fraction(1, 2))
    Fraction(1, 16)
    """
    most = max(votes)
    others = sorted(votes, reverse=True)[1:]
    return sum((ratio ** (most - count) for count in others), Fraction(0)) / 2
