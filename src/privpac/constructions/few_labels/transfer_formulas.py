"""From rates on points to errors under their distribution, in numbers a checker can confirm by exponentials alone.

Two ways, the better one counts: by the growth function of a class (`vc`), or by its number of concepts (`size`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

from privpac.numbers.exact import ln_up, sqrt_up
from privpac.numbers.parameters import Number, at_least, chance, rational
from privpac.theory.register import formula
from privpac.theory.vc import growth

__all__ = ["Family", "Spread", "Transfer", "transfer_error", "transfer_excess"]

DIGITS = 6
"""Errors are rounded up to this many decimals."""


@dataclass(frozen=True)
class Family:
    """What is public about a class: its number of concepts, its VC dimension if known, and the odds of its prior."""

    size: int
    vc: int | None
    odds: Fraction
    members_from: int | None = None
    """From this many points on members are drawn in place of labellings, by their prior; None: never."""
    levels: int | None = None
    """How often the column can be halved, for cuts in one direction; None for every other class."""

    def labellings(self, points: int) -> int:
        """The most labellings it puts on this many points; of members, as many as their prior makes of them."""
        if self.members_from is not None and points >= self.members_from:
            return ceil(self.odds) + 1
        return self.size if self.vc is None else min(self.size, growth(points, vc=self.vc))


@dataclass(frozen=True)
class Transfer:
    """`error` follows from a rate on the points: true <= rate + square/2 + sqrt(square·(rate + square/4))."""

    error: Fraction
    square: Fraction
    basis: str
    """'growth' or 'size'."""


@dataclass(frozen=True)
class Spread:
    """`excess` follows from an excess on the points: + uniform for all concepts, + single for the best one."""

    excess: Fraction
    uniform: Fraction
    single: Fraction
    basis: str


def _up(value: Fraction) -> Fraction:
    return min(Fraction(1), Fraction(ceil(value * 10**DIGITS), 10**DIGITS))


@formula("relative-deviation-by-size")
def transfer_error(
    rate: Number, *, points: int, family: Family, failure: Number, pairs: bool = False
) -> Transfer:
    """The true error of every concept that differs from the target on at most a `rate` of the points.

    Statement: rate + t²/2 + t·sqrt(rate + t²/4), t² the smaller of 4(k·ln growth(2m) + ln(4/failure))/m and
    2(k·ln size + ln(1/failure))/m; k is 1 for a fixed target, 2 for pairs. Source: register
    `relative-deviation-by-size`, `relative-deviation`. Holds if: the points are independent draws.
    Proof: docs/proofs/vc.md.

    >>> float(transfer_error(0, points=1000, family=Family(2**8, 1, Fraction(255)), failure=0.05).error)
    0.017082
    """
    owner = "transfer_error"
    before = rational(rate, owner=owner, name="rate")
    m, miss = at_least(1, points, owner=owner, name="points"), chance(failure, owner=owner, name="failure")
    times = 2 if pairs else 1
    by_size = 2 * (times * ln_up(Fraction(family.size)) + ln_up(1 / miss)) / m
    by_growth: Fraction | float = inf
    if family.vc is not None:
        by_growth = 4 * (times * ln_up(Fraction(growth(2 * m, vc=family.vc))) + ln_up(4 / miss)) / m
    square = Fraction(min(by_size, by_growth))
    error = _up(before + square / 2 + sqrt_up(square * (before + square / 4)))
    return Transfer(error, square, "size" if by_size <= by_growth else "growth")


@formula("uniform-convergence")
def transfer_excess(excess: Number, *, points: int, family: Family, failure: Number) -> Spread:
    """The true excess of every concept whose error on the points is within `excess` of the best concept's there.

    Statement: excess + uniform + single, single = sqrt(ln(2/failure)/(2m)), uniform the smaller of
    sqrt(2·ln growth(m)/m) + single and sqrt(ln(2·size/failure)/(2m)). Source: register `uniform-convergence`,
    `generalisation-class`. Holds if: the points are independent draws. Proof: docs/proofs/vc.md.
    """
    owner = "transfer_excess"
    before = rational(excess, owner=owner, name="excess")
    m, miss = at_least(1, points, owner=owner, name="points"), chance(failure, owner=owner, name="failure")
    single = sqrt_up(ln_up(2 / miss) / (2 * m))
    by_size = sqrt_up(ln_up(2 * family.size / miss) / (2 * m))
    by_growth: Fraction | float = inf
    if family.vc is not None:
        by_growth = sqrt_up(2 * ln_up(Fraction(growth(m, vc=family.vc))) / m) + single
    uniform = Fraction(min(by_size, by_growth))
    return Spread(
        _up(before + uniform + single), uniform, single, "size" if by_size <= by_growth else "growth"
    )
