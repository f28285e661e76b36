"""Permute-and-flip: walk through the class in random order, take each with probability ratio^(score - best).

Statement: as private as the exponential mechanism at the same ratio, and never worse in expected score.
Source: McKenna–Sheldon 2020, Theorems 1 and 2; register `permute-and-flip`.
Holds if: the class is public and its members equally likely beforehand. Not inside relabelling transformations:
their proofs use the exponential weights themselves.
Proof: docs/proofs/permute-and-flip.md.

Members of equal score are exchangeable, so the walk needs only their numbers: draw the score of the next member in
the order, flip its coin, and name a uniform member of that score once one is taken. The number of steps is at most
the size of the class; hence the limit.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.errors import SizeError
from privpac.mechanisms.gibbs import powers_at
from privpac.mechanisms.scores import Scores
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["LARGEST", "draw"]

LARGEST = 10**6
"""Members beyond which the walk would take too long; the exponential mechanism has no such limit."""

M = TypeVar("M")


@dataclass(frozen=True, repr=False)
class _Coin:
    """A coin that shows 1 with probability ratio^power, as weights (1 - ratio^power, ratio^power)."""

    ratio: Fraction
    power: int

    @property
    def key(self) -> Hashable:
        return ("coin", self.ratio, self.power)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        powers, units = powers_at(self.ratio, np.array([self.power]))
        success = float(powers[0])
        # Both entries carry the absolute error of the power, the first also a rounding; their sum is about 1.
        return np.array([1.0 - success, success]), (2.0 * units + 2.0) * UNIT_ROUNDOFF

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            success = ball(self.ratio) ** self.power
            return [1 - success, success]

    def exact(self) -> Sequence[Fraction]:
        return [1 - self.ratio**self.power, self.ratio**self.power]


def draw(scores: Scores[M], ratio: Fraction, coins: Coins) -> M:
    """One member, by permute-and-flip."""
    histogram = scores.histogram(None)
    if sum(histogram.counts) > LARGEST:
        raise SizeError(
            f"Permute-and-flip walks through at most {LARGEST} members.",
            remedy="Use the exponential mechanism for this class.",
        )
    left = np.cumsum(
        histogram.counts
    )  # members that have not been passed over, from the best score up to each
    while True:
        group = int(np.searchsorted(left, coins.below(int(left[-1])), side="right"))
        step = int(histogram.steps[group])
        if step == 0 or coins.choose(_Coin(ratio, step)) == 1:
            return scores.locate(histogram.best + step, coins.below(histogram.counts[group]))
        left[group:] -= 1
