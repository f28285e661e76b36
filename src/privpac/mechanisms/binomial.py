"""How many of very many equal coins come up heads, and which: exactly, without tossing them one by one.

Claim: `random_cells` holds every one of `count` cells independently with probability exactly `share`. The number of
heads is drawn from its binomial law through `Coins.choose`, and all sets of that size are equally likely.
Source: elementary. Holds if: count and share are public, or part of a law that is private as a whole.
Proof: docs/proofs/sparse-sets.md.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import TypeVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.coins import Coins
from privpac.numbers.exact import UNIT_ROUNDOFF, ball

__all__ = ["Heads", "random_cells"]

N = TypeVar("N", Fraction, arb)

_FLOAT_BITS = 120
"""Floats leave out tails below 2^-120 of the largest weight, and say so in their error."""

_ROUNDINGS = 8
"""Roundings from one float weight to the next: conversions, sums, a quotient, two products."""


@dataclass(frozen=True)
class Heads:
    """Number of heads among `count` coins, in the order mode, mode + 1, mode - 1, …, then the longer side: tails last.

    Weights are relative to that of the mode: w(k + 1) = w(k)·(count - k)/(k + 1)·odds, and downwards likewise.
    """

    count: int
    share: Fraction

    def __post_init__(self) -> None:
        if self.count < 0 or not 0 < self.share < 1:
            raise ValueError("Heads needs a count from 0 and a share strictly between 0 and 1")

    @property
    def key(self) -> Hashable:
        return ("heads", self.count, self.share)

    @property
    def mode(self) -> int:
        """The likeliest number of heads."""
        return min(self.count, int((self.count + 1) * self.share))

    @property
    def odds(self) -> Fraction:
        """The odds of heads in one toss."""
        return self.share / (1 - self.share)

    def value(self, index: int) -> int:
        """The number of heads at a place of the order."""
        both = min(self.mode, self.count - self.mode)
        if index <= 2 * both:
            return self.mode + (index + 1) // 2 if index % 2 else self.mode - index // 2
        beyond = index - both
        return self.mode + beyond if self.mode == both else self.mode - beyond

    def up(self, k: int) -> Fraction:
        """w(k + 1)/w(k)."""
        return Fraction(self.count - k, k + 1) * self.odds

    def down(self, k: int) -> Fraction:
        """w(k - 1)/w(k)."""
        return Fraction(k, self.count - k + 1) / self.odds

    def reach(self, bits: int) -> int:
        """Steps to either side beyond which little more than 2^-bits is left (Bernstein); checked where it is used."""
        variance = float(self.count * self.share * (1 - self.share))
        return math.ceil(math.sqrt(1.4 * bits * variance) + bits / 2) + 1

    def rest(self, steps: int, *, last_up: arb, last_down: arb) -> arb:
        """At least the weight beyond this many steps to either side: geometric series, since quotients keep falling."""
        total = arb(0)
        if self.mode + steps < self.count:
            step = ball(self.up(self.mode + steps))
            total += last_up * step / (1 - step)
        if self.mode - steps > 0:
            step = ball(self.down(self.mode - steps))
            total += last_down * step / (1 - step)
        return total.upper()

    def floats(self) -> tuple[NDArray[np.float64], float]:
        return _heads_floats(self)

    def balls(self, bits: int) -> Sequence[arb]:
        """All weights up to some steps from the mode, then one ball for the rest, below 2^-bits."""
        steps = self.reach(bits)
        with ctx.workprec(bits + 64):
            last, first = min(self.mode + steps, self.count), max(self.mode - steps, 0)
            ups = list(accumulate((ball(self.up(k)) for k in range(self.mode, last)), mul))
            downs = list(accumulate((ball(self.down(k)) for k in range(self.mode, first, -1)), mul))
            weights = _arrange(arb(1), ups, downs)
            if self.mode + steps < self.count or self.mode - steps > 0:
                rest = self.rest(steps, last_up=(ups or [arb(1)])[-1], last_down=(downs or [arb(1)])[-1])
                weights.append(arb(0).union(rest))
            return weights

    def exact(self) -> Sequence[Fraction]:
        ups = list(accumulate((self.up(k) for k in range(self.mode, self.count)), mul))
        downs = list(accumulate((self.down(k) for k in range(self.mode, 0, -1)), mul))
        return _arrange(Fraction(1), ups, downs)


def _arrange(one: N, ups: list[N], downs: list[N]) -> list[N]:
    both: int = min(len(ups), len(downs))
    pairs: list[N] = [weight for pair in zip(ups, downs, strict=False) for weight in pair]
    return [one, *pairs, *ups[both:], *downs[both:]]


@lru_cache(maxsize=8)
def _heads_floats(law: Heads) -> tuple[NDArray[np.float64], float]:
    """Bound: roundings a step, as many steps as there are, and the rest that is left out."""
    steps, mode, count = law.reach(_FLOAT_BITS), law.mode, law.count
    up = np.arange(min(steps, count - mode), dtype=np.float64)
    down = np.arange(min(steps, mode), dtype=np.float64)
    odds = float(law.odds)
    ups = np.cumprod((float(count - mode) - up) / (float(mode + 1) + up) * odds)
    downs = np.cumprod((float(mode) - down) / (float(count - mode + 1) + down) / odds)
    both = min(len(ups), len(downs))
    pairs = np.column_stack((ups[:both], downs[:both])).ravel()
    values = np.concatenate(([1.0], pairs, ups[both:], downs[both:]))
    values.setflags(write=False)
    with ctx.workprec(64):
        edges = [arb(float(side[-1]) * 1.001) if len(side) else arb(1) for side in (ups, downs)]
        loss = float(law.rest(steps, last_up=edges[0], last_down=edges[1]).upper()) * 1.001
    return values, _ROUNDINGS * (max(len(ups), len(downs)) + 1) * UNIT_ROUNDOFF * 1.01 + loss


def random_cells(count: int, *, share: Fraction, coins: Coins) -> NDArray[np.int64]:
    """Increasing numbers below `count`, each there with probability exactly `share`, independently."""
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    law = Heads(count, share)
    heads = law.value(coins.choose(law))
    return np.sort(np.array(coins.subset(count, heads), dtype=np.int64))
