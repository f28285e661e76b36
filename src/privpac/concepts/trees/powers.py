"""Numbers ratio^b · m: an integer exponent, a float mantissa, and a table of powers between them.

Sums over huge classes span far more than a double can hold, but only in their exponent; with the exponent
kept as an integer, adding and multiplying need a table look-up and no logarithm, so every error has a
proven bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import ball, flint_of, fraction_of

__all__ = ["SMALLEST_BITS", "Arithmetic", "Choice", "Floats", "Integers", "Number", "Powers"]

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


class Choice(ABC):
    """Weights of one decision of a draw; `question` names the method of the sums that computes them, in any
    arithmetic."""

    def __init__(self, law: Any, question: str, *place: Any) -> None:
        self._law = law
        self._question = question
        self._place = place

    @property
    @abstractmethod
    def key(self) -> Hashable: ...

    def floats(self) -> tuple[Floats, float]:
        if not self._law.sums.fits:
            return np.ones(1), 1.0
        return self._law.weights(self._question, *self._place), self._law.sums.error

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            return self._slowly(bits)

    def exact(self) -> Sequence[Fraction]:
        return [*map(fraction_of, self._slowly(None))]

    def _slowly(self, bits: int | None) -> Sequence[Number]:
        weights: Sequence[Number] = getattr(self._law.ladder(bits), self._question)(*self._place)
        return weights


@dataclass(frozen=True, eq=False)
class Powers:
    """table[below + e] = ratio^e, for e from -below as far up as ratio^e >= 2^-900.

    Claim: every entry has relative error at most 3.01·2^-53, those with e >= 0 at most 2^-52.
    Proof: `power_table` for e >= 0; below 0 one correctly rounded division more.
    """

    table: Floats
    below: int

    @classmethod
    def of(cls, ratio: Fraction, *, largest: int, slack: int) -> Powers:
        """Powers for exponents up to `largest` in size, those with negative exponents up to 2^slack."""
        limit = reach(ratio)
        # Rounded up to a power of two, so that `power_table` keeps few different tables in its cache.
        next_power = 1 << (largest + 1).bit_length()
        upward = power_table(ratio, next_power if limit is None else min(limit, next_power))
        below = int(np.searchsorted(-upward, -(2.0**-slack), side="right")) - 1
        return cls(np.concatenate([1.0 / upward[below:0:-1], upward]), below)

    def aligned(self, exponents: Integers, mantissas: Floats) -> Floats:
        """The numbers up to a common factor: the smallest exponent of a non-zero one becomes 0.

        Claim: relative error at most 3·2^-53 a number; numbers beyond the table become 0.
        """
        return _align(exponents, mantissas, self.table, self.below)


@compiled
def _align(exponents: Integers, mantissas: Floats, table: Floats, below: int) -> Floats:
    lowest = np.int64(2**62)
    for i in range(len(mantissas)):
        if mantissas[i] > 0.0:
            lowest = min(lowest, exponents[i])
    values = np.zeros(len(mantissas))
    for i in range(len(mantissas)):
        index = exponents[i] - lowest + below
        if mantissas[i] > 0.0 and index < len(table):
            values[i] = mantissas[i] * table[index]
    return values
