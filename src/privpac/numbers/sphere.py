"""Shares of the uniform sphere as balls of the current precision: caps around a point, bands around an equator."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from privpac.numbers.exact import ball

__all__ = ["band", "cap"]


def cap(level: Fraction, dimension: int) -> arb:
    """Share of the sphere in R^dimension within an angle of pi·level of a point, for 0 < level ≤ 1."""
    if level > Fraction(1, 2):
        return 1 - cap(1 - level, dimension) if level < 1 else arb(1)
    if dimension == 2 or level == Fraction(1, 2):
        return ball(level)
    square = (arb.pi() * ball(level)).sin() ** 2
    return square.beta_lower(arb(dimension - 1) / 2, arb(1) / 2, regularized=True) / 2


def band(width: Fraction, dimension: int) -> arb:
    """Share of the sphere with |u·x| ≤ width, for 0 < width ≤ 1."""
    if width == 1:
        return arb(1)
    return ball(width**2).beta_lower(arb(1) / 2, arb(dimension - 1) / 2, regularized=True)
