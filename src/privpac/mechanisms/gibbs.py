"""The exponential mechanism: a draw with probability proportional to multiplicity · ratio^score, exactly.

Statement: if one record moves every score by at most `sensitivity`, the draw is epsilon-DP with
e^epsilon = ratio^(-2·sensitivity), and the log-odds of every event move by at most epsilon.
Source: McSherry–Talwar 2007; used as Beimel–Nissim–Stemmer A.1, Dagan–Feldman L4, Li–Wang–Ye L11.
Holds if: the class and the ratio do not depend on the records (assumed; learners pass public values only).
Proof: docs/proofs/exponential-mechanism.md. Tested by tests/exact/.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.mechanisms.scores import Histogram, Scores
from privpac.theory.exact import SMALLEST_POWER, UNIT_ROUNDOFF, ball, power_table

__all__ = ["MixtureWeights", "PowerWeights", "draw", "draw_mixture", "reach"]

_FLOAT_BITS = 960
"""Multiplicities are shifted to at most this many bits before they become floats, to stay below overflow."""

M = TypeVar("M")


@dataclass(frozen=True)
class PowerWeights(Generic[M]):
    """counts[i] · ratio^i for i = 0, 1, …: scores counted from the best one.

    `near` holds the groups whose powers are above 2^-900, `beyond` how many members lie further out; `source`
    gives the whole list when a draw is refined or enumerated.
    """

    ratio: Fraction
    source: Scores[M]

    @cached_property
    def near(self) -> Histogram:
        return self.source.histogram(reach(self.ratio))

    @cached_property
    def full(self) -> Histogram:
        return self.near if self.near.beyond == 0 else self.source.histogram(None)

    @property
    def key(self) -> Hashable:
        return ("powers", self.ratio, tuple(self.full.counts))

    def floats(self) -> tuple[NDArray[np.float64], float]:
        """Bound: conversion 2^-53, table 2^-52, product 2^-53, and what was dropped, over the best group."""
        counts = self.near.counts
        shift = max(0, max(counts).bit_length() - _FLOAT_BITS)
        table = power_table(self.ratio, len(counts) - 1)
        multiplicities = np.array([float(c >> shift) for c in counts])
        values = multiplicities[: len(table)] * table
        total = float(values.sum())
        # Beyond the table a power is below 2^-900 (or, at most one step, equal to its last entry times ratio).
        lost = float(self.near.beyond >> shift) + float(sum(counts[len(table) :]) >> shift) + 2.0
        cut = len(counts) if shift else 0
        if total == 0.0:
            return values, 1.0
        return values, 4.04 * UNIT_ROUNDOFF + (lost * SMALLEST_POWER + cut) * 1.01 / total

    def balls(self, bits: int) -> Sequence[arb]:
        with ctx.workprec(bits):
            ratio = ball(self.ratio)
            return [arb(fmpz(c)) * ratio**i if c else arb(0) for i, c in enumerate(self.full.counts)]

    def exact(self) -> Sequence[Fraction]:
        return [c * self.ratio**i for i, c in enumerate(self.full.counts)]


def reach(ratio: Fraction) -> int | None:
    """How far above the best score a weight can still matter to a float: powers above 2^-900."""
    if ratio == 1:
        return None
    per_step = -np.log(float(ratio)) if ratio < Fraction(1, 2) else -np.log1p(-float(1 - ratio))
    return int(900 * np.log(2.0) / per_step) + 1


def draw(scores: Scores[M], ratio: Fraction, coins: Coins) -> M:
    """One member of the class: first its score, then a uniform one among those that have it."""
    return _draw_from(PowerWeights(ratio, scores), coins)


def _draw_from(weights: PowerWeights[M], coins: Coins) -> M:
    step = coins.choose(weights)
    histogram = weights.near if step < len(weights.near.counts) else weights.full
    index = coins.below(histogram.counts[step])
    return weights.source.locate(histogram.best + step, index)


@dataclass(frozen=True)
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
        """Bound: the parts' own, a sum of up to 2^20 terms each, and four roundings more; late parts are dropped."""
        ratio = self.parts[0].ratio
        table = power_table(ratio, max(self._lead))
        values, bound, dropped = np.zeros(len(self.parts)), 0.0, 0.0
        for i, (part, lead) in enumerate(zip(self.parts, self._lead, strict=True)):
            share = float(Fraction(self.shares[i], self.sizes[i]))
            inner, error = part.floats()
            shift = 2.0 ** min(max(0, max(part.near.counts).bit_length() - _FLOAT_BITS), 1000)
            total = float(inner.sum()) * shift
            if lead < len(table):
                values[i] = share * total * table[lead]
                bound = max(bound, error + (len(inner) + 6) * UNIT_ROUNDOFF)
            else:
                dropped += share * total * SMALLEST_POWER * (1 + error)
        if not np.isfinite(values).all() or values.sum() == 0.0:
            return np.ones(len(self.parts)), 1.0
        return values, 1.01 * (bound + dropped / float(values.sum()))

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
    return _draw_from(laws[coins.choose(MixtureWeights(laws, shares, sizes))], coins)
