"""The exponential mechanism: a draw with probability proportional to multiplicity · ratio^score, exactly.

Statement: if one record moves every score by at most `sensitivity`, the draw is epsilon-DP with
e^epsilon = ratio^(-2·sensitivity), and the log-odds of every event move by at most epsilon.
Source: McSherry–Talwar 2007; used as Beimel–Nissim–Stemmer A.1, Dagan–Feldman L4, Li–Wang–Ye L11.
Holds if: the class and the ratio do not depend on the records (assumed; learners pass public values only).
Proof: docs/proofs/exponential-mechanism.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.compiled import compiled, interpreted, plainly
from privpac.mechanisms.scores import Histogram, NamedScores, Row, Runs, Scores
from privpac.numbers.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball, power_up

__all__ = [
    "MixtureWeights",
    "PowerWeights",
    "draw",
    "draw_from",
    "draw_index",
    "draw_mixture",
    "power_table",
    "power_tables",
    "powers_at",
    "reach",
]

_FLOAT_BITS = 960
"""Multiplicities are shifted to at most this many bits before they become floats, to stay below overflow."""

M = TypeVar("M")


@dataclass(frozen=True, eq=False, repr=False)
class PowerWeights(Generic[M]):
    """counts[i] · ratio^steps[i] for i = 0, 1, …: scores counted from the best one, whose step is 0.

    `near` holds the groups whose powers are above 2^-900, and how many members lie further out; `full` is the whole
    list, for enumeration and for the draws (fewer than one in 2^600) that floats and short balls cannot decide.
    """

    ratio: Fraction
    source: Scores[M]

    @cached_property
    def near(self) -> Histogram:
        """Members by score, as far as their weights matter for floats."""
        return self.source.histogram(reach(self.ratio))

    @cached_property
    def full(self) -> Histogram:
        """All members by score."""
        return self.near if self.near.beyond == 0 else self.source.histogram(None)

    @property
    def key(self) -> Hashable:
        return ("powers", self.ratio, tuple(self.full.steps.tolist()), tuple(self.full.counts))

    @cached_property
    def shift(self) -> int:
        """Floats stand for weights divided by 2^shift."""
        return max(0, max(self.near.counts).bit_length() - _FLOAT_BITS)

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: conversion 2^-53, power, product 2^-53, and what was cut off or dropped, over the sum of the rest.

        A multiplicity that is shifted loses less than 1; a dropped power is below 1.001 · 2^-900.
        """
        near, shift = self.near, self.shift
        powers, units = powers_at(self.ratio, near.steps)
        # Rounded once, however numpy holds them: as int64, uint64, float64 (a mixture of both) or Python integers.
        counts = np.asarray([count >> shift for count in near.counts] if shift else near.counts)
        values = counts.astype(np.float64, copy=False) * powers
        total = float(values.sum())
        if total == 0.0:
            return values, 1.0
        far = sum(near.counts[i] for i in np.flatnonzero(powers == 0.0).tolist())
        loss = (_at_least(far >> shift) + _at_least(near.beyond >> shift) + 2.0) * SMALLEST_POWER
        cut = len(near.counts) if shift else 0
        return values, (units + 2.04) * UNIT_ROUNDOFF + (loss + cut) * 1.01 / total

    def balls(self, bits: int) -> Sequence[arb]:
        """All weights; while the far ones together are below 2^-bits, one ball for all of them instead."""
        # The best group weighs at least 1, and the far ones less than beyond · 2^-899.
        far_is_small = self.near.beyond > 0 and self.near.beyond.bit_length() + bits < 899
        groups = self.near if far_is_small else self.full
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            weights = [
                arb(fmpz(count)) * ratio**step
                for step, count in zip(groups.steps.tolist(), groups.counts, strict=True)
            ]
            if far_is_small:
                weights.append(arb(0, arb(fmpz(self.near.beyond)) * arb(2) ** -899))
            return weights

    def exact(self) -> Sequence[Fraction]:
        groups = zip(self.full.steps.tolist(), self.full.counts, strict=True)
        return [count * self.ratio**step for step, count in groups]


def _at_least(count: int) -> float:
    """A float at or above a non-negative integer, up to one rounding; infinite when none is finite."""
    try:
        return float(count)
    except OverflowError:
        return math.inf


def draw(scores: Scores[M], ratio: Fraction, coins: Coins) -> M:
    """One member of the class: first its score, then a uniform one among those that have it."""
    return draw_from(PowerWeights(ratio, scores), coins)


