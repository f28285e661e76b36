"""Noisy counts of all cells of a domain of any size, of which only those above a public height are kept.

Statement: add two-sided geometric noise to every cell, clamp to at most `high`, and keep the cells whose noisy count is
above `above`. The same law is drawn here without visiting empty cells: of the empty ones a binomial number is kept,
at uniform places, each with `above` + 1 plus a one-sided geometric count.
Source: Beimel–Brenner–Kasiviswanathan–Nissim 2013, Section 7 (the problem); register `sparse-histogram`.
Holds if: `above` is at least 0, so that every kept count is positive and the height is public.
Proof: docs/proofs/sparse-histogram.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.mechanisms.geometric import noisy_counts
from privpac.mechanisms.gibbs import power_table, reach
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball

__all__ = ["BinomialLaw", "TailLaw", "draw_kept", "nth_absent"]


@dataclass(frozen=True)
class TailLaw:
    """One-sided geometric noise 0, 1, …, the last value `width` collecting the tail: weights ratio^k·(1 - ratio)."""

    ratio: Fraction
    width: int

    @property
    def key(self) -> Hashable:
        return ("tail", self.ratio, self.width)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return _tail_floats(self.ratio, self.width)

    def balls(self, bits: int) -> Sequence[arb]:
        """All weights; beyond where the tail is below 2^-bits, one ball for all of it."""
        end = reach(self.ratio, bits + 4)
        last = self.width if end is None else min(end, self.width)
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            return [*(ratio**k * (1 - ratio) for k in range(last)), ratio**last]

    def exact(self) -> Sequence[Fraction]:
        inside = [self.ratio**k * (1 - self.ratio) for k in range(self.width)]
        return [*inside, self.ratio**self.width]


@lru_cache(maxsize=8)
def _tail_floats(ratio: Fraction, width: int) -> tuple[NDArray[np.float64], float]:
    """Bound: table 2^-52, factor 2^-53, product 2^-53; a cut table loses at most 1.01 · 2^-900 of 1."""
    table = power_table(ratio, width)
    values = table * float(1 - ratio)
    if len(table) == width + 1:
        values[width] = table[width]
    values.setflags(write=False)
    return values, 4.04 * UNIT_ROUNDOFF + 4 * SMALLEST_POWER


_WINDOW_BITS = 80
"""Float weights of a binomial end where what follows is below about 2^-80 of all."""


@dataclass(frozen=True)
class BinomialLaw:
    """How many of `trials` happen, each with probability ratio^steps / (1 + ratio).

    Outcomes are listed from a number near the mean outwards: index 0 is that one, then one more, one less, and so on.
    """

    trials: int
    ratio: Fraction
    steps: int

    @property
    def key(self) -> Hashable:
        return ("binomial", self.trials, self.ratio, self.steps)

    @cached_property
    def centre(self) -> int:
        """About the mean. Any whole number would do; from this one the weights fall on both sides, or nearly."""
        with ctx.workprec(64 + self.trials.bit_length()):
            mean = arb(fmpz(self.trials + 1)) * self._chance()
            return min(self.trials, int(mean.mid().floor().unique_fmpz()))

    def value(self, index: int) -> int:
        """The number at this place of the list that begins at the centre and goes outwards."""
        return self.centre + ((index + 1) // 2 if index % 2 else -(index // 2))

    def _chance(self) -> arb:
        ratio = ball(self.ratio)
        return ratio**self.steps / (1 + ratio)

    def _steps_up(self, i: int, odds: arb) -> arb:
        """weight(centre + i + 1) / weight(centre + i)."""
        successes = self.centre + i
        return arb(fmpz(max(0, self.trials - successes))) / fmpz(successes + 1) * odds

    def _steps_down(self, i: int, odds: arb) -> arb:
        """weight(centre - i - 1) / weight(centre - i)."""
        successes = self.centre - i
        return arb(fmpz(max(0, successes))) / (arb(fmpz(self.trials - successes + 1)) * odds)

    def _sides(self, bits: int) -> tuple[list[arb], list[arb], arb]:
        """Weights above and below the centre, whose own is 1, and a ball around what is left out on both sides."""
        with ctx.workprec(bits + 64):
            chance = self._chance()
            odds = chance / (1 - chance)
            up, high = _walk(lambda i: self._steps_up(i, odds), bits)
            down, low = _walk(lambda i: self._steps_down(i, odds), bits)
            return up, down, arb(0).union(high + low)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Rounded from balls of 144 bits: 2^-53 each, and what lies beyond the window."""
        up, down, left = self._sides(_WINDOW_BITS)
        values = np.array([float(weight.mid()) for weight in _arrange(up, down, arb(0))])
        return values, 2.02 * UNIT_ROUNDOFF + float(left.upper()) * 1.01

    def balls(self, bits: int) -> Sequence[arb]:
        up, down, left = self._sides(bits + 8)
        return [*_arrange(up, down, arb(0)), left]

    def exact(self) -> Sequence[Fraction]:
        chance = self.ratio**self.steps / (1 + self.ratio)
        centre = self.centre

        def weight(k: int) -> Fraction:
            return math.comb(self.trials, k) * chance**k * (1 - chance) ** (self.trials - k)

        up = [weight(k) for k in range(centre + 1, self.trials + 1)]
        down = [weight(k) for k in range(centre - 1, -1, -1)]
        rest = _arrange(up, down, Fraction(0))[1:]
        return [weight(centre), *rest]


