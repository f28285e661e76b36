"""How much a record counts in a round: what is left to explain of its label, capped.

In whole sixty-fourths, from the noisy share of class 1 and the signed points the record has so far: a function of the
record and of what was released, computed in decimals that are the same on every machine.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from privpac.concepts.cards.logits import PARTS, risk_from
from privpac.concepts.cards.risks import WALL

__all__ = [
    "CAP",
    "ENOUGH",
    "MIXED_ABOVE",
    "MIXED_ROUNDS",
    "MOST_ROUNDS",
    "UNITS",
    "fine_rounds_for",
    "mixed_rounds_for",
    "points_of_round",
    "residuals",
    "rounds_for",
    "weights_at",
]

UNITS = 64
"""A weight of 1 in whole units; sixteenths lose .005 of AUC where there are most records (benchmarks/risks.py)."""

CAP = 32
"""Weights are cut at this many units, one half: the mechanism pays for the largest weight there can be, and few records
need more. Flat between .35 and .5, .019 of AUC better than no cap (benchmarks/risks.py)."""

FIFTH = PARTS // 5
"""A fifth of log-odds: one signed point, or two or three finer ones (`steps`)."""

MOST_ROUNDS = 300
"""Rounds of a card with a delta, which are cheap; without one, as many as hang on a wall (`WALL`)."""

ENOUGH = 1_000
"""n·epsilon below which many small rounds rank no better than a few, and tell risks worse (benchmarks/risks.py)."""

MIXED_ABOVE = 5_000
"""n·epsilon above which most rounds of `card` draw two answers at once: with fewer records there are too many to choose
from, and too little is left for risks (docs/compare/ranks.md)."""

MIXED_ROUNDS = 23
"""At most this many rounds of a mixed card: 15 lines of single tests, and 17 of pairs."""

LARGEST_POINTS = 3
"""Points of the first rounds; later ones correct, and bring 2 and then 1."""


def rounds_for(records: int, epsilon: Fraction) -> int:
    """The square root of n·epsilon over 7, rounded, from 1 to 32: flat within a factor of 1.4 (benchmarks/risks.py).

    >>> [rounds_for(2000, Fraction(e)) for e in ("0.1", "0.3", "1", "3")]
    [2, 3, 6, 11]
    """
    return min(_seventh_of_root(records, epsilon), WALL)


def mixed_rounds_for(records: int, epsilon: Fraction) -> int:
    """As many as for single tests, but at most 23, for the card to have 32 lines.

    >>> [mixed_rounds_for(n, Fraction(1)) for n in (5_001, 30_000, 10**6)]
    [10, 23, 23]
    """
    return min(_seventh_of_root(records, epsilon), MIXED_ROUNDS)


def _seventh_of_root(records: int, epsilon: Fraction) -> int:
    """The square root of n·epsilon over 7, rounded, at least 1."""
    # floor((2·sqrt(x) + 7) / 14) needs the whole part of the root of 4x only
    whole = 4 * records * epsilon.numerator // epsilon.denominator
    return max((math.isqrt(whole) + 7) // 14, 1)


def fine_rounds_for(records: int, epsilon: Fraction) -> int:
    """0.8 times the square root of n·epsilon, rounded, at most 300: for many small rounds (benchmarks/risks.py).

    >>> [fine_rounds_for(2000, Fraction(e)) for e in ("0.5", "1", "3", "100")]
    [25, 36, 62, 300]
    """
    # floor(0.8·sqrt(x) + 1/2) = floor((sqrt(2.56·x) + 1) / 2), and the whole part of the root is enough
    whole = records * epsilon * Fraction(256, 100)
    return min(max((math.isqrt(math.floor(whole)) + 1) // 2, 1), MOST_ROUNDS)


def points_of_round(number: int, rounds: int) -> int:
    """3/(1 + 2k/K) points in round k of K, rounded: 3, then 2, then 1.

    >>> [points_of_round(k, 7) for k in range(7)]
    [3, 2, 2, 2, 1, 1, 1]
    """
    top, bottom = LARGEST_POINTS * rounds, rounds + 2 * number
    return max(1, (2 * top + bottom) // (2 * bottom))


@lru_cache(maxsize=4096)  # all points of a card
def _risk(start: Fraction, points: int, fifth: int) -> int:
    return risk_from(start, FIFTH * points // fifth, scale=UNITS)


@lru_cache(maxsize=256)
def residuals(
    start: Fraction, largest: int, fifth: int = 1, cap: int = CAP
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The weight of a record of class 0 and of one of class 1 by its signed points, from -largest to largest.

    `fifth`: how many of these points make a fifth of log-odds. `cap`: where weights are cut.
    """
    risks = [_risk(start, points, fifth) for points in range(-largest, largest + 1)]
    zeros = tuple(-min(risk, cap) for risk in risks)
    ones = tuple(min(UNITS - risk, cap) for risk in risks)
    return zeros, ones


def weights_at(start: Fraction, points: int, cap: int) -> tuple[int, int]:
    """The weights of both classes at one number of signed points.

    >>> weights_at(Fraction(1, 2), 0, CAP)
    (-32, 32)
    """
    risk = _risk(start, points, 1)
    return -min(risk, cap), min(UNITS - risk, cap)
