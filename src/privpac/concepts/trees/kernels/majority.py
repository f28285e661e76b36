"""Compiled prices of all majorities of three signed tests, from co-occurrence counts of two classes.

Write a test as +1 where it holds and -1 where it does not, and a record as +w or -w by its class, w being its cost.
A majority is (a + b + c - abc)/2, so with S_f the sum of record · f over all records

    right - wrong = (±S_a ± S_b ± S_c ∓ S_abc) / 2,   price of mistakes = (all - (right - wrong)) / 2,

integers both. Opposite signs give the opposite rule, so the four sums of a set of tests make eight rules: rule 2k has
sign -1 at test k - 1 (none for k = 0), rule 2k + 1 answers the opposite. Sets come in colexicographic order.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.compiled import compiled
from privpac.concepts.literals.cooccurrence import offsets

__all__ = [
    "RULES",
    "count_prices",
    "find_price",
    "largest_gain",
    "list_prices",
    "plain_prices",
    "signed_counts",
]

RULES = 8
"""Majorities a set of three tests."""

Longs = NDArray[np.int64]


def signed_counts(counts: NDArray[np.int32], costs: Longs) -> Longs:
    """Records of class 1 less those of class 0, at their costs, for every set of tests."""
    return np.asarray(costs[1] * counts[:, 1] - costs[0] * counts[:, 0], dtype=np.int64)


def plain_prices(signed: Longs, p: int, everything: int) -> NDArray[Any]:
    """[set, k]: the price of rule 2k of every set, by numpy alone; that of rule 2k + 1 is the rest of everything."""
    kind = np.int32 if 32 * everything < 2**31 else np.int64
    levels: list[NDArray[Any]] = np.split(signed.astype(kind), offsets(p, 3)[1:4])
    everyone, one, two, three = levels
    larger, smaller = np.tril_indices(p, -1)
    pairs, alone = 4 * two, 2 * one - everyone
    both = alone[smaller] + alone[larger]
    prices = np.empty((len(three), 4), kind)
    for c in range(2, p):
        place, many = comb(c, 3), comb(c, 2)
        a, b = smaller[:many], larger[:many]
        own = pairs[many : many + c]  # of c and each smaller test
        total = both[:many] + alone[c]
        product = 8 * three[place : place + many] - (pairs[:many] + own[a] + own[b]) + (total + 2 * everyone)
        out = prices[place : place + many]
        out[:, 0] = (everything - (total - product) // 2) // 2
        for k, turned in enumerate((alone[a], alone[b], alone[c])):
            out[:, k + 1] = (everything - (total - 2 * turned + product) // 2) // 2
    return prices


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
