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

__all__ = ["RULES", "count_gains", "find_gain", "largest_gain", "list_gains", "plain_prices"]

RULES = 8
"""Majorities a set of three tests."""

Longs = NDArray[np.int64]


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
def _gains(
    signed: Longs, p: int, a: int, b: int, c: int, place: int
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """right - wrong of the four rules of a set of tests that are not opposites of each other."""
    one, two = 1, 1 + p
    low, high = two + b * (b - 1) // 2, two + c * (c - 1) // 2
    everyone = np.int64(signed[0])
    alone = np.int64(signed[one + a]) + np.int64(signed[one + b]) + np.int64(signed[one + c])
    pairs = np.int64(signed[low + a]) + np.int64(signed[high + a]) + np.int64(signed[high + b])
    product = 8 * np.int64(signed[place]) - 4 * pairs + 2 * alone - everyone
    sa = 2 * np.int64(signed[one + a]) - everyone
    sb = 2 * np.int64(signed[one + b]) - everyone
    sc = 2 * np.int64(signed[one + c]) - everyone
    return (
        (sa + sb + sc - product) >> 1,
        (sb + sc - sa + product) >> 1,
        (sa + sc - sb + product) >> 1,
        (sa + sb - sc + product) >> 1,
    )


@compiled
def largest_gain(signed: Longs, p: int) -> np.int64:
    """right - wrong of the best rule."""
    best = np.int64(0)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                first, second, third, fourth = _gains(signed, p, a, b, c, place + a)
                one = max(abs(first), abs(second))
                best = max(best, max(one, max(abs(third), abs(fourth))))
            place += b
    return best


@compiled
def count_gains(signed: Longs, p: int, best: np.int64, width: np.int64) -> Longs:
    """How many pairs of opposite rules gain best, best - 2, … in size; the last entry counts all the others.

    No rule gains more than `best`. The places of a row of sets are made first, side by side, and then counted, apart
    for each rule, so that no addition waits for another.
    """
    counts, total = np.zeros((4, width + 1), np.int32), np.empty(width + 1, np.int64)
    places = np.empty((4, p), np.int64)
    place = 1 + p + p * (p - 1) // 2
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                first, second, third, fourth = _gains(signed, p, a, b, c, place + a)
                places[0, a] = min((best - abs(first)) >> 1, width)
                places[1, a] = min((best - abs(second)) >> 1, width)
                places[2, a] = min((best - abs(third)) >> 1, width)
                places[3, a] = min((best - abs(fourth)) >> 1, width)
            for a in range(b):
                counts[0, np.uint64(places[0, a])] += 1
                counts[1, np.uint64(places[1, a])] += 1
                counts[2, np.uint64(places[2, a])] += 1
                counts[3, np.uint64(places[3, a])] += 1
            place += b
    for i in range(width + 1):
        total[i] = np.int64(counts[0, i]) + counts[1, i] + counts[2, i] + counts[3, i]
    return total


@compiled
def list_gains(signed: Longs, p: int, out: Longs) -> None:
    """right - wrong of every rule, in order."""
    place = 1 + p + p * (p - 1) // 2
    rule = 0
    for c in range(2, p):
        for b in range(1, c):
            for a in range(b):
                for gain in _gains(signed, p, a, b, c, place + a):
                    out[rule], out[rule + 1] = gain, -gain
                    rule += 2
            place += b


@compiled
def find_gain(signed: Longs, p: int, wanted: np.int64, index: int) -> tuple[int, int, int, int]:
    """The tests and the number of the index-th rule of this gain; tests of -1 if there are fewer."""
    place = 1 + p + p * (p - 1) // 2
    left = index
    for c in range(2, p):
        for b in range(1, c):
            matches = (
                0  # counted without branches first, and looked at one by one where the rule is among them
            )
            for a in range(b):
                first, second, third, fourth = _gains(signed, p, a, b, c, place + a)
                matches += (abs(first) == abs(wanted)) + (abs(second) == abs(wanted))
                matches += (abs(third) == abs(wanted)) + (abs(fourth) == abs(wanted))
            if wanted == 0:
                matches *= 2  # a rule that gains nothing does so the other way round as well
            if left < matches:
                return _find_in_row(signed, p, b, c, place, wanted, left)
            left -= matches
            place += b
    return -1, -1, -1, -1


@compiled
def _find_in_row(
    signed: Longs, p: int, b: int, c: int, place: int, wanted: np.int64, index: int
) -> tuple[int, int, int, int]:
    """The same among the sets whose larger tests are b and c."""
    left = index
    for a in range(b):
        for k, gain in enumerate(_gains(signed, p, a, b, c, place + a)):
            for opposite in range(2):
                if (-gain if opposite else gain) == wanted:
                    if left == 0:
                        return a, b, c, 2 * k + opposite
                    left -= 1
    return -1, -1, -1, -1
