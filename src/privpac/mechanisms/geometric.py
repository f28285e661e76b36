"""Two-sided geometric noise on counts, exact and clamped to public bounds.

Statement: adding noise with mass proportional to ratio^|k| to counts whose absolute changes add up to at most
`change` is epsilon-DP with e^epsilon = ratio^-change; clamping to public bounds is post-processing.
Source: Ghosh–Roughgarden–Sundararajan 2009; register `geometric-noise`.
Proof: docs/proofs/geometric-noise.md.

The noise is clamped at ± the width of the bounds before it is added: the same law after the final clamp, and a
finite one, so that it can be enumerated. It depends on public numbers only and is built once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins, Repeatable
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball

__all__ = ["NoiseLaw", "add_noise", "noisy_counts"]

N = TypeVar("N", Fraction, arb)


@dataclass(frozen=True)
class NoiseLaw:
    """Noise 0, +1, -1, +2, -2, … up to ± width, the outermost two collecting their tails.

    Weights, all times (1 + ratio): ratio^|k|·(1 - ratio) inside and ratio^width at the two ends.
    """

    ratio: Fraction
    width: int

    @property
    def key(self) -> Hashable:
        return ("geometric", self.ratio, self.width)

    @staticmethod
    def value(index: int) -> int:
        """The noise at this place of the list 0, 1, -1, 2, -2, …"""
        return (index + 1) // 2 if index % 2 else -(index // 2)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return _noise_floats(self.ratio, self.width)

    def balls(self, bits: int) -> Sequence[arb]:
        """All weights; beyond where the tails are below 2^-bits of all, one ball for both of them instead."""
        end = reach(self.ratio, bits + 4)
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            if end is None or end >= self.width:
                return self._arrange([ratio**k for k in range(self.width + 1)], 1 - ratio)
            inside = NoiseLaw(self.ratio, end)._arrange([ratio**k for k in range(end + 1)], 1 - ratio)
            # The two tails from `end` on, together 2·ratio^end, in place of their separate balls.
            return [*inside[:-2], inside[-1] + inside[-2]]

    def exact(self) -> Sequence[Fraction]:
        return self._arrange([self.ratio**k for k in range(self.width + 1)], 1 - self.ratio)

    def _arrange(self, powers: list[N], inside: N) -> list[N]:
        if self.width == 0:
            return powers
        weights = [powers[0] * inside]
        for k in range(1, self.width + 1):
            weight = powers[k] * inside if k < self.width else powers[k]
            weights += [weight, weight]
        return weights


@lru_cache(maxsize=8)  # tens of megabytes each at the smallest epsilons
def _noise_floats(ratio: Fraction, width: int) -> tuple[NDArray[np.float64], float]:
    """Bound: table 2^-52, factor (1 - ratio) 2^-53, product 2^-53; a cut table loses at most 2.01 · 2^-900 of 1."""
    if width == 0:
        return np.ones(1), 0.0
    table = power_table(ratio, width)
    inside = table * float(1 - ratio)
    if len(table) == width + 1:
        inside[width] = table[width]
    values = np.empty(2 * len(inside) - 1)
    values[0] = inside[0]
    values[1::2] = inside[1:]
    values[2::2] = inside[1:]
    values.setflags(write=False)
    return values, 4.04 * UNIT_ROUNDOFF + 4 * SMALLEST_POWER


def add_noise(counts: Sequence[int], *, ratio: Fraction, low: int, high: int, coins: Coins) -> list[int]:
    """Each count plus its own noise, clamped to low..high; all counts must lie there.

    The counts are one run of their own: clamping makes one result of many, and an enumeration goes on from each once.
    """
    [noisy] = coins.each([_Noisy(tuple(counts), ratio, low, high)])
    return list(noisy)


@dataclass(frozen=True, repr=False)
class _Noisy(Repeatable[tuple[int, ...]]):
    """Some counts with noise, which depend on nothing else. Private: it has no repr."""

    counts: tuple[int, ...]
    ratio: Fraction
    low: int
    high: int

    def __call__(self, coins: Coins) -> tuple[int, ...]:
        values = np.asarray(self.counts, dtype=np.int64)
        noisy = noisy_counts(values, ratio=self.ratio, low=self.low, high=self.high, coins=coins)
        return tuple(noisy.tolist())


def noisy_counts(
    counts: NDArray[np.int64], *, ratio: Fraction, low: int, high: int, coins: Coins
) -> NDArray[np.int64]:
    """As `add_noise`, for arrays of any length: all noise is drawn in one go."""
    if len(counts) and not low <= int(counts.min()) <= int(counts.max()) <= high:
        raise ValueError("add_noise: a count lies outside of its public bounds")
    indices = coins.choose_many(NoiseLaw(ratio, high - low), len(counts))
    noise = np.where(indices % 2 == 1, (indices + 1) // 2, -(indices // 2))
    return np.clip(counts + noise, low, high)