def _walk(step: Callable[[int], arb], bits: int) -> tuple[list[arb], arb]:
    """Weights from the centre outwards until what follows is below 2^-bits of the centre's, and a bound on the latter.

    Quotients of neighbours fall outwards, so once one is below 1 the rest is at most a geometric series.
    """
    weights: list[arb] = []
    weight, small = arb(1), arb(2) ** -bits
    while True:
        quotient = step(len(weights))
        if quotient < 1:
            rest = weight * quotient / (1 - quotient)
            if rest < small:
                return weights, arb(rest.upper())
        weight = weight * quotient
        weights.append(weight)


def _arrange(up: Sequence[Any], down: Sequence[Any], nothing: Any) -> list[Any]:
    """1, then one up, one down, … with `nothing` where a side has ended."""
    entries: list[Any] = [nothing + 1]
    for i in range(max(len(up), len(down))):
        entries += [up[i] if i < len(up) else nothing, down[i] if i < len(down) else nothing]
    return entries


def draw_kept(
    values: NDArray[Any],
    counts: NDArray[np.int64],
    *,
    cells: int,
    ratio: Fraction,
    above: int,
    high: int,
    coins: Coins,
) -> dict[int, int]:
    """Cell → noisy count, for the cells whose noisy count is above `above`.

    `values` are the occupied cells, ascending, and `counts` how many records each holds; both are private. The result
    is in ascending order of cells.
    """
    if not 0 <= above < high:
        raise ValueError("draw_kept: the height must be at least 0 and below the largest count")
    noisy = noisy_counts(counts, ratio=ratio, low=0, high=high, coins=coins)
    above_limit = {int(values[i]): int(noisy[i]) for i in np.flatnonzero(noisy > above).tolist()}
    empty = cells - len(values)
    law = BinomialLaw(empty, ratio, above + 1)
    more = law.value(coins.choose(law)) if empty else 0
    places = coins.subset(empty, more)
    extra = coins.choose_many(TailLaw(ratio, high - above - 1), more)
    for place, height in zip(places, extra.tolist(), strict=True):
        above_limit[nth_absent(values, place)] = above + 1 + height
    return dict(sorted(above_limit.items()))


def nth_absent(cells: NDArray[Any], index: int) -> int:
    """The index-th cell that is not in the sorted list `cells`: the i-th of them has cells[i] - i absent before it."""
    place = bisect_right(range(len(cells)), index, key=lambda i: int(cells[i]) - i)
    return index + place
