"""Numbers ratio^b · m: an integer exponent, a float mantissa, and a table of powers between them.

Sums over huge classes span far more than a double can hold, but only in their exponent; with the exponent
kept as an integer, adding and multiplying need a table look-up and no logarithm, so every error has a
proven bound.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import ball, flint_of, fraction_of

__all__ = ["SMALLEST_BITS", "Arithmetic", "Choice", "Floats", "Integers", "Number", "Powers", "plus"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SMALLEST_BITS = 900
"""Powers below 2^-900 are not in the table; see `numbers.exact.SMALLEST_POWER`."""

Number = Any
"""A rational (fmpq) or a ball; the arithmetic is the same text for both."""


class Arithmetic:
    """Sums by their definition, in rationals or in balls (midpoints with proved radii); powers are remembered.

    With balls, ask everything under the same working precision.
    """

    def __init__(self, ratio: Fraction, *, exact: bool) -> None:
        self._number: Callable[[Fraction | int], Number] = flint_of if exact else ball
        self._ratio = self._number(ratio)
        self._powers: dict[int, Number] = {}

    def _power(self, step: int) -> Number:
        if step not in self._powers:
            self._powers[step] = self._ratio**step
        return self._powers[step]


class Choice:
    """Weights of one decision of a draw; `question` names the method of the sums that computes them, in any
    arithmetic."""

    def __init__(self, law: Any, question: str, *place: Any) -> None:
        self._law = law
        self._question = question
        self._place = place

    @property
    def key(self) -> Hashable:
        key: Hashable = self._law.key(self._question, self._place)
        return key

    def floats(self) -> tuple[Floats, float]:
        if not self._law.fits:
            return np.ones(1), 1.0
        return self._law.weights(self._question, *self._place), self._law.error

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return self._slowly(bits)

    def exact(self) -> Sequence[Fraction]:
        return [*map(fraction_of, self._slowly(None))]

    def _slowly(self, bits: int | None) -> Sequence[Number]:
        weights: Sequence[Number] = getattr(self._law.slowly(bits), self._question)(*self._place)
        return weights


@dataclass(frozen=True, eq=False)
class Powers:
    """table[e] = ratio^e, from e = 0 as far up as ratio^e >= 2^-900.

    Claim: every entry has relative error at most 2^-52. Proof: `power_table`.
    """

    table: Floats = field(repr=False)

    @classmethod
    def of(cls, ratio: Fraction, *, largest: int) -> Powers:
        """Powers for exponents up to `largest`."""
        limit = reach(ratio)
        # Rounded up to a power of two, so that `power_table` keeps few different tables in its cache.
        next_power = 1 << (largest + 1).bit_length()
        return cls(power_table(ratio, next_power if limit is None else min(limit, next_power)))

    def aligned(self, exponents: Integers, mantissas: Floats) -> Floats:
        """The numbers up to a common factor: the smallest exponent of a non-zero one becomes 0.

        Claim: relative error at most 3·2^-53 a number; numbers beyond the table become 0.
        """
        return _align(exponents, mantissas, self.table)


@compiled
def plus(e1: int, m1: float, e2: int, m2: float, table: Floats) -> tuple[int, float]:
    """ratio^e1 · m1 + ratio^e2 · m2, at the scale of the larger power; 0 has no scale. Four roundings at most."""
    if m1 == 0.0:
        return e2, m2
    if m2 == 0.0:
        return e1, m1
    if e1 <= e2:
        step = e2 - e1
        return e1, m1 + m2 * table[step] if step < len(table) else m1
    step = e1 - e2
    return e2, m2 + m1 * table[step] if step < len(table) else m2


@compiled
def _align(exponents: Integers, mantissas: Floats, table: Floats) -> Floats:
    lowest = np.int64(2**62)
    for i in range(len(mantissas)):
        if mantissas[i] > 0.0:
            lowest = min(lowest, exponents[i])
    values = np.zeros(len(mantissas))
    for i in range(len(mantissas)):
        index = exponents[i] - lowest
        if mantissas[i] > 0.0 and index < len(table):
            values[i] = mantissas[i] * table[index]
    return values
