"""How much a record counts in a round: what is left to explain of its label, capped.

In whole sixty-fourths, from the noisy share of class 1 and the signed points the record has so far: a function of the
record and of what was released, computed in decimals that are the same on every machine.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from privpac.concepts.cards.logits import PARTS, risk_from

__all__ = ["CAP", "UNITS", "points_of_round", "residuals", "rounds_for"]

UNITS = 64
"""A weight of 1 in whole units; sixteenths lose .005 of AUC where there are most records (benchmarks/scores.py)."""

CAP = 26
"""Weights are cut at this many units, about .4: the mechanism pays for the largest weight there can be, and few records
need more. Flat between .35 and .5, .019 of AUC better than no cap (benchmarks/scores.py)."""

POINT = PARTS // 5
"""A signed point is a fifth of log-odds."""

MOST_ROUNDS = 32
"""More tests than this nobody reads on a card."""

LARGEST_POINTS = 3
"""Points of the first rounds; later ones correct, and bring 2 and then 1."""


def rounds_for(records: int, epsilon: Fraction) -> int:
    """The square root of n·epsilon over 6, rounded, from 1 to 32: flat within a factor of 1.4 (benchmarks/scores.py).

    >>> [rounds_for(2000, Fraction(e)) for e in ("0.1", "0.3", "1", "3")]
    [2, 4, 7, 13]
    """
    # floor((sqrt(x) + 3) / 6) needs the whole part of the root only
    whole = records * epsilon.numerator // epsilon.denominator
    return min(max((math.isqrt(whole) + 3) // 6, 1), MOST_ROUNDS)


def points_of_round(number: int, rounds: int) -> int:
    """3/(1 + 2k/K) points in round k of K, rounded: 3, then 2, then 1.

    >>> [points_of_round(k, 7) for k in range(7)]
    [3, 2, 2, 2, 1, 1, 1]
    """
    top, bottom = LARGEST_POINTS * rounds, rounds + 2 * number
    return max(1, (2 * top + bottom) // (2 * bottom))


@lru_cache(maxsize=256)
def residuals(start: Fraction, largest: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The weight of a record of class 0 and of one of class 1 by its signed points, from -largest to largest."""
    risks = [risk_from(start, POINT * points, scale=UNITS) for points in range(-largest, largest + 1)]
    zeros = tuple(-min(risk, CAP) for risk in risks)
    ones = tuple(min(UNITS - risk, CAP) for risk in risks)
    return zeros, ones
