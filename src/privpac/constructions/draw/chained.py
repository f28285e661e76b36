"""What one draw proves for any records where bad members come in chains: the number of chains counts, not of members.

A chain is a row of members that change sides on more and more records, such as cuts further and further to the right.
However long it is, it costs no more than one member. Statement `chained-draw`; proof: docs/proofs/chains.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from privpac.concepts.chains import Chains
from privpac.guarantee.facts import Against
from privpac.guarantee.proof import need
from privpac.guarantee.theorem import AccuracyBound
from privpac.numbers.exact import about_log, ball, exp_up, ln_down, ln_up, power_up
from privpac.theory.occam import GRID
from privpac.theory.refined import mean_agnostic

__all__ = ["ChainedDraw", "chained_draw"]


@dataclass(frozen=True)
class ChainedDraw(AccuracyBound, key="chained-draw"):
    """The drawn member is worse than the best by more than `error` with probability at most

    M^(1 − θ)·odds^θ·c·(((1 − D)/x + (1 + D)·x)/2)^n, where D = error − slack and c = 1/((1 − θ²)(1 − 0.645·θ²)) +
    (M/odds)^θ/2, also where each labelling of the records is drawn once, as one of the members that give it.

    M = chains, θ = share, x = tilt at least ratio^θ, odds at least M; logarithms are rounded up. Two chains apart share
    the records: without M^(1 − θ), or, where that is more, with b(q) = 1 − (D + q)(1 − x) + q(1/x − 1) as the base,
    where q = 1/2 − D but not below 0, and (1 + (b(0)/b(q))^n)^(1 − θ) in place of M^(1 − θ).
    """

    odds: Fraction
    ratio: Fraction
    tilt: Fraction
    share: Fraction
    chains: int
    slack: Fraction
    apart: bool

    against: ClassVar[Against] = Against.AGNOSTIC
    proper: ClassVar[bool] = True
    as_text: ClassVar[tuple[str, ...]] = ("chains",)

    def check(self) -> None:
        need(self.key, 0 < self.ratio <= self.tilt < 1, "the tilt must lie between the ratio and 1")
        need(self.key, 0 < self.share < 1, "the share must lie in (0, 1)")
        weighs = self.share * ln_down(1 / self.ratio) >= ln_up(1 / self.tilt)
        need(self.key, weighs, "the tilt is below the ratio to the power of the share")
        need(
            self.key,
            1 <= self.chains <= self.odds,
            "there must be chains, and odds of no less than their number",
        )
        need(self.key, not self.apart or self.chains == 2, "two chains may be apart, no others")
        need(self.key, self.slack >= 0, "the slack must not be negative")

    @property
    def evidence(self) -> Fraction:
        return Fraction(100) + self.slack

    def failure(self, n: int, error: Fraction) -> arb:
        gap, tilt = error - self.slack, self.tilt
        if gap <= 0:
            return arb(1)
        square = self.share**2
        mean = 1 / ((1 - square) * (1 - Fraction(645, 1000) * square))
        ties = exp_up(self.share * ln_up(self.chains / self.odds)) / 2
        draw = self.share * ln_up(self.odds) + ln_up(mean + ties)
        several = 0 if self.apart else self._several(self.chains)
        silent = 1 - gap * (1 - tilt)
        even = silent + max(Fraction(0), Fraction(1, 2) - gap) * (tilt + 1 / tilt - 2)
        both = self._several(1 + power_up(silent / even, n)) + n * ln_up(even)
        return ball(draw + max(several + n * ln_up(mean_agnostic(gap, tilt=tilt)), both)).exp()

    def _several(self, chains: Fraction | int) -> Fraction:
        return (1 - self.share) * ln_up(Fraction(chains))


# The bound is so flat that more tilts or groups would change its fourth digit at most. All are tried, whatever n and
# epsilon are: so what is promised never rises with either.
_DROPS = 0.5 ** (np.arange(1, 384) / 16)
"""1 - tilt."""
GROUPS = tuple(sorted({round(2 ** (i / 4)) for i in range(4, 81)}))
"""Into how many groups the ends of members are sorted."""

_DIGITS = 10**12


def chained_draw(
    n: int,
    *,
    chains: Callable[[int], Chains],
    odds: Fraction,
    ratio: Fraction,
    failure: Fraction,
    below: Fraction = Fraction(1),
) -> tuple[ChainedDraw, Fraction] | None:
    """The bound that proves the smallest excess on the grid by `n` records, and that excess; None if it is not below
    `below`. `chains` says for a number of groups how the class is covered.

    >>> found = chained_draw(1977, chains=lambda groups: Chains(2, apart=True), odds=Fraction(2**64),
    ...     ratio=Fraction(6065306597127, 10**13), failure=Fraction(1, 20))
    >>> found and float(found[1])
    0.1
    """
    covers = list(dict.fromkeys(chains(groups) for groups in GROUPS))
    tried = _Tried(covers, odds, ratio, n, about_log(failure))
    if n < 1 or not tried.drops.size:
        return None
    low, high = 0, int(below / GRID)  # low·GRID is not proved, high·GRID need not be
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tried.best(middle * float(GRID))[0] <= 0 else (middle, high)
    for step in range(high, min(high + 3, int(below / GRID))):  # floats may be off by a step
        bound = tried.bound(*tried.best(step * float(GRID))[1])
        if bound is not None and bound.proves(n, step * GRID, failure):
            return bound, step * GRID
    return None


class _Tried:
    """ln(bound/failure) in floats, for all covers and tilts: decides what is tried, never what is promised."""

    def __init__(self, covers: list[Chains], odds: Fraction, ratio: Fraction, n: int, goal: float) -> None:
        self.covers, self.odds, self.ratio, self.n = covers, odds, ratio, n
        self.drops = drops = _DROPS[1 - float(ratio) > _DROPS]
        self.shares = shares = np.log1p(-drops) / about_log(ratio)
        chains = np.array([about_log(Fraction(one.number)) for one in covers])[:, None]
        larger = np.maximum(about_log(odds), chains)
        mean = 1 / ((1 - shares**2) * (1 - 0.645 * shares**2)) + np.exp(shares * (chains - larger)) / 2
        self.apart = np.array([one.apart for one in covers])[:, None]
        self.slack = np.array([float(one.slack) for one in covers])[:, None]
        self.draw = shares * larger + np.log(mean) - goal
        self.alone = self.draw + np.where(self.apart, 0.0, (1 - shares) * chains)

    def best(self, excess: float) -> tuple[float, tuple[int, int]]:
        """The least of them, and at which cover and tilt."""
        drops, gap = self.drops, np.maximum(excess - self.slack, 0.0)
        spread = drops**2 / (1 - drops)
        logs = self.alone + self.n * np.log1p((spread - gap * drops * (2 - drops) / (1 - drops)) / 2)
        silent = 1 - gap * drops
        even = silent + np.maximum(0.5 - gap, 0.0) * spread
        both = (1 - self.shares) * np.log1p((silent / even) ** self.n) + self.draw + self.n * np.log(even)
        logs = np.where(gap > 0, np.maximum(logs, both), np.inf)
        cover, tilt = np.unravel_index(int(np.argmin(logs)), logs.shape)
        return float(logs[cover, tilt]), (int(cover), int(tilt))

    def bound(self, cover: int, weight: int) -> ChainedDraw | None:
        """The exact bound, with the smallest share of which the tilt is the weight."""
        number, slack, apart = self.covers[cover]
        tilt = Fraction(round(_DIGITS * (1 - self.drops[weight])), _DIGITS)
        share = Fraction(-(-ln_up(1 / tilt) * _DIGITS // ln_down(1 / self.ratio)), _DIGITS)
        odds = max(self.odds, Fraction(number))
        return ChainedDraw(odds, self.ratio, tilt, share, number, slack, apart) if share < 1 else None
