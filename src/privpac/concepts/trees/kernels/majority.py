"""Compiled prices of all majorities of three signed tests, from co-occurrence counts of two classes.

Write a test as +1 where it holds and -1 where it does not, and a record as +w or -w by its class, w being its cost.
A majority is (a + b + c - abc)/2, so with S_f the sum of record · f over all records

    right - wrong = (±S_a ± S_b ± S_c ∓ S_abc) / 2,   price of mistakes = (all - (right - wrong)) / 2,

integers both. Opposite signs give the opposite rule, so the four sums of a set of tests make eight rules: rule 2k has
sign -1 at test k - 1 (none for k = 0), rule 2k + 1 answers the opposite. Sets come in colexicographic order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled

__all__ = ["RULES", "count_prices", "find_price", "largest_gain", "list_prices", "signed_counts"]

RULES = 8
"""Majorities a set of three tests."""

Longs = NDArray[np.int64]


@compiled
def signed_counts(counts: NDArray[np.int32], costs: Longs) -> Longs:
    """Records of class 1 less those of class 0, at their costs, for every set of tests."""
    out = np.empty(len(counts), np.int64)
    for i in range(len(counts)):
        out[i] = costs[1] * np.int64(counts[i, 1]) - costs[0] * np.int64(counts[i, 0])
    return out


@compiled
def _gains(signed: Longs, p: int, a: int, b: int, c: int, place: int, gains: Longs) -> None:
    """right - wrong of the four rules of a set of tests that are not opposites of each other."""
    one, two = 1, 1 + p
    everyone = signed[0]
    alone = signed[one + a] + signed[one + b] + signed[one + c]
    low = b * (b - 1) // 2
    high = c * (c - 1) // 2
    pairs = signed[two + low + a] + signed[two + high + a] + signed[two + high + b]
    product = 8 * signed[place] - 4 * pairs + 2 * alone - everyone
    sa, sb, sc = (
        2 * signed[one + a] - everyone,
        2 * signed[one + b] - everyone,
        2 * signed[one + c] - everyone,
    )
    gains[0] = (sa + sb + sc - product) // 2
    gains[1] = (sb + sc - sa + product) // 2
    gains[2] = (sa + sc - sb + product) // 2
    gains[3] = (sa + sb - sc + product) // 2


@compiled
def largest_gain(signed: Longs, p: int) -> np.int64:
    """right - wrong of the best rule."""
    gains = np.empty(4, np.int64)
    best = np.int64(0)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                _gains(signed, p, a, b, c, place, gains)
                for k in range(4):
                    best = max(best, abs(gains[k]))
                place += 1
    return best


@compiled
def count_prices(signed: Longs, p: int, everything: int, best: int, width: int) -> Longs:
    """How many rules have the prices best, best + 1, …; the last entry counts all from best + width on."""
    counts = np.zeros(width + 1, np.int64)
    gains = np.empty(4, np.int64)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                _gains(signed, p, a, b, c, place, gains)
                for k in range(4):
                    price = (everything - gains[k]) // 2
                    counts[min(price - best, width)] += 1
                    counts[min(everything - price - best, width)] += 1
                place += 1
    return counts


@compiled
def list_prices(signed: Longs, p: int, everything: int, out: Longs) -> None:
    """The price of every rule, in order."""
    gains = np.empty(4, np.int64)
    place = 1 + p + p * (p - 1) // 2
    rule = 0
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                _gains(signed, p, a, b, c, place, gains)
                for k in range(4):
                    price = (everything - gains[k]) // 2
                    out[rule], out[rule + 1] = price, everything - price
                    rule += 2
                place += 1


@compiled
def find_price(signed: Longs, p: int, everything: int, wanted: int, index: int) -> tuple[int, int, int, int]:
    """The tests and the number of the index-th rule of this price; tests of -1 if there are fewer."""
    gains = np.empty(4, np.int64)
    place = 1 + p + p * (p - 1) // 2
    left = index
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                _gains(signed, p, a, b, c, place, gains)
                for k in range(4):
                    price = (everything - gains[k]) // 2
                    for opposite in range(2):
                        if (everything - price if opposite else price) == wanted:
                            if left == 0:
                                return a, b, c, 2 * k + opposite
                            left -= 1
                place += 1
    return -1, -1, -1, -1
