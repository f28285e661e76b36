"""The largest quotient of two laws, exactly: floats say which outputs can have it, and only those are worked out.

A probability and its float differ by a factor within 2^-53 of 1, a quotient of two by less than 2^-51. So an output
whose quotient in floats is smaller than another's by more than `SLACK` is not the largest; all others are compared as
whole numbers. Probabilities below `TINY`, where floats have fewer digits, are always compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.audit.symmetry import Law

__all__ = ["Masses", "Quotients", "delta_at"]

SLACK = 1e-12
TINY = 1e-290
LARGE = Fraction(2**1000)


@dataclass(frozen=True, eq=False, repr=False)
class Masses:
    """A law, with the number of every output and its probability in floats."""

    law: Law
    outputs: tuple[Any, ...]
    numbers: NDArray[np.int64]
    floats: NDArray[np.float64]

    @cached_property
    def is_tiny(self) -> bool:
        """Whether floats are too coarse for one of the probabilities."""
        return bool((self.floats < TINY).any())


def delta_at(p: Law, q: Law, factor: Fraction) -> Fraction:
    """The smallest delta with p(F) <= factor·q(F) + delta for every event F."""
    gaps = (mass - factor * q.get(output, Fraction(0)) for output, mass in p.items())
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def _rough(number: Fraction) -> float:
    """In floats; what none of them holds is made smaller, which only has more outputs compared."""
    return float(min(number, LARGE))


class Quotients:
    """Compares the laws of one audit, whose outputs it numbers."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def masses(self, law: Law) -> Masses:
        """A law made ready; every output that is new gets the next number, and what never happens is left out."""
        law = {output: mass for output, mass in law.items() if mass}
        numbers = [self._numbers.setdefault(output, len(self._numbers)) for output in law]
        floats = np.array([float(mass) for mass in law.values()])
        return Masses(law, tuple(law), np.array(numbers, dtype=np.int64), floats)

    def _beside(self, p: Masses, q: Masses) -> NDArray[np.float64]:
        """What q gives to the outputs of p; -1 where it never has them."""
        every = np.full(len(self._numbers), -1.0)
        every[q.numbers] = q.floats
        beside: NDArray[np.float64] = every[p.numbers]
        return beside

    def largest(self, p: Masses, q: Masses, bound: Fraction) -> tuple[Fraction | None, Any]:
        """The largest p/q and where it is, if it reaches `bound`; otherwise some number below that.

        None stands for infinity: an output is impossible under q.
        """
        beside = self._beside(p, q)
        if (beside < 0).any():
            return None, p.outputs[int(np.argmax(beside < 0))]
        doubtful: NDArray[np.bool_] | np.bool_ = np.bool_(False)
        if p.is_tiny or q.is_tiny:
            doubtful = (p.floats < TINY) | (beside < TINY)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                quotients = np.where(doubtful, 0.0, p.floats / beside)
        else:
            quotients = p.floats / beside
        least = max(float(quotients.max()), _rough(bound)) * (1 - SLACK)
        top, bottom, where = 1, 1, None
        for i in np.flatnonzero(doubtful | (quotients >= least)).tolist():
            one, other = p.law[p.outputs[i]], q.law[p.outputs[i]]
            over, under = one.numerator * other.denominator, one.denominator * other.numerator
            if over * bottom > top * under:
                top, bottom, where = over, under, p.outputs[i]
        return Fraction(top, bottom), where

    def delta(self, p: Masses, q: Masses, factor: Fraction, least: Fraction) -> Fraction:
        """The larger of the delta at `factor` and one that is known already."""
        gaps = p.floats - _rough(factor) * np.maximum(self._beside(p, q), 0.0)
        if float(gaps[gaps > 0].sum()) < float(least) - SLACK * (1 + _rough(factor)):
            return least
        return max(least, delta_at(p.law, q.law, factor))
