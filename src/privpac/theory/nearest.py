"""How far the best member of a coarse class may be from what somebody has in mind."""

from __future__ import annotations

from fractions import Fraction

from privpac.theory.register import formula

__all__ = ["linear_band"]


@formula("halfspace-band")
def linear_band(features: int, *, points: int, levels: int, cutoffs: int) -> Fraction:
    """How far from its cut-off a half-space of this many features may disagree with the nearest listed one.

    Statement: features/top + features/(2·points) + features/cutoffs + 2/top, top = levels - 1, where features run from
    0 to 1 and the largest weight is 1. Source: register `halfspace-band`.
    Holds if: all patterns of points up to `points` are listed, with `cutoffs` cut-offs each.
    Proof: docs/proofs/halfspaces.md.

    >>> float(round(linear_band(2, points=16, levels=32, cutoffs=256), 3))
    0.199
    """
    top = levels - 1
    return (
        Fraction(features, top)
        + Fraction(features, 2 * points)
        + Fraction(features, cutoffs)
        + Fraction(2, top)
    )