def draw_index(scores: Sequence[int] | NDArray[np.int64], ratio: Fraction, coins: Coins) -> int:
    """An index with probability proportional to ratio^score, for a list short enough to be written down."""
    last = len(scores) - 1
    row = Row.of(0, np.arange(last, dtype=np.uint64), np.array(scores, dtype=np.int64), last)
    return draw(NamedScores(Runs([row]), lambda place: place[1]), ratio, coins)


def draw_from(weights: PowerWeights[M], coins: Coins) -> M:
    """One member of the class these weights were made of."""
    group = coins.choose(weights)
    histogram = weights.near if group < len(weights.near.counts) else weights.full
    index = coins.below(histogram.counts[group])
    return weights.source.locate(histogram.best + int(histogram.steps[group]), index)


@dataclass(frozen=True, eq=False, repr=False)
class MixtureWeights:
    """Total weight of each part of a mixture: share_p / size_p · sum over its members of ratio^score.

    A public prior that is uniform within each part; `shares` are positive integers.
    """

    parts: tuple[PowerWeights[Any], ...]
    shares: tuple[int, ...]
    sizes: tuple[int, ...]

    @cached_property
    def _lead(self) -> list[int]:
        """How far each part's best score lies above the best of all."""
        bests = [part.near.best for part in self.parts]
        return [best - min(bests) for best in bests]

    @property
    def key(self) -> Hashable:
        return ("mixture", self.shares, self.sizes, tuple(self._lead), tuple(p.key for p in self.parts))

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: the parts' own, one rounding a summand of theirs, a power and a conversion; late parts are dropped.

        Shares over sizes reach far beyond the range of floats, so the products are formed exactly and divided by the
        largest before they become floats.
        """
        no_information = np.ones(len(self.parts)), 1.0
        leads, places = np.unique(np.array(self._lead, dtype=np.int64), return_inverse=True)
        powers, units = powers_at(self.parts[0].ratio, leads)
        products, bound, rest = [], 0.0, Fraction(0)
        for i, (part, power) in enumerate(zip(self.parts, powers[places].tolist(), strict=True)):
            inner, error = part.floats()
            total = float(inner.sum())
            if not (math.isfinite(error) and math.isfinite(total) and total > 0.0):
                return no_information
            weight = Fraction(self.shares[i], self.sizes[i]) * Fraction(total) * (1 << part.shift)
            products.append(weight * Fraction(power))
            if power:
                bound = max(bound, error + (len(inner) + units + 4) * UNIT_ROUNDOFF)
            else:
                rest += weight * Fraction(SMALLEST_POWER) * (1 + Fraction(error))
        largest = max(products)
        values = np.array([float(product / largest) for product in products])
        loss = float(rest / largest) + len(self.parts) * 2.0**-1000
        return values, 1.01 * (bound + loss)

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            ratio = ball(self.parts[0].ratio)
            return [
                ball(Fraction(share, size)) * ratio**lead * sum(part.balls(bits), arb(0))
                for part, share, size, lead in zip(
                    self.parts, self.shares, self.sizes, self._lead, strict=True
                )
            ]

    def exact(self) -> Sequence[Fraction]:
        return [
            Fraction(share, size) * part.ratio**lead * sum(part.exact())
            for part, share, size, lead in zip(self.parts, self.shares, self.sizes, self._lead, strict=True)
        ]


def draw_mixture(
    parts: Sequence[Scores[M]],
    shares: tuple[int, ...],
    sizes: tuple[int, ...],
    ratio: Fraction,
    coins: Coins,
) -> M:
    """First the part, by its total weight, then a member of it."""
    laws = tuple(PowerWeights(ratio, part) for part in parts)
    return draw_from(laws[coins.choose(MixtureWeights(laws, shares, sizes))], coins)


# Powers of a ratio as doubles, with a proven error: what float kernels look weights up in.


_PLAIN_COST = 1000
"""Operations of numpy that take as long as one power by the interpreter."""


@compiled
def _powers(high: float, low: float, count: int, smallest: float) -> NDArray[np.float64]:
    """Powers of `high + low` in double-double, rounded to the nearest double, stopping below `smallest`."""
    table = np.empty(count)
    a, b = 1.0, 0.0
    split = 134217729.0  # 2^27 + 1: Veltkamp's splitting of a number into two halves
    rh = split * high - (split * high - high)
    rl = high - rh
    for k in range(count):
        table[k] = a + b
        if table[k] < smallest:
            return table[:k]
        product = a * high
        ah = split * a - (split * a - a)
        al = a - ah
        error = ((ah * rh - product) + ah * rl + al * rh) + al * rl
        tail = error + (a * low + b * high)
        a = product + tail
        b = tail - (a - product)
    return table


@lru_cache(maxsize=256)
def reach(ratio: Fraction, bits: int = 900) -> int | None:
    """A number of steps k with ratio^(k + 1) at most 2^-bits · (1 + bits·10^-15); None when there is none.

    The logarithm has a relative error below 10^-15 and so has k. Ratios below 2^-900 count as 2^-900: k is then
    larger than it need be.
    """
    if ratio == 1:
        return None
    base = max(ratio, Fraction(SMALLEST_POWER))
    per_step = -math.log(base) if base < Fraction(1, 2) else -math.log1p(-float(1 - base))
    return int(bits * math.log(2.0) / per_step) + 1


def power_table(ratio: Fraction, limit: int) -> NDArray[np.float64]:
    """ratio^0, ratio^1, … as doubles, at most `limit + 1` of them, ending before 2^-900.

    Claim: every entry has relative error at most 2^-52.
    Proof: a double-double product loses less than 2^-100 relatively (the ratio itself is represented to
    2^-105), fewer than 2^40 products are chained, and the final rounding adds 2^-53; see
    docs/proofs/certified-choice.md.
    """
    furthest = reach(ratio)
    last = limit if furthest is None else min(limit, furthest)
    # Lengths are rounded up, so that draws whose scores spread differently share one table.
    bits = max(last, 1).bit_length()
    table = _small_table(ratio, bits) if bits <= _SMALL_BITS else _large_table(ratio, bits)
    return table[: last + 1]


_SMALL_BITS = 16
"""Tables up to half a megabyte are kept for many ratios, larger ones (up to 128 MB) for the last two only."""


@lru_cache(maxsize=32)
def _small_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    return _made_table(ratio, bits)


@lru_cache(maxsize=2)
def _large_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    return _made_table(ratio, bits)


def _made_table(ratio: Fraction, bits: int) -> NDArray[np.float64]:
    high = float(ratio)
    low = float(ratio - Fraction(high))
    steps = min(1 << bits, reach(ratio) or 1 << bits)
    powers = interpreted(_powers) if plainly(_PLAIN_COST * steps) else _powers
    table = powers(high, low, 1 << bits, SMALLEST_POWER)
    table.setflags(write=False)
    return table


_LARGEST_TABLE = 2**21
"""Steps up to which powers are looked up in one table (16 MB); beyond, in a product of two."""


def powers_at(ratio: Fraction, steps: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """ratio^step for increasing non-negative steps; second, how many 2^-53 their relative error is at most.

    Powers below 2^-900 (up to a relative 10^-12) are given as 0, no others. Beyond 2^21 steps the table is a product
    of two, ratio^(i·2^k) and ratio^j: two errors of 2^-52 and one rounding; ratio^(2^k) is known to 2^-255, which
    adds nothing visible.
    """
    values = np.zeros(len(steps))
    furthest = reach(ratio)
    inner = len(steps) if furthest is None else int(np.searchsorted(steps, furthest, side="right"))
    coarse, fine, bits, units = power_tables(ratio, int(steps[inner - 1]) if inner else 0)
    high, low = steps[:inner] >> bits, steps[:inner] & ((1 << bits) - 1)
    inside = (high < len(coarse)) & (low < len(fine))
    values[:inner][inside] = coarse[high[inside]] * fine[low[inside]]
    return values, units


def power_tables(ratio: Fraction, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:
    """Tables for steps up to `last`: ratio^step = coarse[step >> bits] · fine[step mod 2^bits], then bits and error.

    The error is at most this many 2^-53 of every power; those whose places lie beyond a table are below 2^-900.
    """
    furthest = reach(ratio)
    most = last if furthest is None else min(last, furthest)
    if most < _LARGEST_TABLE:
        return np.ones(1), power_table(ratio, most), max(most, 1).bit_length(), 2
    bits = (most.bit_length() + 1) // 2
    fine = power_table(ratio, (1 << bits) - 1)
    return power_table(power_up(ratio, 1 << bits), most >> bits), fine, bits, 5
